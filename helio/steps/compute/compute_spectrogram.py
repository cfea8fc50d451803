"""A spectrogram computed by code in the template."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helio.errors import BadResult, StepError
from helio.steps.result import Result
from helio.steps.sandbox.jail import Jail
from helio.steps.sandbox.result import as_table, label_and_unit
from helio.steps.sandbox.run_code import run_code
from helio.steps.signature import Code, Text, whole_range
from helio.steps.tool import LabelledTable, tool
from helio.store.table import Table
from helio.time_range import TimeRange


@tool(
    version=1,
    context=whole_range("code may use all records"),
    scalar=("source",),
    gives=Result(kind="spectrum"),
    synonyms="spectrogram make_spectrogram",
)
def compute_spectrogram(
    jail: Jail,
    source: LabelledTable,
    *,
    python_code: Code,
    description: Text = Text(""),
    bin_label: Text = Text(""),
    value_label: Text = Text(""),
    component: str = "",
    window: TimeRange | None = None,
) -> Table:
    """Compute a spectrogram with Python code in a sandbox, without files, network or clock.

    Parameters
    ----------
    source : table, shape (n,)
        The code gets it as ``df``, a pandas frame indexed by time (UTC) with one column. For a vector, choose one
        component with ``component``.
    python_code : str
        Code that assigns ``result``: a DataFrame with a time index and a column per bin, named by its number
        (``f"{f:.4g}"``), or a DataArray over time and bins. ``signal`` is scipy's; ``pd``, ``np``, ``xr`` and ``pywt``
        are in scope as well.
    description : str
        Description of the result.
    bin_label : str
        Name of the bins, with their unit in brackets: ``"Frequency (Hz)"``.
    value_label : str
        Name of the values, with their unit in brackets: ``"PSD (nT^2/Hz)"``.
    component : str
        The component to take from a vector.
    window : time range
        The part of the source to use; default: all of it.

    Returns
    -------
    Table, shape (m, b)
        A spectrum with one bin axis, its bins in the order of the columns.

    Raises
    ------
    StepError
        When the source is a vector and no component is named.
    CodeRefused, CodeFailed, BadResult, NoSandbox
        As for custom_operation; BadResult also when columns are not named by numbers.

    References
    ----------
    The author is responsible for the transform; the tool power_spectrogram handles gaps and states its source.

    Examples
    --------
    The power of two windows of four records each:

    >>> from helio.steps.examples import series
    >>> source = LabelledTable("MAG.Bz", series([1.0, -1.0] * 4, "nT", "Bz", every="1s"))
    >>> code = '''
    ... f, t, power = signal.spectrogram(df["Bz"].to_numpy(), fs=1.0, window="boxcar", nperseg=4, noverlap=0)
    ... result = pd.DataFrame(power.T, index=df.index[::4], columns=[f"{hertz:.4g}" for hertz in f])
    ... '''
    >>> with Jail() as jail:
    ...     made = compute_spectrogram(jail, source, python_code=code, bin_label="Frequency (Hz)")
    >>> made.axes[0].centers, made.values.round(6)
    (array([0.  , 0.25, 0.5 ]), array([[0., 0., 4.],
           [0., 0., 4.]]))
    """
    table = source.table.component(component) if component else source.table
    if table.components:
        raise StepError(
            f"compute_spectrogram takes one component, but '{source.label}' has "
            f"{', '.join(table.components)}",
            advice=f'choose one with the argument component: "{table.components[0]}"',
        )
    if window is not None:
        table = table.between(np.datetime64(window.start, "ns"), np.datetime64(window.stop, "ns"))
    returned = run_code(jail, python_code, [LabelledTable(source.label, table)])
    made = as_table(returned, [table], description=description)
    if len(made.axes) != 1:
        raise BadResult(
            "a spectrogram needs one column for each bin, named by the bin's centre, but the code "
            f"returned a {made.kind}",
            advice="return, for example, pd.DataFrame(S.T, index=…, columns=[f'{v:.4g}' for v in f])",
        )
    label, unit = label_and_unit(bin_label) if bin_label else (made.axes[0].label, made.axes[0].unit)
    name, value_unit = label_and_unit(value_label)
    return replace(made, name=name, unit=value_unit, axes=(replace(made.axes[0], label=label, unit=unit),))
