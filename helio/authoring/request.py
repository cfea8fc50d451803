"""A request for a new pipeline: flags, a sentence, a form or a model each fill one `PipelineRequest`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RequestQuantity:
    """A physical quantity.

    Parameters
    ----------
    name : str
        As in `helio.knowledge.quantity_words`: ``"magnetic field vector"``.
    component : str
        ``"z"``; empty for all of it.
    """

    name: str
    component: str = ""


@dataclass(frozen=True)
class Computation:
    """A tool that is applied to every series that is drawn.

    Parameters
    ----------
    tool : str
        ``"running_average"``.
    window : str
        ``"10min"``; asked for where the tool needs one and none is given. For ``resample`` the new cadence.
    method : str
        For ``resample``: ``"mean"``, ``"median"``, ``"min"``, ``"max"``.
    beside : bool
        Draw the series that go in, too.
    """

    tool: str
    window: str = ""
    method: str = ""
    beside: bool = False


@dataclass(frozen=True)
class Panels:
    """How series are arranged.

    Parameters
    ----------
    together : bool
        All of them in one panel.
    compare : bool
        One quantity of several spacecraft in one panel.
    overlaid : bool
        The same, and refused where nothing would share a panel.
    against : bool
        One thing against another one; refused where these are two quantities.
    count : int
        How many panels there have to be; 0 for any number.
    order : tuple of str
        Quantities in the order in which their panels have to stand.
    """

    together: bool = False
    compare: bool = False
    overlaid: bool = False
    against: bool = False
    count: int = 0
    order: tuple[str, ...] = ()


@dataclass(frozen=True)
class FigureStyle:
    """How the figure looks.

    Parameters
    ----------
    title : str
        One is made of spacecraft and quantities when empty.
    colours : tuple of (str, str)
        Words for a line, and its colour: ``("bz", "red")``.
    log : tuple of str
        Words of quantities with a logarithmic scale; ``"*"`` for all.
    """

    title: str = ""
    colours: tuple[tuple[str, str], ...] = ()
    log: tuple[str, ...] = ()


@dataclass(frozen=True)
class PipelineRequest:
    """A new pipeline, as far as it was said; the writer asks for what is missing.

    Parameters
    ----------
    spacecraft : tuple of str
        Spacecraft of the table of quantities. For a mission of several (``"MMS"``) the writer asks which one.
    quantities : tuple of RequestQuantity
        The quantities of every spacecraft that is not in `own`.
    own : tuple of (str, RequestQuantity)
        Spacecraft with quantities of their own, each with its quantity.
    datasets : tuple of (str, str)
        Ids of data sets, each with a parameter or nothing.
    times : tuple of str
        Time ranges: none, one, or two that are compared.
    frame : str
        ``"GSE"``; chosen by the writer when empty.
    cadence : float or None
        Seconds between records.
    burst : bool
        Data of burst mode alone.
    vectors : bool
        No speed may replace a velocity vector.
    instruments : tuple of str
        As ids of data sets spell them: ``"MFI"``.
    units : tuple of str
        Units that the data must have already.
    computed : str
        A quantity that is computed even where an archive has it.
    computations : tuple of Computation
    panels : Panels
    style : FigureStyle
    exports : tuple of str
        Forms of files in which the series are saved: ``"csv"``.
    name : str
        The id of the pipeline; one is made of spacecraft and quantities when empty.
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
    style: FigureStyle = FigureStyle()
    exports: tuple[str, ...] = ()
    name: str = ""
