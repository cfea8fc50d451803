"""Define a request for a new pipeline, which options and sentences fill."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestQuantity:
    """A physical quantity.

    Parameters
    ----------
    name : str
        A name of `helio.knowledge.quantity_words`: ``"magnetic field vector"``.
    component : str
        ``"z"``; empty for all of it.
    """

    name: str
    component: str = ""


@dataclass(frozen=True)
class Computation:
    """A tool to apply to every series.

    Parameters
    ----------
    tool : str
        ``"running_average"``.
    window : str
        ``"10min"``; the writer asks for a missing one. For ``resample`` the new cadence.
    method : str
        For ``resample``: ``"mean"``, ``"median"``, ``"min"``, ``"max"``.
    beside : bool
        Whether to draw the input too.
    """

    tool: str
    window: str = ""
    method: str = ""
    beside: bool = False


@dataclass(frozen=True)
class Panels:
    """The arrangement of series.

    Parameters
    ----------
    together : bool
        Whether to draw all in one panel.
    compare : bool
        Whether to draw one quantity of several spacecraft in one panel.
    overlaid : bool
        The same; refused where nothing would share a panel.
    against : bool
        Whether to draw one against another; refused for two quantities.
    count : int
        The required number of panels; 0 for any.
    order : tuple of str
        Quantities in the required order of their panels.
    """

    together: bool = False
    compare: bool = False
    overlaid: bool = False
    against: bool = False
    count: int = 0
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class RequestedStyle:
    """The looks of the figure.

    Parameters
    ----------
    title : str
        When empty, made from spacecraft and quantities.
    colours : tuple of (str, str)
        Each a word for a line, and its colour: ``("bz", "red")``.
    log : tuple of str
        Words of quantities with a logarithmic scale; ``"*"`` for all.
    """

    title: str = ""
    colours: tuple[tuple[str, str], ...] = ()
    log: tuple[str, ...] = ()


@dataclass(frozen=True)
class PipelineRequest:
    """A request for a new pipeline; the writer asks for what is missing.

    Parameters
    ----------
    spacecraft : tuple of str
        Spacecraft of the table of quantities. For a mission with several (``"MMS"``) the writer asks.
    quantities : tuple of RequestQuantity
        The quantities of every spacecraft that is not in `own`.
    own : tuple of (str, RequestQuantity)
        Each a spacecraft and a quantity for it alone.
    datasets : tuple of (str, str)
        Each the id of a dataset, and a parameter or nothing.
    times : tuple of str
        Time ranges: none, one, or two to compare.
    frame : str
        ``"GSE"``; chosen by the writer when empty.
    cadence : float or None
        Seconds between records.
    burst : bool
        Whether to take data of burst mode alone.
    vectors : bool
        Whether the speed may not replace a velocity vector.
    instruments : tuple of str
        As ids of datasets spell them: ``"MFI"``.
    units : tuple of str
        Units that the data must have already.
    computed : str
        A quantity to compute even where an archive has it.
    computations : tuple of Computation
    panels : Panels
    style : RequestedStyle
    exports : tuple of str
        Formats of files to save the series in: ``"csv"``.
    name : str
        The id of the pipeline; when empty, made from spacecraft and quantities.
    """

    spacecraft: tuple[str, ...] = ()
    quantities: tuple[RequestQuantity, ...] = ()
    own: tuple[tuple[str, RequestQuantity], ...] = ()
    datasets: tuple[tuple[str, str], ...] = ()
    times: tuple[str, ...] = ()
    frame: str = ""
    cadence: float | None = None
    burst: bool = False
    vectors: bool = False
    instruments: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    computed: str = ""
    computations: tuple[Computation, ...] = ()
    panels: Panels = Panels()
    style: RequestedStyle = RequestedStyle()
    exports: tuple[str, ...] = ()
    name: str = ""
