"""All keys of a figure's spec; helio makes the JSON Schema and the documentation from them."""

from __future__ import annotations

from typing import Annotated, Literal, Required, TypedDict

from helio.limits import LIMITS
from helio.steps.signature import FileName, MaxItems, PrintedLength, Text, Title

MOST_COLUMNS = 6
"""The largest number of columns of panels."""

FileFormat = Literal["html", "json", "png", "pdf", "svg"]
PanelType = Literal["line", "spectrogram", "spectrum", "bars", "strip", "epochs"]
EntryKind = Literal["xy", "histograms", "orbits"]
"""Kinds of panels that a key of the spec with the same name lists; they have no time on their x axis."""
PanelKind = PanelType | EntryKind
Palette = Literal["tplot", "okabe-ito"]
Dash = Literal["solid", "dot", "dash", "longdash", "dashdot", "longdashdot"]
LevelName = Literal["storms", "flares", "Kp", "protons"]
Theme = Literal[
    "white",
    "dark",
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

    width: Annotated[
        int | PrintedLength,
        "Width in pixels, or as it is printed, such as '90 mm'; 300 to 6000 pixels. 1000 when left out.",
    ]
    height: Annotated[
        int | PrintedLength,
        "Height in pixels, or as it is printed, such as '115 mm'; 200 to 10000 pixels. Follows the number of panels "
        "when left out.",
    ]


class LineStyle(TypedDict, total=False):
    """The style of one label's lines."""

    width: Annotated[float, "Line width in pixels."]
    dash: Annotated[Dash, "Dash pattern."]
    mode: Annotated[Literal["lines", "markers", "lines+markers"], "Lines, markers or both."]
    fill_below: Annotated[
        float, "Value below which the area between the line and this value is filled: 0 for a southward Bz."
    ]
    fill_above: Annotated[float, "Value above which the area between the line and this value is filled."]
    fill_to: Annotated[
        Literal["top", "bottom"],
        "Edge of a spectrogram to which the area from a line over it is filled: top for the periods outside a cone of "
        "influence.",
    ]
    fill_hatched: Annotated[bool, "Whether filled areas are hatched instead of shaded; false when left out."]
    fill_color: Annotated[str, "Colour of the filled area; that of the line when left out."]
    point_names: Annotated[
        LevelName,
        "Scale whose name for each value is written above its point: flares writes the class, such as M5.2, of each "
        "peak. Where names would overlap, only the strongest has its name.",
    ]
    bar: Annotated[
        Literal["start", "middle"],
        "Where the epoch of a record is in its bar: at the start, as for Kp, or in the middle; start when left out.",
    ]


class VLine(TypedDict, total=False):
    """A vertical line at one time, in every panel with a time axis, or at one position in a spectrum panel."""

    x: Annotated[str | float, "An ISO time in UTC; with a spectrum panel's number, a frequency or energy."]
    of: Annotated[
        str,
        "Instead of x: label of a table of times, such as a list of onsets; each of its epochs is marked. With a "
        "spectrum panel's number: label of a series in the unit of the panel's x axis, such as a gyrofrequency; its "
        "median over the time range of the figure is marked.",
    ]
    panel: Annotated[int, "Number of a spectrum panel, to mark a frequency, energy or angle in it."]
    label: Annotated[Text, "Text beside the line, at the top of the first panel that the line crosses."]
    color: Annotated[str, "A colour that plotly knows; red when left out."]
    dash: Annotated[Dash, "Dash pattern; solid when left out."]
    width: Annotated[float, "Line width in pixels; 1.5 when left out."]


class VRect(TypedDict, total=False):
    """A shaded interval of time behind every panel's lines."""

    x0: Required[
        Annotated[
            str, "ISO time in UTC at which the interval starts; of a time range such as $EVENT, its start."
        ]
    ]
    x1: Required[
        Annotated[
            str, "ISO time in UTC at which the interval stops; of a time range such as $EVENT, its stop."
        ]
    ]
    label: Annotated[Text, "Text at the middle of the interval, at the top of the first panel."]
    color: Annotated[str, "A colour that plotly knows; light blue when left out."]
    opacity: Annotated[float, "0 to 1; 0.3 when left out."]


class Events(TypedDict, total=False):
    """Shaded intervals of the events in a table, such as storms or flares."""

    of: Required[
        Annotated[
            str,
            "Label of the events: a table of durations, as storm_phases and solar_flares make it with give: durations "
            "(one column is the length of each event from its epoch; two are the times before and after it), or a "
            "series of whole numbers without a unit, such as a phase or flag, of which all values but 0 are events.",
        ]
    ]
    label: Annotated[Text, "Text above the middle of each interval, in a strip above the first panel."]
    names: Annotated[
        dict[str, Text],
        "Values of a series to shade, with their names: {'1': 'main phase', '2': 'recovery'}; all but 0 when left out.",
    ]
    by: Annotated[
        str,
        "Label of a series with the strength of each event, at the epochs of 'of': give: peak or give: minimum.",
    ]
    levels: Annotated[
        LevelName,
        "Scale of 'by', which names and colours each interval: flares writes its class, such as M5.2.",
    ]
    color: Annotated[
        str, "A colour that plotly knows; light blue, or that of the level or value, when left out."
    ]
    opacity: Annotated[float, "0 to 1; 0.25 when left out."]


class HLine(TypedDict, total=False):
    """A horizontal line at one value in one panel, for instance a storm threshold."""

    y: Required[Annotated[float, "Value in the panel's unit."]]
    panel: Annotated[int, "Panel number, from 1 at the top; 1 when left out."]
    right: Annotated[bool, "Whether y is a value of the panel's y axis at the right; false when left out."]
    label: Annotated[Text, "Text at the right end of the line."]
    box: Annotated[
        bool,
        "Whether the text has a background; true for a line of the right axis, otherwise false when left out.",
    ]
    color: Annotated[str, "A colour that plotly knows; red when left out."]
    dash: Annotated[Dash, "Dash pattern; dash when left out."]
    width: Annotated[float, "Line width in pixels; 1 when left out."]


class Levels(TypedDict, total=False):
    """Horizontal lines at the named levels of a quantity: those that the values reach, and the next one."""

    levels: Required[
        Annotated[
            LevelName,
            "storms: Dst or SYM-H -50 (moderate), -100 (intense), -250 nT (super). flares: classes A to X of the "
            "X-ray flux at 0.1-0.8 nm in W/m^2. Kp: G1 to G4 from Kp 5-, 6-, 7- and 8-, "
            "G5 from 9o, as NOAA counts. protons: S1 to S5 of protons above "
            "10 MeV at 10 to 100000 pfu.",
        ]
    ]
    panel: Annotated[
        int, "Panel number, from 1 at the top; every panel that shows the quantity when left out."
    ]
    shaded: Annotated[
        bool, "Whether the range of each level is shaded, as far as the next level; false when left out."
    ]
    box: Annotated[
        bool, "Whether the names have a background; true for shaded levels, otherwise false when left out."
    ]
    color: Annotated[str, "A colour that plotly knows, for all lines; a colour for each level when left out."]
    dash: Annotated[Dash, "Dash pattern; dash when left out."]
    width: Annotated[float, "Line width in pixels; 1 when left out."]


class Slope(TypedDict, total=False):
    """A guide line in a spectrum panel, which shows the slope of a power law."""

    slope: Required[Annotated[float | str, "Exponent of the power law: -1.67 or '-5/3'."]]
    panel: Annotated[
        int, "Number of a spectrum panel, from 1 at the top; the first spectrum panel when left out."
    ]
    x0: Annotated[
        float, "Start of the guide line on the x axis; guide lines are placed side by side when left out."
    ]
    x1: Annotated[float, "Where it ends."]
    y: Annotated[float, "Value of the guide line at x0; above the spectra when left out."]
    label: Annotated[Text, "Text above the guide line; the slope when left out."]
    color: Annotated[str, "A colour that plotly knows; grey when left out."]


class Band(TypedDict, total=False):
    """The uncertainty of a line over time: a band about it, or error bars."""

    line: Required[Annotated[str, "The line, LABEL or LABEL.component, in a panel of lines."]]
    sigma: Annotated[
        str,
        "Label of the standard deviation, in the unit and at the epochs of the line; one or as many components.",
    ]
    lower: Annotated[str, "Label of the lower limit of the values; with upper, in place of sigma."]
    upper: Annotated[str, "Label of the upper limit of the values."]
    bars: Annotated[bool, "Error bars instead of a band; false when left out."]


class XY(TypedDict, total=False):
    """A panel of one quantity against another: a scatter plot, a hodogram or the density of points."""

    x: Required[
        Annotated[str, "Label of the quantity on the x axis, LABEL or LABEL.component: a single series."]
    ]
    y: Required[
        Annotated[str, "Label of the quantity on the y axis, on the same epochs as x (use align first)."]
    ]
    type: Annotated[
        Literal["scatter", "hodogram", "density"],
        "scatter, when left out: markers in one colour. hodogram: a line in the order of time, coloured by time, with "
        "equal scales on both axes, and its start and end marked. density: the number of records in each cell as "
        "colour.",
    ]
    color_by: Annotated[
        str, "time, or the label of a third quantity on the same epochs, that sets the colours of the points."
    ]
    color: Annotated[str, "One colour that plotly knows for all points."]
    mode: Annotated[Literal["lines", "markers", "lines+markers"], "Lines, markers or both."]
    between: Annotated[
        list[str],
        "Two ISO times in UTC, or a time range such as $EVENT twice; only the records between them are drawn.",
    ]
    equal_axes: Annotated[
        bool, "Whether one unit is equally long on both axes; true for a hodogram when left out."
    ]
    mark_ends: Annotated[
        bool, "Whether the first and the last point are marked; true for a hodogram when left out."
    ]
    fit: Annotated[
        Literal["linear", "orthogonal", "power_law"],
        "A line through the points, with its slope, intercept, correlation and number of points as text: least "
        "squares of y, orthogonal distances (one unit on both axes), or a power law. Its errors assume independent "
        "records: those of a smooth series are larger.",
    ]
    log_x: Annotated[bool, "Logarithmic x axis; false when left out."]
    log_y: Annotated[bool, "Logarithmic y axis; false when left out."]
    log_color: Annotated[bool, "Logarithmic colours of color_by or of a density; false when left out."]
    bins: Annotated[int, "Number of cells of a density along each axis; chosen by a rule when left out."]
    x_range: Annotated[list[float], "Lowest and highest value of the x axis."]
    y_range: Annotated[list[float], "Lowest and highest value of the y axis."]
    x_label: Annotated[Text, "Label of the x axis; name, frame and unit of x when left out."]
    y_label: Annotated[Text, "Label of the y axis; name, frame and unit of y when left out."]


class Histogram(TypedDict, total=False):
    """A panel with the histograms of one or more quantities in one unit."""

    of: Required[
        Annotated[str | list[str], "Label of the quantity, or labels of several with the same unit."]
    ]
    bins: Annotated[
        int | list[float],
        "Number of bins, or the edges of the bins in the unit of the quantity; chosen by a rule when left out.",
    ]
    bin_width: Annotated[
        float,
        "Width of the bins in the unit of the quantity, in place of bins; in deg in a polar histogram. The edges are "
        "whole multiples of the width, and a value at an edge is counted in the bin above. Not with log_x.",
    ]
    show: Annotated[
        Literal["count", "density"],
        "count, when left out: the number of records in each bin. density: per unit of x, and per deg in a polar "
        "histogram; the sum over all bins times their width is 1.",
    ]
    polar: Annotated[
        bool,
        "Whether the histogram of an angle is drawn around a circle, in sectors from 0 to 360 deg whose radius (not "
        "area) is the count or the density; false when left out. 36 sectors when bins is left out.",
    ]
    zero: Annotated[
        Literal["right", "top", "left", "bottom"],
        "Where 0 deg is in a polar histogram; right when left out.",
    ]
    clockwise: Annotated[bool, "Whether angles of a polar histogram increase clockwise; false when left out."]
    between: Annotated[
        list[str],
        "Two ISO times in UTC, or a time range such as $EVENT twice; only the records between them are counted.",
    ]
    log_x: Annotated[bool, "Logarithmic x axis, with bins that are even on it; false when left out."]
    log_y: Annotated[bool, "Logarithmic y axis; false when left out."]
    x_range: Annotated[list[float], "Lowest and highest value of the x axis."]
    y_range: Annotated[list[float], "Lowest and highest value of the y axis."]
    x_label: Annotated[Text, "Label of the x axis; name, frame and unit when left out."]
    y_label: Annotated[Text, "Label of the y axis."]


class Orbit(TypedDict, total=False):
    """A panel with the orbits of one or more spacecraft about the Earth or the Sun, in two coordinates."""

    of: Required[
        Annotated[
            str | list[str],
            "Label of the position, a vector in km, R_E or AU, or labels of several in one frame. GSE and GSM show "
            "the Earth with its night side, GEO, GEI, SM and J2000 the Earth; HEE, HEEQ, HCI and HGI show the Sun.",
        ]
    ]
    plane: Annotated[
        Literal["xy", "xz", "yz"],
        "The two coordinates; xy when left out. In GSE and GSM, xz is seen from dusk, and yz from the Sun.",
    ]
    sun: Annotated[
        Literal["left", "right"],
        "Side on which the Sun is in GSE and GSM; left when left out, so that x and, in xy, y increase to the left "
        "and downwards.",
    ]
    unit: Annotated[
        Literal["R_E", "km", "AU"],
        "Unit of the axes; R_E about the Earth and AU about the Sun when left out.",
    ]
    magnetopause: Annotated[
        bool,
        "Whether the magnetopause of Shue et al. (1998) is drawn, to 40 R_E behind the Earth and without aberration; "
        "true in GSE and GSM when left out.",
    ]
    bow_shock: Annotated[
        bool,
        "Whether a bow shock is drawn, with the standoff of Farris and Russell (1994) and an eccentricity of 0.81 "
        "(Farris et al. 1991); true in GSE and GSM when left out.",
    ]
    pressure: Annotated[float, "Dynamic pressure of the models in nPa; 2 when left out."]
    bz: Annotated[float, "Interplanetary B_z of the models in nT, GSM; 0 when left out."]
    mach: Annotated[float, "Magnetosonic Mach number of the bow shock; 6 when left out, as is usual at 1 AU."]
    color_by: Annotated[
        str,
        "time, or the label of a quantity on the same epochs, that sets the colours of a single orbit. trace_colors "
        "names one colour for an orbit.",
    ]
    time_marks: Annotated[bool, "Whether round times are marked along an orbit; true when left out."]
    between: Annotated[
        list[str],
        "Two ISO times in UTC, or a time range such as $EVENT twice; only the records between them are drawn.",
    ]
    x_range: Annotated[list[float], "Lowest and highest value of the x axis, in its unit."]
    y_range: Annotated[list[float], "Lowest and highest value of the y axis, in its unit."]
    x_label: Annotated[Text, "Label of the x axis; coordinate, frame and unit when left out."]
    y_label: Annotated[Text, "Label of the y axis; coordinate, frame and unit when left out."]


class Note(TypedDict, total=False):
    """A text on the figure."""

    text: Required[Annotated[Text, "The text."]]
    x: Required[Annotated[str | float, "ISO time in UTC, or a fraction of the panels' width from the left."]]
    y: Required[
        Annotated[float, "A value in the panel's unit if x is a time, else a fraction of the height."]
    ]
    panel: Annotated[int, "Number of the panel with the axis for y, from 1 at the top; 1 when left out."]
    showarrow: Annotated[bool, "Whether an arrow points at the position; false when left out."]
    color: Annotated[str, "A colour that plotly knows."]


class FigureSpec(TypedDict, total=False):
    """The specification of one figure. Panels are counted from 1 at the top."""

    labels: Annotated[
        list[str],
        "Labels to draw, LABEL or LABEL.component; all tables when left out.",
        MaxItems(LIMITS.labels),
    ]
    panels: Annotated[
        list[Annotated[list[str], MaxItems(LIMITS.labels)]],
        "Labels of each panel, from the top. When left out: one panel per unit and one per spectrogram; "
        "below them, spectra of one record, with one panel per unit and axis. Lines in the panel of a spectrogram, "
        "such as a gyrofrequency, are drawn over it; they must have the unit of its y axis.",
        MaxItems(LIMITS.panels),
    ]
    panel_types: Annotated[
        list[PanelType],
        "Type of each panel: lines over time, a spectrogram, a spectrum over frequency or energy, or bars over "
        "time. Bars of Kp have the colours of its storm levels, unless trace_colors names a colour. A strip is a thin "
        "panel of coloured blocks, for regions and flags that are whole numbers. Epochs are the median and the band "
        "between the quartiles of the events of superposed_epoch, over the time from the zero epoch. "
        "When left out, a table with bins is a spectrum if it has one record, otherwise a spectrogram.",
        MaxItems(LIMITS.panels),
    ]
    columns: Annotated[
        int,
        "Number of columns of the panels in 'panels', such as one for each spacecraft; 1 when left out. The panels "
        "fill the rows from the left: with 2 columns, panel 2 is at the right of panel 1. All columns show the same "
        "times.",
    ]
    column_titles: Annotated[
        list[Text], "Title of each column, above its first panel.", MaxItems(LIMITS.panels)
    ]
    share_y: Annotated[
        bool,
        "Whether the panels of a row have the same y range, so that columns can be compared; false when left out. "
        "Panels whose y_range is set keep it.",
    ]
    right: Annotated[
        list[str],
        "Labels in panels of lines whose lines have a second y axis, at the right of the panel. Keys by panel number "
        "call this axis '2 right': y_label, y_range, log_y, log_scale.",
        MaxItems(LIMITS.labels),
    ]
    xy: Annotated[
        list[XY],
        "Panels of one quantity against another, side by side below all other panels. Their labels are drawn over "
        "time only if 'panels' names them too. Panel numbers go on from those of the panels above.",
        MaxItems(LIMITS.panels),
    ]
    categories: Annotated[
        dict[str, dict[str, Text]],
        "Names of the values in strips, by label: {'region': {'0': 'solar wind', '1': 'magnetosheath'}}. A value keeps "
        "the colour of its place in this list.",
    ]
    bands: Annotated[
        list[Band],
        "Uncertainties of lines, from other tables. Their labels need not be in 'panels'.",
        MaxItems(LIMITS.labels),
    ]
    ephemeris: Annotated[
        list[str],
        "Labels, LABEL or LABEL.component, whose values stand in rows below the time axis, such as the position of "
        "the spacecraft. They are interpolated between neighbouring records, never over a gap. With columns, the "
        "labels belong to the columns in turn: with 2 columns, the first and the third to the left one.",
        MaxItems(20),
    ]
    histograms: Annotated[
        list[Histogram],
        "Panels of histograms, side by side below all other panels, after those of xy.",
        MaxItems(LIMITS.panels),
    ]
    orbits: Annotated[
        list[Orbit],
        "Panels of orbits with equal axes, side by side below all other panels, after those of histograms.",
        MaxItems(LIMITS.panels),
    ]
    title: Annotated[
        Title, "Title of the figure; {start}, {stop} and {NAME} of a declared variable are filled in."
    ]
    subtitle: Annotated[Title, "A second line of the title, before the time range; filled in like the title."]
    filename: Annotated[
        FileName,
        "Name of the figure's files, without folders: ace_{start}.png. An ending such as .png also sets "
        "the format. {start}, {stop} and {NAME} of a declared variable are filled in. The step's id when left out.",
    ]
    formats: Annotated[
        list[FileFormat],
        "Formats in which the figure is written, in addition to those of --format. When left out, and "
        "without an ending of filename: html and json.",
    ]
    points: Annotated[
        Literal["all", "drawn"],
        "Which points an HTML page brings along: all, when left out, in a folder beside it, so that readers can zoom "
        "in to every record; or only those that are drawn, which needs less disk. The page then says so.",
    ]
    x_label: Annotated[Text, "Label of the time axis; UT when left out."]
    bin_label: Annotated[
        Text | dict[str, Text], "Label of the x axis of spectrum panels, for all or by panel number."
    ]
    y_label: Annotated[Text | dict[str, Text], "Label of the y axis, of every panel or by panel number."]
    trace_names: Annotated[
        dict[str, Text], "Name in the legend, by label or label.component: V_A has a subscript."
    ]
    trace_colors: Annotated[dict[str, str], "Colour of a line, by label or label.component."]
    line_styles: Annotated[
        dict[str, LineStyle],
        "Width, dash, mode and filled areas of lines, by label or label.component.",
    ]
    palette: Annotated[
        Palette,
        "Line colours: tplot (x blue, y green, z red), or okabe-ito, for colour-blind readers.",
    ]
    log_scale: Annotated[
        Literal["y", "log", "linear", "symlog"] | int | dict[str, Literal["log", "linear", "symlog"]],
        "Scale of the y axes of lines and spectra: log (or y) or linear for all panels, the number of one "
        "logarithmic panel, or log or linear by panel number. symlog, for panels of lines over time, is linear about "
        "zero and logarithmic beyond linthresh on both sides, for values of both signs.",
    ]
    linthresh: Annotated[
        float | dict[str, float],
        "Value, in the panel's unit, up to which a symlog axis is linear on both sides of zero, for all or by panel "
        "number; when left out, the power of ten below the median distance of the values from zero, at least a "
        "ten-thousandth of the largest. A note on the figure says which. The axis is matplotlib's: 10/9 of a decade "
        "high from zero to linthresh.",
    ]
    log_y: Annotated[
        bool | dict[str, bool],
        "Logarithmic y axis, by panel number; or true, for all spectrograms and all values that are never negative.",
    ]
    log_x: Annotated[
        bool | dict[str, bool],
        "Logarithmic frequency or energy axis of spectrum panels, for all or by panel number.",
    ]
    log_z: Annotated[
        bool | dict[str, bool], "Logarithmic colours of spectrograms, for all or by panel number."
    ]
    x_range: Annotated[
        list[str] | Literal["data"],
        "Two ISO times in UTC between which the figure is drawn; or data, from the first to the last record. The "
        "whole time range when left out.",
    ]
    bin_range: Annotated[
        list[float] | dict[str, list[float]],
        "Lowest and highest frequency or energy of spectrum panels, for all or by panel number.",
    ]
    y_range: Annotated[
        list[float] | dict[str, list[float]],
        "Lowest and highest value of the y axis (the values, not their logarithms), for all or by panel "
        "number.",
    ]
    z_min: Annotated[
        float | dict[str, float], "Data value for the lowest colour, for all or by panel number."
    ]
    z_max: Annotated[
        float | dict[str, float], "Data value for the highest colour, for all or by panel number."
    ]
    colorscale: Annotated[
        str,
        "Colour scale of spectrograms and of coloured points: turbo, viridis, spedas, or another name that plotly "
        "knows.",
    ]
    gap_factor: Annotated[
        float,
        "A step longer than this many local median cadences is a gap; 1.5 when left out.",
    ]
    show_zero_line: Annotated[bool, "Thin line at zero; drawn where values change sign when left out."]
    vlines: Annotated[list[VLine], "Vertical lines at times, or at frequencies or energies of a spectrum."]
    vrects: Annotated[list[VRect], "Shaded intervals of time."]
    events: Annotated[
        list[Events],
        "Shaded intervals of the events in tables, such as the storms that storm_phases finds. Their labels need not "
        "be in 'panels'.",
        MaxItems(20),
    ]
    hlines: Annotated[
        list[LevelName | HLine | Levels],
        "Horizontal lines at values, or at named levels: ['storms'] draws those of Dst in its panel.",
    ]
    slopes: Annotated[
        list[float | str | Slope],
        "Power laws to compare a spectrum with: exponents such as ['-5/3', -2.8], or objects with their "
        "positions.",
    ]
    annotations: Annotated[list[Note], "Texts at places."]
    legend: Annotated[
        bool, "Whether line names are shown beside each panel with more than one line; true when left out."
    ]
    footer: Annotated[
        bool, "Whether datasets, versions and caption are shown below the figure; true when left out."
    ]
    panel_letters: Annotated[bool, "Whether panels are marked (a), (b), … from the top; false when left out."]
    theme: Annotated[Theme, "White, as for journals; dark, for screens; or one of plotly's templates."]
    font_size: Annotated[
        float | PrintedLength,
        "Font size in pixels, or as it is printed, such as '8 pt'; 6 to 48 pixels. 14 when left out.",
    ]
    canvas_size: Annotated[
        CanvasSize, "Width and height of the figure, in pixels or as it is printed, such as '90 mm'."
    ]
    row_heights: Annotated[
        list[float],
        "Relative height of each panel, or of each row of panels; panels side by side have one height.",
        MaxItems(LIMITS.panels),
    ]
