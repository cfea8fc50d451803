"""How figures look: titles, colours, lines, axes, marks; read from plain words and put where the styles stand."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Any

from helio.authoring.operations import Operation, apply
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.lines import PRONOUNS, Asks, Lines
from helio.authoring.rules.reading import COLOURS
from helio.authoring.rules.sentence import Sentence
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.figures import FIGURES, RENDER, figures_meant, spec_of
from helio.pipelines.labels import owner
from helio.pipelines.template import Document

_DASHES = {"dashed": "dash", "dotted": "dot", "solid": "solid", "dash-dotted": "dashdot"}
_QUOTED = r"[\"“'‘](?P<text>[^\"”]+?)[\"”'’](?=\s|$|[,.;])"
_NUMBER = r"[-−+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_NAMED = r"(?:the\s+)?(?P<what>panel \d+|[\w|.-]+(?:\s+(?!axis|panel|line)[\w|.-]+)??)"
_TIME = r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)?Z?"
_SCALES = "viridis|turbo|spedas|plasma|magma|inferno|cividis|jet|hot|greys|blues"


class Looks:
    """Reads wishes about the looks of a template's figures, each an operation on the step that says it.

    Parameters
    ----------
    sentence : Sentence
    template : Document
        Left as it is; `after` is the changed one.
    catalogue : Catalogue
    ask : callable
    """

    def __init__(self, sentence: Sentence, template: Document, catalogue: Catalogue, ask: Asks) -> None:
        self.sentence = sentence
        self.after = deepcopy(template)
        self.catalogue = catalogue
        self.ask = ask
        self.done = 0
        self.wished: set[tuple[str, str]] = set()
        """Looks that were asked for, each the key of a figure and a line or a panel's number."""

    def _looks(self) -> None:
        self._titles()
        self._colours()
        self._strokes()
        self._scales_of_colour()
        self._ranges()
        self._log()
        self._legend()

    def _do(self, *operations: Operation) -> None:
        self.after = apply(self.after, operations)
        self.done += 1

    def _lines(self) -> Lines:
        return Lines(self.after, self.catalogue, self.ask)

    # Figures ----------------------------------------------------------------------------------------------

    def _figures(self) -> list[Document]:
        return [one for one in self.after["steps"] if one.get("tool_name") in FIGURES]

    def _figure(self) -> Document:
        figures = self._figures()
        if not figures:
            raise NotUnderstood("this pipeline draws no figure")
        if len(figures) == 1:
            return figures[0]
        name = self.ask("Which figure is meant?", [str(one["step_id"]) for one in figures])
        return next(one for one in figures if str(one["step_id"]) == name)

    def _style_of(self, figure: Document, key: str) -> tuple[Document, tuple[str, ...]]:
        """The step that says how a figure looks, and where in it: a style that sets the key already comes first."""
        meant = figures_meant(self.after["steps"])
        styles = [one for one in self.after["steps"] if meant.get(one.get("step_id")) == [figure["step_id"]]]
        for one in (*styles, figure):
            spec = spec_of(one)
            if isinstance(spec, dict) and key in spec:
                return one, ("tool_args", "spec") if one.get("tool_name") == RENDER else ("tool_args",)
        chosen = styles[-1] if styles else figure
        return chosen, ("tool_args", "spec") if chosen.get("tool_name") == RENDER else ("tool_args",)

    def _put(self, figure: Document, key: str, value: Any, *more: str) -> None:
        step, place = self._style_of(figure, key)
        self._do(Operation("set", str(step["step_id"]), (*place, key, *more), value))
        self.wished.add((key, more[0] if more else ""))

    def _known(self, what: str, figure: Document, *, telling: bool = False) -> list[str]:
        """The lines that words mean, never none."""
        if what.casefold() in PRONOUNS and self.sentence.adds():
            raise NotUnderstood(f"not understood: '{what}'", advice="the name of the line")
        lines = self._lines().one_or_all(what, figure, telling=telling)
        if not lines:
            drawn = ", ".join(self._lines().drawn(figure))
            raise NotUnderstood(f"no line is known as '{what}'", advice=f"the figure draws {drawn}")
        return lines

    def _titles(self) -> None:
        for one in self.sentence.take(
            r"\b(?:change |set |make )?(?:the )?(?:figure )?title(?: of the figure)?\s*(?"
            rf":to|as|:|be|should be|is)?\s*{_QUOTED}"
        ):
            self._put(self._figure(), "title", one["text"])
        for one in self.sentence.take(rf"\b(?:call it|name it|titled?|entitled)\s*{_QUOTED}"):
            self._put(self._figure(), "title", one["text"])
        found = self.sentence.take_first(
            r"\b(?:change |set )?(?:the )?title (?:to|should be)\s+(?P<text>[^,.;]+)"
        )
        if found:
            self._put(self._figure(), "title", found["text"].strip())
        for one in self.sentence.take(
            r"\b(?:change |set )?(?:the )?(?:y[- ](?:axis )?label|label of the y[- ]axis)"
            rf" of panel (\d+)\s*(?:to|as|:)?\s*{_QUOTED}"
        ):
            self._put(self._figure(), "y_label", one["text"], one[1])
        for one in self.sentence.take(rf"\blabel\s+{_NAMED}\s+(?:y[- ])?axis\s+(?:as\s+|with\s+)?{_QUOTED}"):
            figure = self._figure()
            for panel in self._numbers_of(one["what"], figure):
                self._put(figure, "y_label", one["text"], str(panel))
        for one in self.sentence.take(rf"\bcall\s+{_NAMED}(?:\s+line)?\s+{_QUOTED}(?:\s+in the legend)?"):
            figure = self._figure()
            for line in self._known(one["what"], figure):
                self._put(figure, "trace_names", one["text"], line)

    def _colours(self) -> None:
        what = r"(?P<what>[A-Za-z][\w.|]*(?:\s+(?!in\b|to\b|as\b|a\b|be\b|and\b)[\w|]+){0,3}?|\|b\|)"
        patterns = (
            rf"\buse\s+(?P<colour>{COLOURS})\s+for\s+(?:the\s+)?{what}(?:\s+(?:lines?|component|"
            r"trace))?(?=\s*(?:$|[,.;]|and\b))",
            r"\b(?:make|draw|plot|colou?r|paint|show|turn|change)\s+(?:the\s+)?(?:colou?"
            rf"r of (?:the\s+)?)?{what}(?:\s+(?:lines?|component|trace))?\s+(?:to\s+|in\s+"
            rf"|as\s+)?(?P<colour>{COLOURS})\b",
            rf"\b(?:with|but with|have|use)\s+(?:an?\s+|the\s+)?(?P<colour>{COLOURS})\s+{what}(?"
            r":\s+(?:lines?|component|trace))?(?=\s*(?:$|[,.;]|and\b))",
            rf"{what}\s+(?:in|should be|to be)\s+(?P<colour>{COLOURS})\b",
            # after one that was read: ... and Wind red
            rf"(?<=\x1f)\s*(?:,|and)\s+(?:the\s+)?{what}(?:\s+lines?)?\s+(?:in\s+)?(?P<colour>{COLOURS})\b",
        )
        for pattern in patterns:
            for one in self.sentence.take(pattern):
                figure = self._figure()
                name = re.sub(r"\s+lines?$", "", one["what"].strip())
                for line in self._known(name, figure, telling=True):
                    self._put(figure, "trace_colors", one["colour"].lower(), line)

    def _strokes(self) -> None:
        for one in self.sentence.take(
            r"\b(?:make|draw|show|plot)\s+(?:the\s+)?(?P<what>[\w.|]+(?:\s+(?!as\b|line)[\w|]+)??)(?:\s+lines?)?"
            rf"\s+(?:as\s+(?:an?\s+)?)?(?P<dash>{'|'.join(_DASHES)})(?:\s+lines?)?\b"
        ):
            for line in self._stroked(one["what"]):
                self._put(self._figure(), "line_styles", _DASHES[one["dash"].lower()], line, "dash")
        for one in self.sentence.take(
            r"\b(?:make|draw)\s+(?:the\s+)?(?:lines?\s+of\s+(?:the\s+)?)?(?P<what>[\w.|]+(?:\s+[\w|]+){0,2}?)"
            rf"(?:\s+lines?)?\s+(?P<width>{_NUMBER})\s*(?:pixels?|px|points?)\s*(?:wide|thick)?\b"
        ):
            for line in self._stroked(one["what"]):
                self._put(self._figure(), "line_styles", float(one["width"]), line, "width")

    def _stroked(self, what: str) -> list[str]:
        figure = self._figure()
        if what.casefold() in ("all", "everything", "all lines"):
            return self._lines().drawn(figure)
        return self._known(what, figure)

    def _scales_of_colour(self) -> None:
        found = self.sentence.take_first(
            rf"\b(?:use |with )?(?:the )?({_SCALES})(?: colou?r)?[ -]?(?:map|scale|colou?rs|colou?rmap|colou?rscale)\b"
        )
        if found:
            self._put(self._figure(), "colorscale", found[1].lower())
        if self.sentence.take_first(
            r"\b(?:use )?(?:an? |the )?(?:palette (?:that |for )?(?:the )?)?colou?r-?[ ]?blind(?:[ -]safe)?"
            r"(?: palette| colou?rs| people)?(?: can (?:read|see|tell apart))?\b"
            r"|\bokabe[- ]ito(?: palette| colou?rs)?\b"
        ):
            self._put(self._figure(), "palette", "okabe-ito")

    def _marks(self) -> None:
        """Lines and shades at times and values, put behind those that are there."""
        for one in self.sentence.take(
            rf"\b(?:add|draw|put)\s+(?:an?\s+)?(?:(?P<colour>{COLOURS})\s+)?horizontal\s+line\s+at\s+(?P<y>{_NUMBER})"
            r"(?:\s*[a-z/^-]+\d*)?"
            r"(?:\s+(?:to|in|on)\s+(?:the\s+)?(?P<what>panel \d+|[\w|.-]+(?:\s+[\w|]+)??)(?:\s+panel)?)?"
            r"(?=\s*(?:$|[,.;]|and\b))"
        ):
            figure = self._figure()
            line: Document = {"y": float(one["y"].replace("−", "-"))}
            if one["what"]:
                line["panel"] = self._numbers_of(one["what"], figure)[0]
            self._append(figure, "hlines", line | _coloured(one["colour"]))
        for one in self.sentence.take(
            rf"\bmark\s+(?:the\s+)?(?P<label>[\w -]+?)\s+at\s+(?P<x>{_TIME})(?:\s+with\s+an?\s+(?:vertical\s+)?line)?"
            rf"|\b(?:add|draw|put)\s+(?:an?\s+)?(?:(?P<colour>{COLOURS})\s+)?vertical\s+line\s+at\s+(?P<at>{_TIME})"
        ):
            label = {"label": one["label"].strip()} if one["label"] else {}
            line = {"x": (one["x"] or one["at"]).replace(" ", "T")}
            self._append(self._figure(), "vlines", line | label | _coloured(one["colour"]))
        for one in self.sentence.take(
            rf"\bshade\s+(?:the\s+)?(?:(?P<label>[\w -]+?)\s+)?(?:from|between)\s+(?P<x0>{_TIME})\s+(?:to|and)\s+"
            rf"(?P<x1>{_TIME})(?:\s+in\s+(?P<colour>{COLOURS}))?"
        ):
            label = {"label": one["label"].strip()} if one["label"] else {}
            shade = {"x0": one["x0"].replace(" ", "T"), "x1": one["x1"].replace(" ", "T")}
            self._append(self._figure(), "vrects", shade | label | _coloured(one["colour"]))

    def _append(self, figure: Document, key: str, value: Any) -> None:
        known = self._lines().spec(figure).get(key)
        self._put(figure, key, [*known, value] if isinstance(known, list) else [value])

    def _log(self) -> None:
        for one in self.sentence.take(
            rf"\b(?:make|set)\s+{_NAMED}\s+(?:y[- ])?axis\s+(?:to\s+)?(?P<kind>log(?:arithmic)?|linear)\b"
        ):
            self._scale(one["what"], "linear" if one["kind"].lower() == "linear" else "log")
        for one in self.sentence.take(
            r"\b(?P<kind>log(?:arithmic)?|linear)[- ]?(?:scale|axis|y[- ]axis)\s+(?:for|"
            r"of|on|in)\s+(?:the\s+)?(?P<what>panel \d+|[\w|]+(?:\s+[\w|]+)?)"
        ):
            self._scale(one["what"], "linear" if one["kind"].lower() == "linear" else "log")
        for one in self.sentence.take(
            r"\b(?:make|draw|show|put|plot)\s+(?:the\s+)?(?P<what>panel \d+|[\w|]+(?:\s+"
            r"[\w|]+)?)\s+(?:on|in|with)\s+(?:an?\s+)?(?P<kind>log(?:arithmic)?|linear)(?"
            r":\s+(?:scale|axis))?\b"
        ):
            self._scale(one["what"], "linear" if one["kind"].lower() == "linear" else "log")
        if self.sentence.take_first(
            r"\b(?:use |with |on )?(?:an?\s+)?log(?:arithmic)?[- ](?:scale|y[- ]axis|axis|axes)\b"
        ):
            self._put(self._figure(), "log_scale", "log")

    def _scale(self, what: str, scale: str) -> None:
        figure = self._figure()
        for number in self._numbers_of(what, figure):
            self._put(figure, "log_scale", scale, str(number))

    def _numbers_of(self, what: str, figure: Document) -> list[int]:
        """The numbers of the panels that a word means."""
        numbered = re.fullmatch(r"panel (\d+)", what, re.IGNORECASE)
        return [int(numbered[1])] if numbered else self._panel_numbers(what, figure)[0]

    def _panel_numbers(self, what: str, figure: Document) -> tuple[list[int], list[int]]:
        """The numbers of the panels that words mean: those that draw nothing else, and those that do."""
        panels = self._lines().spec(figure).get("panels")
        lines = self._lines().meant(what, figure)
        if not isinstance(panels, list) or not lines:
            raise NotUnderstood(f"no panel is known as '{what}'")
        meant = {line: {line, owner(line, self._lines().gives())} for line in lines}
        drawing = {
            number: [any(label in names for names in meant.values()) for label in panel]
            for number, panel in enumerate(panels, 1)
        }
        whole = [number for number, each in drawing.items() if each and all(each)]
        shared = [number for number, each in drawing.items() if any(each) and not all(each)]
        return (whole, shared) if whole else (shared, shared)

    def _ranges(self) -> None:
        for one in self.sentence.take(
            rf"\b(?:set |limit )?(?:the )?y[- ]?(?:range|limits?|axis)(?: of {_NAMED})?\s+(?:to|from|between)\s+"
            rf"(?P<low>{_NUMBER})\s*(?:to|\.\.|,|and|–|-)\s*(?P<high>{_NUMBER})(?:\s*(?:nT|km/s|nPa|K|eV|cm\^-3|cm⁻³))?"
        ):
            limits = [float(one[key].replace("−", "-")) for key in ("low", "high")]
            figure = self._figure()
            if not one["what"]:
                self._put(figure, "y_range", limits)
                continue
            for panel in self._numbers_of(one["what"], figure):
                self._put(figure, "y_range", limits, str(panel))

    def _legend(self) -> None:
        if self.sentence.take_first(r"\b(?:hide|remove|without|drop|no)\s+(?:the\s+)?legend\b"):
            self._put(self._figure(), "legend", False)
        if self.sentence.take_first(r"\b(?:show|add|with)\s+(?:the\s+|a\s+)?legend\b"):
            self._put(self._figure(), "legend", True)
        found = self.sentence.take_first(r"\b(?:use |set )?(?:the )?font(?: size)?(?: to| of)?\s+(\d+)\b")
        if found:
            self._put(self._figure(), "font_size", int(found[1]))


def _coloured(colour: str | None) -> Document:
    return {"color": colour.lower()} if colour else {}
