"""List the rules that change what a pipeline computes, and change its spacecraft and files."""

from __future__ import annotations

import json
import re

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.rules.changes.additions import add_quantities, says_place
from helio.authoring.rules.changes.arranging import swap_panels, with_namesakes
from helio.authoring.rules.changes.clauses import OLD, Clause, Rule
from helio.authoring.rules.changes.computation_changes import (
    COMPUTATIONS,
    keep_storms,
    limit,
    names_storms,
    replace_as_averaged,
)
from helio.authoring.rules.changes.conversions import (
    add_frame,
    convert,
    convert_inputs,
    epochs_of,
    set_cadence,
    set_frame,
    whole_of,
    write_unit,
)
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.rules.changes.panel_settings import panel_numbers
from helio.authoring.rules.changes.time_changes import TIMES
from helio.authoring.swapping import crafts_in, swapped
from helio.authoring.writing.asking import EVERY
from helio.authoring.writing.steps import FILE_ENDINGS, OF_ANY_EPOCHS
from helio.knowledge.quantities import spellings


def swap_craft(editor: FigureEditor, clause: Clause) -> None:
    """Replace a spacecraft by another."""
    named = [spellings()[atom.text.casefold()] for atom in clause.of("craft")]
    present = crafts_in(editor.after, editor.catalogue)
    new, old = named[0], ""
    if len(named) == 2:
        swapped_in = clause.has("verb:swap") and clause.says(r"\b(?:in|for)\b")
        is_first = clause.has("rel:instead_of") or swapped_in or not clause.has("verb:replace", "verb:swap")
        new, old = named if is_first and named[0] not in present else named[::-1]
        if new in present and old in present and clause.has("rel:instead_of"):
            new, old = named
    if not old and len(present) > 1:
        others = [name for name in present if name != new]
        old = editor.ask(f"Which spacecraft should {new} replace?", others)
    operations, notes = swapped(editor.after, new, catalogue=editor.catalogue, instead_of=old)
    before = _units(editor)
    editor.do(*operations)
    for number, (old_unit, unit) in enumerate(zip(before, _units(editor), strict=True), 1):
        if old_unit and unit and unit != old_unit:
            write_unit(editor, str(number), old_unit, unit)
    editor.notes += notes
    editor.swapped = True


def _units(editor: FigureEditor) -> list[str]:
    """Return the unit of each panel, as far as its lines have one."""
    units = [{editor.lines.unit(line) for line in panel} for panel in editor.panels]
    return [next(iter(several)) if len(several) == 1 else "" for several in units]


def swap_crafts(editor: FigureEditor, clause: Clause) -> None:
    """Exchange the panels of two spacecraft of the figure, or replace one by another that the figure lacks."""
    present = crafts_in(editor.after, editor.catalogue)
    known = all(spellings()[atom.text.casefold()] in present for atom in clause.of("craft"))
    (swap_panels if known else swap_craft)(editor, clause)


def _one_or_two_crafts(clause: Clause) -> bool:
    lone = all(atom.kind == "craft" for atom in clause.of("what"))
    return 1 <= len(clause.of("craft")) <= 2 and lone and not clause.has("rel:also")


_MOST_IN_NAME = 4
"""Number of lines that the name of a file names; a file of more has the name of the pipeline."""
_ONE = re.compile(r"(?:one|a\s+single|the\s+same|a\s+common)\b", re.IGNORECASE)


def save(editor: FigureEditor, clause: Clause) -> None:
    """Save lines as one file of data, if the format can hold them; each as its own file if the words say `files`."""
    form, words = str(clause.value("table")), clause.of("table")[0].text
    meant = {name: editor.lines_of(name) for name in clause.names}
    alone = {lines[0] for lines in meant.values() if len(lines) == 1}
    for name, several in meant.items():  # save B and its magnitude
        left = [line for line in several if line not in alone]
        chosen = left if len(several) > 1 and len(left) == 1 else editor.known(name)
        alike = with_namesakes(editor, chosen)
        is_one = alike != chosen and editor.ask(f"Which line do you mean by '{name}'?", [*alike, EVERY])
        meant[name] = [line for line in alike if is_one in (line, EVERY, False)]
    lines = list(dict.fromkeys(line for several in meant.values() for line in several))
    numbers = panel_numbers(editor, clause.of("panel"))
    lines = lines or editor.lines_in(numbers) or editor.drawn
    tables = list(dict.fromkeys(map(editor.component, lines)))
    fit = form in OF_ANY_EPOCHS or len({epochs_of(editor, label) for label in tables}) == 1
    if not fit and _ONE.match(words):
        raise NotUnderstood(
            f"one {form} file cannot hold lines of different times",
            advice=f"say 'save as {form} files' or 'save as one cdf'",
        )
    as_one = fit and not words.casefold().endswith("files")
    if clause.has("file") and not as_one:
        editor.notes.append(f"a {form} file has one time axis, so each line gets a file of its own")
    for labels in [tables] if as_one else [[label] for label in tables]:
        name = "_".join(label.rpartition(".")[2] for label in labels) if len(labels) > 1 else labels[0]
        name = str(editor.after["id"]) if len(labels) > _MOST_IN_NAME else name
        if clause.has("file"):
            name = str(clause.value("file")) + ("" if as_one else f"_{name}")
        args = {"source_labels": labels, "filename": f"{name}.{FILE_ENDINGS.get(form, form)}", "format": form}
        editor.add_step(editor.free_id(f"save_{name}"), "save_data", args, f"Save as {form}")


def unsave(editor: FigureEditor, clause: Clause) -> None:
    """Remove the steps that save the named lines, or the only one."""
    words = [atom.text.casefold() for atom in clause.of("what", "noun") if atom.text.casefold() not in _FILES]
    steps = editor.steps_of(("save_data",))
    meant = [
        step
        for step in steps
        if all(re.sub(r"\s*files?$|s$", "", word) in json.dumps(step).casefold() for word in words)
    ]
    if not meant or (len(meant) > 1 and not words and not clause.has("every")):
        names = ", ".join(str(step["tool_args"].get("filename", "")) for step in steps)
        raise NotUnderstood(f"helio does not understand which file not to write: {names or 'there is none'}")
    editor.do(*(Operation("remove", str(step["step_id"])) for step in meant))


_FILES = frozenset({"file", "files", "table", "tables", "output"})


def names_data(clause: Clause) -> bool:
    """Return whether a clause asks for data of a cadence: ``use hourly data``."""
    return clause.says(r"\b(?:data|dataset|product|values)\b")


def _add_in_frame(editor: FigureEditor, clause: Clause) -> None:
    """Draw a vector in another frame too, or a new one: ``also Bz GSM`` where the figure has no field."""
    known = any(editor.lines_of(name) for name in clause.names)
    (add_frame if known else add_quantities)(editor, clause)


def _change_frame(editor: FigureEditor, clause: Clause) -> None:
    """Draw vectors in another frame, or a new one instead of another line: ``Bz GSM instead of L``."""
    of_lines = clause.has("verb:replace", "verb:swap") and len(clause.of("frame")) == 1
    replaces = all(clause.beside("rel:instead_of", "what")) if clause.has("rel:instead_of") else of_lines
    meant = [{whole_of(editor, line) for line in editor.lines_of(name)} for name in clause.names]
    apart = replaces and len(clause.names) > 1 and not set[str].intersection(*meant)
    is_new = bool(meant) and not meant[0] and says_place(clause)  # the velocity in GSM between n and B
    (replace_as_averaged if apart else add_quantities if is_new else set_frame)(editor, clause)


THRESHOLDS: tuple[Rule, ...] = (
    Rule("what", "verb:only", keep_storms, names_storms),
    Rule("bound what", "craft", limit, lambda clause: not clause.has("line:line")),
    Rule("verb:swap craft", "", swap_crafts,
         lambda clause: len(clause.of("craft")) == 2 and _one_or_two_crafts(clause)),
)  # fmt: skip
DATA: tuple[Rule, ...] = (
    *TIMES,
    Rule("craft", f"{OLD} every noun:time", swap_craft, _one_or_two_crafts),
    Rule("frame rel:also what", "craft verb:show rel:own_panel", _add_in_frame,
         lambda clause: not clause.has("verb:convert", "noun:frame")),
    Rule("frame", f"what panel craft every noun:frame {OLD}", _change_frame,
         lambda clause: clause.has("verb:convert", "noun:frame", "rel:instead_of") or not clause.has("rel:also"),
         several="frame"),
    Rule("duration noun:cadence|craft", f"duration craft noun:cadence {OLD}", set_cadence, several="duration"),
    Rule("duration", f"duration {OLD}", set_cadence, names_data, several="duration"),
    Rule("unit", f"what panel craft every noun:unit unit {OLD} noun:y_axis noun:y_label", convert, several="unit"),
    Rule("table", "verb:save verb:add what craft every table panel tool file", save),
    Rule("verb:remove verb:save", "what craft every noun table panel tool file", unsave),
    Rule("verb:convert unit rel:before", "what tool craft", convert_inputs, several="unit"),
    *COMPUTATIONS,
)  # fmt: skip
