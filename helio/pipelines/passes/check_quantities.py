"""Check the units, frames and kinds of the tables that steps read, as far as they are known before a run.

HV401 (error)  a table in another unit than the tool requires, known from the tool that gives the table
    Nothing is converted silently, and a number in the wrong unit looks like any other number.
    before  shue_standoff with the clock angle as its pressure
    after   refused, both units named
    to do   Add a step that gives the unit that the tool takes, such as convert_units.

HV402 (warning)  a parameter in another unit than the tool requires, according to the catalogue
    The step uses the unit in the file; the catalogue may be outdated.
    before  plasma_beta with a temperature in eV
    after   warned, with the conversion to add
    to do   Add the conversion that the message names, usually convert_units.

HV403 (error)  a table in another frame than the tool requires, known from tools and their arguments
    A component in another frame is another number; nothing is transformed silently.
    before  newell_coupling with a field that transform_frame has turned to GSE
    after   refused, both frames named
    to do   Add a transform_frame step before this one, or take a parameter in the other frame.

HV404 (warning)  a parameter in another frame than the tool requires, according to its name or the catalogue
    The step uses the frame in the file; a name may mislead.
    before  vbs with OMNI's BZ_GSE
    after   warned, with the transformation to add
    to do   Add a transform_frame step before this one, or take a parameter in the other frame, if the frame
            is really another one.

HV405 (error)  a table of another kind than the tool requires, known from tools and their arguments
    A series, a vector and a spectrum are different kinds, and no part of one is chosen silently.
    before  clock_angle of a magnitude, or vertical lines at the times of a spectrum
    after   refused, both kinds named
    to do   Take a component or the magnitude first, or use the tool that the message names.

HV406 (warning)  a parameter of another kind than the tool requires, according to its size in the catalogue
    The step uses the table in the file; the catalogue may be outdated.
    before  plasma_beta with a vector as its density
    after   warned, with what to take instead
    to do   Take what the message names instead, such as one component of the vector.

HV407 (warning)  a frame whose name is similar to that of a known frame
    Any name is allowed, but tables in frames with different names cannot be combined.
    before  join_components with "frame": "GSEE"
    after   warned, with GSE
    to do   Correct the frame's name, if it is misspelt.

HV408 (warning)  one panel with quantities in different units
    They share one y axis, so one of them may be a flat line; a reader takes the numbers for one unit.
    before  "panels": [["B", "rate"]] with nT and nT/s
    after   warned, both units named
    to do   Give each unit a panel of its own, or convert one with convert_units.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from helio.knowledge.frame_names import meant_frame
from helio.pipelines.analyses.quantities import (
    CONVERT,
    ReadTable,
    axes_shared,
    demands,
    entries_read,
    marks_read,
    quantities,
    tables_read,
)
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, pointer
from helio.pipelines.template.figures import figure_of
from helio.pipelines.template.graph import StepView, graph_of
from helio.pipelines.template.labels import labels_at
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import Path
from helio.steps.foreseen import Foreseen, clashes, pairs_alike
from helio.steps.quantity import advice_on_frames, advice_on_units, equal_units
from helio.steps.render.orbit_frames import ABOUT_EARTH, ABOUT_SUN, OF_MODELS, TO_THE_SUN
from helio.steps.render.refusals import unfit_for_events, unfit_for_line
from helio.steps.result import Aspect
from helio.steps.signature import Signature, TableInput

SURE: Mapping[Aspect, str] = {"unit": "HV401", "frame": "HV403", "kind": "HV405"}
BY_CATALOGUE: Mapping[Aspect, str] = {"unit": "HV402", "frame": "HV404", "kind": "HV406"}
_SAID: Mapping[Aspect, str] = {
    "unit": ", according to the catalogue",
    "frame": ", according to its name or the catalogue",
    "kind": ", according to the catalogue",
}
_ALIKE: Mapping[Aspect, str] = {
    "unit": "both in the same unit",
    "frame": "both in the same frame",
    "kind": "two of the same kind",
}
_EQUAL: tuple[Aspect, ...] = ("unit", "frame")
"""What the two quantities of a panel with equal axes must share."""
_HELD = {"scalar": "one series", "vector": "a vector", "spectrum": "a spectrum"}


def check_quantities(template: Template, context: Context) -> Iterator[Finding]:
    """Refuse tables whose unit, frame or kind a tool cannot use; if only the catalogue gives this fact, warn instead.

    Facts unknown before the run are checked when the step is called; then the file decides.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> turned = {"step_id": 1, "tool_name": "transform_frame", "tool_args": {"to": "GSE", "output_label": "b"}}
    >>> args = {"velocity_label": "v", "field_label": "b", "output_label": "n"}
    >>> coupling = {"step_id": 2, "tool_name": "newell_coupling", "tool_args": args}
    >>> template = Template.from_json({"steps": [turned, coupling]})
    >>> [found] = check_quantities(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(found)
    error[HV403] step 2 (newell_coupling): the field must be in GSM, but 'b' is in GSE
      --> /steps/1/tool_args/field_label
      help: transform it first: transform_frame to "GSM", or choose a parameter in GSM
    """
    graph = graph_of(template.walk(), context.signatures)
    yield from _misspelt_frames(graph.steps)
    demanding = [step for step in graph.steps if demands(step)]
    known = quantities(graph, context, demands) if demanding else {}
    for step in demanding:
        if step.signature is not None:
            yield from _misfits(step, step.signature, tables_read(step, known))
            yield from _unfit_axes(step, entries_read(step, known))
            yield from _unfit_marks(step, marks_read(step, known))
            yield from _mixed_panels(step, axes_shared(step, known))
        if step.tool == CONVERT:
            yield from _impossible_conversions(step, tables_read(step, known))


def _impossible_conversions(step: StepView, inputs: Mapping[str, list[ReadTable]]) -> Iterator[Diagnostic]:
    """Yield an error for a conversion to a unit that measures another quantity, if both units are known."""
    from helio.knowledge.unit_algebra import comparable
    from helio.knowledge.unit_spelling import unit_factors

    target, equivalence = step.params.get("to"), step.params.get("equivalence", "none")
    if not isinstance(target, str) or unit_factors(target) is None:
        return  # a variable, or a unit that the tool does not know either
    for read in (read for reads in inputs.values() for read in reads):
        unit = read.known.unit
        if not unit or unit_factors(unit) is None:
            continue
        thermal = [any(comparable(one, same) for same in ("K", "J")) for one in (unit, target)]
        if comparable(unit, target) or (equivalence == "thermal" and all(thermal)):
            continue
        message = f"'{read.label}' is in {unit}, which cannot be converted to {target}"
        advice = (
            'to convert between a temperature T and an energy kT, set equivalence "thermal"'
            if all(thermal)
            else "choose a unit of the same quantity, or another table"
        )
        yield _diagnostic(step, "unit", read, [read.known], message, "", advice)


def _misspelt_frames(steps: Iterable[StepView]) -> Iterator[Diagnostic]:
    for step in steps:
        frame = step.params.get("frame")
        if step.signature is None or step.signature.argument("frame") is None or not isinstance(frame, str):
            continue
        meant = meant_frame(frame)
        if meant:
            yield Diagnostic(
                "HV407",
                f"'{frame}' is not a known frame",
                "warning",
                step.id,
                step.tool,
                pointer(*step.path, "tool_args", "frame"),
                (f"did you mean '{meant}'?",),
                (meant,),
            )


def _misfits(
    step: StepView, signature: Signature, inputs: Mapping[str, list[ReadTable]]
) -> Iterator[Diagnostic]:
    blamed: set[tuple[Aspect, str]] = set()
    for table in signature.tables:
        for read in inputs.get(table.parameter, ()):
            for aspect, message, advice in _wrong(table, read):
                blamed.add((aspect, read.label))
                yield _diagnostic(step, aspect, read, [read.known], message, "", advice)
    yield from _unlike(step, signature, inputs, blamed)


def _mixed_panels(step: StepView, panels: Mapping[int, list[ReadTable]]) -> Iterator[Diagnostic]:
    right = {label for _, label in labels_at((), figure_of(step.step).get("right"))}
    sides = [
        (number, [read for read in reads if (read.label in right) == at_right])
        for number, reads in panels.items()
        for at_right in (False, True)
    ]
    for number, reads in sides:
        if any(read.known.kinds == {"spectrum"} for read in reads):
            continue  # lines over a spectrogram, whose y axis has the unit of its bins
        units = {read.label: read.known.unit for read in reads if read.known.unit is not None}
        first = next(iter(units), "")
        other = next((label for label, unit in units.items() if not equal_units(unit, units[first])), None)
        if other is not None:
            yield Diagnostic(
                "HV408",
                f"panel {number}: '{first}' {_is_in(units[first], 'unit')}, but '{other}' "
                f"{_is_in(units[other], 'unit')}; they share one y axis",
                "warning",
                step.id,
                step.tool,
                pointer(*step.path, "tool_args", "spec", "panels", number - 1),
                (
                    "give each unit a panel of its own, list one in 'right' for a second y axis, or convert one with "
                    "convert_units",
                ),
            )


def _unfit_axes(step: StepView, by_path: Mapping[Path, ReadTable]) -> Iterator[Diagnostic]:
    """Yield an error for each axis of a panel that is no single series, and for equal axes with different units."""
    orbits = {path: read for path, read in by_path.items() if path[1] == "orbits" and "of" in path}
    yield from _unfit_orbits(step, orbits)
    by_path = {path: read for path, read in by_path.items() if path not in orbits}
    for path, read in by_path.items():
        if "scalar" not in read.known.kinds:
            key = next(name for name in reversed(path) if isinstance(name, str))
            message = f"{key} must be one series, but '{read.label}' is {_kinds(read.known)}"
            yield _diagnostic(step, "kind", read, [read.known], message, "", _advice_on_kind("scalar", read))
    for path, read in by_path.items():
        first = by_path.get((*path[:-1], 0), read)
        if path[-2:-1] == ("of",) and clashes("unit", first.known, read.known):
            message = (
                f"'{first.label}' {_is(first.known, 'unit')}, and '{read.label}' {_is(read.known, 'unit')}"
            )
            advice = _advice_on_unlike("unit", first, read) + "; or give each a histogram of its own"
            why = ": the quantities of a histogram need one unit"
            yield _diagnostic(step, "unit", read, [first.known, read.known], message, why, advice)
    for path, read in by_path.items():
        polar = path[1] == "histograms" and figure_of(step.step)["histograms"][path[2]].get("polar")
        if polar and read.known.unit is not None and not _is_angle(read.known.unit):
            message = (
                f"a polar histogram needs an angle, but '{read.label}' {_is_in(read.known.unit, 'unit')}"
            )
            advice = advice_on_units(read.known.unit, "deg")
            yield _diagnostic(step, "unit", read, [read.known], message, "", advice)
    for path, x in by_path.items():
        y = by_path.get((*path[:-1], "y"))
        if path[-1] != "x" or y is None:
            continue
        entry = figure_of(step.step)["xy"][path[2]]
        equal = entry.get("equal_axes", entry.get("type") == "hodogram")
        why = ": equal axes need one scale" if equal else ": an orthogonal fit needs one unit"
        shared = _EQUAL if equal else ("unit",) if entry.get("fit") == "orthogonal" else ()
        for aspect in (aspect for aspect in shared if clashes(aspect, x.known, y.known)):
            if aspect == "frame" and _share_x(x, y):
                continue
            message = f"'{x.label}' {_is(x.known, aspect)}, and '{y.label}' {_is(y.known, aspect)}"
            advice = _advice_on_unlike(aspect, x, y) + (
                "; or draw them as a scatter, without equal_axes" if equal else "; or choose another fit"
            )
            yield _diagnostic(step, aspect, y, [x.known, y.known], message, why, advice)


def _is_angle(unit: str) -> bool:
    from helio.knowledge.unit_algebra import comparable  # the spellings of units, only for these figures

    return comparable(unit, "deg")


def _unfit_orbits(step: StepView, by_path: Mapping[Path, ReadTable]) -> Iterator[Diagnostic]:
    """Yield an error for each position of an orbit that is no vector, or is in a frame that its panel cannot show."""
    for path, read in by_path.items():
        if "vector" not in read.known.kinds:
            message = f"a position must be a vector, but '{read.label}' is {_kinds(read.known)}"
            yield _diagnostic(step, "kind", read, [read.known], message, "", _advice_on_kind("vector", read))
            continue
        entry, frame = figure_of(step.step)["orbits"][path[2]], read.known.frame
        model = next((key for key in OF_MODELS if entry.get(key) not in (None, False)), "")
        allowed = TO_THE_SUN if model else (*ABOUT_EARTH, *ABOUT_SUN)
        if frame and frame.upper() not in allowed:
            subject = f"{model} needs positions" if model else "an orbit needs positions"
            frames = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
            message = f"{subject} in {frames}, but '{read.label}' is in {frame}"
            advice = advice_on_frames(frame, "GSM") + (f"; or leave out {model}" if model else "")
            yield _diagnostic(step, "frame", read, [read.known], message, "", advice)


def _unfit_marks(step: StepView, by_path: Mapping[Path, ReadTable]) -> Iterator[Diagnostic]:
    """Yield an error for each table of events, or of vertical lines, that holds no events or no times."""
    for path, read in by_path.items():
        _, key, index, *_ = path
        entry, unit = figure_of(step.step)[str(key)][index], read.known.unit
        from helio.knowledge.unit_spelling import canonical_unit

        unfit = {"events": unfit_for_events, "vlines": unfit_for_line}[str(key)]
        refusal = unfit(entry, read.known.kinds, unit and canonical_unit(unit))
        if refusal is not None:
            read = replace(read, path=(*path[:3], *refusal.path))
            message = f"{key}: entry {int(index) + 1}{refusal.message}"
            aspect: Aspect = "kind" if refusal.of_kind else "unit"
            yield _diagnostic(step, aspect, read, [read.known], message, "", refusal.advice)


def _wrong(table: TableInput, read: ReadTable) -> Iterator[tuple[Aspect, str, str]]:
    """Yield the first fact that makes a table unsuitable for its tool; facts have the same order as in a run."""
    takes, known, called = table.takes, read.known, f"the {table.parameter} must be"
    if takes.unit and known.unit is not None and not equal_units(takes.unit, known.unit):
        required = "without a unit" if takes.unit == "1" else f"in {takes.unit}"
        yield (
            "unit",
            f"{called} {required}, but '{read.label}' {_is_in(known.unit, 'unit')}",
            advice_on_units(known.unit, takes.unit),
        )
    elif takes.kind and takes.kind not in known.kinds:
        subject = "this tool takes" if table.parameter == takes.kind else called
        yield (
            "kind",
            f"{subject} {_HELD[takes.kind]}, but '{read.label}' is {_kinds(known)}",
            _advice_on_kind(takes.kind, read),
        )
    elif takes.frames and known.frame is not None:
        if not known.frame and (takes.kind != "vector" or known.kinds == {"scalar"}):
            return  # only vectors have to have one
        if known.frame.casefold() not in (frame.casefold() for frame in takes.frames):
            *others, last = takes.frames
            frames = f"{', '.join(others)} or {last}" if others else last
            yield (
                "frame",
                f"{called} in {frames}, but '{read.label}' {_is_in(known.frame, 'frame')}",
                _advice_on_frames(known, takes.frames[0]),
            )


def _unlike(
    step: StepView,
    signature: Signature,
    inputs: Mapping[str, list[ReadTable]],
    blamed: Iterable[tuple[Aspect, str]],
) -> Iterator[Diagnostic]:
    """Yield an error if inputs of a step differ in a unit, frame or kind that must be the same for all."""
    tables = {parameter: [reading.known for reading in read] for parameter, read in inputs.items()}
    reported: set[tuple[str, str]] = set()
    for pair in pairs_alike(signature, step.params, tables):
        first, other = (_at(inputs, *position) for position in (pair.first, pair.second))
        if first is None or other is None or (first.label, other.label) in reported:
            continue
        if not clashes(pair.aspect, first.known, other.known) or (
            pair.lone_components and _share_x(first, other)
        ):
            continue
        reported.add((first.label, other.label))
        if any((pair.aspect, read.label) in blamed for read in (first, other)):
            continue
        yield _diagnostic(
            step,
            pair.aspect,
            other,
            [first.known, other.known],
            f"'{first.label}' {_is(first.known, pair.aspect)}, and '{other.label}' {_is(other.known, pair.aspect)}",
            f": {signature.name} takes {_ALIKE[pair.aspect]}",
            _advice_on_unlike(pair.aspect, first, other),
        )


def _share_x(first: ReadTable, other: ReadTable) -> bool:
    """Return whether tables in GSE and GSM can go together because one is the x component, which both frames share."""
    frames = {str(read.known.frame).upper() for read in (first, other)}
    last = [read.label.rpartition(".")[2].casefold() for read in (first, other)]
    return frames == {"GSE", "GSM"} and any("x" in name for name in last)


def _at(inputs: Mapping[str, list[ReadTable]], parameter: str, index: int) -> ReadTable | None:
    found = inputs.get(parameter, [])
    return found[index] if index < len(found) else None


def _advice_on_unlike(aspect: Aspect, first: ReadTable, other: ReadTable) -> str:
    if aspect == "unit":
        return advice_on_units(other.known.unit or "", first.known.unit or "")
    if aspect == "frame":
        return _advice_on_frames(other.known, first.known.frame or "")
    vector = next((read for read in (first, other) if read.known.kinds == {"vector"}), None)
    return (
        f'use one component: "{vector.label}.x"'
        if vector
        else "first average the spectrum over a band, with band_average"
    )


def _diagnostic(
    step: StepView,
    aspect: Aspect,
    read: ReadTable,
    known: list[Foreseen],
    message: str,
    why: str,
    advice: str,
) -> Diagnostic:
    sure = not any(aspect in quantity.doubts for quantity in known)
    return Diagnostic(
        SURE[aspect] if sure else BY_CATALOGUE[aspect],
        message + ("" if sure else _SAID[aspect]) + why,
        "error" if sure else "warning",
        step.id,
        step.tool,
        pointer(*step.path, "tool_args", *read.path),
        (advice,) if advice else (),
    )


def _is(known: Foreseen, aspect: Aspect) -> str:
    if aspect == "kind":
        return f"is {_kinds(known)}"
    return _is_in((known.unit if aspect == "unit" else known.frame) or "", aspect)


def _is_in(value: str, aspect: Aspect) -> str:
    if not value:
        return f"has no {aspect}"
    from helio.knowledge.unit_spelling import canonical_unit

    return f"is in {canonical_unit(value) if aspect == 'unit' else value}"


def _kinds(known: Foreseen) -> str:
    return " or ".join(_HELD[kind] for kind in ("scalar", "vector", "spectrum") if kind in known.kinds)


def _advice_on_frames(known: Foreseen, required: str) -> str:
    advice = advice_on_frames(known.frame or "", required)
    if known.kinds != {"scalar"} or "transform_frame" not in advice:
        return advice
    # One component alone cannot be turned: the others enter it.
    return f'choose the component in {required}, or first transform the vector with transform_frame to "{required}"'


def _advice_on_kind(kind: str, read: ReadTable) -> str:
    kinds = read.known.kinds
    if kind == "scalar" and "vector" in kinds:
        return f'use one component, such as "{read.label}.x", or compute the magnitude first'
    if kind == "scalar":
        return "first average the spectrum over a band, with band_average"
    if kind == "vector" and kinds == {"scalar"}:
        return "use the vector itself, or first join its components with join_components"
    return f"choose a parameter that is {_HELD[kind]}"
