"""A table that is written out in the template: a list of events, a digitised curve."""

from __future__ import annotations

from helio.steps.result import Result
from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.result import as_table
from helio.steps.sandbox.run_code import run_code
from helio.steps.signature import RECORD, Code, Text
from helio.steps.tool import tool
from helio.store.table import Table


@tool(
    version=1,
    context=RECORD,
    gives=Result(unit="{units}", frame=""),
    synonyms="create_dataframe make_dataframe save_dataframe",
)
def store_dataframe(
    jail: Jail,
    *,
    pandas_code: Code,
    units: str = "",
    description: Text = Text(""),
) -> Table:
    """Make a table from values that are written in the pipeline, with pandas code in a sandbox.

    Parameters
    ----------
    pandas_code : str
        Code that assigns ``result``: a DataFrame or Series with a time index, as ``pd.to_datetime([…])`` gives one.
        The code gets no table.
    units : str
        Unit of the result, in any usual spelling; default: no unit.
    description : str
        Description of the result.

    Returns
    -------
    Table, shape (n,) or (n, k)
        Sorted by epoch; a Series without a name is called ``value``.

    Raises
    ------
    CodeRefused, CodeFailed, BadResult, NoSandbox
        As for custom_operation. A table holds numbers: a column of texts is refused.

    References
    ----------
    The author is responsible for the numbers.

    Examples
    --------
    Two events of a list:

    >>> code = "result = pd.Series([-412.0, -233.0], index=pd.to_datetime(['2024-05-11T02', '2024-10-11T01']))"
    >>> with Jail() as jail:
    ...     dst = store_dataframe(jail, pandas_code=code, units="nT")
    >>> dst.values, dst.epoch.astype("M8[h]")
    (array([-412., -233.]), array(['2024-05-11T02', '2024-10-11T01'], dtype='datetime64[h]'))
    """
    return as_table(run_code(jail, pandas_code), [], units=units, description=description, name="value")
