"""Names of colours, the colours of lines, and the colour scales of spectrograms."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from helio.errors import StepError, did_you_mean
from helio.steps.render.spec import Palette
from helio.steps.render.wording import unaveraged

_CSS_NAMES = """
aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown
burlywood cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue
darkcyan darkgoldenrod darkgray darkgrey darkgreen darkkhaki darkmagenta darkolivegreen darkorange
darkorchid darkred darksalmon darkseagreen darkslateblue darkslategray darkslategrey darkturquoise
darkviolet deeppink deepskyblue dimgray dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia
gainsboro ghostwhite gold goldenrod gray grey green greenyellow honeydew hotpink indianred indigo
ivory khaki lavender lavenderblush lawngreen lemonchiffon lightblue lightcoral lightcyan
lightgoldenrodyellow lightgray lightgrey lightgreen lightpink lightsalmon lightseagreen lightskyblue
lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta maroon
mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue
mediumspringgreen mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin
navajowhite navy oldlace olive olivedrab orange orangered orchid palegoldenrod palegreen
paleturquoise palevioletred papayawhip peachpuff peru pink plum powderblue purple red rosybrown
royalblue rebeccapurple saddlebrown salmon sandybrown seagreen seashell sienna silver skyblue
slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato turquoise violet
wheat white whitesmoke yellow yellowgreen
"""
CSS_NAMES = frozenset(_CSS_NAMES.split())

_FORMULA = re.compile(
    r"#(?:[0-9a-f]{3}|[0-9a-f]{6})"
    r"|rgba?\(\s*\d{1,3}%?\s*,\s*\d{1,3}%?\s*,\s*\d{1,3}%?\s*(?:,\s*(?:0|1|0?\.\d+|1\.0*|0\.\d*)\s*)?\)"
    r"|hsla?\(\s*\d{1,3}\s*,\s*\d{1,3}%\s*,\s*\d{1,3}%\s*(?:,\s*(?:0|1|0?\.\d+|1\.0*|0\.\d*)\s*)?\)"
)

# x blue, y green, z red, magnitude in the foreground: tplot's order. Okabe and Ito's colours keep their
# luminance apart for every kind of colour vision (https://jfly.uni-koeln.de/color/).
_VECTOR: dict[Palette, tuple[str, str, str]] = {
    "tplot": ("#0000ff", "#008000", "#ff0000"),
    "okabe-ito": ("#0072b2", "#009e73", "#d55e00"),
}
_QUALITATIVE: dict[Palette, tuple[str, ...]] = {
    "tplot": ("#0000ff", "#ff0000", "#008000", "#ff8c00", "#8a2be2", "#00a5b5", "#c71585", "#808000"),
    "okabe-ito": ("#0072b2", "#d55e00", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#b8a800"),
}

_NAMED = {
    "black": "#000000", "white": "#ffffff", "blue": "#0000ff", "red": "#ff0000", "green": "#008000",
    "darkorange": "#ff8c00", "blueviolet": "#8a2be2", "mediumvioletred": "#c71585", "olive": "#808000",
}  # fmt: skip
"""The colours of lines that have a name."""

USUAL_SCALE = "turbo"
"""Colour scale of a figure that sets none."""

# Evenly spaced stops. Those of plotly stand here again because its colour module takes as long to import as
# a whole figure takes to draw; a test holds them to it.
_SCALES = {
    # The rainbow of SPEDAS from black-violet to red, at the corners where its hue turns.
    "spedas": "#28007c #0000ff #0080ff #00ffff #00ff80 #60ff00 #ffff00 #ff8000 #ff0000",
    "turbo": "#30123b #4145ab #4675ed #39a2fc #1bcfd4 #24eca6 #61fc6c #a4fc3b #d1e834 #f3c63a #fe9b2d #f36315 "
    "#d93806 #b11901 #7a0402",
    "viridis": "#440154 #482878 #3e4989 #31688e #26828e #1f9e89 #35b779 #6ece58 #b5de2b #fde725",
}

_AXES = {"x": 0, "y": 1, "z": 2, "r": 0, "t": 1, "n": 2}


def check_colour(colour: str, where: str) -> str:
    """Return a colour in lower-case letters; raise an error if plotly does not know the colour."""
    plain = colour.strip().lower()
    if plain in CSS_NAMES or _FORMULA.fullmatch(plain):
        return plain
    instead = "write a CSS name such as 'crimson', '#d62728', or 'rgb(214, 39, 40)'"
    raise StepError(
        f"{where}: '{colour}' is not a colour",
        advice=did_you_mean(plain, sorted(CSS_NAMES), otherwise=instead),
    )


def as_hex(colour: str) -> str:
    """Return the colour of a name as ``#rrggbb``, if lines get this colour by themselves; other colours as they are."""
    return _NAMED.get(colour, colour)


def colour_scale(name: str) -> list[list[float | str]]:
    """Return a named colour scale as a list of positions and colours, ``[[0.0, "#30123b"], …]``."""
    if name.lower() in _SCALES:
        stops = _SCALES[name.lower()].split()
        return [[number / (len(stops) - 1), colour] for number, colour in enumerate(stops)]
    from plotly import colors

    known = [*colors.named_colorscales(), "spedas"]
    if name.lower().removesuffix("_r") not in known:
        every = f"choose one of these colour scales: turbo, viridis, spedas, {', '.join(sorted(known))}"
        raise StepError(
            f"no colour scale is called '{name}'", advice=did_you_mean(name, known, otherwise=every)
        )
    return [[float(position), str(colour)] for position, colour in colors.get_colorscale(name)]


def line_scale(palette: Palette, foreground: str) -> list[list[float | str]]:
    """Return the colour scale for the lines of a spectrum's bins."""
    scale = colour_scale("viridis" if palette == "okabe-ito" else "turbo")
    return [[position, on_page(str(colour), foreground)] for position, colour in scale]


def sequence(count: int, scale: list[list[float | str]]) -> list[str]:
    """Return `count` colours at equal distances along a colour scale, in order."""
    return along([0.5] if count == 1 else [number / (count - 1) for number in range(count)], scale)


def _darkened(colour: str) -> str:
    """Darken a colour so that thin lines are visible on white: to a relative luminance below 0.4."""
    parts = [part / 255 for part in _as_parts(colour)]
    luminance = _luminance(parts)
    if luminance <= 0.4:
        return colour
    factor = (0.4 / luminance) ** (1 / 2.2)
    return "#" + "".join(f"{round(255 * part * factor):02x}" for part in parts)


def on_page(colour: str, foreground: str) -> str:
    """Mix a colour with white on a dark page, where lines are not black: to a relative luminance of 0.2 or more.

    A colour stays if only plotly knows what its name means.
    """
    written = as_hex(colour)
    if foreground == "#000000" or not written.startswith(("#", "rgb")):
        return colour
    parts = [part / 255 for part in _as_parts(written)]
    mixed = ([part + tenths / 10 * (1 - part) for part in parts] for tenths in range(11))
    light = next(candidate for candidate in mixed if _luminance(candidate) >= 0.2)
    return "#" + "".join(f"{round(255 * part):02x}" for part in light)


def _luminance(parts: Sequence[float]) -> float:
    """Return the relative luminance (ITU-R BT.709) of red, green and blue parts from 0 to 1."""
    red, green, blue = (math.pow(part, 2.2) for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def along(places: Sequence[float], scale: list[list[float | str]]) -> list[str]:
    """Return the colours at positions from 0 to 1 along a colour scale."""
    # The ends of most scales are too dark or too pale for a thin line.
    inner = [0.04 + 0.92 * position for position in places]
    stops = [float(position) for position, _ in scale]
    parts = np.array([_as_parts(str(colour)) for _, colour in scale])
    sampled = np.stack([np.interp(inner, stops, part) for part in parts.T], axis=-1)
    return [_darkened("#" + "".join(f"{round(part):02x}" for part in colour)) for colour in sampled.tolist()]


def vector_colours(components: Sequence[str], palette: Palette, foreground: str) -> list[str]:
    """Return the colours of a vector's components, by the components' names if possible, otherwise by their order."""
    roles = component_roles(components)
    if roles is None:
        roles = {1: [3], 2: [2, 1]}.get(len(components), list(range(len(components))))
    if len(components) > 4:
        return qualitative(len(components), palette, foreground)
    triple = (*(on_page(colour, foreground) for colour in _VECTOR[palette]), foreground)
    return [triple[role] for role in roles]


def qualitative(count: int, palette: Palette, foreground: str) -> list[str]:
    """Return colours for lines that are not related: black for a single line, otherwise colours in a fixed order."""
    if count == 1:
        return [foreground]
    colours = (foreground, *(on_page(colour, foreground) for colour in _QUALITATIVE[palette]))
    return [colours[number % len(colours)] for number in range(count)]


def component_roles(components: Sequence[str]) -> list[int] | None:
    """Return a number for each name: 0, 1, 2 for x, y, z or R, T, N, 3 for the magnitude; None if a name is unclear."""
    roles: list[int] = []
    for name in components:
        role = _role(name)
        if role is None:
            return None
        roles.append(role)
    if len(set(roles)) == len(roles):
        return roles
    # MMS names the magnitude Bt: with x, y and z before it, t is not tangential.
    lasts = [_last(name) for name in components]
    if {"x", "y", "z"} <= set(lasts) and lasts.count("t") == 1 and len(lasts) == 4:
        return [3 if last == "t" else _AXES[last] for last in lasts]
    return None


def _role(name: str) -> int | None:
    if "|" in name or re.search(r"(?i)mag|tot|abs", name):
        return 3
    return _AXES.get(_last(name))


def of_one_vector(names: Sequence[str]) -> bool:
    """Return whether names are those of different components of one vector, or of its magnitude.

    >>> of_one_vector(["Bx", "By", "⟨Bz⟩_10min", "|B|"]), of_one_vector(["Bz", "Vx"]), of_one_vector(["Bz", "⟨Bz⟩_1h"])
    (True, False, False)
    """
    sizes = r"(?i)[|]|mag|tot(?:al)?|abs"
    stems = {re.sub(sizes, "", _bare(name)) if re.search(sizes, name) else _bare(name)[:-1] for name in names}
    return component_roles(names) is not None and len(stems) == 1 and "" not in stems


def _last(name: str) -> str:
    return _bare(name)[-1:].lower()


def _bare(name: str) -> str:
    """Return a name without an average, a frame, a unit and separators: "Bx GSE", "B_R", "BX_GSE (nT)", "⟨Bx⟩_1h"."""
    words = re.split(r"[\s_,-]+", re.sub(r"[(\[].*", "", unaveraged(name)))
    frames = r"(?i)gse|gsm|gei|geo|sm|mag|dsl|dbcs|bcs|dmpa|rtn|hee|heeq|spintone"
    return "".join(word for word in words if not re.fullmatch(frames, word))


def _as_parts(colour: str) -> tuple[float, float, float]:
    """Return the red, green and blue parts, 0 to 255, of a colour written as ``#rrggbb`` or ``rgb(…)``."""
    if colour.startswith("#"):
        parts = [float(int(colour[index : index + 2], 16)) for index in (1, 3, 5)]
    else:
        parts = [float(part) for part in re.findall(r"[\d.]+", colour)[:3]]
    return parts[0], parts[1], parts[2]
