"""A computation in code that the template contains, for which helio has no tool."""

from __future__ import annotations

from helio.steps.result import Result
from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.result import as_table
from helio.steps.sandbox.run_code import run_code
from helio.steps.signature import Code, Text, whole_range
from helio.steps.tool import LabelledTable, tool
from helio.store.table import Table


@tool(
    version=1,
    context=whole_range("code may use all records"),
    gives=Result(unit="{units}", frame=""),
    synonyms="run_code compute transform custom_op run_python pandas_operation",
)
def custom_operation(
    jail: Jail,
    sources: list[LabelledTable],
    *,
    pandas_code: Code,
    units: str = "",
    description: Text = Text(""),
) -> Table:
    """Compute a table with pandas code in a sandbox, without files, network or clock.

    Parameters
    ----------
    sources : list of tables
        The code gets each table under the last part of its label: ``AC_H2_MFI.BGSEc`` is ``df_BGSEc``, a pandas
        frame indexed by time (UTC) with a column for each component, or for each bin of a spectrum, named by the
        centre of the bin. A spectrum is also ``da_…``, an xarray DataArray over ``time`` and ``dim1``; a spectrum
        with two bin axes is only a DataArray. The first table is also ``df`` (``da``).
    pandas_code : str
        Code that assigns ``result``: a DataFrame, Series or DataArray with a time index; or, for one spectrum, a
        DataFrame or Series with an index named ``frequency`` (Hz) or ``energy`` (eV) instead. ``pd``, ``np``, ``xr``,
        ``signal`` (scipy) and ``pywt`` are in scope; lambdas and functions may be defined; nothing is imported.
    units : str
        Unit of the result, in any usual spelling; default: no unit.
    description : str
        Description of the result.

    Returns
    -------
    Table, shape (n,), (n, k), (n, b) or (n, b1, b2)
        float64, or float32 if the result of the code is float32. Sorted by epoch. Columns become components, or
        bins if their names are numbers. A result over frequency or energy becomes one record, in the middle of the
        inputs' times. It has no frame. Its notes name possible mistakes: NaN that became zero,
        more rows than the inputs have, values that never change or are all NaN.

    Raises
    ------
    CodeRefused
        The code uses something that is not on the allow-list.
    CodeFailed
        The code raised an error, or exceeded a limit of time, memory, rows, columns or output.
    BadResult
        The result is not a table: it has no index of times, frequencies or energies, holds no numbers, or has names
        that are not plain text.
    NoSandbox
        This machine cannot isolate code: it does not run Linux, or its kernel lacks a required protection.

    References
    ----------
    The author is responsible for the unit and the meaning of the result.

    Examples
    --------
    The field without its mean:

    >>> from helio.steps.examples import series
    >>> field = LabelledTable("WI_H0_MFI.BF1", series([4.0, 5.0, 6.0], "nT", "B"))
    >>> with Jail() as jail:
    ...     made = custom_operation(jail, [field], pandas_code="result = df_BF1 - df_BF1.mean()", units="nT")
    >>> made.values, made.unit
    (array([-1.,  0.,  1.]), 'nT')
    """
    returned = run_code(jail, pandas_code, sources)
    return as_table(returned, [source.table for source in sources], units=units, description=description)
