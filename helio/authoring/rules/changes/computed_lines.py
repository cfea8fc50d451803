"""Compute lines of a figure anew as a request for a new pipeline would: ``leave out densities above 50 per cc``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import Computation
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.clauses import ANYTHING, Clause, Rule
from helio.authoring.rules.changes.conversions import aligned, steps_behind, times_of, whole_of
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.computations.averages import read_trends
from helio.authoring.rules.computations.computed import OVERLAID, read_computations
from helio.authoring.rules.computations.conditions import read_conditions
from helio.authoring.rules.computations.gap_filling import read_gap_filling
from helio.authoring.rules.computations.mentions import ComputationMention
from helio.authoring.rules.computations.scalings import read_alignments, read_scalings
from helio.authoring.rules.harmless import IN_CHANGES
from helio.authoring.rules.reading.sentence import Sentence
from helio.authoring.rules.times.durations import INTERVALS
from helio.authoring.writing.asking import WINDOWS
from helio.authoring.writing.computations import APPLIED, lacks_window
from helio.authoring.writing.operations import in_unit_of
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit
from helio.pipelines.template.document import Document

_SHOWN = r"\b(?:and\s+)?(?:(?:show|draw|plot|put|mark)\s+(?:it|them|these|this)\s+)?"
_PLACE = (
    rf"{_SHOWN}(?:in|to|on|into|onto)\s+(?:the\s+)?(?:same\s+)?(?:(?P<panel>[\w|-]+)\s+)?panel\b"
    r"|\b(?:before|when)\s+(?:it|they)\s+(?:is|are)\s+(?:drawn|plotted|shown)\b"
)
_APART = rf"{_SHOWN}(?:in|as)\s+(?:an?|its)\s+(?:new|own|separate|extra)\s+panel\b"
_LAST = r"\b(?:at|to)\s+the\s+(?:very\s+)?(?:bottom|end)\b|^\W*below\b"
_INSTEAD = (
    r"^\W*replace\b|\b(?:instead\s+of|in\s+place\s+of)\b(?:\s+(?:plotting|drawing|showing))?(?:\s+(?:it|them)\s+raw)?"
    r"(?:\s+(?:the\s+)?(?:raw|original|hourly|daily|data|line)\b)?|\binstead\b|\bby\s+(?=(?:its|their)\b)"
)
_OTHER_STATISTIC = (
    rf"\b(?:{'|'.join(INTERVALS)}|\d+[\s-]*(?:min\w*|h(?:ours?)?))\s+"
    r"(?:median|maxim|minim|max|min|peak)(?:s|a|um)?\b"
)
"""Statistics of intervals that are no running mean."""
_REMOVED = re.compile(
    r"^\W*(?:(?:please|also)\s+)*(?:remove|drop|delete|hide|omit|(?:take|leave)\s+out)\b(?P<made>\s+(?:the\s+)?"
    r"(?:smoothed|averaged|filtered|detrended|despiked|cleaned)\b)?",
    re.IGNORECASE,
)
"""Pattern of a clause that removes a line, perhaps a computed one: ``remove the smoothed Bz`` computes nothing."""
_BEFORE_AVERAGE = (
    r"\b(?:before|prior\s+to)\s+(?:(?:it\s+is|they\s+are|being)\s+)?(?:(?:the|any|your)\s+)?"
    r"(?:averag(?:ing|ed|es?)|smooth(?:ing|ed)|(?:running\s+)?(?:means?|averages?|medians?))\b(?:\s+(?:it|them))?"
)
"""Words of a computation of what an average takes: ``leave out values above 50 before averaging``."""
_CLEANING = ("mask", "mask_by_flag", "expect", "interpolate", "despike", "align")
"""Tools whose results are drawn instead of their inputs."""
_Reader = Callable[[Sentence], Iterable[ComputationMention]]
_ALSO = r"\b(?:beside|next\s+to|as\s+well\s+as|in\s+addition\s+to)\s+(?:the\s+)?(?:original|raw|line)\b"


@dataclass(frozen=True)
class _Wish:
    """A computation of some lines that a clause asks for.

    Parameters
    ----------
    other : tuple of str
        The lines whose values decide, or whose times the lines get.
    """

    computation: Computation
    lines: tuple[str, ...]
    other: tuple[str, ...] = ()
    own_panel: bool = False
    last: bool = False
    """Whether the new lines have a panel of their own below all others."""
    before: bool = False
    """Whether the average that makes a line takes the result."""


class ComputedLines:
    """The computations with numbers in words that clauses ask for.

    Parameters
    ----------
    editor : FigureEditor
    """

    def __init__(self, editor: FigureEditor) -> None:
        self._editor = editor

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule for clauses that are a condition, a factor or an alignment of drawn lines, and no more."""
        return (self._rule(_read_numbers),)

    def rest(self) -> tuple[Rule, ...]:
        """Return the rule for clauses that are any computation of drawn lines, which no other rule reads."""
        return (self._rule(read_computations),)

    def _rule(self, read: _Reader) -> Rule:
        def compute(editor: FigureEditor, clause: Clause) -> None:
            del editor
            wish = self._wish(clause, read)
            if wish is None:  # the change before it draws another line, which may be meant too
                raise NotUnderstood(f"helio does not understand '{clause.text}'", advice="name the line")
            self._compute(wish)

        return Rule("", ANYTHING, compute, lambda clause: self._wish(clause, read) is not None)

    def _compute(self, wish: _Wish) -> None:
        """Compute the lines of a wish, and draw the new ones beside the old ones or instead of them."""
        editor, made = self._editor, list[str]()
        if lacks_window(wish.computation):
            name = wish.computation.tool.replace("_", " ")
            window = editor.ask(f"How long is the window of the {name}?", WINDOWS)
            wish = replace(wish, computation=replace(wish.computation, window=window))
        for line in wish.lines:
            average = editor.lines.step(line)
            new = self._computed(str(average.params["source_label"]) if wish.before else line, wish)
            if wish.before:
                editor.do(Operation("set", str(average.id), ("tool_args", "source_label"), new))
                continue
            made.append(new)
            if wish.computation.beside or wish.own_panel:
                editor.draw(new, near=line, own_panel=wish.own_panel)
            else:
                editor.draw_instead(line, new)
            if wish.computation.tool == "alert":
                editor.put("line_styles", "markers", new, "mode")
        if wish.last and editor.panels:
            others = [[line for line in panel if line not in made] for panel in editor.panels]
            editor.redraw([*others, made])

    def _wish(self, clause: Clause, read: _Reader) -> _Wish | None:
        """Return what a clause asks for; None if a word of it is left, or if it removes a line."""
        removed = _REMOVED.match(clause.text)
        if removed and removed["made"]:
            return None
        sentence = Sentence(clause.text)
        last = sentence.drop(_LAST) > 0
        own_panel = sentence.drop(_APART) > 0 or last
        instead = sentence.drop(_INSTEAD) > 0
        before = sentence.drop(_BEFORE_AVERAGE) > 0
        try:
            mentions = list(read(sentence))
        except NotUnderstood:
            return None
        if len(mentions) != 1:
            return None
        mention = self._placed(clause, mentions[0], instead=instead)
        if mention is None:
            return None
        computed = APPLIED.get(mention.computation.tool)
        own_panel = own_panel or bool(mention.computation.beside and computed and computed.unit != "{}")
        places = [match["panel"] for match in sentence.take(_PLACE) if match["panel"]]
        sentence.drop(_ALSO)
        first, stop = mention.named
        named = sentence.text[first:stop].strip()
        sentence.take_at(first, stop)
        rest = [words for words in _names_in(sentence.left) if words]
        objects = [self._lines(words) for words in rest]
        of_name = self._lines(named) if named and named.casefold() not in IN_CHANGES else ()
        if not all(objects) or (named and named.casefold() not in IN_CHANGES and not of_name):
            return None
        lines = tuple(dict.fromkeys(line for labels in objects for line in labels))
        computation = mention.computation
        if before and (mention.by_other or computation.tool == "align"):
            return None
        if computation.tool == "align" or (mention.by_other and lines and of_name and lines != of_name):
            lines = lines if lines else tuple(line for line in self._editor.drawn if line not in of_name)
            lines = tuple(line for line in lines if line not in of_name)
            if len({times_of(self._editor, line) for line in of_name}) != 1 or len(lines) != 1:
                return None
            tool = "align" if computation.tool == "align" else "mask_by_flag"
            return _Wish(replace(computation, tool=tool), lines, of_name[:1], own_panel, last)
        if of_name and lines and of_name != lines:
            return None
        lines = of_name or lines or self._in_panels(places) or self._only()
        lines = tuple(line for line in lines if self._fits(line, mention))
        if before:
            averaged = lines and all(self._editor.lines.step(line).tool in AVERAGES for line in lines)
            is_alone = averaged and computation.tool in _CLEANING and not (own_panel or computation.beside)
            return _Wish(computation, lines, before=True) if is_alone else None
        if removed and any(self._editor.lines.step(line).tool in AVERAGES for line in lines):
            return None  # the raw line comes back
        return _Wish(computation, lines, (), own_panel, last) if lines else None

    def _placed(
        self, clause: Clause, mention: ComputationMention, *, instead: bool
    ) -> ComputationMention | None:
        """Say whether the new line is drawn beside the old one; return None if helio cannot compute it here."""
        computation = mention.computation
        if computation.tool not in (*APPLIED, "align"):
            return None
        adds = clause.has("verb:add", "rel:also", "rel:own_panel") or clause.says(
            r"^\W*(?:plot|show|draw)\b.*\bpanel\b"
        )
        other_unit = computation.tool in APPLIED and APPLIED[computation.tool].unit != "{}"
        if computation.tool in OVERLAID and not (adds or instead):
            return None  # beside the line or instead of it
        if (adds or other_unit) and not instead and computation.tool not in _CLEANING:
            computation = replace(computation, beside=True)
        if instead:
            computation = replace(computation, beside=False, behind=False)
        return replace(mention, computation=computation)

    def _lines(self, words: str) -> tuple[str, ...]:
        return tuple(self._editor.lines_of(plain_name(words)))

    def _in_panels(self, names: Sequence[str]) -> tuple[str, ...]:
        return tuple(line for name in names for line in self._lines(name))

    def _only(self) -> tuple[str, ...]:
        """Return the line of a figure that draws one line."""
        drawn = self._editor.drawn
        return tuple(drawn) if len(drawn) == 1 else ()

    def _fits(self, line: str, mention: ComputationMention) -> bool:
        """Return whether a line can have the level of a condition, by its unit."""
        unit = canonical_unit(str(dict(mention.computation.args).get("unit", "")))
        own = self._editor.lines.unit(line)
        return not unit or not own or comparable(unit, own)

    def _computed(self, line: str, wish: _Wish) -> str:
        """Add the steps that compute a line anew; return the new label."""
        editor, computation = self._editor, wish.computation
        source = editor.component(line)
        if computation.tool == "align":
            return aligned(editor, source, wish.other[0], dict(computation.args))
        own = editor.lines.unit(wish.other[0] if wish.other else source)
        if not own and "unit" in dict(computation.args) and computation.tool != "alert":
            raise NotUnderstood(
                f"helio does not know the unit of {line}", advice="write the level without a unit"
            )
        how, complete = APPLIED[computation.tool], in_unit_of(computation, own)
        args: Document = {"source_label": source, **how.arguments(complete)}
        if wish.other:
            flag = editor.component(wish.other[0])
            if times_of(editor, flag) != times_of(editor, source):
                flag = aligned(editor, flag, source, {"method": "nearest"})
            args = {"series_label": source, "flag_label": flag} | how.arguments(complete)
        if computation.tool == "expect":
            args["time_range"] = self._time_of(source)
        after = (wish.other and args["flag_label"]) or source
        ids = [str(step["step_id"]) for step in editor.after["steps"]]
        last = max((after, source), key=lambda label: ids.index(str(editor.lines.step(label).id)))
        return editor.compute(
            computation.tool,
            f"{source}_{how.ending}",
            args,
            how.intent_of(complete),
            after=whole_of(editor, last),
        )

    def _time_of(self, label: str) -> str:
        """Return the time range for which the data behind a label are fetched."""
        ranges = {
            str(step.params["time_range"])
            for step in steps_behind(self._editor, label)
            if "time_range" in step.params
        }
        if len(ranges) != 1:
            raise NotUnderstood(f"the data behind {label} have several time ranges")
        return ranges.pop()


def _read_numbers(sentence: Sentence) -> Iterator[ComputationMention]:
    """Read what only these rules understand: conditions, factors, gaps to fill and alignments."""
    for read in (read_alignments, read_gap_filling, read_conditions, read_scalings, read_trends):
        yield from read(sentence)
    if sentence.has(_OTHER_STATISTIC):
        yield from read_computations(sentence)


def _names_in(left: str) -> Iterator[str]:
    """Yield the runs of words that are left of a clause, without words that mean nothing."""
    for part in re.split(r"[\x01,;:.!?()]+", left):
        words = part.split()
        while words and words[0].casefold() in IN_CHANGES:
            words = words[1:]
        while words and words[-1].casefold() in IN_CHANGES:
            words = words[:-1]
        yield " ".join(words)
