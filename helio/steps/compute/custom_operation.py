"""What no named tool says, in code of the template's own."""

from __future__ import annotations

from helio.steps.result import Result
from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.result import as_table
from helio.steps.sandbox.run_code import run_code
from helio.steps.signature import Code, Text, whole_range
from helio.steps.tool import Labelled, tool
from helio.store.table import Table


@tool(
    version=1,
    context=whole_range("code may use all records"),
    gives=Result(unit="{units}", frame=""),
    synonyms="run_code compute transform custom_op run_python pandas_operation",
)
def custom_operation(
    jail: Jail,
    sources: list[Labelled],
    *,
    pandas_code: Code,
    units: str = "",
    description: Text = Text(""),
) -> Table:
    """Compute a table with pandas code that runs shut in, without files, network or clock.

    Parameters
    ----------
    sources : list of tables
        In scope under the last part of their labels: the table ``AC_H2_MFI.BGSEc`` is ``df_BGSEc``, a frame indexed by
        time (UTC) with a column per component, or per bin of a spectrum, named by its centre. A spectrum is
        ``da_…`` as well, an xarray DataArray over ``time`` and ``dim1``; with two bin axes it is that alone. The
        first one is ``df`` (``da``) for short.
    pandas_code : str
        Gives ``result`` a value: a DataFrame, Series or DataArray with a time index. ``pd``, ``np``, ``xr``, ``signal``
        (scipy) and ``pywt`` are in scope; lambdas and functions may be defined; nothing is imported.
    units : str
        Of the result, in any spelling; none when left out, for nobody else knows.
    description : str
        What the result is.

    Returns
    -------
    Table, shape (n,), (n, k), (n, b) or (n, b1, b2)
        float64, or float32 where the result is. Sorted by epoch; columns are components, or bins where their names
        are numbers. It has no frame. What may be a mistake stands in its notes: NaN that became zero, rows that came
        out of nothing, values that never change or are all NaN.

    Raises
    ------
    CodeRefused
        The code says what is not on the list of what it may.
    CodeFailed
        It raised an error, or passed a limit: of time, memory, rows, columns, output.
    BadResult
        It gave no table: without its time index, without numbers, with names that are not plain text.
    NoSandbox
        This machine cannot shut it in: another system than Linux, or a kernel without what is needed.

    References
    ----------
    Unit and meaning are the author's own; a named tool states its source.

    Examples
    --------
    The field without its mean:

    >>> from helio.steps.examples import series
    >>> field = Labelled("WI_H0_MFI.BF1", series([4.0, 5.0, 6.0], "nT", "B"))
    >>> with Jail() as jail:
    ...     made = custom_operation(jail, [field], pandas_code="result = df_BF1 - df_BF1.mean()", units="nT")
    >>> made.values, made.unit
    (array([-1.,  0.,  1.]), 'nT')
    """
    returned = run_code(jail, pandas_code, sources)
    return as_table(returned, [source.table for source in sources], units=units, description=description)
