"""Define the request for a new pipeline, which helio makes from command-line options or from a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.pipelines.template.from_document import FromDocument


@dataclass(frozen=True)
class RequestQuantity:
    """A physical quantity that the user wants to see in the figure.

    Parameters
    ----------
    name : str
        A name of `helio.knowledge.quantity_words`: ``"magnetic field vector"``.
    component : str
        ``"z"``; empty for all components.
    frame : str
        The frame of this vector alone; if empty, that of the request.
    """

    name: str
    component: str = ""
    frame: str = ""


@dataclass(frozen=True)
class Lines:
    """The lines of a figure that words mean: those of the named spacecraft, quantities, or both.

    Parameters
    ----------
    crafts, quantities : tuple
        Whose lines; all if both are empty.
    """

    crafts: tuple[str, ...] = ()
    quantities: tuple[RequestQuantity, ...] = ()


@dataclass(frozen=True)
class Place:
    """The place of some lines in the figure.

    Parameters
    ----------
    rank : int
        Panels are ordered by rank.
    shared : bool
        Whether the lines share one panel.
    """

    lines: Lines
    rank: int
    shared: bool = False


@dataclass(frozen=True)
class Computation:
    """A tool that the pipeline should apply to every time series.

    Parameters
    ----------
    tool : str
        ``"running_average"``.
    window : str
        ``"10min"``; if empty, helio asks for it. For ``resample``: the new cadence.
    method : str
        For ``resample``: ``"mean"``, ``"median"``, ``"min"``, ``"max"``.
    beside : bool
        Whether to draw the input as well.
    behind : bool
        Whether to draw the input in the same panel.
    alone : bool
        Whether to leave out the vector of a magnitude.
    of : Lines
        The series that it takes.
    of_data : bool
        Whether it takes the data, and no result of another computation: ``daily means and daily maxima``.
    if_finer : bool
        Whether ``resample`` leaves series alone that do not have a shorter cadence: ``5 min density, hourly speed``.
    """

    tool: str
    window: str = ""
    method: str = ""
    beside: bool = False
    behind: bool = False
    alone: bool = False
    of: Lines = Lines()
    of_data: bool = False
    if_finer: bool = False
    args: tuple[tuple[str, Any], ...] = ()
    """More arguments of the tool: ``("longest", "1h")``."""
    by: Lines = Lines()
    """The series whose values say which records `mask_by_flag` leaves out, or whose times `align` takes."""


@dataclass(frozen=True)
class Cut:
    """A part of a spectrum or a distribution: one energy, a band, a pitch angle, or a mean over pitch angles.

    Parameters
    ----------
    dataset, parameter : str
    steps : tuple of Computation
        The tools that take the part, in order.
    """

    dataset: str
    parameter: str
    steps: tuple[Computation, ...]


@dataclass(frozen=True)
class Events:
    """Events that a tool finds in a series, or times that it makes of a list.

    Parameters
    ----------
    name : str
        The name of their table: ``"storms"``.
    tool : str
        ``"storm_phases"``, ``"alert"`` or ``"store_dataframe"``.
    args : tuple of (str, Any)
        Arguments of the tool.
    intent : str
        What the tool does, for the reader.
    of : str
        The quantity in which the tool finds them; empty for the only series of the request.
    document : FromDocument, optional
        The document that has the times, if the request has one.
    """

    name: str
    tool: str
    args: tuple[tuple[str, Any], ...]
    intent: str
    of: str = ""
    document: FromDocument | None = None


@dataclass(frozen=True)
class EventTable:
    """Events to save in a file.

    Parameters
    ----------
    gives : tuple of str
        What the file has of each event, for the argument `give` of the tool; empty if `events` says it.
    notes : tuple of str
        What the user should know about the table.
    """

    events: Events
    gives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Epochs:
    """Times around which the figure superposes its series.

    Parameters
    ----------
    before, after, bin : str
        How long before and after the times the figure lasts, and the length of its bins.
    about : str
        What the times are, in words.
    drawn : bool
        Whether the figure also shows the quantity in which the tool finds the times.
    notes : tuple of str
        What the user should know about the times.
    give : str, optional
        ``"mean"`` or ``"median"`` of the events; if empty, their median and quartiles.
    """

    events: Events
    before: str
    after: str
    bin: str
    about: str
    drawn: bool = True
    notes: tuple[str, ...] = ()
    give: str = ""


@dataclass(frozen=True)
class SolarXrays:
    """The X-rays of the Sun, which NOAA's NCEI has.

    Parameters
    ----------
    satellite : str
        ``"GOES-16"``.
    least : float, optional
        The smallest peak in W/m² of the flares to find; None if the request asks for no flares.
    channels : tuple of str
        ``"xrsb"`` is the long channel (0.1–0.8 nm), ``"xrsa"`` the short one. Empty means both, or for flares,
        which are found in the long one, that alone.
    """

    satellite: str
    least: float | None = None
    channels: tuple[str, ...] = ()


@dataclass(frozen=True)
class BinWidth:
    """The width of the bins of histograms.

    Parameters
    ----------
    unit : str
        If empty, that of the quantity.
    of_one : bool
        Whether the width is that of one histogram, and not of all in its unit.
    """

    size: float
    unit: str = ""
    of_one: bool = False

    def __str__(self) -> str:
        return f"{self.size:g} {self.unit}".strip()

    def in_unit(self, unit: str) -> float | None:
        """Return the width in the unit of a quantity; None if it cannot be converted.

        >>> BinWidth(20, "km/s").in_unit("m/s"), BinWidth(20, "km/s").in_unit("nT"), BinWidth(20).in_unit("nT")
        (20000.0, None, 20)
        """
        if not self.unit or self.unit == unit:
            return self.size
        if not comparable(self.unit, unit):
            return None
        return float(f"{self.size * conversion_factor(self.unit, unit):.12g}")


@dataclass(frozen=True)
class Panels:
    """Arrangement of the time series in the panels of the figure.

    Parameters
    ----------
    together : bool
        Whether to draw all series in one panel.
    compare : bool
        Whether to draw one quantity of several spacecraft in one panel.
    overlaid : bool
        Like `compare`, but refused if no two series would share a panel.
    apart : bool
        Whether each series has its own panel.
    kind : str
        ``"scatter"``, ``"hodogram"`` or ``"density"`` to draw one series against another; ``"histograms"``, ``"polar"``
        (histograms around a circle), ``"probability"`` (histograms of densities) or ``"orbits"``; otherwise empty.
    plane : str
        ``"xy"``, ``"xz"`` or ``"yz"``: the plane of orbits; otherwise empty.
    fit : str
        The kind of line to fit to the points of a scatter plot.
    count : int
        The required number of panels; 0 for any.
    lines : tuple of (str, int)
        The required numbers of what the panels show: ``line``, ``curve``, ``trace``, ``colour`` or ``spectrogram``.
    places : tuple of Place
        Where panels are, and which lines share one.
    bins : int
        The number of bins of histograms; 0 for those of the figure.
    bin_widths : tuple of BinWidth
        The widths of the bins of histograms, each for the quantities that have its unit.
    bin_ranges : tuple of (BinWidth, BinWidth)
        The lowest and the highest value of the bins of histograms; none for those of the data.
    colour : RequestQuantity, optional
        What colours the points of a scatter plot; ``time`` for the time.
    slopes : tuple of str
        The exponents of the power laws to compare a power spectrum with.
    frequencies : tuple of float
        The lowest and the highest frequency to draw of power spectra and spectrograms, in Hz; empty for all.
    side : bool
        Whether the panels stand side by side, those of a spacecraft in one column.
    split : bool
        Whether each component of a vector has its own panel.
    marks : bool
        Whether frequencies of the plasma are marked in power spectra.
    axes : str
        The components on the y and the x axis of the hodogram of one vector: ``"nm"``; empty for the usual ones.
    stacked : bool
        Whether each part of the request has panels of its own, below those of the part before it.
    equal : bool
        Whether one unit is equally long on both axes of a plot of one quantity against another.
    """

    together: bool = False
    compare: bool = False
    overlaid: bool = False
    apart: bool = False
    kind: str = ""
    plane: str = ""
    fit: str = ""
    count: int = 0
    lines: tuple[tuple[str, int], ...] = ()
    places: tuple[Place, ...] = ()
    bins: int = 0
    bin_widths: tuple[BinWidth, ...] = ()
    bin_ranges: tuple[tuple[BinWidth, BinWidth], ...] = ()
    colour: RequestQuantity | None = None
    slopes: tuple[str, ...] = ()
    frequencies: tuple[float, ...] = ()
    split: bool = False
    marks: bool = False
    axes: str = ""
    side: bool = False
    stacked: bool = False
    equal: bool = False


@dataclass(frozen=True)
class RequestedStyle:
    """Requested appearance of the figure.

    Parameters
    ----------
    title : str
        If empty, made from spacecraft and quantities.
    looks : tuple of str
        How lines, axes and panels look, each in words that also change a figure: ``"Bz red"``.
    as_lines : bool
        Whether to draw the bins of a spectrum as lines.
    """

    title: str = ""
    looks: tuple[str, ...] = ()
    as_lines: bool = False


@dataclass(frozen=True)
class PipelineRequest:
    """A request for a new pipeline; if a fact is missing, helio asks the user.

    Parameters
    ----------
    spacecraft : tuple of str
        Spacecraft that helio has physical quantities for. For a mission with several (``"MMS"``), helio asks which.
    quantities : tuple of RequestQuantity
        Quantities to draw for every spacecraft that is not in `own`.
    own : tuple of (str, RequestQuantity)
        Pairs of a spacecraft and a quantity to draw for this spacecraft only.
    datasets : tuple of (str, str)
        Pairs of a dataset's id and a parameter, which may be empty.
    cuts : tuple of Cut
        Parts to draw of spectra and distributions of named datasets.
    xrays : SolarXrays, optional
    times : tuple of str
        Time ranges: none, one, or two to compare.
    frame : str
        ``"GSE"``; if empty, helio chooses.
    cadence : float or None
        Seconds between records.
    modes : tuple of (str, str)
        Modes of the data, as in `helio.knowledge.modes`, each with the instrument that it is named for, which may be
        empty: ``("burst", "FGM")``.
    vectors : bool
        Whether to require velocity vectors instead of accepting the speed.
    instruments : tuple of str
        Instruments, spelled as in dataset ids: ``"MFI"``.
    energies : tuple of str
        Energies above which particles are counted: ``">10 MeV"``.
    units : tuple of str
        Units that the data must have; nothing is converted.
    at_hand : tuple of (str, str)
        Pairs of a dataset and a parameter that a pipeline fetches already; helio takes them before others.
    from_datasets : tuple of str
        Datasets from which alone helio takes the quantities that they have.
    computed : tuple of str
        Quantities to compute even if a dataset has them.
    inputs : tuple of str
        The quantities from which to compute it, if the request names them; several kinds of one are alternatives.
    assumed : tuple of (str, float)
        Arguments of tools with their values, which a computation takes instead of measured ones.
    computations : tuple of Computation
    events : EventTable or Epochs, optional
        Events to save, or times around which to superpose all series.
    panels : Panels
    style : RequestedStyle
    exports : tuple of str
        File formats in which to save the series, or the table of events: ``"csv"``.
    saved : Lines
        The series to save in these formats.
    one_file : bool, optional
        Whether one file has all series, at the epochs of the coarsest of them. None: one file for the series that a
        file can hold without a change of their epochs.
    file : str
        The name of the file, without its ending; if empty, made from what it has.
    drawn : bool
        Whether to draw a figure.
    name : str
        The id of the pipeline; if empty, made from spacecraft and quantities.
    parts : tuple of PipelineRequest
        Parts of the figure, each with data and computations of its own, which apply to no other part. The request
        itself then says what they have in common, and names all that they name.
    """

    spacecraft: tuple[str, ...] = ()
    quantities: tuple[RequestQuantity, ...] = ()
    own: tuple[tuple[str, RequestQuantity], ...] = ()
    datasets: tuple[tuple[str, str], ...] = ()
    cuts: tuple[Cut, ...] = ()
    xrays: SolarXrays | None = None
    times: tuple[str, ...] = ()
    frame: str = ""
    cadence: float | None = None
    modes: tuple[tuple[str, str], ...] = ()
    vectors: bool = False
    instruments: tuple[str, ...] = ()
    energies: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    at_hand: tuple[tuple[str, str], ...] = ()
    from_datasets: tuple[str, ...] = ()
    computed: tuple[str, ...] = ()
    inputs: tuple[str, ...] = ()
    assumed: tuple[tuple[str, float], ...] = ()
    computations: tuple[Computation, ...] = ()
    events: EventTable | Epochs | None = None
    panels: Panels = Panels()
    style: RequestedStyle = RequestedStyle()
    exports: tuple[str, ...] = ()
    saved: Lines = Lines()
    saved_count: int = 0
    """The number of series to save, if the request says it; otherwise 0."""
    one_file: bool | None = None
    file: str = ""
    drawn: bool = True
    name: str = ""
    parts: tuple[PipelineRequest, ...] = ()


def in_parts(common: PipelineRequest, parts: Sequence[PipelineRequest]) -> PipelineRequest:
    """Return a request for a figure of several parts, which names all that the parts name.

    Parameters
    ----------
    common : PipelineRequest
        What all parts have in common: the time, the style, the files.
    """
    return replace(
        common,
        spacecraft=tuple(dict.fromkeys(craft for part in parts for craft in part.spacecraft)),
        quantities=tuple(dict.fromkeys(quantity for part in parts for quantity in part.quantities)),
        datasets=tuple(dict.fromkeys(pair for part in parts for pair in part.datasets)),
        cuts=tuple(dict.fromkeys(cut for part in parts for cut in part.cuts)),
        computations=tuple(computation for part in parts for computation in part.computations),
        parts=tuple(parts),
    )
