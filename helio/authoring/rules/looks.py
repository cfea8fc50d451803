"""Change how figures look: read titles, colours, lines, axes and marks from a sentence, and set them."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.lines import PRONOUNS, Lines
from helio.authoring.rules.sentence import Sentence
from helio.authoring.rules.sentence_reading import COLOURS
from helio.authoring.writing.writer import Asks
from helio.knowledge.catalogue import Catalogue
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import spec_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, RENDER, figures_meant
from helio.pipelines.template.labels import owner

_DASHES = VOCABULARY["dashes"]
_QUOTED = r"[\"“'‘](?P<text>[^\"”]+?)[\"”'’](?=\s|$|[,.;])"
_NUMBER = r"[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_NO_YEAR = rf"(?!(?:19|20)\d\d\b){_NUMBER}"
_NAMED = r"(?:the\s+)?(?P<what>panel \d+|[\w|.-]+(?:\s+(?!axis|panel|line)[\w|.-]+)??)"
_TIME = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?Z?"
_UNIT = r"(?:\s*(?:nT|km/s|nPa|K|eV|mV/m|R_E|deg|cm\^?-3|cm⁻³))?"
_SCALES = "viridis|turbo|spedas|plasma|magma|inferno|cividis|jet|hot|greys|blues"
_COLOUR = f"(?P<colour>{COLOURS})"
_KIND = r"(?P<kind>log(?:arithmic)?|linear)"
_NO_LINE = r"\b(?!and\b|the\b|a\b|an\b|use\b|make\b|\w+\s+\d{4}\b)"
_LINE = rf"(?P<what>{_NO_LINE}[A-Za-z][\w.|]*(?:\s+(?!in\b|to\b|as\b|a\b|be\b|and\b)[\w|]+){{0,3}}?|\|b\|)"
_TRACE = r"(?:\s+(?:lines?|component|trace))?"
_PANEL = r"(?P<what>panel \d+|[\w|]+(?:\s+[\w|]+)?)"
_END = r"(?=\s*(?:$|[,.;]|and\b))"
_TO = r"(?:to|as|:|be|should be|is)"


_OF_LINES = ("trace_names", "trace_colors", "line_styles")
_READ: dict[str, Callable[[str], Any]] = {
    "text": str,
    "words": lambda said: re.sub(r"\s+and$", "", said.strip()),
    "scale": str.lower,
    "colour": str.lower,
    "kind": lambda said: "linear" if said.lower() == "linear" else "log",
    "dash": lambda said: _DASHES[said.lower()],
    "width": float,
    "size": int,
    "style": lambda said: _DASHES[said.lower()],
    **dict.fromkeys(
        ("y", "low", "high"), lambda said: 0.0 if said.lower() == "zero" else float(said.replace("−", "-"))
    ),
    **dict.fromkeys(("x", "at", "x0", "x1"), lambda said: said.replace(" ", "T")),
    "label": str.strip,
}
"""Functions that convert a matched text to a value, by the name of the pattern's group."""

# A key of the figure, the phrase that sets it, and the value where no group of the phrase gives one. The group `what`
# names lines or panels; without it the value is for the whole figure.
LOOKS: tuple[tuple[str, str, Any], ...] = (
    ("title", rf"\b(?:change |set |make )?(?:the )?(?:figure )?title(?: of the figure)?\s*{_TO}?\s*{_QUOTED}", None),
    ("title", rf"\b(?:(?:call|name) (?:it|(?:the |this )?(?:figure|plot))|titled?|entitled)\s*{_QUOTED}", None),
    ("title", r"\b(?:change |set )?(?:the )?title (?:to|should be|as)\s+(?P<words>(?:(?!\s+and\s+(?:add|use|make|remove"
              r"|draw|plot|show|set|change|put|drop)\b)[^,.;\x1f])+)", None),
    ("y_label", r"\b(?:change |set )?(?:the )?(?:y[- ](?:axis )?label|label of the y[- ]axis)"
                rf" of (?P<what>panel \d+)\s*(?:to|as|:)?\s*{_QUOTED}", None),
    ("y_label", rf"\blabel\s+{_NAMED}\s+(?:y[- ])?axis\s+(?:as\s+|with\s+)?{_QUOTED}", None),
    ("trace_names", rf"\bcall\s+{_NAMED}(?:\s+line)?\s+{_QUOTED}(?:\s+in the legend)?", None),
    ("trace_colors", rf"\buse\s+{_COLOUR}\s+for\s+(?:the\s+)?{_LINE}{_TRACE}{_END}", None),
    ("trace_colors", r"\b(?:make|draw|plot|colou?r|paint|show|turn|change)\s+(?:the\s+)?(?:colou?r of (?:the\s+)?)?"
                     rf"{_LINE}{_TRACE}\s+(?:to\s+|in\s+|as\s+)?{_COLOUR}\b", None),
    ("trace_colors", rf"\b(?:with|but with|have|use)\s+(?:an?\s+|the\s+)?{_COLOUR}\s+{_LINE}{_TRACE}{_END}", None),
    ("trace_colors", rf"{_LINE}\s+(?:in|should be|to be)\s+{_COLOUR}\b", None),
    # after a colour that was read: ... and Wind red
    ("trace_colors", rf"(?<=\x1f)\s*(?:,|and)\s+(?:the\s+)?{_LINE}(?:\s+lines?)?\s+(?:in\s+)?{_COLOUR}\b", None),
    ("line_styles", r"\b(?:make|draw|show|plot)\s+(?:the\s+)?(?P<what>[\w.|]+(?:\s+(?!as\b|line)[\w|]+)??)"
                    rf"(?:\s+lines?)?\s+(?:as\s+(?:an?\s+)?)?(?P<dash>{'|'.join(_DASHES)})(?:\s+lines?)?\b", None),
    ("line_styles", r"\b(?:make|draw)\s+(?:the\s+)?(?:lines?\s+of\s+(?:the\s+)?)?(?P<what>[\w.|]+(?:\s+[\w|]+){0,2}?)"
                    rf"(?:\s+lines?)?\s+(?P<width>{_NUMBER})\s*(?:pixels?|px|points?)\s*(?:wide|thick)?\b", None),
    ("colorscale", rf"\b(?:use |with )?(?:the )?(?P<scale>{_SCALES})(?: colou?r)?[ -]?"
                   r"(?:map|scale|colou?rs|colou?rmap|colou?rscale)\b", None),
    ("palette", r"\b(?:use )?(?:an? |the )?(?:palette (?:that |for )?(?:the )?)?colou?r-?[ ]?blind(?:[ -]safe)?"
                r"(?: palette| colou?rs| people)?(?: can (?:read|see|tell apart))?\b"
                r"|\bokabe[- ]ito(?: palette| colou?rs)?\b", "okabe-ito"),
    ("line_styles", rf"{_LINE}{_TRACE}\s+(?:in\s+|should be\s+|to be\s+|as\s+)?(?:an?\s+)?(?P<dash>{'|'.join(_DASHES)})"
                    rf"(?:\s+lines?)?{_END}", None),
    ("y_range", rf"\b(?:set |limit )?(?:the )?y[- ]?(?:range|limits?|axis)(?: (?:of|for|in) {_NAMED}(?:\s+panel)?)?"
                r"\s+(?:to|from|between)\s+"
                rf"(?P<low>{_NUMBER})\s*(?:to|\.\.|,|and|–|-)\s*(?P<high>{_NUMBER})"
                r"(?:\s*(?:nT|km/s|nPa|K|eV|cm\^-3|cm⁻³))?", None),
    ("log_z", r"\b(?:make\s+|use\s+)?(?:the\s+)?colou?r[ -]?(?:scale|bar|axis)\s+(?:in\s+|to\s+)?log(?:arithmic)?\b"
              r"|\blog(?:arithmic)?\s+colou?r[ -]?(?:scale|bar|axis)\b", True),
    ("log_scale", rf"\b(?:make|set)\s+{_NAMED}\s+(?:y[- ])?axis\s+(?:to\s+)?{_KIND}\b", None),
    ("log_scale", rf"\b(?:make|set|draw|plot)\s+{_NAMED}\s+(?:to\s+)?{_KIND}\b", None),
    ("log_scale", rf"\b{_KIND}[- ]?(?:scale|axis|y[- ]axis)\s+(?:for|of|on|in)\s+(?:the\s+)?{_PANEL}", None),
    ("log_scale", rf"\b(?:make|draw|show|put|plot)\s+(?:the\s+)?{_PANEL}\s+(?:on|in|with)\s+(?:an?\s+)?"
                  rf"{_KIND}(?:\s+(?:scale|axis))?\b", None),
    ("log_scale", rf"\b(?:the\s+)?(?:y[- ])?axis\s+of\s+(?:the\s+)?{_PANEL}\s+(?:to\s+|in\s+|should be\s+)?{_KIND}"
                  rf"(?:\s+scale)?{_END}", None),
    ("log_scale", rf"\b{_PANEL}\s+(?:(?:panel|axis)\s+)?(?:in|on|with|to)\s+(?:an?\s+)?{_KIND}"
                  rf"(?:[- ](?:scale|axis))?{_END}", None),
    ("log_scale", rf"\b{_PANEL}\s+(?:(?:panel|axis)\s+)?{_KIND}{_END}", None),
    ("log_scale", rf"\b(?:use\s+)?{_KIND}\s+(?:the\s+)?(?!scale|axis|axes|y\b){_PANEL}"
                  rf"(?:\s+(?:panel|axis))?{_END}", None),
    ("log_scale", r"\b(?:use |with |on )?(?:an?\s+)?log(?:arithmic)?[- ](?:scale|y[- ]axis|axis|axes)\b", "log"),
    ("legend", r"\b(?:hide|remove|without|drop|no)\s+(?:the\s+)?legend\b", False),
    ("legend", r"\b(?:show|add|with)\s+(?:the\s+|a\s+)?legend\b", True),
    ("font_size", r"\b(?:use |set )?(?:the )?font(?: size)?(?: to| of)?\s+(?P<size>\d+)\b", None),
)  # fmt: skip
# Ranges of values in a change; in a request for a new figure the same words may mean times.
_RANGES: tuple[tuple[str, str, Any], ...] = (
    ("y_range", rf"\b(?:limit|restrict|scale|set|zoom)\s+(?:the\s+)?{_PANEL}?(?:\s+(?:panel|axis|range))?"
                rf"\s+(?:to|from|between)\s+(?P<low>{_NO_YEAR})\s*(?:to|\.\.|,|and|–|-)\s*(?P<high>{_NO_YEAR})"
                rf"{_UNIT}{_END}", None),
    ("y_range", rf"\b{_PANEL}\s+(?:axis\s+|panel\s+|scale\s+)?(?:range\s+)?(?:from|between)\s+"
                rf"(?P<low>{_NO_YEAR})\s*(?:to|\.\.|and|–|-)\s*(?P<high>{_NO_YEAR}){_UNIT}{_END}", None),
)  # fmt: skip
# Lines and shades at times and values: the key of the figure, and the phrase; each group is a key of the mark.
MARKS = (
    ("hlines", rf"\b(?:(?:add|draw|put|with)\s+)?(?:an?\s+)?(?:{_COLOUR}\s+)?"
               rf"(?:(?P<style>{'|'.join(_DASHES)})\s+)?"
               rf"(?:horizontal\s+)?(?:zero\s+)?line\s+at\s+(?P<y>{_NUMBER}|zero){_UNIT}(?![:\w-])(?:\s+(?:to|in|on)\s+"
               r"(?:the\s+)?(?P<what>panel \d+|[\w|.-]+(?:\s+[\w|]+)??)(?:\s+panel)?"
               r"(?=\s*(?:$|[,.;]|and\b|for\b|\x1f)))?"),
    ("vlines", rf"\bmark\s+(?:the\s+)?(?:(?P<label>[\w -]+?)\s+at\s+)?(?P<x>{_TIME})"
               r"(?:\s+with\s+an?\s+(?:vertical\s+)?line)?"
               rf"|\b(?:add|draw|put)\s+(?:an?\s+)?(?:{_COLOUR}\s+)?vertical\s+line\s+at\s+(?P<at>{_TIME})"),
    ("vrects", r"\b(?:shad(?:e|ing)|highlight)\s+(?:the\s+)?(?:(?!times?\b|interval\b|from\b|between\b)"
        r"(?P<label>[A-Za-z][\w -]*?)\s+)?"
               rf"(?:(?:the\s+)?(?:times?|interval|period)\s+)?(?:from\s+|between\s+)?(?P<x0>{_TIME})\s+(?:to|and|-|–|until)\s+"
               rf"(?P<x1>{_TIME}|\d{{2}}:\d{{2}})(?:\s+in\s+{_COLOUR})?"),
)  # fmt: skip
_MARK_KEYS = {
    "y": "y",
    "x": "x",
    "at": "x",
    "x0": "x0",
    "x1": "x1",
    "what": "panel",
    "label": "label",
    "colour": "color",
    "style": "dash",
}


def take_marks(text: str) -> tuple[str, str]:
    """Split the lines, the shaded times and the y ranges that a request for a new figure names from the rest.

    >>> take_marks("ACE Bz with a horizontal line at 0 for 2015-03-17")
    ('ACE Bz for 2015-03-17', 'with a horizontal line at 0')
    """
    sentence = Sentence(text)
    patterns = [pattern for _, pattern in MARKS]
    patterns += [pattern for key, pattern, _ in LOOKS if key == "y_range"]
    marks = [match[0] for pattern in patterns for match in sentence.take(pattern)]
    return sentence.rest(), "; ".join(marks)


class Looks:
    """Reader of sentences that say how a figure should look; it changes the steps that draw or style the figure.

    Parameters
    ----------
    sentence : Sentence
    template : Document
        It is not changed; `after` is the changed copy.
    catalogue : Catalogue
    ask : callable
    """

    def __init__(self, sentence: Sentence, template: Document, catalogue: Catalogue, ask: Asks) -> None:
        self.sentence = sentence
        self.after = deepcopy(template)
        self.catalogue = catalogue
        self.ask = ask
        self.changed = False
        self.lines = Lines(self.after, catalogue, ask)
        """Lines of the template, including all changes so far."""
        self.wished: set[tuple[str, str]] = set()
        """Settings that the sentence has changed: pairs of a figure's key and the line or panel number,
        or an empty text."""

    def read_looks(self) -> None:
        """Set the titles, colours, line styles and axes that the sentence requests."""
        for key, pattern, constant in (*LOOKS, *_RANGES):
            for match in self.sentence.take(pattern):
                figure, groups = self._figure(), _groups(match)
                what = groups.pop("what", "")
                values = [_READ[name](text) for name, text in groups.items()] or [constant]
                below = tuple(groups) if key == "line_styles" else ()
                for target in self._targets_of(key, what, figure):
                    self._put(figure, key, values[0] if len(values) == 1 else values, *target, *below)

    def read_marks(self) -> None:
        """Add the horizontal and vertical lines and shaded intervals that the sentence requests."""
        for key, pattern in MARKS:
            for match in self.sentence.take(pattern):
                figure, groups = self._figure(), _groups(match)
                if re.fullmatch(r"\d{2}:\d{2}", groups.get("x1", "")):  # a time of the day of the start
                    groups["x1"] = f"{groups['x0'][:10]}T{groups['x1']}"
                mark = {
                    name: self._numbers_of(groups[group], figure)[0]
                    if group == "what"
                    else _READ[group](groups[group])
                    for group, name in _MARK_KEYS.items()
                    if group in groups
                }
                marks = self.lines.spec(figure).get(key)
                self._put(figure, key, [*marks, mark] if isinstance(marks, list) else [mark])

    def _targets_of(self, key: str, what: str, figure: Document) -> list[tuple[str, ...]]:
        """Return the lines or panel numbers for which the sentence sets a key of a figure."""
        if not what:
            return [()]
        if key not in _OF_LINES:
            return [(str(number),) for number in self._numbers_of(what, figure)]
        if key == "line_styles" and what.casefold() in ("all", "everything", "all lines"):
            return [(line,) for line in self.lines.drawn(figure)]
        name = re.sub(r"\s+lines?$", "", what.strip())
        return [(line,) for line in self._known(name, figure, by_craft=key == "trace_colors")]

    def _do(self, *operations: Operation) -> None:
        self.after = apply(self.after, operations)
        self.lines = Lines(self.after, self.catalogue, self.ask)
        self.changed = True

    def _figure(self) -> Document:
        """Return the figure of the template; ask the user if the template has several figures."""
        figures = {
            str(step["step_id"]): step for step in self.after["steps"] if step.get("tool_name") in FIGURES
        }
        if not figures:
            raise NotUnderstood("the pipeline draws no figure")
        name = (
            next(iter(figures)) if len(figures) == 1 else self.ask("Which figure do you mean?", list(figures))
        )
        figure: Document = figures[name]
        return figure

    def _where(self, figure: Document, key: str) -> tuple[Any, str, tuple[str, ...]]:
        """Return a key's value for a figure, and the step and path to set it: where it is set now, if anywhere."""
        meant = figures_meant(template_in(self.after).steps)
        styles = [
            step for step in self.after["steps"] if meant.get(step.get("step_id")) == [figure["step_id"]]
        ]
        holders = (step for step in (*styles, figure) if key in (spec_of(step) or {}))
        step = next(holders, (styles or [figure])[-1])
        path = ("tool_args", "spec", key) if step.get("tool_name") == RENDER else ("tool_args", key)
        return (spec_of(step) or {}).get(key), str(step["step_id"]), path

    def _put(self, figure: Document, key: str, value: Any, *more: str) -> None:
        _, step_id, path = self._where(figure, key)
        self._do(Operation("set", step_id, (*path, *more), value))
        self.wished.add((key, more[0] if more else ""))

    def _known(self, what: str, figure: Document, *, by_craft: bool = False) -> list[str]:
        """Return the lines that words mean; refuse the sentence if no line fits."""
        if what.casefold() in PRONOUNS and self.sentence.adds():
            raise NotUnderstood(f"helio does not understand '{what}'", advice="name a line of the figure")
        lines = self.lines.one_or_all(what, figure, by_craft=by_craft)
        if not lines:
            drawn = ", ".join(self.lines.drawn(figure))
            raise NotUnderstood(
                f"the figure has no line called '{what}'", advice=f"name one of its lines: {drawn}"
            )
        return lines

    def _numbers_of(self, what: str, figure: Document) -> list[int]:
        """Return the numbers of the panels that words of the sentence mean."""
        numbered = re.fullmatch(r"panel (\d+)", what, re.IGNORECASE)
        return [int(numbered[1])] if numbered else self._panel_numbers(what, figure)[0]

    def _panel_numbers(self, what: str, figure: Document) -> tuple[list[int], bool]:
        """Return the numbers of the panels with the lines that words mean, and whether they have other lines too."""
        lines = self.lines.meant(what, figure)
        panels = self.lines.panels(figure)
        if not panels or not lines:
            raise NotUnderstood(f"the figure has no panel called '{what}'")
        names = {*lines, *(owner(line, self.lines.producers) for line in lines)}
        drawn = {number: [label in names for label in panel] for number, panel in enumerate(panels, 1)}
        alone = [number for number, hits in drawn.items() if hits and all(hits)]
        numbers = alone or [number for number, hits in drawn.items() if any(hits)]
        if not numbers:
            raise NotUnderstood(f"the figure has no panel called '{what}'")
        return numbers, not alone


def marked(text: str, template: Document, *, catalogue: Catalogue, ask: Asks) -> Document:
    """Add the marks and ranges that `take_marks` split from a request to the figure of a new template."""
    looks = Looks(Sentence(text), template, catalogue, ask)
    looks.read_marks()
    looks.read_looks()
    left = looks.sentence.unread()
    if left:
        raise NotUnderstood(f"helio does not understand {', '.join(map(repr, left))}")
    return looks.after


def _groups(match: re.Match[str]) -> dict[str, str]:
    """Return the groups of a match that contain text."""
    return {name: text for name, text in match.groupdict().items() if text}
