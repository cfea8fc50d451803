"""Report what an edit changes although its sentence does not name it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from helio.authoring.comparison.template import SHOWN, Compared, Facts, expanded, warning
from helio.authoring.fetches import fetch_choices
from helio.knowledge.quantities import SOURCES, families
from helio.knowledge.quantity_words import title
from helio.pipelines.template.diagnostics import Diagnostic, StepId
from helio.pipelines.template.figures import FIGURES

_TIME_WORDS = re.compile(
    r"\b(?:\d{1,2}:\d\d|UTC?|zoom|longer|shorter|later|earlier|before|after|until|since|extend)\b",
    re.IGNORECASE,
)
"""Words with which a sentence changes a time range without a date."""
_REMOVES = re.compile(
    r"\b(?:remove|drop|delete|hide|without|no|not|don't|off|out|away|only|get rid|lose)\b", re.IGNORECASE
)
_REPLACES = re.compile(r"\b(?:instead|rather|replace|swap)\b", re.IGNORECASE)
"""Words beside which an edit may name a quantity that it takes from the figure."""
_EXCHANGES = re.compile(r"\b(?:swap|switch|exchange|reverse|order|move|put|top|bottom)\b", re.IGNORECASE)
_MAY_FAIL = re.compile(
    r"\b(?:critical|optional|fail\w*|skip\w*|missing|lack\w*|go on|goes on|continue\w*|even if)\b",
    re.IGNORECASE,
)
"""Words with which a request says that a step may fail."""
_UNASKED = "reject the proposal if this was not asked for"


def edit_differences(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report how an edited template differs from what the sentence names, beside what was there before."""
    yield from _times(now, earlier)
    yield from _changed_data(now, earlier)
    missing = [] if _removes(now) or _REPLACES.search(now.sentence) else list(now.quantities())
    yield from missing or _new_data(now, earlier)
    yield from _frames(now, earlier)
    yield from now.units()
    yield from _computations(now, earlier)
    yield from edit_losses(now, earlier)


def edit_losses(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report lines that an edit loses and names that it exchanges, whatever else the sentence says."""
    yield from _lost_lines(now, earlier)
    if not _EXCHANGES.search(now.sentence):
        yield from _exchanged(now, earlier)
    if not _MAY_FAIL.search(now.sentence):
        yield from _not_critical(now, earlier)


def _times(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report times that an edit changes or writes into a step although the request names no time."""
    if now.request.times or _TIME_WORDS.search(now.sentence):
        return
    old = earlier.template.get("variables") or {}
    for name, facts in (now.template.get("variables") or {}).items():
        was = old.get(name)
        if facts.get("type") != "time_range" or was is None or was.get("default") == facts.get("default"):
            continue
        message = (
            f"the time range {name} changes from '{was.get('default')}' to '{facts.get('default')}', and helio "
            "reads no time in the request"
        )
        yield warning(SHOWN, message, _UNASKED)
    spans = {earlier.span_of(step) for step in earlier.fetches()}
    for step in now.fetches():
        span = now.span_of(step)
        if span is not None and span not in spans and step.params.get("time_range") not in old:
            message = f"step {step.id} fetches {span}, and helio reads no time in the request"
            yield warning(SHOWN, message, _UNASKED, step)


def _not_critical(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report steps that may now fail although the request does not speak of failing."""
    was = {str(step.get("step_id")) for step in earlier.template["steps"] if step.get("critical", True)}
    for step in now.template["steps"]:
        name = str(step.get("step_id"))
        if name in was and not step.get("critical", True):
            message = f"step {name} may now fail without ending the run, which the request does not name"
            yield Diagnostic(SHOWN, message, "warning", name, advice=(_UNASKED,))


def _changed_data(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report fetches that an edit turns to another spacecraft, quantity, frame or unit than the request names."""
    named = {quantity.name for quantity in now.request.quantities}
    old = {step.id: step for step in earlier.fetches()}
    for step in now.fetches() if not now.request.datasets else ():
        was = old.get(step.id)
        if was is None or fetch_choices(was.params) == fetch_choices(step.params):
            continue
        new, before = now.facts_of(step), earlier.facts_of(was)
        crafts = new.crafts - before.crafts - _meant(now)
        other = new.quantities - before.quantities - named
        if crafts or other or (new.units != before.units and not named):
            data = " and ".join(sorted(crafts or set(map(title, other)) or new.units))
            message = f"step {step.id} now fetches other data ({data}), which the request does not name"
            yield warning(SHOWN, message, _UNASKED, step)
        elif before.frames and new.frames - before.frames and not now.names_frame and _has(new, before):
            frames = " and ".join(sorted(new.frames))
            message = f"step {step.id} now fetches data in {frames}, and the request names no frame"
            yield warning(SHOWN, message, _UNASKED, step)


def _has(new: Facts, before: Facts) -> bool:
    """Return whether the spacecraft of new data also has them in the frame of the earlier data."""
    return any(
        row.spacecraft in new.crafts and row.quantity in new.quantities and row.frame in before.frames
        for row in SOURCES
    )


def _new_data(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report new fetches of a spacecraft or a quantity that neither the request nor the pipeline names."""
    old = {step.id for step in earlier.fetches()}
    of_old = [earlier.facts_of(step) for step in earlier.fetches()]
    crafts = _meant(now).union(*(facts.crafts for facts in of_old))
    if now.request.datasets or not of_old or not crafts:
        return
    known = expanded(quantity.name for quantity in now.request.quantities)
    for step in now.fetches():
        new = now.facts_of(step)
        if step.id in old or not new.crafts:
            continue
        other = sorted(new.crafts - crafts)
        if other and not new.quantities & now.indices:
            message = (
                f"step {step.id} fetches data from {' and '.join(other)}, which the request does not name"
            )
            yield warning(SHOWN, message, _UNASKED, step)
        elif known and now.is_other(step, known):
            data = " and ".join(sorted(map(title, new.quantities)) or sorted(new.units))
            message = f"step {step.id} fetches other data ({data}), which the request does not name"
            yield warning(SHOWN, message, _UNASKED, step)


def _removes(now: Compared) -> bool:
    return _REMOVES.search(now.sentence) is not None


def _meant(now: Compared) -> set[str]:
    """Return the spacecraft that the request names, also by a letter: probe D."""
    words = re.findall(r"\w+", now.sentence)
    meant = {craft for name in now.request.spacecraft for craft in (name, *families().get(name, ()))}
    return meant | {row.spacecraft for row in SOURCES if row.spacecraft.rpartition("-")[2] in words}


def _lost_lines(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report lines that the figures no longer draw although the request does not remove anything."""
    drawn, before = now.drawn(), earlier.drawn()
    replaces = _REPLACES.search(now.sentence) and len(drawn) >= len(before)
    if _removes(now) or replaces:
        return
    used = {label for line in drawn for label in now.lines.behind(line)}
    makers = {step.id for label, step in now.lines.producers.items() if label in used}
    for line in before:
        is_renamed = line not in now.lines.producers and earlier.lines.producers[line].id in makers
        if line not in used and not is_renamed:
            message = f"the figure no longer draws {line}, and the request does not remove it"
            yield warning(SHOWN, message, _UNASKED)


def _frames(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report lines that are new or changed, and in another frame than the one that the request names."""
    before = {line: earlier.source_frames(line) for line in earlier.drawn()}
    changed = [line for line in now.drawn() if before.get(line) != now.source_frames(line)]
    if changed:
        yield from now.frames(changed)
    elif now.request.frame and before:
        yield from now.frames(now.drawn())


def _computations(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report computations of the request that no step does; a request may also name one that it takes away."""
    if _removes(now) or re.search(r"['\"]", now.sentence):  # a quoted name may have words of a computation
        return
    replaces = _REPLACES.search(now.sentence)
    yield from now.computations(besides={step.tool for step in earlier.steps} if replaces else ())


def _exchanged(now: Compared, earlier: Compared) -> Iterator[Diagnostic]:
    """Report names of lines and titles of axes that an edit exchanged, although the data stay the same."""
    for key, what in (("trace_names", "line"), ("y_label", "y axis of panel")):
        old, new = _texts(earlier, key), _texts(now, key)
        for (step_id, name), text in new.items():
            other = next((at for at, was in old.items() if was == text and at != (step_id, name)), None)
            if (
                other is None
                or old.get((step_id, name), text) == text
                or new.get(other) in (text, None)
                or (key == "y_label" and _panels(now) != _panels(earlier))
            ):
                continue
            message = f"the {what} {name} is now called '{text}', which was the name of {other[1]}"
            yield warning(SHOWN, message, "reject the proposal: each name belongs to its data")


def _texts(compared: Compared, key: str) -> Mapping[tuple[StepId, str], str]:
    texts: dict[tuple[StepId, str], str] = {}
    for step in compared.template["steps"]:
        if step.get("tool_name") in FIGURES:
            named = compared.lines.spec(step).get(key)
            for name, text in (named if isinstance(named, dict) else {}).items():
                texts[step["step_id"], name] = text
    return texts


def _panels(compared: Compared) -> list[object]:
    steps = [step for step in compared.template["steps"] if step.get("tool_name") in FIGURES]
    return [compared.lines.spec(step).get("panels") for step in steps]
