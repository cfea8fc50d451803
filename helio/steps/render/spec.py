"""Every key a figure's specification may have; the JSON Schema and the documentation are made from it."""

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from helio.limits import LIMITS
from helio.steps.signature import FileName, MaxItems, Text, Title

FileFormat = Literal["html", "json", "png", "pdf", "svg"]
PanelType = Literal["line", "spectrogram", "spectrum"]
Palette = Literal["tplot", "okabe-ito"]
Dash = Literal["solid", "dot", "dash", "longdash", "dashdot", "longdashdot"]
Theme = Literal[
    "white",
    "plotly",
    "plotly_white",
    "plotly_dark",
    "ggplot2",
    "seaborn",
    "simple_white",
    "presentation",
    "gridon",
    "xgridoff",
    "ygridoff",
]


class CanvasSize(TypedDict, total=False):
    """Size of the whole figure."""

    width: Annotated[int, "Width in pixels, 300 to 6000; 1000 when left out."]
    height: Annotated[int, "Height in pixels, 200 to 10000; follows the number of panels when left out."]


class LineStyle(TypedDict, total=False):
    """The style of one label's lines."""

    width: Annotated[float, "Line width in pixels."]
    dash: Annotated[Dash, "Dash pattern."]
    mode: Annotated[Literal["lines", "markers", "lines+markers"], "Lines, markers or both."]


class VLine(TypedDict, total=False):
    """A vertical line at one time, through every panel with a time axis; or at one bin of a spectrum panel."""

    x: Required[
        Annotated[str | float, "ISO time in UTC; with a spectrum panel's number a frequency or energy."]
    ]
    panel: Annotated[int, "Number of the spectrum panel in which x is a frequency, an energy, an angle."]
    label: Annotated[Text, "Text beside the line, at the top of the first panel it crosses."]
    color: Annotated[str, "A colour that plotly knows; red when left out."]
    dash: Annotated[Dash, "Dash pattern; solid when left out."]
    width: Annotated[float, "Line width in pixels; 1.5 when left out."]


class VRect(TypedDict, total=False):
    """A shaded interval of time behind every panel's lines."""

    x0: Required[Annotated[str, "ISO time in UTC at which the interval starts."]]
    x1: Required[Annotated[str, "ISO time in UTC at which the interval stops."]]
    label: Annotated[Text, "Text at the middle of the interval, at the top of the first panel."]
    color: Annotated[str, "A colour that plotly knows; light blue when left out."]
    opacity: Annotated[float, "0 to 1; 0.3 when left out."]


class HLine(TypedDict, total=False):
    """A horizontal line at one value of one panel, a storm threshold for instance."""

    y: Required[Annotated[float, "Value in the panel's unit."]]
    panel: Annotated[int, "Panel number, from 1 at the top; 1 when left out."]
    label: Annotated[Text, "Text at the right end of the line."]
    color: Annotated[str, "A colour that plotly knows; red when left out."]
    dash: Annotated[Dash, "Dash pattern; dash when left out."]
    width: Annotated[float, "Line width in pixels; 1 when left out."]


class Slope(TypedDict, total=False):
    """A guide in a spectrum panel: how a power law would fall."""

    slope: Required[Annotated[float | str, "Exponent of the power law: -1.67 or '-5/3'."]]
    panel: Annotated[int, "Number of a spectrum panel, from 1 at the top; the first of them when left out."]
    x0: Annotated[float, "Where the guide starts on the x axis; guides stand side by side when left out."]
    x1: Annotated[float, "Where it ends."]
    y: Annotated[float, "Its value at x0; clear above the spectra when left out."]
    label: Annotated[Text, "Text above the guide; the slope when left out."]
    color: Annotated[str, "A colour that plotly knows; grey when left out."]


class Note(TypedDict, total=False):
    """A text on the figure."""

    text: Required[Annotated[Text, "The text."]]
    x: Required[Annotated[str | float, "ISO time in UTC, or a fraction of the panels' width from the left."]]
    y: Required[Annotated[float, "With a time: a value in the panel's unit; else a fraction of the height."]]
    panel: Annotated[int, "Panel number that y belongs to, from 1 at the top; 1 when left out."]
    showarrow: Annotated[bool, "Whether an arrow points at the place; false when left out."]
    color: Annotated[str, "A colour that plotly knows."]


class FigureSpec(TypedDict, total=False):
    """A declaration of one figure. Panels are counted from 1 at the top."""

    labels: Annotated[
        list[str],
        "Labels to draw, LABEL or LABEL.component; all tables when left out.",
        MaxItems(LIMITS.labels),
    ]
    panels: Annotated[
        list[Annotated[list[str], MaxItems(LIMITS.labels)]],
        "Labels of each panel, from the top; when left out one panel per unit, one per spectrogram, and power or "
        "energy spectra of one record below, those of one unit and axis together.",
        MaxItems(LIMITS.panels),
    ]
    panel_types: Annotated[
        list[PanelType],
        "How each panel is drawn, one per panel: lines over time, a spectrogram, or a spectrum over its frequency or "
        "energy; a spectrum of one record is a spectrum, of more a spectrogram.",
        MaxItems(LIMITS.panels),
    ]
    title: Annotated[
        Title, "Title of the figure; {start}, {stop} and {NAME} of a declared variable are filled in."
    ]
    subtitle: Annotated[Title, "A second line, before the time range; filled in as the title is."]
    filename: Annotated[
        FileName,
        "Name of the figure's files, without folders: ace_{start}.png. An ending of a format states that format. "
        "{start}, {stop} and {NAME} of a declared variable are filled in; the step's id when left out.",
    ]
    formats: Annotated[
        list[FileFormat],
        "Formats in which the figure is written; those of --format are added. Without formats and without an ending "
        "of filename: html and json.",
    ]
    x_label: Annotated[Text, "Label of the time axis; UT when left out."]
    bin_label: Annotated[
        Text | dict[str, Text], "Label of the x axis of spectrum panels, for all or by panel number."
    ]
    y_label: Annotated[Text | dict[str, Text], "Label of the y axis, of every panel or by panel number."]
    trace_names: Annotated[dict[str, Text], "Name in the legend, by label or label.component."]
    trace_colors: Annotated[dict[str, str], "Colour of a line, by label or label.component."]
    line_styles: Annotated[
        dict[str, LineStyle], "Width, dash and mode of lines, by label or label.component."
    ]
    palette: Annotated[
        Palette,
        "Line colours: tplot (x blue, y green, z red), or okabe-ito, which is safe for the colour-blind.",
    ]
    log_scale: Annotated[
        Literal["y", "log", "linear"] | int | dict[str, Literal["log", "linear"]],
        "Scale of y axes of lines and spectra: y or log for all, the number of one panel, or by panel number.",
    ]
    log_y: Annotated[
        bool | dict[str, bool],
        "Logarithmic y axis by panel number, or for spectrograms, and for what is nowhere negative.",
    ]
    log_x: Annotated[
        bool | dict[str, bool],
        "Logarithmic frequency or energy axis of spectrum panels, for all or by panel number.",
    ]
    log_z: Annotated[
        bool | dict[str, bool], "Logarithmic colours of spectrograms, for all or by panel number."
    ]
    x_range: Annotated[list[str], "Two ISO times in UTC between which the figure is drawn."]
    bin_range: Annotated[
        list[float] | dict[str, list[float]],
        "Lowest and highest frequency or energy of spectrum panels, for all or by panel number.",
    ]
    y_range: Annotated[
        list[float] | dict[str, list[float]],
        "Lowest and highest value of the y axis, never logarithms, for all or by panel number.",
    ]
    z_min: Annotated[float | dict[str, float], "Data value of the lowest colour, for all or by panel number."]
    z_max: Annotated[
        float | dict[str, float], "Data value of the highest colour, for all or by panel number."
    ]
    colorscale: Annotated[
        str, "Colours of spectrograms: turbo, viridis, spedas or another name plotly knows."
    ]
    gap_factor: Annotated[
        float,
        "A step longer than this many local median cadences is a gap; 1.5 when left out.",
    ]
    show_zero_line: Annotated[bool, "Thin line at zero; where values change sign when left out."]
    vlines: Annotated[list[VLine], "Vertical lines at times."]
    vrects: Annotated[list[VRect], "Shaded intervals of time."]
    hlines: Annotated[list[HLine], "Horizontal lines at values."]
    slopes: Annotated[
        list[float | str | Slope],
        "Power laws to compare a spectrum with: ['-5/3', -2.8], or where each stands.",
    ]
    annotations: Annotated[list[Note], "Texts at places."]
    legend: Annotated[
        bool, "Names of the lines beside each panel that has more than one; true when left out."
    ]
    footer: Annotated[bool, "Data sets, versions and caption below the figure; true when left out."]
    theme: Annotated[Theme, "White as journals print it, or one of plotly's templates."]
    font_size: Annotated[float, "Font size in pixels, 6 to 48; 14 when left out."]
    canvas_size: Annotated[CanvasSize, "Width and height of the figure in pixels."]
    row_heights: Annotated[list[float], "Relative height of each panel.", MaxItems(LIMITS.panels)]
