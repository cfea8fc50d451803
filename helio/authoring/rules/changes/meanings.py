"""Find the values of a pipeline that words mean: its variables, its bands, and the arguments of its steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, product
from typing import Any

from helio.authoring.fetches import FETCH
from helio.authoring.operations import Operation
from helio.authoring.rules.changes.atoms import COUNTED, PLACES, Atom, Range
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.computation_changes import WINDOW_OF, set_argument, times
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.moments import intervals_of, is_interval
from helio.authoring.rules.changes.panel_settings import panel_numbers
from helio.authoring.rules.events.storms import STORMS
from helio.authoring.rules.harmless import IN_CHANGES
from helio.knowledge.constants import BOLTZMANN, ELEMENTARY_CHARGE
from helio.knowledge.phrases import any_phrase
from helio.knowledge.unit_algebra import comparable, conversion_factor
from helio.knowledge.unit_spelling import canonical_unit, unit_factors
from helio.knowledge.vocabulary import VOCABULARY
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, STYLE
from helio.steps.signature import signatures

_WORDS = VOCABULARY["words beside values"]
_SIDE_OF = {word: side for side, words in _WORDS["sides"].items() for word in words}
_GENERAL = IN_CHANGES.union(_WORDS["set"], *(_WORDS["sides"][side] for side in ("low", "high")))
"""Words that say that a value is set, and not which one."""
_CRITERION = frozenset(("threshold", "criterion", "cutoff", "limit"))
_SIDE = re.compile(r"\s*(?:(?P<before>before|prior\s+to|ahead\s+of)|after|past|following|beyond)\b")
_LENGTH = r"days?|d|hours?|hrs?|h"
_SPAN = re.compile(
    rf"(?<![\w.])[-−](?P<before>\d+)\s*(?P<own>{_LENGTH})?\s*(?:to|until|\.\.+|…|–|,)\s*"
    rf"\+?(?P<after>\d+)\s*(?P<unit>{_LENGTH})\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"(?<![\w.])([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?) for (?:the )?(\w[\w -]*\w)")
_ENDS = {"lowest": 0, "highest": -1}
_BAND = re.compile(r"\b(?:bands?|channels?)\b", re.IGNORECASE)
_EMPTY = frozenset(_WORDS["descriptions"])
_FLUX = {"A": 1e-8, "B": 1e-7, "C": 1e-6, "M": 1e-5, "X": 1e-4}
"""Least flux of the classes of solar flares, in W/m² at 0.1 to 0.8 nm."""
_CLASS = re.compile(r"(?<![\w.$|-])(?P<letter>[ABCMX])(?P<size>\d{1,2}(?:\.\d+)?)?(?![\w.|]*\w)")
_CLASSES = re.compile(r"\b[ABCMX][\s-]*(?:class|flares?)\b|\bclass\s+[ABCMX]\b")
_REST_OF = re.compile(r"\b[ABCMX][\d.]*\s*(?:-|–|to|and|or|,)\s*[ABCMX](?:\b|\d)")
_IGNORED = re.compile(r"\b(?:ignor\w+|skip\w*|neglect\w*|reject\w*|filter\w*|no)\b", re.IGNORECASE)
_WEAKER = re.compile(r"\b(?:below|under|weaker|smaller|less|up\s+to|until|at\s+most|max\w*)\b", re.IGNORECASE)
_UPWARD = re.compile(
    r"[>≥+]|\b(?:from|above|over|least|min(?:imum)?|threshold|limit|cutoff|up|upwards?|larger|stronger|higher|bigger|greater|more)\b",
    re.IGNORECASE,
)
_MORE = frozenset(_WORDS["flares"])
"""Words beside the class of a flare that say which flares count."""
_NONE = re.compile(r"\b(?:no|without|neglect\w*|ignor\w*|zero)\b", re.IGNORECASE)
_ASSUMED: dict[str, Document] = VOCABULARY["assumed values"]
"""Values that computations assume, each with its unit and its names in the field."""
_MEASURED = {"electron_temperature": "electrons_label"}
"""Arguments with measured values, which a step takes instead of an assumed value."""
_NOT_COMPUTED = (*FIGURES, STYLE, FETCH, "save_data")
_VALUES = "range number duration bound"
_AXES = tuple(
    f"noun:{name}"
    for name in ("x_axis", "y_axis", "y_range", "z_range", "bin_axis", "scale", "colour_bar", "colour_scale",
                 "linthresh", "time", "horizontal_line", "vertical_line", "width", "cadence",
                 "panel_height", "figure_height")
)  # fmt: skip
_OTHER = (
    "verb:mark", "verb:shade", "verb:fill", "verb:extend", "verb:shorten", "verb:shift", "verb:add",
    "verb:zoom", "verb:smooth", "rel:more",
)  # fmt: skip


@dataclass(frozen=True)
class Slot:
    """A variable that words may mean.

    Parameters
    ----------
    name : str
    kind : str
        ``number`` or ``duration``.
    side : str
        ``low`` or ``high`` end of a band, ``before`` or ``after`` an event; otherwise empty.
    unit : str
        The unit that the description names; otherwise empty.
    own : frozenset of str
        The words of the name, without the side.
    described : frozenset of str
        The words of the description.
    known : frozenset of str
        These words, and those of the steps that take the variable.
    """

    name: str
    kind: str
    side: str
    unit: str
    own: frozenset[str]
    described: frozenset[str]
    known: frozenset[str]
    tools: frozenset[str]
    """The words in the names of the tools that take the variable."""
    falls: bool
    """Whether the value is an upper limit: ``this Dst or less``."""
    value: Any
    steps: frozenset[str]
    """The ids of the steps that take the variable."""

    @property
    def events(self) -> frozenset[str]:
        """The words of the description that name the tool, such as ``storm``."""
        return self.tools & self.described


class Meanings:
    """What the values of a sentence mean in a template.

    Parameters
    ----------
    editor : FigureEditor
    """

    def __init__(self, editor: FigureEditor) -> None:
        self._editor = editor

    def rules(self) -> tuple[Rule, ...]:
        """Return the rule for clauses with a value of the template; it fits if the words leave no other meaning."""
        parts = "what craft tool levels line noun verb rel unit range bound number duration"
        window = Rule("tool noun:window duration", "what", self._set_argument,
                      lambda clause: not {atom.value for atom in clause.of("tool")} & WINDOW_OF.keys()
                      and self._argument(clause, self._arguments) is not None)  # fmt: skip
        assumed = Rule("what|tool|verb:remove", "what tool verb noun rel number unit", self._set_argument,
                       lambda clause: not (clause.has("verb:remove") and clause.has("number"))  # it is no value
                       and self._argument(clause, _ASSUMED) is not None, "number")  # fmt: skip
        return (
            assumed,
            _rule("what", f"{parts} relative every scale", self._flares),
            _rule("range verb:add|rel:also", f"{parts} panel", self._new_band),
            _rule("range verb:only|verb:remove", "what noun verb range panel", self._fewer_bands, "range"),
            _rule("range|bound|number|duration|what", f"{parts} relative", self._meant, _VALUES),
            _rule("factor noun:window|verb:smooth|tool", f"{parts} factor", self._scaled),
            _rule("moment|time what|tool|noun", f"{parts} moment time every", self._interval, "moment"),
            window,
        )

    def rest(self) -> tuple[Rule, ...]:
        """Return the rule for clauses that name an argument as its tool does; it is for what no other rule reads."""
        may = "noun:window noun:range noun:cadence verb:only rel:before rel:after"
        return (Rule("what|noun|bound number|duration|bound", may, self._set_argument,
                     lambda clause: self._argument(clause, self._arguments) is not None),)  # fmt: skip

    def _set_argument(self, editor: FigureEditor, clause: Clause) -> None:
        found = self._argument(clause, _ASSUMED) or self._argument(clause, self._arguments)
        if found is not None:
            name, value, steps = found
            for step in steps:
                set_argument(editor, step, name, value)
            told = f"{value:g}" if isinstance(value, (int, float)) else value
            editor.notes.append(f"{name} is {told} in {', '.join(str(step['step_id']) for step in steps)}")

    def _argument(self, clause: Clause, names: Iterable[str]) -> tuple[str, Any, list[Document]] | None:
        """Return the argument that a clause names, its new value, and the steps that take it."""
        text = clause.new_text
        for name in names:
            facts = _ASSUMED.get(name, {"phrases": [name.replace("_", " ")], "unit": ""})
            has_unit = any(atom.value.unit for atom in clause.of("number"))
            phrases = any_phrase([*facts["phrases"], *(facts.get("beside a unit", ()) if has_unit else ())])
            named = re.compile(rf"(?<![\w|-])(?:{phrases})(?![\w|-])", re.IGNORECASE)
            steps = self._arguments.get(name, [])
            match = named.search(text)
            if not steps or match is None or self._is_spectrogram(match[0]):
                continue
            value = _value_of(clause, text, facts["unit"])
            rest = clause.text if name not in _ASSUMED else text
            for atom in clause.of("number", "duration", "bound"):
                rest = rest.replace(atom.text, " ", 1)
            is_drawn = any(map(named.search, map(self._editor.lines.own_words, self._editor.drawn)))
            is_line = value == 0 and _NONE.search(text) and is_drawn
            left = _stems(named.sub(" ", rest)) - IN_CHANGES - _stems(" ".join(_WORDS["assumed"]))
            steps = [step for step in steps if left <= self._step_words(step)]
            if value is not None and steps and not is_line:
                return name, value, steps
        return None

    def _is_spectrogram(self, words: str) -> bool:
        """Return whether words name a spectrogram, whose energies are no temperatures: ``electrons at 50 keV``."""
        return any(map(self._editor.lines.has_colours, self._editor.lines_of(words)))

    @cached_property
    def _arguments(self) -> dict[str, list[Document]]:
        """Map the arguments of computations to the steps that have them, or else to those that can take them."""
        able: dict[str, list[Document]] = {}
        for step in self._editor.after["steps"]:
            signature = signatures().get(str(step.get("tool_name")))
            args = step.get("tool_args") or {}
            if signature is None or signature.name in _NOT_COMPUTED:
                continue
            for argument in signature.arguments:
                if not args.get(_MEASURED.get(argument.name, "")):
                    able.setdefault(argument.name, []).append(step)
        having = {name: [step for step in steps if name in step["tool_args"]] for name, steps in able.items()}
        return {name: having[name] or steps for name, steps in able.items()}

    def _step_words(self, step: Document) -> frozenset[str]:
        """Return the words of a step and of the tables that it reads."""
        lines = self._editor.lines
        labels = [label for label in (step.get("tool_args") or {}).values() if isinstance(label, str)]
        sources = " ".join(lines.all_words(label) for label in labels if label in lines.producers)
        return _told(step, f"{' '.join(labels)} {sources}")

    def _interval(self, clause: Clause) -> list[Operation]:
        """Set the range of time beside that of the data which words name: ``MVA from 13:05:35 to 13:06:05``."""
        words = _words_left(clause, clause.of("moment", "time"))
        slots = [slot for slot in self._slots if slot.kind == "time_range"]
        named = [
            slot
            for slot in slots[1:]
            if words & (slot.own | slot.described | slot.tools | slot.known) - _GENERAL - slots[0].known
            and words <= slot.known | _GENERAL
        ]
        if len(named) != 1 or not is_interval(clause) or clause.has(*_OTHER, "verb:remove"):
            return []
        spans = intervals_of(self._editor, clause)
        return [_operation(named[0], " to ".join(spans[0]))] if len(spans) == 1 else []

    def _flares(self, clause: Clause) -> list[Operation]:
        """Set the least flux of flares that a class names: ``only flares from M1 upwards``."""
        slots = [slot for slot in self._slots if slot.side == "low" and "flare" in slot.events]
        new = clause.new_text
        classes = [match for match in _CLASS.finditer(new) if match["size"] or _CLASSES.search(new)]
        if len(slots) != 1 or len(classes) != 1 or _REST_OF.search(new):
            return []
        (slot,), (match,) = slots, classes
        left = (
            frozenset(_stems(_CLASS.sub(" ", clause.text)))
            - _EMPTY
            - IN_CHANGES
            - _GENERAL
            - slot.known
            - _MORE
        )
        weaker = _WEAKER.search(new)
        if match["letter"] != "X" and not weaker and not _UPWARD.search(new):
            return []  # M flares alone are from M1 to M9.9
        if left or (weaker is not None) is not (
            clause.has("verb:remove") or _IGNORED.search(new) is not None
        ):
            return []
        return [_operation(slot, _FLUX[match["letter"]] * float(match["size"] or 1), "")]

    def _meant(self, clause: Clause) -> list[Operation]:
        """Return the changes of values that a clause means; empty if it means something else."""
        if found := self._span(clause) or self._named_value(clause):
            return found
        values = [atom for atom in clause.atoms if atom.kind in _VALUES.split()]
        kinds = {atom.kind for atom in values}
        axes = [noun for noun in _AXES if noun != "noun:bin_axis" or kinds == {"range"}]
        if not values or len(kinds) > 1 or clause.has(*axes, *_OTHER):
            return []
        if len(values) == 2 and kinds <= {"number", "duration"} and clause.has("rel:instead_of"):
            return self._instead(clause, values)
        if clause.has("verb:remove") and kinds != {"bound"}:
            return []
        if kinds == {"range"} and len(values) == 2:
            return self._bands(clause, values)
        words = _words_left(clause, values)
        if kinds == {"range"}:
            return self._pair(words, values[0].value, "band" in clause.text.casefold())
        if kinds == {"bound"} and len(values) == 1:
            limits = values[0].value
            high = limits.low is None
            value = limits.high if high else limits.low
            slots = [slot for slot in self._slots if self._bounds(slot, high)]
            return self._one(words, slots, value, limits.unit)
        if kinds == {"number"} and len(values) == 1:
            number = values[0].value
            slots = [slot for slot in self._slots if slot.kind == "number" and self._is_side(slot, clause)]
            return self._one(words, slots, number.value, number.unit)
        if kinds == {"duration"}:
            return self._around(clause, values) or self._length(clause, words, values)
        return []

    def _is_side(self, slot: Slot, clause: Clause) -> bool:
        """Return whether a clause names the end of a band that a slot is, or a threshold."""
        words = _stems(clause.text)
        is_most = slot.side == "high" and _WEAKER.search(clause.text) is not None
        return not slot.side or slot.side in map(_SIDE_OF.get, words) or is_most or bool(words & _CRITERION)

    def _instead(self, clause: Clause, values: list[Atom]) -> list[Operation]:
        """Set the one value that words say and that is the old one: ``a 1 h mean field rather than 6 h``."""
        words = _words_left(clause, values)
        new, old = (atom.value for atom in values)
        unit = "" if isinstance(new, str) else new.unit or old.unit
        slots = [
            slot
            for slot in self._slots
            if (words or unit) and words <= slot.known | _GENERAL and slot.kind == values[0].kind
            if slot.value == (old if slot.kind == "duration" else _in_unit(slot, old.value, old.unit))
            if _fits_unit(slot.unit, unit)
        ]
        if len(slots) != 1 or self._is_of_others(slots[0], clause):
            return []
        return [_operation(slots[0], new if isinstance(new, str) else new.value, unit)]

    @cached_property
    def _slots(self) -> list[Slot]:
        return list(self._slots_of_variables())

    def _slots_of_variables(self) -> Iterator[Slot]:
        for name, variable in (self._editor.after.get("variables") or {}).items():
            kind = str(variable.get("type"))
            if kind not in ("number", "duration", "time_range"):
                continue
            text = str(variable.get("description", ""))
            own, described = _stems(name), _stems(text)
            side = next((_SIDE_OF[word] for word in sorted(own) if word in _SIDE_OF), "")
            known, tools, steps = own | described, frozenset[str](), frozenset[str]()
            for step in self._editor.after["steps"]:
                args = step.get("tool_args") or {}
                if name not in args.values():
                    continue
                known |= self._step_words(step)
                tools |= _stems(step["tool_name"])
                steps |= {str(step["step_id"])}
                known |= _stems(" ".join(argument for argument, value in args.items() if value == name))
                known |= _stems(" ".join(VOCABULARY["computations"].get(step["tool_name"], ())))
                known |= _stems(_WORDS["of tools"].get(step["tool_name"], ""))
            plain = own - set(_SIDE_OF)
            falls = re.search(r"\bor less\b|\bbelow this\b|\blarger\b.*\bleft out\b", text) is not None
            value = variable.get("default")
            yield Slot(
                name, kind, side, _unit_in(text), plain, described - _EMPTY, known, tools, falls, value, steps
            )

    @cached_property
    def _drawn_words(self) -> frozenset[str]:
        """Return the words that name lines of the figure."""
        lines = self._editor.lines
        return frozenset(
            word for label in self._editor.drawn for word in _stems(f"{label} {lines.own_words(label)}")
        )

    def _names(self, slot: Slot, words: frozenset[str], *, with_unit: bool = False) -> bool:
        """Return whether words name a slot, and nothing else; with its unit the tool alone may name it."""
        if "storm" in slot.events:
            words -= set(STORMS)  # a class beside a value says no more
        if not words <= slot.known | _GENERAL or not words:
            return False
        if words & _CRITERION and not words - _GENERAL:
            return len([other for other in self._slots if other.kind == slot.kind]) == 1
        drawn = frozenset[str]() if words & _CRITERION else self._drawn_words
        naming = slot.own | slot.described - drawn - _GENERAL | slot.events
        return bool(words & (naming | slot.tools if with_unit else naming))

    def _one(self, words: frozenset[str], slots: list[Slot], value: float, unit: str) -> list[Operation]:
        named = [slot for slot in slots if self._names(slot, words) and _fits_unit(slot.unit, unit)]
        return [_operation(named[0], value, unit)] if len(named) == 1 else []

    def _bounds(self, slot: Slot, high: bool) -> bool:
        if slot.kind != "number":
            return False
        return slot.side == ("high" if high else "low") if slot.side else slot.falls is high

    def _pair(self, words: frozenset[str], limits: Range, is_band: bool) -> list[Operation]:
        """Set both ends of a band."""
        is_axis = not (limits.unit or is_band) and bool(words & self._drawn_words)
        if limits.low is None or limits.high is None or is_axis:
            return []
        pairs = [
            (low, high)
            for low in self._slots
            for high in self._slots
            if (low.side, high.side) == ("low", "high") and low.steps & high.steps
            if all(self._names(end, words, with_unit=bool(limits.unit)) for end in (low, high))
            if _fits_unit(low.unit, limits.unit)
        ]
        if len(pairs) != 1:
            return []
        ((low, high),) = pairs
        return [_operation(low, limits.low, limits.unit), _operation(high, limits.high, limits.unit)]

    def _scaled(self, clause: Clause) -> list[Operation]:
        """Multiply the length that words name by a factor: ``halve the window of the dynamic spectrum``."""
        factor = clause.of("factor")[0]
        values = [replace(factor, kind="duration")]
        changes = self._length(clause, _words_left(clause, [factor]), values)
        held = {slot.name: slot.value for slot in self._slots}
        return [replace(change, value=times(held[change.at[1]], change.value)) for change in changes]

    def _length(self, clause: Clause, words: frozenset[str], values: list[Atom]) -> list[Operation]:
        """Set the length that words name, of what the named panel draws."""
        places = {"top": 1, "bottom": len(self._editor.panels)}
        within = self._editor.lines_in(at for side, at in places.items() if side in words and at)
        words -= set(places)
        slots = [slot for slot in self._slots if slot.kind == "duration" and self._is_side(slot, clause)]
        named = [
            slot
            for slot in slots
            if self._names(slot, words) and (words - slot.own - _GENERAL or words & slot.own - {"window"})
            if not within or any(self._takes(line, slot.name) for line in within)
        ]
        named = [slot for slot in named if slot.own <= words] or named
        if len(named) != 1 or len(values) != 1 or clause.has("panel") or self._is_of_others(named[0], clause):
            return []
        return [_operation(named[0], values[0].value)]

    def _is_of_others(self, slot: Slot, clause: Clause) -> bool:
        """Return whether a clause names lines by which alone it does not mean a slot, because others take it too."""
        of = {line for name in clause.names for line in self._editor.lines_of(name)}
        is_described = _stems(" ".join(clause.names)) <= slot.described
        if not of or is_described or _stems(clause.text) & slot.own - {"window"}:
            return False
        takes = {self._takes(line, slot.name) for line in of}
        if True not in takes:
            return True  # only V, with 10 min means
        return takes == {True} and any(
            self._takes(line, slot.name) for line in self._editor.drawn if line not in of
        )

    def _takes(self, line: str, name: str) -> bool:
        """Return whether a line is computed with a variable."""
        producers = self._editor.lines.producers
        return any(name in producers[label].params.values() for label in self._editor.behind(line))

    def _named_value(self, clause: Clause) -> list[Operation]:
        """Set a value that a description names: ``1 for the photosphere, 2.5 for the source surface``."""
        if clause.has("range", "bound", "number", "duration", *_AXES, *_OTHER, "verb:remove"):
            return []
        wanted = clause.new_text.casefold()
        found = []
        for name, facts in (self._editor.after.get("variables") or {}).items():
            named = {
                words.casefold(): value for value, words in _NAMED.findall(str(facts.get("description", "")))
            }
            meant = [words for words in named if re.search(rf"(?<!\w){re.escape(words)}(?!\w)", wanted)]
            slot = next((slot for slot in self._slots if slot.name == name and slot.kind == "number"), None)
            if slot is not None and slot.side == "low" and _WEAKER.search(wanted):
                continue
            if slot is not None and len(meant) == 1 and _words_left(clause, []) <= slot.known | _GENERAL:
                found.append(_operation(slot, float(named[meant[0]]), ""))
        return found if len(found) == 1 else []

    def _span(self, clause: Clause) -> list[Operation]:
        """Set both sides of an event: ``from -1 to +3 days``."""
        match = _SPAN.search(clause.text)
        sides = {slot.side: slot for slot in self._slots if slot.kind == "duration" and slot.side}
        if match is None or not {"before", "after"} <= sides.keys():
            return []
        rest = frozenset(_stems(_SPAN.sub(" ", clause.text)) - _EMPTY - IN_CHANGES - {"window"})
        if not rest <= sides["before"].known | sides["after"].known | _GENERAL:
            return []
        lengths = (match["before"] + (match["own"] or match["unit"])[0], match["after"] + match["unit"][0])
        return [
            _operation(sides[side], length.casefold())
            for side, length in zip(("before", "after"), lengths, strict=True)
        ]

    def _around(self, clause: Clause, values: list[Atom]) -> list[Operation]:
        """Set how long before and after an event something is shown: each length has its side behind it."""
        operations = []
        stops = [*(atom.start for atom in values[1:]), clause.stop]
        every = _words_left(clause, values)
        for atom, stop in zip(values, stops, strict=True):
            behind = clause.text[atom.stop - clause.start : stop - clause.start].casefold()
            found = re.match(r"\s*(?P<first>before|after)(?P<second>\s+and\s+(?:before|after))?\b", behind)
            sides = () if found is None else ("before", "after") if found["second"] else (found["first"],)
            slots = [slot for slot in self._slots if slot.side in sides and slot.kind == "duration"]
            others = frozenset().union(
                *(slot.known for slot in self._slots if slot.side in ("before", "after"))
            )
            if not slots or len(slots) != len(sides) or not every <= others | _GENERAL:
                return []
            operations += [_operation(slot, atom.value) for slot in slots]
        return operations

    def _bands(self, clause: Clause, values: list[Atom]) -> list[Operation]:
        """Replace a band in a list of bands: ``40-60 MeV instead of 60-100 MeV``."""
        if not clause.says(r"\b(?:instead|rather|replace|change|to|not)\b"):
            return []
        scales = _scales(any(atom.value.unit for atom in values))
        for step, scale, old in product(self._editor.after["steps"], scales, values):
            if scale > 1 and not old.value.unit and any(atom.value.unit == "eV" for atom in values):
                continue  # 100 eV - 1 keV instead of 1-10
            limits = [_limits_in(atom.value, old.value.unit) for atom in values]
            written = [_scaled(pair, scale) for pair in limits]
            for name, value in (step.get("tool_args") or {}).items():
                held = [pair for pair in written if isinstance(value, list) and pair in value]
                known = _told(step, "channel energy line") | _GENERAL | set(_SIDE_OF)
                if held != [written[values.index(old)]] or not _words_left(clause, values) <= known:
                    continue
                new = written[1 - written.index(held[0])]
                bands = [new if pair == held[0] else pair for pair in value]
                ends = [[f"{end / scale:g}" for end in pair] for pair in (held[0], new)]
                return [
                    Operation("set", str(step["step_id"]), ("tool_args", name), bands),
                    *self._renamed_band(step, *ends),
                ]
        return []

    def _new_band(self, clause: Clause) -> list[Operation]:
        """Add a band to the list of bands that words name: ``add a band 40.5 to 60 MeV to the proton lines``."""
        limits = clause.of("range")[0].value
        if limits.low is None or limits.high is None or not _BAND.search(clause.text):
            return []
        if clause.has("rel:own_panel") or re.search(r"\b(?:an?|another|new|extra) panel\b", clause.text):
            return []
        found: list[Operation] = []
        words = _words_left(clause, clause.of("range", "verb", "rel")) - {"band", "channel", "panel", *PLACES}
        for step, bands in self._with_bands(clause, words):
            if len(bands) == 1 and "axis" in step["tool_args"]:
                continue  # a second band would add an axis
            ends = [end for band in bands for end in band]
            scaled = [_scaled((limits.low, limits.high), scale) for scale in _scales(bool(limits.unit))]
            near = [new for new in scaled if min(ends) / 10 <= new[0] < new[1] <= max(ends) * 10]
            if len(near) == 1 and near[0] not in bands:
                found += _with_other_bands(step, sorted([*bands, near[0]]))
        return found if len({change.step for change in found}) == 1 else []

    def _fewer_bands(self, clause: Clause) -> list[Operation]:
        """Keep or remove bands of a list: ``only two proton bands: 13.6-19.3 and 60-100 MeV``."""
        ranges, removes = clause.of("range"), clause.has("verb:remove")
        limits = [(atom.value.low, atom.value.high) for atom in ranges]
        words = _words_left(clause, clause.of("range", "verb")) - {"band", "channel", "panel", *PLACES}
        counted = re.findall(r"[a-z]+", clause.text.casefold())
        counts = {COUNTED.get(word, 0) for word in counted} - {0, 1, len(limits)}
        if (
            removes is clause.has("verb:only")
            or counts
            or not _BAND.search(clause.text)
            or None in chain(*limits)
        ):
            return []
        places = words & _ENDS.keys()
        found: list[Operation] = []
        for step, bands in self._with_bands(clause, words - COUNTED.keys() - places):
            for scale in _scales(any(atom.value.unit for atom in ranges)):
                named = [_scaled(pair, scale) for pair in limits]
                at_end = [sorted(bands)[_ENDS[place] * len(named) :][: len(named)] for place in places]
                kept = [pair for pair in bands if (pair in named) is not removes]
                is_held = all(pair in bands for pair in named) and all(
                    sorted(named) == ends for ends in at_end
                )
                if is_held and kept not in ([], bands):
                    found += _with_other_bands(step, kept)
        return found if len({change.step for change in found}) == 1 else []

    def _with_bands(self, clause: Clause, words: Set[str]) -> Iterator[tuple[Document, list[Any]]]:
        """Yield each step with a list of bands, in the panels that a clause names, if it has all words."""
        lines = self._editor.lines_in(panel_numbers(self._editor, clause.of("panel")))
        producers = self._editor.lines.producers
        behind = {label for line in lines for label in self._editor.behind(line)}
        for step in self._editor.after["steps"]:
            args = step.get("tool_args") or {}
            bands = args.get("bands")
            if not isinstance(bands, list) or not words <= _told(step, f"energy line {args}") | _GENERAL:
                continue
            if not lines or step["step_id"] in {str(producers[label].id) for label in behind}:
                yield step, bands

    def _renamed_band(self, step: Document, old: list[str], new: list[str]) -> Iterator[Operation]:
        """Write the new limits of a band in the description of its step and in the labels of axes."""
        band = re.compile(rf"(?<![\w.]){re.escape(old[0])}(\s*(?:-|–|to)\s*){re.escape(old[1])}(?![\w.])")
        intent = str(step.get("intent", ""))
        if band.search(intent):
            yield Operation(
                "set", str(step["step_id"]), ("intent",), band.sub(rf"{new[0]}\g<1>{new[1]}", intent)
            )
        labels, figure, path = self._editor.where("y_label")
        for panel, text in object_of(labels).items():
            if band.search(str(text)):
                yield Operation("set", figure, (*path, panel), band.sub(rf"{new[0]}\g<1>{new[1]}", str(text)))


def _with_other_bands(step: Document, bands: list[Any]) -> Iterator[Operation]:
    """Set the bands of a step, and their number at the start of its description."""
    name, intent = str(step["step_id"]), str(step.get("intent", ""))
    yield Operation("set", name, ("tool_args", "bands"), bands)
    counted = {count: word for word, count in COUNTED.items()}
    old, new = (counted.get(len(pairs), "") for pairs in (step["tool_args"]["bands"], bands))
    if old and new and intent.casefold().startswith(f"{old} "):
        yield Operation("set", name, ("intent",), new.capitalize() + intent[len(old) :])


def _told(step: Document, more: str) -> frozenset[str]:
    """Return the words that a step says of itself, and some more."""
    return _stems(f"{step['step_id']} {step['tool_name']} {step.get('intent', '')} {more}")


def _scales(has_unit: bool) -> tuple[float, ...]:
    """Return by what the limits of a band may be multiplied: a pipeline has bands in eV, words say keV."""
    return (1, 1e3, 1e-3) if has_unit else (1,)


def _limits_in(given: Range, unit: str) -> list[float]:
    """Return the limits of a band in a unit: 100 eV to 1 keV in keV are 0.1 to 1."""
    converted = given.unit and unit and given.unit != unit and comparable(given.unit, unit)
    factor = conversion_factor(given.unit, unit) if converted else 1.0
    return [float(f"{end * factor:.12g}") for end in (given.low, given.high) if end is not None]


def _scaled(limits: Sequence[float], scale: float) -> list[float]:
    return [_plain(float(f"{end * scale:.12g}")) for end in limits]


def _unit_in(description: str) -> str:
    """Return the unit that a description names: ``nT`` of ``A storm reaches this Dst or less, in nT.``"""
    for match in re.finditer(r"\bin ([^\s,;:]+)", description):
        unit = match[1].rstrip(".")
        if unit_factors(unit) is not None:
            return canonical_unit(unit)
    return ""


def _fits_unit(own: str, given: str) -> bool:
    return not given or (bool(own) and comparable(own, canonical_unit(given)))


def _operation(slot: Slot, value: float | str, unit: str = "") -> Operation:
    """Return the change of a variable, numbers in the unit of the variable."""
    new = value if isinstance(value, str) else _in_unit(slot, value, unit)
    return Operation("set", "", ("variables", slot.name, "default"), new)


def _rule(needs: str, may: str, meant: Callable[[Clause], list[Operation]], several: str = "") -> Rule:
    """Return the rule for clauses that mean some changes of values; it makes them."""

    def change(editor: FigureEditor, clause: Clause) -> None:
        editor.do(*meant(clause))

    return Rule(needs, may, change, lambda clause: bool(meant(clause)), several)


def _value_of(clause: Clause, text: str, unit: str) -> Any:
    """Return the one value that a clause gives, in the unit of an argument; None if it does not fit."""
    values = [
        atom.value
        for atom in clause.of("number", "duration", "bound")
        if atom.start - clause.start < len(text) and atom not in clause.shared
    ]
    if not values:
        return 0 if unit == "1" and _NONE.search(text) else None
    if len(values) != 1 or isinstance(values[0], str):
        return values[0] if len(values) == 1 and not unit else None
    number = values[0]
    limits = [number.low, number.high] if isinstance(number, Range) else [number.value]
    known = [value for value in limits if value is not None]
    if len(known) != 1:  # two limits are no single value
        return None
    value, given = known[0], number.unit
    given = given or ("%" if re.search(r"\bper\s?cent\b", text) else "")
    own = canonical_unit(given)
    if unit == "1":
        value = value / 100 if given == "%" else value
        return _plain(value) if given in ("", "%") and 0 <= value < 1 else None
    if not given:
        return _plain(value)
    if unit and comparable(own, unit):
        return _plain(float(f"{value * conversion_factor(own, unit):.12g}"))
    if unit == "K" and comparable(own, "eV"):  # E = kT
        energy = value * conversion_factor(own, "eV") * ELEMENTARY_CHARGE
        return _plain(float(f"{energy / BOLTZMANN:.6g}"))
    return None


def _in_unit(slot: Slot, value: float, unit: str) -> float:
    """Return a value in the unit of a variable; in its own if the units differ in kind."""
    alike = unit and slot.unit and _fits_unit(slot.unit, unit)
    factor = conversion_factor(canonical_unit(unit), slot.unit) if alike else 1.0
    return _plain(float(f"{value * factor:.12g}"))


def _plain(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _words_left(clause: Clause, values: list[Atom]) -> frozenset[str]:
    """Return the words of a clause that are no values and have a meaning."""
    shared = " ".join(atom.text for atom in clause.shared if atom.kind in ("what", "craft", "noun", "tool"))
    own = clause.without(atom for atom in values if atom not in clause.shared)
    return frozenset(_stems(f"{own} {shared}") - _EMPTY - IN_CHANGES)


def _stems(text: str) -> frozenset[str]:
    """Return the words of a text in the singular.

    >>> sorted(_stems("$HISS_LOW: the spectra, storms"))
    ['hiss', 'low', 'spectrum', 'storm', 'the']
    """
    words = re.findall(r"[a-z]+", text.replace("_", " ").casefold())
    return frozenset(_WORDS["singular"].get(word) or re.sub(r"(?<=\w\w)(?<!s)s$", "", word) for word in words)
