"""Change the axes of panels: scales, limits and kinds of panels."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from helio.authoring.operations import Operation
from helio.authoring.outcome import NotUnderstood
from helio.authoring.request import BinWidth
from helio.authoring.rules.changes.atom_values import unit_of
from helio.authoring.rules.changes.atoms import COUNTED, Atom, Range, panel_number
from helio.authoring.rules.changes.clauses import Clause, Rule
from helio.authoring.rules.changes.figure import FigureEditor
from helio.authoring.writing.asking import EVERY
from helio.authoring.writing.layout import fitting_widths
from helio.authoring.writing.steps import listed
from helio.knowledge.quantity_words import SPECTRA, VECTORS
from helio.knowledge.unit_algebra import comparable
from helio.knowledge.unit_spelling import canonical_unit, unit_factors
from helio.pipelines.dialect.written import object_of
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import ENTRY_LABELS, RIGHT, entry_labels

_PANEL = "what panel craft every"
_BOTH = "log-log"
"""Both axes of one quantity against another, or of a spectrum, are logarithmic."""


def panel_numbers(editor: FigureEditor, atoms: list[Atom]) -> list[int]:
    """Return the numbers of the panels that ordinals mean."""
    count = len(editor.panels)
    numbers: list[int] = []
    for atom in atoms:
        if atom.value == "every" and count > 2 and atom.text.casefold().startswith("both"):
            raise NotUnderstood(f"helio does not understand which two panels '{atom.text}' means")
        if atom.value in ("every", "others"):
            numbers += range(1, count + 1) if atom.value == "every" else _others(editor, atom.text)
            continue
        for place in atom.value:
            number = panel_number(place, count)
            if not number:
                raise NotUnderstood(
                    f"the figure has no panel {atom.text.split()[-1] if place > 0 else atom.text}",
                    advice=f"choose a panel from 1 to {count}",
                )
            numbers.append(number)
    return list(dict.fromkeys(numbers))


def _others(editor: FigureEditor, words: str) -> list[int]:
    """Return the panels of which the sentence has changed nothing yet, if they are as many as the words say."""
    numbers = [at for at in range(1, len(editor.panels) + 1) if not editor.has_wished(at)]
    said = [str(COUNTED.get(word, word)) for word in words.casefold().split()]
    counts = [word for word in said if word.isdecimal()] or ["1"] * words.endswith("panel")
    if (
        "component" in words
        or len(numbers) in (0, len(editor.panels))
        or counts not in ([], [str(len(numbers))])
    ):
        raise NotUnderstood(f"helio does not understand which panels '{words}' means")
    return numbers


def named_panels(editor: FigureEditor, atoms: Sequence[Atom]) -> list[int]:
    """Return the numbers of the panels that ordinals and names mean, in the order of the words."""
    numbers = [
        number
        for atom in atoms
        for number in (
            panel_numbers(editor, [atom]) if atom.kind == "panel" else editor.numbers_of(atom.text)
        )
    ]
    return list(dict.fromkeys(numbers))


def says_panel(clause: Clause, name: str) -> bool:
    """Return whether a clause names the panel of a quantity, and whether in the singular."""
    listed = r"(?:(?:\s*(?:,|\band\b|&)\s*(?:the\s+)?[\w|-]+(?:\s+(?!panels|and\b)[\w|-]+)?)+\s+panels\b)"
    return clause.says(rf"{re.escape(name)}(?:\s+(?:sub)?(?:panel|plot)|{listed})")


def panels_of(
    editor: FigureEditor, clause: Clause, question: str = "Which panel do you mean?", unit: str = ""
) -> list[int]:
    """Return the numbers of the panels that a clause names; ask if it names none and the figure has several.

    Parameters
    ----------
    unit : str
        Unit of a value for the panels: a panel in which alone all lines have it is meant without a question.
    """
    numbers = list[int]()
    for atom in clause.of("panel", "what"):
        named = named_panels(editor, [atom])
        is_one = atom.kind != "panel" and clause.says(rf"{re.escape(atom.text)}\s+(?:sub)?(?:panel|plot)\b")
        numbers += asked_panels(editor, question, named) if is_one and len(named) > 1 else named
    count = len(editor.panels)
    if clause.has("every:both"):  # those of which the sentence says something else
        numbers += [number for number in range(1, count + 1) if editor.has_wished(number)]
        if len(numbers) != 2:
            raise NotUnderstood("helio does not understand which two panels 'both' means")
    elif clause.has("every") and not numbers:
        numbers += range(1, count + 1)
    if not numbers and unit:
        units = [{editor.lines.unit(line) for line in panel} for panel in editor.panels]
        numbers = [at for at, own in enumerate(units, 1) if own == {unit_of(unit)}]
        numbers = numbers if len(numbers) == 1 else []
    if not numbers and clause.has("noun:bin_axis"):
        numbers = [number for number in range(1, count + 1) if is_spectrogram(editor, number)]
        if not numbers:
            raise NotUnderstood("the figure draws no spectrogram")
    if not numbers and count > 1:
        numbers = asked_panels(editor, question, range(1, count + 1))
    return list(dict.fromkeys(numbers)) or [1]


def axes_of(editor: FigureEditor, number: int, lines: Collection[str] = (), unit: str = "") -> list[str]:
    """Return the names of the y axes of a panel: ``"2"``, and ``"2 right"`` for its second axis.

    Only those of some lines if the panel has any of them, otherwise only those with a unit if it has such lines.
    """
    panel = editor.panels[number - 1] if editor.panels else editor.drawn
    right = {*editor.spec.get("right", ())}
    meant = (
        {*panel}.intersection(lines)
        or {line for line in panel if editor.lines.unit(line) == unit}
        or {*panel}
    )
    sides = {str(number): meant - right, f"{number}{RIGHT}": meant & right}
    return [name for name, of_side in sides.items() if of_side]


def named_axes(editor: FigureEditor, clause: Clause, number: int, unit: str = "") -> list[str]:
    """Return the names of the y axes of a panel that a clause means, by a line or by a unit; otherwise all of them."""
    names = axes_of(editor, number)
    return axes_of(editor, number, named_lines(editor, clause), unit) if len(names) > 1 else names


def named_lines(editor: FigureEditor, clause: Clause) -> set[str]:
    """Return the labels of the lines that the names in a clause mean."""
    return {line for name in clause.names for line in editor.known(name)}


def single_axis(editor: FigureEditor, clause: Clause, number: int, unit: str = "") -> str:
    """Return the name of the y axis of a panel that a clause means.

    Raises
    ------
    NotUnderstood
        The panel has two y axes, and the clause names none of their lines.
    """
    names = named_axes(editor, clause, number, unit)
    if len(names) > 1:
        raise NotUnderstood(
            f"panel {number} has two y axes, and the request does not say which one is meant",
            advice="name a line whose axis it is",
        )
    return names[0]


def asked_panels(
    editor: FigureEditor, question: str, numbers: Sequence[int], *, every: bool = True
) -> list[int]:
    """Ask which of some panels is meant; all of them may be the answer, unless `every` is false."""
    names = [f"panel {number}" for number in numbers]
    answer = editor.ask(question, [*names, EVERY] if every else names)
    return list(numbers) if answer == EVERY else [numbers[names.index(answer)]]


def put_by_panel(editor: FigureEditor, key: str, panel: int | str, value: Any) -> None:
    """Set a key of the figure for one panel, or for one of its y axes; the others keep what the key says for all."""
    held, step_id, path = editor.where(key)
    if held is not None and not isinstance(held, dict):
        whole = {str(at): held for at in range(1, len(editor.panels) + 1)}
        editor.do(Operation("set", step_id, path, whole))
    if value is None:
        if str(panel) in object_of(editor.where(key)[0]):
            editor.do(Operation("unset", step_id, (*path, str(panel))))
        return
    editor.put(key, value, str(panel))


def is_spectrogram(editor: FigureEditor, number: int, *, perhaps: bool = False) -> bool:
    """Return whether a panel draws a spectrogram, if the template tells; `perhaps` is the answer if it does not."""
    types = editor.spec.get("panel_types")
    if isinstance(types, list) and number <= len(types):
        return bool(types[number - 1] == "spectrogram")
    panels = editor.panels or [[line] for line in editor.drawn]
    has = editor.lines.may_have_colours if perhaps else editor.lines.has_colours
    return any(map(has, panels[number - 1]))


def scale_panels(editor: FigureEditor, clause: Clause) -> None:
    """Make axes logarithmic, linear or symlog."""
    kind = clause.value("scale")
    if clause.has("verb:remove"):
        if kind == "linear":
            raise NotUnderstood(
                "helio does not understand which scale to use", advice="say 'log' or 'symlog'"
            )
        kind = "linear"
    if clause.has("noun:colour_bar", "noun:colour_scale", "noun:z_range", "noun:colour"):
        _scale_colours(editor, clause, kind)
        return
    if entries := _entries(editor):
        if kind == "symlog":
            raise NotUnderstood("the axes of one quantity against another are linear or logarithmic")
        _set_axes(editor, entries, clause, "log", kind in ("log", _BOTH), every=kind == _BOTH)
        return
    if kind == _BOTH and clause.has("what", "panel"):
        kind = "log"
    if kind == _BOTH:
        spectra = [is_spectrogram(editor, number) for number in range(1, len(editor.panels) + 1)]
        if not all(spectra):  # a spectrum has logarithmic axes
            _scale_all(editor, "log")
        return
    if clause.has("noun:x_axis"):
        raise NotUnderstood("the axis of time is always linear")
    if clause.has("every:others"):
        for number in _others(editor, clause.of("every")[0].text):
            set_scale(editor, str(number), kind)
        return
    if (
        not clause.has("what", "panel", "noun:bin_axis")
        and (clause.has("every") or not clause.has("line"))
        and not (clause.has("every:both") and len(editor.panels) > 2)
        and len(editor.panels) != 1
    ):
        _scale_all(editor, kind)
        return
    numbers = panels_of(editor, clause)
    if clause.says(r"\bboth\b") and sum(len(editor.panels[number - 1]) for number in numbers) == 1:
        raise NotUnderstood(
            "it is not clear which two axes 'both' means",
            advice="name each of them: 'ions log, electrons log'",
        )
    if any("what" in atom.tags for atom in clause.shared) and not clause.has(
        "panel"
    ):  # PAS lines thicker, linear axes for those
        numbers = [number for number in numbers if not is_spectrogram(editor, number)] or numbers
    for number in numbers:
        for axis in named_axes(editor, clause, number):
            set_scale(editor, axis, kind)


def _entries(editor: FigureEditor) -> str:
    """Return the key of the figure's only panels, if they draw no series over time but have axes of their own."""
    return "" if editor.panels else next((key for key in ("xy", "histograms") if editor.spec.get(key)), "")


def _set_axes(
    editor: FigureEditor, entries: str, clause: Clause, what: str, value: Any, *, every: bool = False
) -> None:
    """Set the scale or the range of the axes that a clause names, of one quantity against another or a histogram."""
    axes = clause.of("noun:x_axis", "noun:y_axis")
    says_axis = any(re.search(r"\b[xy]\b", axis.text, re.IGNORECASE) for axis in axes)  # unlike a log axis
    lines = set[str]() if every or says_axis else named_lines(editor, clause)
    every = every or clause.says(r"\baxes\b")
    changed = []
    for entry in editor.spec[entries]:
        named = {
            axis
            for axis in "xy"
            if (clause.has(f"noun:{axis}_axis") and not lines) or entry.get(axis) in lines
        }
        if entries == "histograms" and lines.intersection([*entry["of"]]):
            named.add("x")
        if every and not lines:
            named = {*"xy"}
        if not named and what == "range":
            raise NotUnderstood(
                "it is not clear which axis has this range",
                advice="write, for example, 'x axis from 0 to 20'",
            )
        if not named and entries == "histograms":
            named = {"y"}
            editor.notes.append("the axis of the counts is logarithmic; 'x axis log' is for the values")
        changed.append(
            entry
            | {
                f"{what}_{axis}" if what == "log" else f"{axis}_{what}": value
                for axis in sorted(named or "xy")
            }
        )
    editor.set_for(entries, changed)


def _scale_all(editor: FigureEditor, kind: str) -> None:
    """Set the scale of every panel; a logarithmic one only of panels without vectors or their components, if any."""

    def has_signs(line: str) -> bool:
        quantities = editor.lines.quantities(line)
        is_flux = not quantities.isdisjoint(SPECTRA)  # of a few channels
        return (editor.lines.is_vector(line) and not is_flux) or not quantities.isdisjoint(VECTORS)

    positive = [
        number
        for number, panel in enumerate(editor.panels, 1)
        if is_spectrogram(editor, number) or not any(map(has_signs, panel))
    ]
    if kind != "log" or len(positive) in (0, len(editor.panels)):
        editor.put("log_scale", kind)
        return
    for number in positive:
        for axis in axes_of(editor, number):
            set_scale(editor, axis, kind)
    editor.notes.append(
        "the panels of vectors and components keep their linear axes, because these have negative values"
    )


def set_scale(editor: FigureEditor, axis: str, kind: str) -> None:
    """Set the scale of a y axis, named as `axes_of` names it, by the key that sets it now."""
    is_held = axis in object_of(editor.spec.get("log_y"))
    number = int(axis.removesuffix(RIGHT))
    if kind != "symlog" and (is_held or is_spectrogram(editor, number)):
        put_by_panel(editor, "log_y", axis, kind == "log")
        return
    if is_held:
        put_by_panel(editor, "log_y", axis, None)
    is_only = len(editor.panels) == 1 and not editor.spec.get("right")
    if editor.spec.get("log_scale") in ("y", "log", "linear", "symlog") and is_only:
        editor.put("log_scale", kind)
        return
    held = editor.spec.get("log_scale")
    if isinstance(held, int):
        editor.set_for("log_scale", {str(held): "log"})
    elif held == "y":
        editor.set_for("log_scale", "log")
    put_by_panel(editor, "log_scale", axis, kind)


def check_colours(editor: FigureEditor, numbers: list[int]) -> None:
    """Refuse a setting of colours if none of the panels can be a spectrogram; no panel means all panels."""
    if any(key.partition(".")[0] in editor.spec for key in ENTRY_LABELS):
        return  # one series against another may have a colour bar
    count = len(editor.panels or editor.drawn)
    if any(is_spectrogram(editor, number, perhaps=True) for number in numbers or range(1, count + 1)):
        return
    where = f"panel {listed([str(number) for number in numbers])}" if numbers else "the figure"
    raise NotUnderstood(
        f"{where} has no spectrogram, so it has no colour bar",
        advice="say 'y range', 'y axis log' or 'y axis linear' to change the axis of a line",
    )


def _coloured(editor: FigureEditor, clause: Clause) -> list[int]:
    """Return the spectrograms among the panels that a clause names; refuse the clause if there is none."""
    numbers = panels_of(editor, clause) if clause.has("what", "panel") else []
    check_colours(editor, numbers)
    sure = [number for number in numbers if is_spectrogram(editor, number)]
    perhaps = [number for number in numbers if is_spectrogram(editor, number, perhaps=True)]
    is_clear = len(sure) in (0, len(perhaps))
    return perhaps if is_clear else asked_panels(editor, "Which panel do you mean?", perhaps)


def _scale_colours(editor: FigureEditor, clause: Clause, kind: str) -> None:
    if kind == "symlog":
        raise NotUnderstood("a colour scale is linear or logarithmic")
    numbers = _coloured(editor, clause)
    if not numbers:
        editor.put("log_z", kind == "log")
    for number in numbers:
        put_by_panel(editor, "log_z", number, kind == "log")


def limit_panels(editor: FigureEditor, clause: Clause) -> None:
    """Set the limits of axes or of colours."""
    limits: Range = clause.value("range") or clause.value("bound") or Range()
    if clause.has("noun:z_range", "noun:colour_bar", "noun:colour_scale", "noun:colour"):
        _limit_colours(editor, clause, limits)
        return
    if entries := _entries(editor):
        if limits.low is None or limits.high is None:
            raise NotUnderstood("one limit alone is not enough", advice="give both limits, such as '0 to 20'")
        _set_axes(editor, entries, clause, "range", [limits.low, limits.high])
        return
    numbers = panels_of(editor, clause, "The range of which panel?", limits.unit)
    says_axis = limits.unit or clause.has("noun:y_axis", "noun:y_range", "noun:bin_axis") or limits == Range()
    if not says_axis and all(is_spectrogram(editor, number) for number in numbers):
        axes = ["those of the y axis", "those of the colours"]
        if editor.ask("Which limits are meant?", axes) == axes[1]:
            _limit_colours(editor, clause, limits)
            return
    if not says_axis and any(is_spectrogram(editor, number) for number in numbers):
        numbers = asked_panels(editor, "The range of which panel?", numbers, every=False)
    for number in numbers:
        axis = single_axis(editor, clause, number, unit_of(limits.unit) if limits.unit else "")
        _check_unit(editor, axis, limits.unit)
        held = editor.spec.get("y_range")
        held = held.get(axis) if isinstance(held, dict) else held
        ends = (limits.low, limits.high)
        if limits == Range() and held is None:
            raise NotUnderstood(f"the range of panel {number} is automatic already")
        if limits != Range() and None in ends and not held:
            raise NotUnderstood(
                f"panel {number} has no limits of its own, so one limit alone is not enough",
                advice="give both limits, such as '0 to 20'",
            )
        new = [held[at] if end is None and held else end for at, end in enumerate(ends)]
        put_by_panel(editor, "y_range", axis, None if limits == Range() else new)


def _limit_colours(editor: FigureEditor, clause: Clause, limits: Range) -> None:
    numbers = _coloured(editor, clause)
    if not numbers:
        every = range(1, len(editor.panels) + 1)
        if any(is_spectrogram(editor, number) for number in every):
            numbers = [number for number in every if is_spectrogram(editor, number, perhaps=True)]
        numbers = asked_panels(editor, "The colours of which panel?", numbers) if len(numbers) > 1 else []
    for key, value in (("z_min", limits.low), ("z_max", limits.high)):
        if value is None and limits != Range():
            continue
        if not numbers and value is None:
            editor.set_for(key, None)
        elif not numbers:
            editor.put(key, value)
        for number in numbers:
            put_by_panel(editor, key, number, value)


def _check_unit(editor: FigureEditor, axis: str, unit: str) -> None:
    """Refuse limits in a unit that the lines on a y axis do not have."""
    if not unit:
        return
    number = int(axis.removesuffix(RIGHT))
    labels = editor.spec.get("y_label")
    said = re.search(r"\[(.+)\]", str(labels.get(axis, "") if isinstance(labels, dict) else labels))
    if said and unit_factors(said[1]):
        known = {canonical_unit(said[1])}
    elif is_spectrogram(editor, number):  # the unit of a line is that of the colours
        raise NotUnderstood(
            f"helio does not know the unit of the axis of panel {number}",
            advice="give the values without a unit, as the axis shows them",
        )
    else:
        lines = [line for line in editor.panels[number - 1] if axes_of(editor, number, [line]) == [axis]]
        known = {editor.lines.unit(line) for line in lines} - {""}
    given = unit_of(unit)
    if known and given not in known and len(known) == 1:
        own = next(iter(known))
        raise NotUnderstood(
            f"panel {number} is in {own}, not in {unit}",
            advice=f"give the values in {own}" if comparable(own, given) else f"choose a panel in {unit}",
        )


def set_panel_type(editor: FigureEditor, clause: Clause) -> None:
    """Draw panels as bars, a strip or a spectrogram, or as lines again."""
    kinds = [atom.value for atom in clause.new("paneltype")]
    for number in panels_of(editor, clause):
        put_panel_type(editor, number, kinds[0] if kinds else "line")
    for line in sorted(named_lines(editor, clause)) if clause.has("colour") else ():
        editor.put("trace_colors", clause.value("colour"), line)


def set_bins(editor: FigureEditor, clause: Clause) -> None:
    """Set the number or the width of the bins of histograms: those of the named lines, or those in the width's unit."""
    names = [atom.text for atom in clause.new("what", "craft")]
    lines = {line for name in names for line in editor.known(name, by_craft=True, every=True)}
    entries = editor.spec.get("histograms") or []
    units = {
        at: "deg" if entry.get("polar") else _unit_of_entry(editor, entry)
        for at, entry in enumerate(entries)
        if not lines or lines & entry_labels("histograms", entry)
    }
    wanted = [atom.value for atom in clause.new("bins")]
    if not units or len(wanted) != 1:
        raise NotUnderstood(
            f"helio does not understand which bins '{clause.text.strip()}' means",
            advice="only a histogram of one quantity has bins; give their number or their width",
        )
    bins = wanted[0]
    if isinstance(bins, BinWidth):
        chosen = {at: {"bin_width": size} for at, size in fitting_widths([bins], units).items()}
    else:
        chosen = {at: {"bins": bins} for at in units}
    if len(chosen) > 1 and not clause.says(r"\b(?:all|every|each|both|histograms)\b"):
        choices = {
            f"histogram {at + 1}: {', '.join(entry_labels('histograms', entries[at]))}": at for at in chosen
        }
        answer = editor.ask("Which histogram do you mean?", [*choices, EVERY])
        chosen = chosen if answer == EVERY else {choices[answer]: chosen[choices[answer]]}
    _put_bins(editor, entries, chosen)


def _put_bins(editor: FigureEditor, entries: Sequence[Document], chosen: Mapping[int, Document]) -> None:
    """Set the bins of histograms by their places; a sentence gives a histogram its bins once."""
    targets = {("bins", f"histograms {at}") for at in chosen}
    if targets & editor.wished:
        raise NotUnderstood("the request gives a histogram different bins")
    editor.wished |= targets
    kept = [{key: entry[key] for key in entry if key not in ("bins", "bin_width")} for entry in entries]
    editor.set_for(
        "histograms", [kept[at] | chosen[at] if at in chosen else entry for at, entry in enumerate(entries)]
    )


def _unit_of_entry(editor: FigureEditor, entry: Document) -> str:
    """Return the unit of the quantities of a histogram; empty if it is not known before a run."""
    return next(filter(None, map(editor.lines.unit, sorted(entry_labels("histograms", entry)))), "")


def put_panel_type(editor: FigureEditor, number: int, kind: str) -> None:
    """Draw a panel as bars, a strip, a spectrogram or lines."""
    types = list(editor.spec.get("panel_types") or ["line"] * len(editor.panels))
    if not editor.spec.get("panel_types"):
        types = ["spectrogram" if is_spectrogram(editor, at) else "line" for at in range(1, len(types) + 1)]
    types[number - 1] = kind
    editor.put("panel_types", types)


def reverse_panels(editor: FigureEditor, _: Clause) -> None:
    """Draw the panels from the last to the first."""
    editor.redraw(editor.panels[::-1])


_AXES = "noun:y_axis noun:y_range noun:range noun:scale noun:x_axis"
_COLOUR_AXES = "noun:colour_bar noun:z_range noun:colour_scale noun:colour"
PANEL_SETTINGS: tuple[Rule, ...] = (
    Rule("scale", f"{_PANEL} {_AXES} {_COLOUR_AXES} noun:bin_axis verb:remove verb:move", scale_panels),
    Rule("range|bound|auto", f"{_PANEL} {_AXES} {_COLOUR_AXES} noun:bin_axis verb:zoom verb:move", limit_panels),
    Rule("paneltype|mode:lines", "what panel craft every line rel:instead_of colour", set_panel_type,
         several="paneltype"),
    Rule("bins", "what craft every noun:histogram noun:panel rel:instead_of verb:move", set_bins, several="bins"),
    Rule("verb:reverse noun:order|panel", "panel every verb:show verb:move", reverse_panels,
         lambda clause: all(atom.value == "every" for atom in clause.of("panel"))),
)  # fmt: skip
