"""Add what a request for a new figure could name to the figure of a template, or draw it instead of a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from helio.authoring.fetches import FETCH
from helio.authoring.memory import preferred_frame
from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import PipelineRequest, RequestQuantity
from helio.authoring.rules.changes.added_content import (
    SUPERPOSED,
    along_and_across,
    coarse_cadence,
    crafts_for,
    fetched_pairs,
    in_frame_of_figure,
    read_addition,
)
from helio.authoring.rules.changes.atom_reading import plain_name
from helio.authoring.rules.changes.atoms import PLACE, Atom
from helio.authoring.rules.changes.clauses import PLACED_BESIDE, Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.line_settings import refuse_one_colour
from helio.authoring.rules.changes.lines import AVERAGES
from helio.authoring.rules.changes.merged_steps import merged
from helio.authoring.rules.changes.moments import default_ranges
from helio.authoring.rules.changes.own_inputs import computed_here
from helio.authoring.rules.changes.panel_settings import (
    asked_panels,
    axes_of,
    is_spectrogram,
    named_panels,
    panel_numbers,
    put_panel_type,
    set_scale,
)
from helio.authoring.rules.reading.spellings import SPELLINGS
from helio.authoring.rules.refusals import refuse_computation
from helio.authoring.writing.computations import APPLIED, DERIVED, OF_SPECTRA, OF_TWO
from helio.authoring.writing.notes import TimeNote
from helio.authoring.writing.writer import write_template
from helio.knowledge.frame_names import FRAMES, stated_frame
from helio.knowledge.quantities import VECTOR_V as VELOCITY
from helio.knowledge.quantities import B
from helio.knowledge.quantity_words import symbol
from helio.patterns import ignoring_case
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import RIGHT, TWO_SIDED, entry_labels

_PAIR = 2
_COMPUTED = re.compile(r"\b(?:comput|calculat|deriv)\w*\b", re.IGNORECASE)
"""Words of a quantity to compute even if a dataset has it."""
_INTO = re.compile(
    r"\b(?:to|in|into|on|onto|within)\s+(?:the\s+)?(?:same\s+)?(?:panel|plot)\s+(?:of|with|for|as|"
    r"showing)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_BETWEEN = re.compile(
    r"(?<!difference )(?<!differences )(?<!ratio )(?<!angle )(?<!lag )(?<!delay )"
    r"\bbetween\s+(?:the\s+)?(?:panels?\s+of\s+)?$",
    re.IGNORECASE,
)
_AS_PANEL = re.compile(r"\b(?:as|an?|add)\s+(?:the\s+|an?\s+)?$", re.IGNORECASE)
_BEFORE_PANEL = re.compile(r"\b(?:to|in|into|on|onto)\s+(?:the\s+)?$", re.IGNORECASE)
_WITH_PANEL = re.compile(
    r"^\W*(?:an?\s+|the\s+|one\s+)?(?:\w+\s+){1,2}(?:sub)?panel\s+(?:with|for|of|showing|that\s+shows)\b",
    re.IGNORECASE,
)
_A_PANEL = r"\bin\s+an?\s+(?:(?:new|extra|separate|further|additional)\s+)?panel\b"
_ONE_PANEL = re.compile(
    r"\btogether\b|\b(?:an?|one|a new)\s+panel\s+(?:with|of|for|showing)\b"
    r"|\b(?:one|a single)\s+(?:(?:more|new|extra|further)\s+)?panel\b",
    re.IGNORECASE,
)
_IN_NEW_PANEL = re.compile(rf"\b(?:in|as)\s+an?\s+(?:{PLACE})\s+(?:sub)?panel\b", re.IGNORECASE)
_FILLER = re.compile(
    r"\b(?:in|as|into|with|to|on)\s+(?:an?\s+)?(?:(?:new|own|separate|extra|another|second|further)\s+)"
    r"*(?:panel|plot)\b(?:\s+of\s+its\s+own)?"
    r"|\b(?:an?|one more|another)\s+(?:(?:new|own|separate|extra|further)\s+)*panel\s+(?:with|of|for|showing|"
    r"that shows)\b"
    r"|\b(?:in|into|as)(?:\s+(?:its|their))?\s*$|\bpanels?\b|\b(?:line|curve|trace)s?\b(?!\s+(?:at|of))|\b(?:in|as|with)\s+an?\s*$|\band\s+(?:show|plot|"
    r"draw)\s+it\b",
    re.IGNORECASE,
)


def add_quantities(editor: FigureEditor, clause: Clause) -> None:
    """Draw quantities that the figure does not draw yet, or the magnitude of a vector that it draws."""
    place = place_of(editor, clause, clause.atoms)
    content = _content(clause, [atom for atom in clause.atoms if atom not in place.atoms], place.words)
    if place.atoms and not content:
        raise NotUnderstood(f"the request does not say what to draw: '{clause.text.strip()}'")
    is_new = clause.has("verb:add", "rel:also")
    drawn = [] if is_new else editor.lines_of(content)
    is_other = clause.has("rel:raw") and any(editor.lines.step(line).tool in AVERAGES for line in drawn)
    if place.at is not None and drawn and not is_other:
        moved, has_others = editor.panel_numbers(content)
        if has_others and clause.has("rel:own_panel"):
            raise NotUnderstood(
                f"helio does not understand '{clause.text.strip()}'",
                advice=f"say where the panel comes at the end, as in '{content} in its own panel below …'",
            )
        editor.put_panels(moved, place.at - sum(number <= place.at for number in moved))
        set_look(editor, clause, drawn)
        return
    there = [] if place.into is None else editor.panels[place.into]
    content = _BARE_MAGNITUDE.sub("the magnitude", content)
    named = vectors_of(editor, content, there) or vectors_of(editor, content, editor.drawn)
    vectors = without_magnitude(editor, named)
    if named and not vectors:
        raise NotUnderstood(f"the figure already draws the magnitude of {', '.join(named)}")
    parts = _parts_of(editor, content)
    if parts:
        put_into(editor, parts, place, ())
        set_look(editor, clause, parts)
    elif not vectors:
        draw_new(editor, clause, clause.atoms, ())
    for vector in vectors:
        label = add_magnitude(editor, vector)
        if place.into is not None:
            put_into(editor, [label], place, ())
        else:
            editor.draw(label, near=vector, own_panel=True)
        set_look(editor, clause, [label])


_BARE_MAGNITUDE = ignoring_case(r"^(?:the\s+)?magnitude\s+(?:to|in|into|on|onto)(?:\s+(?:the|of|with))*$")
"""The magnitude of no vector by name, before a place that is read: ``add the magnitude to the first panel``."""
_STRENGTH = re.compile(
    r"(?:(?:the|its|vector|scalar)\s+)*(?:magnitudes?|\|b\||total\s+(?:magnetic\s+)?field|total\s+b|b\s?tot(?:al)?"
    r"|(?:magnetic\s+)?field\s+(?:strength|magnitude|amplitude)|b\s+magnitude"
    r"|(?:(?:bulk|flow|total)\s+)*speed(?:\s*\(?\|v\|\)?)?|\|v\|)"
    r"(?:\s+(?:line|curve))?(?:\s+(?:of|for|to|from)\s+(?:the\s+)?(?P<what>.+))?",
    re.IGNORECASE,
)


def vectors_of(editor: FigureEditor, content: str, among: Sequence[str]) -> list[str]:
    """Return the vectors among some lines, or among those that the words name, of which words mean the magnitude."""
    match = _STRENGTH.fullmatch(content)
    if match is None:
        return []
    lines = editor.lines.meant(plain_name(match["what"]), editor.figure()) if match["what"] else among
    vectors = [line for line in lines if editor.lines.is_vector(line)]
    for words, unit in ((r"field|\bb\b|\bb\s?tot", "nT"), (r"speed|\bv\b", "km/s")):
        if ignoring_case(words).search(match[0].replace("|", "")):
            vectors = [line for line in vectors if editor.lines.unit(line) in (unit, "")]
    return vectors


def without_magnitude(editor: FigureEditor, vectors: Sequence[str]) -> list[str]:
    """Return the vectors of which the figure does not draw the magnitude yet, which every frame shares."""

    def before_turn(vector: str) -> str:
        return editor.lines.source(vector, ("transform_frame",))

    drawn = [editor.lines.producers[line] for line in editor.drawn if line in editor.lines.producers]
    done = {before_turn(str(step.params.get("source_label"))) for step in drawn if step.tool == "magnitude"}
    return [line for line in vectors if before_turn(line) not in done]


_COMPONENTS = re.compile(
    r"(?:the\s+)?(?:(?:three|vector|field|its|magnetic|all)\s+)*components?|vector", re.IGNORECASE
)


def strength_beside(editor: FigureEditor, clause: Clause) -> bool:
    """Draw the magnitude of a vector beside it, if a clause means that: ``|B| in the panel of the components``."""
    names = [plain_name(name) for name in clause.names]
    given = [name for name in names if _STRENGTH.fullmatch(name)]
    others = [name for name in names if name not in given]
    vectors = [
        line for name in given for line in without_magnitude(editor, vectors_of(editor, name, editor.drawn))
    ]
    if len(given) != 1 or len(vectors) != 1 or not others:
        return False
    own = [line for name in others if not _COMPONENTS.fullmatch(name) for line in editor.known(name)]
    if not set(own) <= set(vectors):
        return False
    editor.draw(add_magnitude(editor, vectors[0]), near=vectors[0], own_panel=False)
    return True


_PART = re.compile(
    r"(?:the\s+)?(?:(?P<parallel>parallel|field[- ]aligned)|perpendicular|transverse|(?P<axis>[xyzrtn]))"
    r"[\s-]+(?:components?|part)\s+of\s+(?:the\s+)?(?P<what>.+)",
    re.IGNORECASE,
)


def _parts_of(editor: FigureEditor, content: str) -> list[str]:
    """Return new labels with a component of the drawn vectors that words name: along the field, or along an axis."""
    match = _PART.fullmatch(content)
    lines = editor.lines.meant(plain_name(match["what"]), editor.figure()) if match else []
    vectors = [line for line in lines if line in editor.drawn and editor.lines.is_vector(line)]
    if match is None or len(vectors) != 1:
        return []
    (vector,) = vectors
    if match["axis"]:
        return [editor.component(f"{vector}.{match['axis'].casefold()}")]
    field = _field_of(editor, vector)
    give = "parallel" if match["parallel"] else "perpendicular"
    args = {"vector_label": vector, "field_label": field, "give": give}
    intent = "Component along the field" if match["parallel"] else "Size of the part across the field"
    return [editor.compute("along_field", f"{vector}_{give}", args, intent, after=vector)]


def _field_of(editor: FigureEditor, vector: str) -> str:
    """Return the magnetic field from which a vector is computed, which is on the same epochs."""
    step = editor.lines.producers[vector]
    fields = [label for label in step.labels if B in editor.lines.quantities(label)]
    if not fields:
        raise NotUnderstood(
            f"{vector} and the magnetic field are not on the same epochs",
            advice="align the field onto them first, in the file of the pipeline",
        )
    return fields[0]


def add_magnitude(editor: FigureEditor, vector: str) -> str:
    """Compute the magnitude of a vector; return its label."""
    args = {"source_label": vector}
    return editor.compute("magnitude", f"{vector}mag", args, "Compute the magnitude", after=vector)


def draw_new(editor: FigureEditor, clause: Clause, atoms: Sequence[Atom], instead: Sequence[str]) -> None:
    """Fetch or compute what a clause names, and draw it where the clause says, or instead of lines."""
    place = place_of(editor, clause, atoms)
    content = _content(clause, [atom for atom in atoms if atom not in place.atoms], place.words)
    reading = read_addition(editor, content)
    request = reading.request
    if not request.quantities and not request.datasets and request.spacecraft and place.into is not None:
        request = replace(request, quantities=_quantities_of(editor, place.into))
    if not (reading.unread or instead) and _fit_drawn_spectrum(editor, request, place, clause.text):
        return
    names_data = request.quantities or request.datasets or request.cuts
    if reading.unread or request.times or not names_data:
        if request.spacecraft and not (reading.unread or request.times):
            of = " and ".join(request.spacecraft)
            raise NotUnderstood(
                f"the request does not say which quantity of {of} to draw",
                advice=f"say, for example, 'add the magnetic field strength of {of}'",
            )
        refuse_computation(content, reading.unread)
        left = ", ".join(f"'{word}'" for word in reading.unread) or f"'{content}'"
        raise NotUnderstood(
            f"helio does not understand {left}", advice="name a quantity, such as 'add the proton density'"
        )
    if not request.spacecraft and (request.quantities or not names_data):
        request = replace(request, spacecraft=crafts_for(editor, request))
    request = in_frame_of_figure(editor, request)
    asked, request = request, along_and_across(editor, request, content)
    if not any(quantity.frame for quantity in request.quantities):
        request, preferences = preferred_frame(request, editor.remembered)
        editor.notes += preferences
    if not (request.computations or request.panels.kind or instead):
        _check_new(editor, request)
    names = [quantity.name for quantity in request.quantities]
    if _COMPUTED.search(clause.text) and len(names) == 1 and names[0] in DERIVED:
        request = replace(request, computed=(names[0],))
    if own := computed_here(editor, request):
        put_into(editor, [own], place, instead)
        set_look(editor, clause, [own])
        return
    unframed = any(part.component and not (part.frame or request.frame) for part in request.quantities)
    timed = replace(
        request,
        times=tuple(default_ranges(editor)[:1]),  # the new data have to reach into this time
        cadence=request.cadence or coarse_cadence(editor),
        at_hand=() if unframed else fetched_pairs(editor),  # B in RTN has no z
    )
    made, notes = write_template(timed, catalogue=editor.catalogue, now=editor.now, ask=editor.ask)
    labels, entries = merged(editor, made)
    if entries:
        _put_entries(editor, entries, place)
        editor.notes += [note for note in notes if not isinstance(note, TimeNote)]
        return
    if any(computation.tool in OF_TWO for computation in request.computations):
        labels = labels[-1:]  # the two series are drawn already, or were not asked for
    drawn = [label for label in labels if label not in editor.drawn]
    if not drawn:
        raise NotUnderstood(f"the figure already draws {', '.join(labels)}")
    editor.notes += [note for note in notes if not isinstance(note, TimeNote)]
    one = _ONE_PANEL.search(clause.text)
    is_joined = clause.says(SAME_PANEL) or (one and one[0].casefold() == "together")
    if len(drawn) == 1 and place.into is None and is_joined:
        raise NotUnderstood(
            f"helio does not understand together with what to draw {drawn[0]}",
            advice="add them one after the other, then say 'put A and B in one panel'",
        )
    is_one = (clause.says(_A_PANEL) or request != asked) and len(set(map(editor.lines.unit, drawn))) == 1
    together = len(drawn) > 1 and (one is not None or clause.has("rel:same_panel") or is_one)
    drawn = _superposed(editor, drawn)
    put_into(editor, drawn, place, instead, together=together)
    for line in drawn:
        editor.name_as_others(line)
    set_look(editor, clause, drawn)


def _put_entries(editor: FigureEditor, entries: Mapping[str, list[Document]], place: Place) -> None:
    """Draw histograms and plots of one quantity against another, which stand below all other panels."""
    if place.into is not None or (place.at is not None and place.at < len(editor.panels)):
        raise NotUnderstood(
            "histograms and plots of one quantity against another stand below the other panels",
            advice="say 'add … at the bottom'",
        )
    drawn = editor.spec.get("labels")
    for key, new in entries.items():
        editor.set_for(key, [*(editor.spec.get(key) or []), *new])
        lines = sorted(set[str]().union(*(entry_labels(key, entry) for entry in new)))
        if isinstance(drawn, list):
            drawn = [*drawn, *(line for line in lines if line not in drawn)]
            editor.set_for("labels", drawn)
        heights = editor.spec.get("row_heights")
        if isinstance(heights, list):
            editor.set_for("row_heights", [*heights, *(max(heights) for _ in new)])


def _fit_drawn_spectrum(editor: FigureEditor, request: PipelineRequest, place: Place, said: str) -> bool:
    """Draw the power of a band, the slope or the break of a spectrum that the figure draws; return whether it has one.

    A fit is drawn over a spectrum that is a line; what changes with time has a panel of its own.
    """
    made = [computation for computation in request.computations if computation.tool in OF_SPECTRA]
    if request.quantities or request.datasets or request.cuts or len(made) != 1:
        return False
    (computation,) = made
    how = APPLIED[computation.tool]
    tools = {line: editor.lines.step(line).tool for line in editor.drawn}
    still = [line for line, tool in tools.items() if tool == "power_spectrum"]
    pictures = [line for line, tool in tools.items() if tool == "power_spectrogram"]
    over_time = computation.tool == "band_integral"
    spectra = pictures or still if over_time else still or pictures
    if not spectra:
        return False
    named = [line for line in spectra if ignoring_case(rf"\b{re.escape(line)}\b").search(said)]
    spectra = named or spectra
    line = spectra[0] if len(spectra) == 1 else editor.ask("Which spectrum do you mean?", spectra)
    source, near = line, line
    if over_time and line in still:
        step = editor.lines.step(line)
        args = {name: step.params[name] for name in ("source_label", "window") if name in step.params}
        intent = APPLIED["power_spectrogram"].intent
        source = editor.compute("power_spectrogram", f"{line}_over_time", args, intent, after=line)
    is_over = line in still and not over_time
    args = {"source_label": source, **how.arguments(computation), **({"give": "line"} if is_over else {})}
    new = editor.compute(computation.tool, f"{source}_{how.ending}", args, how.intent, after=source)
    if place.at is not None and not is_over:
        put_into(editor, [new], place, ())
    else:
        editor.draw(new, near=near, own_panel=not is_over)
    return True


def _superposed(editor: FigureEditor, drawn: list[str]) -> list[str]:
    """Superpose new lines as a figure superposes its own: on the same events, in the same bins."""
    producers = editor.lines.producers
    steps = [producers[line] for line in editor.drawn if line in producers]
    if not steps or any(step.tool != SUPERPOSED for step in steps):
        return drawn
    like = next(step for step in steps if step.params.get("give") is None)
    return [
        editor.compute(
            SUPERPOSED,
            f"{line}_superposed",
            {**like.params, "series_label": line},
            f"{line} around the events",
            after=line,
        )
        for line in drawn
    ]


def set_look(editor: FigureEditor, clause: Clause, lines: Sequence[str]) -> None:
    """Set the colour, the dashes, the scale and the kind of panel that a clause names for its new lines."""
    refuse_one_colour(editor, lines if clause.has("colour") else [])
    for line in lines:
        if clause.has("scale"):
            (axis,) = axes_of(editor, editor.panels_with([line])[0], [line])
            set_scale(editor, axis, clause.value("scale"))
        if clause.has("paneltype"):
            put_panel_type(editor, editor.panels_with([line])[0], clause.value("paneltype"))
        if clause.has("colour"):
            editor.put("trace_colors", clause.value("colour"), line)
        if clause.has("dash"):
            editor.put("line_styles", clause.value("dash"), line, "dash")


@dataclass(frozen=True)
class Place:
    """Where new lines are drawn: into a panel by its index, or at an index between the panels.

    `words` are the first and the last letter of the clause that name the place.
    """

    atoms: tuple[Atom, ...] = ()
    into: int | None = None
    at: int | None = None
    words: tuple[int, int] = (0, 0)

    def names_of(self, clause: Clause) -> list[str]:
        """Return the names of a clause without those of the place."""
        first, stop = (clause.start + end for end in self.words)
        return [
            atom.text
            for atom in clause.of("what")
            if atom not in self.atoms and not (first <= atom.start < stop and atom in clause.atoms)
        ]


def place_of(editor: FigureEditor, clause: Clause, atoms: Sequence[Atom]) -> Place:
    """Return where a clause says that new lines are drawn."""
    numbered = [atom for atom in atoms if atom.kind == "panel"]
    used = [*numbered, *(atom for atom in atoms if atom.kind == "rel")]
    relation = next((atom for atom in atoms if atom.tags[-1] in PLACED_BESIDE), None)
    if relation is not None:
        named = [atom for atom in atoms if atom.kind in ("what", "craft", "panel")]
        beside = [atom for atom in named if atom.start > relation.start][:1]
        above = relation.value in ("above", "top", "before")
        if beside and relation.value not in ("top", "bottom"):
            numbers = named_panels(editor, beside)
            if clause.says(SAME_PANEL) and len(numbers) == 1:  # on top of V, in the same panel
                return Place((*used, *beside), into=numbers[0] - 1)
            if len(numbers) > 1 and ignoring_case(r"\bone$").search(beside[0].text):  # that of its kind
                is_picture = clause.says(r"\bspectrograms?\b")
                numbers = [number for number in numbers if is_spectrogram(editor, number) is is_picture]
                if len(numbers) != 1:
                    raise NotUnderstood(f"helio does not understand which panel '{beside[0].text}' means")
            if relation.text.casefold() == "on top of" and "panel" not in editor.said.casefold():
                question = f"'on top of {beside[0].text}': where should helio draw it?"
                is_part = _COMPONENTS.fullmatch(beside[0].text) is not None
                if is_part or editor.ask(question, _ON_TOP) == _ON_TOP[0]:
                    return Place((*used, *beside), into=numbers[0] - 1)
            return Place((*used, *beside), at=min(numbers) - 1 if above else max(numbers))
        if clause.has("rel:raw") and relation.value in ("above", "below"):
            raise NotUnderstood(
                f"helio does not understand which line '{clause.of('rel:raw')[0].text}' means",
                advice="name the line",
            )
        return Place(tuple(used), at=0 if above else len(editor.panels))
    names = [atom for atom in atoms if atom.kind in ("what", "craft")]
    ahead = {atom: _BETWEEN.search(clause.ahead_of(atom)) for atom in names}
    between = next((match for match in ahead.values() if match is not None), None)
    if between is not None and not clause.has("tool"):
        beside = [atom for atom in names if atom.start - clause.start >= between.end()]
        numbers = sorted({number for atom in beside for number in editor.numbers_of(atom.text)})
        if len(beside) != _PAIR or len(numbers) < _PAIR or numbers[-1] - numbers[0] != len(numbers) - 1:
            raise NotUnderstood("a new panel comes between two neighbouring panels")
        words = (between.start(), beside[-1].stop - clause.start)
        return Place((*used, *beside), at=editor.numbers_of(beside[0].text)[-1], words=words)
    if numbered:
        is_new = _AS_PANEL.search(clause.ahead_of(numbered[0])) or _WITH_PANEL.search(clause.text)
        if numbers := _new_number(editor, numbered[0]) if is_new else []:
            return Place(tuple(used), at=numbers[0] - 1)
        return Place(tuple(used), into=panel_numbers(editor, numbered)[0] - 1)
    for atom in names:
        spoken, behind = clause.ahead_of(atom), clause.text[atom.stop - clause.start :]
        is_named = ignoring_case(r"\s+(?:panel|plot)\b").match(behind) and _BEFORE_PANEL.search(spoken)
        if _INTO.search(spoken) or is_named:
            number = editor.numbers_of(atom.text)[0]
            return Place((*used, atom, *_also_drawn(editor, clause, atom, number)), into=number - 1)
    onto = _drawn_onto(editor, clause, used)
    if onto is None and clause.says(_OVERPLOTTED) and not clause.has("tool", "rel:own_panel", "verb:replace"):
        numbers = list(range(1, len(editor.panels) + 1))
        if len(numbers) > 1:
            numbers = asked_panels(editor, "Over which panel do you want it?", numbers, every=False)
        onto = Place(tuple(used), into=numbers[0] - 1 if numbers else 0)
    return onto or Place(tuple(used))


def _also_drawn(editor: FigureEditor, clause: Clause, first: Atom, number: int) -> Iterator[Atom]:
    """Yield the names behind another with which they say what a panel shows: ``to the panel with SYM-H and Dst``."""
    last = first
    for atom in clause.of("what", "craft"):
        between = clause.text[last.stop - clause.start : atom.start - clause.start]
        if atom.start > last.start and _JOINT.fullmatch(between) and number in editor.numbers_of(atom.text):
            yield atom
            last = atom


SAME_PANEL = r"\bsame\s+(?:panels?|plots?|axes)\b"
_JOINT = re.compile(r"\s*(?:,|,?\s*\band\b|&)\s*(?:the\s+)?", re.IGNORECASE)
_ONTO = re.compile(
    r"\b(?P<how>on\s+top\s+of|on|onto|over|into|in|to|with|alongside|together\s+with|and)\s+"
    r"(?:(?:that|the\s+one|those)\s+(?:of|for)\s+)?(?:the\s+)?"
    r"(?P<what>[^,;]+?)(?P<panel>\s+(?:sub)?(?:panel|plot)s?)?(?:\s+(?:too|also|as\s+well))?(?:,?\s+(?:in|as|with))?[\s.!,]*$",
    re.IGNORECASE,
)
_OVERPLOTTED = r"\b(?:over(?:plot|lay|laid)|superimpos)\w*\b"
_OVERLAID = re.compile(rf"{_OVERPLOTTED}|\b(?:draw|plot|put)\w*\b", re.IGNORECASE)
_OVER = re.compile(r"\w\s+(?:on\s+top\s+of|over|onto|on)\s+(?:the\s+)?\w", re.IGNORECASE)
_ON_TOP = ("in the same panel", "in a panel above it")
_UNIT_OF_AXIS = re.compile(r"(?:seconds?|s|minutes?|min|hours?|h|days?|d|[mk]?Hz)", re.IGNORECASE)
_JOINING = ("into", "in", "to", "onto", "on top of")


def _drawn_onto(editor: FigureEditor, clause: Clause, used: Sequence[Atom]) -> Place | None:
    """Return the panel of a line that the end of a clause names: ``overplot the electrons on the ion density``."""
    text = clause.without(clause.of("colour", "dash"))
    last = _ONTO.search(text)
    while last is not None:
        how = " ".join(last["how"].casefold().split())
        if last["panel"] or how in _JOINING or (_OVERLAID.search(clause.text) and how != "and"):
            is_frame = last["what"].upper() in FRAMES  # add the velocity in GSM
            is_unit = _UNIT_OF_AXIS.fullmatch(last["what"])  # periods in minutes
            is_length = any(
                atom.text == last["what"] for atom in clause.of("duration")
            )  # average to one minute
            lines = (
                []
                if is_frame or is_unit or is_length
                else editor.lines.meant(plain_name(last["what"]), editor.figure())
            )
            numbers = editor.panels_with(lines)
            if len(numbers) == 1:
                return Place(tuple(used), into=numbers[0] - 1, words=last.span())
        last = _ONTO.search(text, last.start() + 1)
    return None


def _new_number(editor: FigureEditor, atom: Atom) -> list[int]:
    """Return the number of a panel that does not exist yet: ``a fourth panel`` of a figure with three."""
    count = len(editor.panels)
    is_next = atom.value in ((count + 1,), (-1,))
    return [count + 1] if is_next else [place for place in atom.value if 0 < place <= count]


def _content(clause: Clause, atoms: Sequence[Atom], place: tuple[int, int] = (0, 0)) -> str:
    """Return the words of a clause that name what to draw, without those of its place."""
    looks = {"verb", "paneltype", "colour", "dash", "relative", "rel", "line", "scale", *_AXES}
    kept = clause.without([atom for atom in clause.atoms if atom not in atoms or looks & {*atom.tags}])
    kept = kept[: place[0]] + " " * (place[1] - place[0]) + kept[place[1] :]
    text = ignoring_case(r"\b(?:the\s+)?(?:two|both)\s+").sub("", _FILLER.sub(" ", kept))
    text = ignoring_case(r"\band\s+it\b(?:\s+(?:as|in|on))?\s*$").sub(" ", text.strip(" ,"))
    return (
        ignoring_case(r"^the(?=\s*(?:,|$))").sub("", " ".join(text.split())).strip(" ,")
    )  # below the field, Bz


def put_into(
    editor: FigureEditor, drawn: list[str], place: Place, instead: Sequence[str], *, together: bool = False
) -> None:
    """Draw labels: instead of lines, in a panel, or in new panels, one for each label or one for all `together`."""
    panels = editor.panels or [editor.drawn]
    right: list[str] = []
    if instead:
        at = next((number for number, labels in enumerate(panels) if set(instead) & set(labels)), None)
        if at is None:
            raise NotUnderstood(
                f"no panel draws {', '.join(instead)} any more",
                advice="say 'replace A by B' in a request of its own",
            )
        panels = [[label for label in labels if label not in instead] for labels in panels]
        panels[at : at + 1], right = _on_axes(editor, panels[at], drawn, instead)
        if {*panels[at]} <= {*right, *(editor.spec.get("right") or [])}:  # all of them move to the left
            editor.redraw([[label for label in labels if label not in drawn] for labels in panels])
            right = []
    elif place.into is not None:
        right = _of_second_unit(editor, panels[place.into], drawn)
        _name_lines(editor, place.into + 1, [line for line in drawn if line not in right])
        panels[place.into] = [*panels[place.into], *drawn]
    else:
        at = len(panels) if place.at is None else place.at
        right = _of_second_unit(editor, [], drawn) if together else []
        panels[at:at] = [drawn] if together else [[label] for label in drawn]
    editor.redraw(panels)
    if right:
        editor.put_right(right)
    if right and not instead:
        editor.notes.append(f"{', '.join(right)} has its axis at the right")


def _of_second_unit(editor: FigureEditor, there: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return which new lines of a panel have a second unit, and so an axis at the right; refuse a third unit."""
    units = {line: editor.lines.unit(line) for line in (*there, *new)}
    first, *others = dict.fromkeys(units.values())
    is_unknown = "" in units.values()
    if not others or (is_unknown and there) or any(map(editor.lines.may_have_colours, units)):
        return []
    if is_unknown or len(others) > 1:
        raise NotUnderstood(
            f"{', '.join(units)} have different units, so helio does not draw them in one panel",
            advice="draw them in panels of their own",
        )
    right = editor.spec.get("right") or []
    return [line for line in new if units[line] != first and line not in right]


def _on_axes(
    editor: FigureEditor, panel: list[str], new: Sequence[str], instead: Sequence[str]
) -> tuple[list[list[str]], list[str]]:
    """Return a panel with new lines, panels behind it for further units, and the new lines at its right axis.

    A line has the axis with its unit, or that of the lines instead of which it comes, if no other line is left there.
    """
    held = set(editor.spec.get("right") or [])
    was_right = set(instead) <= held
    if not any((line in held) is was_right for line in panel):
        _leave_axis(editor, was_right, instead, new)
    units = {
        side: [editor.lines.unit(line) for line in panel if (line in held) is side] for side in (False, True)
    }
    panels, right = [list(panel)], list[str]()
    for line in new:
        unit = editor.lines.unit(line)
        sides = [side for side in (False, True) if unit in units[side]] if unit else [was_right]
        if not (sides or units[was_right]):
            sides = [was_right]
        alike = [labels for labels in panels[1:] if unit in map(editor.lines.unit, labels)]
        if sides:
            units[sides[0]].append(unit)
            panels[0].append(line)
            right += [line] * sides[0]
        elif alike:
            alike[0].append(line)
        else:
            panels.append([line])
    return panels, right


def _leave_axis(editor: FigureEditor, at_right: bool, old: Sequence[str], new: Sequence[str]) -> None:
    """Remove the settings of an axis that are not those of the new lines: of another unit all, otherwise its label."""
    known = set[str]().union(*map(editor.lines.quantities, old))
    is_same = all(editor.lines.own_quantities(line) & known for line in new)
    has_unit = len(set(map(editor.lines.unit, (*old, *new)))) == 1
    for number in editor.panels_with(old):
        name = f"{number}{RIGHT if at_right else ''}"
        for key in sorted(() if is_same else ("y_label",) if has_unit else TWO_SIDED):
            held, step, path = editor.where(key)
            if name in object_of(held) and (key, name) not in editor.wished:
                editor.do(Operation("unset", step, (*path, name)))


def _name_lines(editor: FigureEditor, number: int, new: Sequence[str]) -> None:
    """Leave out the label of an axis that new lines make untrue; a line that is alone there gets it as its name."""
    text = str(object_of(editor.spec.get("y_label")).get(str(number), ""))
    name, old = text.partition(" [")[0], editor.panels[number - 1]
    known = set[str]().union(*map(editor.lines.quantities, old))
    is_true = all(
        editor.lines.quantities(line) & known
        or {*editor.behind(line)} & {*old}
        or any(symbol(quantity).startswith(name) for quantity in editor.lines.own_quantities(line))
        for line in new
    )
    if not (text and new) or is_true or ignoring_case(r"\bright\b").search(editor.said):  # its own axis
        return
    _, step, path = editor.where("y_label")
    editor.do(Operation("unset", step, (*path, str(number))))
    if len(old) == 1 and old[0] not in (editor.spec.get("trace_names") or {}):
        editor.put("trace_names", name, old[0])


def _check_new(editor: FigureEditor, request: PipelineRequest) -> None:
    """Refuse to add a quantity of a spacecraft that the figure draws already."""
    named = {part.name: editor.lines.meant(part.name, editor.figure()) for part in request.quantities}
    for line in editor.drawn:
        steps = [editor.lines.producers[label] for label in editor.behind(line)]
        fetched = " ".join(str(step.params.get("dataset_id", "")) for step in steps)
        if request.instruments and not any(name in fetched for name in request.instruments):
            continue
        if request.frame and editor.lines.frame(line) not in ("", request.frame):
            continue
        unscaled = editor.lines.source(line, ("rescale", "convert_units"))
        own, of = editor.lines.own_quantities(unscaled), editor.lines.crafts(line)
        frame = editor.lines.frame(line) or stated_frame(line)
        for quantity in request.quantities:
            letter = {B: "b", VELOCITY: "v"}.get(quantity.name, "\0") + f"_?{quantity.component}"
            is_same = quantity.component and frame == (quantity.frame or request.frame)
            is_same = is_same and of <= set(request.spacecraft)
            if is_same and ignoring_case(rf"(?:^|[_.]){letter}(?:_{frame})?$").search(line):
                raise NotUnderstood(f"the figure already draws {line}")
            is_known = quantity.name in own or (not own and line in named[quantity.name])
            is_known &= editor.lines.step(unscaled).tool == FETCH or bool(own)
            if not quantity.component and is_known and of == set(request.spacecraft):
                raise NotUnderstood(
                    f"the figure already draws {line}, the {quantity.name} of {', '.join(of) or 'the pipeline'}"
                )


def _quantities_of(editor: FigureEditor, panel: int) -> tuple[RequestQuantity, ...]:
    """Return the quantity that the lines of a panel have in common."""
    own, inherited = (
        set.intersection(*map(known, editor.panels[panel]))
        for known in (editor.lines.own_quantities, editor.lines.quantities)
    )
    return tuple(RequestQuantity(name) for name in sorted(own or inherited)[:1])


_AXES = ("noun:scale", "noun:y_axis")
ANY_PART = (
    "what craft panel paneltype colour dash frame duration tool line noun:unit number unit noun:window noun:cadence "
    "bins noun:histogram rel:above rel:below rel:top rel:bottom "
    "rel:before rel:after rel:own_panel rel:same_panel rel:instead rel:instead_of verb:smooth verb:add "
    "verb:replace verb:swap verb:show moment time range bound"
)
"""Parts of a clause that names something new."""


def _adds_panel(clause: Clause) -> bool:
    """Return whether a clause without a verb says what a new panel shows: ``third panel with the clock angle``."""
    return (
        _WITH_PANEL.search(clause.text) is not None
        or _IN_NEW_PANEL.search(clause.text) is not None
        or clause.has("rel:own_panel", "rel:more")
    )


def add_onto(editor: FigureEditor, clause: Clause) -> None:
    """Draw a quantity that the figure lacks over one of its lines; of two drawn lines it may mean a scatter plot."""
    place = _drawn_onto(editor, clause, ())
    content = _content(clause, clause.atoms, place.words) if place else ""
    if not content or editor.lines.meant(plain_name(content), editor.figure()):
        raise NotUnderstood(
            f"helio does not understand '{clause.text}'", advice="say 'add … to the panel of …'"
        )
    add_quantities(editor, clause)


def add_panel(editor: FigureEditor, clause: Clause) -> None:
    """Draw quantities in a new panel, of which the clause may give the number."""
    if any(place in range(1, len(editor.panels) + 1) for atom in clause.of("panel") for place in atom.value):
        raise NotUnderstood(
            f"the figure has {len(editor.panels)} panels",
            advice="say 'add … to panel 1' or 'add … in a new panel'",
        )
    add_quantities(editor, clause)


def says_place(clause: Clause) -> bool:
    """Return whether a clause without a verb says where something new comes: ``the clock angle below``."""
    in_frame = clause.has("frame") and clause.has("rel:top", "rel:bottom")  # nothing to move
    return (
        in_frame
        or clause.has("rel:above", "rel:below")
        or any(_BETWEEN.search(clause.ahead_of(atom)) for atom in clause.of("what"))
    )


_COMPUTED_ANEW = re.compile(
    "|".join(
        (
            r"\bspectr(?:um|a|ograms?)\b|\bwavelet|\bPSD\b|\b(?:band|wave|integrated)\s+power\b|\bpitch[- ]?angles?\b",
            *(pattern for _, pattern in SPELLINGS["kinds of plots"]),
        )
    ),
    re.IGNORECASE,
)
"""Words of computations and plots that a clause describes as a request for a new figure does."""


def added_inputs(editor: FigureEditor) -> Rule:
    """Return the rule for a quantity from which a drawn line is only computed: ``also show density above the beta``."""

    def names_input(clause: Clause) -> bool:
        first = min(clause.of("what", "scale"), key=lambda atom: atom.start)
        lines = [editor.lines.source(line, AVERAGES) for line in editor.lines_of(first.text)]
        inputs = [editor.lines.quantities(line) - editor.lines.own_quantities(line) for line in lines]
        is_known = lines or clause.has("verb:show", "verb:add")
        if first.kind == "scale" or not is_known or any(len(names) < _PAIR for names in inputs):
            return False
        with suppress(NotUnderstood):
            asked = {
                quantity.name for quantity in read_addition(editor, plain_name(first.text)).request.quantities
            }
            return bool(asked) and all(asked <= names for names in inputs)
        return False

    return Rule("rel:also what", f"{ANY_PART} scale {' '.join(_AXES)}", add_quantities, names_input)


ADDITIONS: tuple[Rule, ...] = (
    Rule("verb:add|rel:also what", f"{ANY_PART} rel:raw", add_quantities),
    Rule("verb:add|rel:also|rel:above|rel:below|rel:own_panel tool|what",
         f"{ANY_PART} rel:raw noun:time noun:bin_axis", add_quantities,
         lambda clause: _COMPUTED_ANEW.search(clause.text) is not None, several="tool"),
    Rule("verb:add what scale", f"{ANY_PART} scale {' '.join(_AXES)}", add_quantities,
         lambda clause: clause.of("what")[0].start < clause.of("scale")[0].start),
    Rule("what", "what craft panel colour dash line frame rel:above rel:below rel:top rel:bottom rel:own_panel rel:raw "
         "tool duration verb:add verb:move verb:show", add_quantities, says_place),
    Rule("what", "what panel frame", add_quantities, lambda clause: clause.text[:5].casefold() == "with "),
    Rule("verb:show what", "what craft panel colour dash verb:show rel:same_panel", add_onto,
         lambda clause: _OVER.search(clause.text) is not None),
    Rule("what panel|rel:own_panel|rel:more",
         "what craft panel colour dash frame number rel:same_panel rel:top rel:bottom rel:more rel:own_panel",
         add_panel, _adds_panel),
)  # fmt: skip
