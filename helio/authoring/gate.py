"""The gate between an author and a person: every template is mended, verified and checked against the catalogue.

HE301 (error)  a repair touches a step that it did not declare
    What an edit does not name stays byte for byte the same.
    before  a change of colour that moves a fetch
    after   refused

HE303 (error)  a repair equal to an earlier one, or leaving the same diagnostics
    It leads nowhere.
    before  the same patch twice
    after   refused

HE304 (error)  a repair weakens critical, a pin, the range or the artefact
    Making an error go away is not mending it.
    before  "critical": false on the step that failed
    after   refused

HE305 (error)  a repair puts values that its author wrote in the place of measured data
    A figure of invented numbers is worse than none.
    before  a fetch that becomes a table of literals
    after   refused

HE401 (error)  an author names a data set that is nowhere
    What a model makes up never reaches a person's approval.
    before  "dataset_id": "AC_H9_MFI"
    after   refused; did you mean 'AC_H3_MFI'?

HE402 (error)  an author names a parameter that the data set does not have
    What a model makes up never reaches a person's approval.
    before  "dataset_id": "AC_H2_MFI", "parameter_id": "BGSEx"
    after   refused; did you mean 'BGSEc'?

HE403 (error)  an author asks for a time without data
    Before the first record there will never be one, however old the catalogue is.
    before  Parker Solar Probe in 2010
    after   refused, with what the data set covers
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from typing import Any

from helio.authoring.naming import misnamed
from helio.errors import UnknownDataset, UnknownParameter, did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.pipelines.analyses.origins import Origin, origins
from helio.pipelines.analyses.work import work_of
from helio.pipelines.dialect.parse import parse
from helio.pipelines.known import KnownDatasets
from helio.pipelines.mend import mend
from helio.pipelines.passes.check_written_values import DOUBTFUL, WRITTEN
from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.edit import Dataset
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import DEEPEST_BLOCK, Place, args_of, is_glob, places, variable_of
from helio.pipelines.template.oversize import Oversize
from helio.pipelines.template.variables import TOKEN, substitute
from helio.sources.registry import BY_CATALOGUE, datasets_known_to, is_catalogued, source_class
from helio.steps.fetch.choices import Choice, choices_of
from helio.steps.signature import signatures
from helio.time_range import TimeRange, parse_time_range

NO_VALUE = "HB202"
MOST_VALUES = 1000
"""Combinations of values of which one fetch is looked up."""
MOST_STEPS = 200
"""Of an author: no person reviews more."""
VERIFIED = "HV"
"""What codes of verification begin with."""
UNKNOWN_DATASET = "HV502"


@dataclass(frozen=True)
class GateResult:
    """A template that went through the gate, and what is to be said of it; with errors it goes no further."""

    template: Document
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """What keeps it from being proposed."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What a reviewer has to know."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "warning")


class Gate:
    """Proves templates, whoever wrote them.

    Parameters
    ----------
    catalogue : Catalogue
        Datasets of CDAWeb: an id that is not in it is not proposed.
    home : Path
        Where a renewed catalogue is.
    now : datetime
        Naive UTC.
    pipelines : mapping
        Saved templates by id, for ``use``.
    elsewhere : container of str
        Datasets that need not be in the catalogue, whatever their parameters are called.
    archive : str
        The archive that was named for runs, if `catalogue` has its datasets.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        home: Path,
        now: datetime,
        pipelines: Mapping[str, Document],
        elsewhere: Container[str] = (),
        archive: str = "",
    ) -> None:
        self._catalogue = catalogue
        self._archive = archive
        self._in_files: Mapping[str, Dataset] = KnownDatasets(home, now, spans=False)
        self._known: Mapping[str, Dataset] = KnownDatasets(home, now, spans=True)
        self._now = now
        self._pipelines = pipelines
        self._elsewhere = elsewhere

    def new(self, text: str) -> GateResult:
        """A template as an author wrote it, in any dialect that the passes can read."""
        written = parse(text).plan
        wrong = _too_many_steps(written)
        if wrong:
            return GateResult(written, wrong)
        template, _, found = mend(text, now=self._now, catalogue=self._known, pipelines=self._pipelines)
        proved = GateResult(template, found)
        if proved.errors:
            return proved
        proved = GateResult(template, self._as_it_runs(template, found))
        return proved if proved.errors else self._checked(template, proved.diagnostics)

    def edited(self, before: Document, after: Document) -> GateResult:
        """A template with some of its steps changed: those are mended, all others stay as they are."""
        wrong = _too_many_steps(after, before)
        if wrong:
            return GateResult(after, wrong)
        old = [json.dumps(step) for step in before["steps"]]
        changed = {step["step_id"] for step in after["steps"] if json.dumps(step) not in old}
        mended, _, found = mend(
            json.dumps(after), now=self._now, catalogue=self._known, pipelines=self._pipelines
        )
        if any(finding.severity == "error" for finding in found):
            return GateResult(after, _about(changed, found))
        better = {step["step_id"]: step for step in mended["steps"]}
        template = {
            **after,
            "steps": [
                _as_written(better.get(step["step_id"], step), step) if step["step_id"] in changed else step
                for step in after["steps"]
            ],
        }
        text = json.dumps([step for step in template["steps"] if step["step_id"] in changed])
        for name, facts in (mended.get("variables") or {}).items():
            if name not in (template.get("variables") or {}) and name in TOKEN.findall(text):
                template["variables"] = {**(template.get("variables") or {}), name: facts}
        proved = GateResult(template, _about(changed, self._as_it_runs(template, found)))
        found = proved.diagnostics
        return proved if proved.errors else self._checked(template, found, only=changed, before=before)

    def _as_it_runs(self, template: Document, found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """What there is to say once figures are wired and maps expanded, and what mending had to say before that."""
        run = check(
            template,
            now=self._now,
            archive=self._archive_of(template),
            catalogue=self._known,
            pipelines=self._pipelines,
        )
        early = [diagnostic for diagnostic in found if not diagnostic.code.startswith(VERIFIED)]
        late = [
            diagnostic
            for diagnostic in run.diagnostics
            if diagnostic.severity == "error" or diagnostic.code.startswith(VERIFIED)
        ]
        # An unknown dataset is refused with HE401, unless the archive that was named has it.
        return (*early, *(diagnostic for diagnostic in late if diagnostic.code != UNKNOWN_DATASET))

    def wrong_with(self, template: Document) -> tuple[Diagnostic, ...]:
        """The errors that a template has as it stands."""
        run = check(template, now=self._now, catalogue=self._known, pipelines=self._pipelines)
        return tuple(run.errors)

    def repaired(self, before: Document, after: Document, declared: Container[StepId]) -> GateResult:
        """An edit that mends a failed run: it touches what it declares, and makes no error go away by asking less.

        Parameters
        ----------
        declared : container of int or str
            The steps that may change: the failed one and those that the repair named.
        """
        proved = self.edited(before, after)
        if proved.errors:  # what is not even a template is not held against the one before it
            return proved
        if work_of(before, signatures()) == work_of(after, signatures()):
            message = "the repair changes words alone, so that the run would fail again"
            return GateResult(after, (Diagnostic("HE303", message, advice=("change what fails",)),))
        refused = (*_weakened(before, after, declared), *self._invented(before, after))
        return GateResult(after, refused) if refused else proved

    def _invented(self, before: Document, after: Document) -> Iterator[Diagnostic]:
        """Steps that rested on fetched data before a repair, and on values that its author wrote after it."""
        told: set[StepId] = set()
        for old, new in ((before, after), (self._as_planned(before), self._as_planned(after))):
            was, now = _origins_by_name(old), _origins_by_name(new)
            for name, (origin, _) in was.items():
                other, step_id = now.get(name, (origin, None))
                lost = origin.fetched and not other.fetched
                if not lost and not (origin.fetched and other.written - origin.written):
                    continue
                if step_id is not None and step_id not in told:
                    told.add(step_id)
                    yield Diagnostic(
                        "HE305",
                        f"a repair may not replace measured data: step {step_id} would rest on values written by "
                        f"its author ({', '.join(sorted(other.written)) or 'nothing is fetched'})",
                        step_id=step_id,
                        advice=("fetch the data from elsewhere, or say that it cannot be repaired",),
                    )

    def _as_planned(self, template: Document) -> Document:
        return check(template, now=self._now, catalogue=self._known, pipelines=self._pipelines).plan

    def _checked(
        self,
        template: Document,
        found: tuple[Diagnostic, ...],
        *,
        only: Container[StepId] | None = None,
        before: Document | None = None,
    ) -> GateResult:
        there = set() if before is None else set(fetched_datasets(before))
        wrong = _too_many_steps(template, before)
        if wrong:
            return GateResult(template, wrong)
        fetching = None if only is None or before is None else _both(only, before, template)
        told = list(dict.fromkeys((*found, *self._unknown(template, fetching, there))))
        if not any(finding.severity == "error" for finding in told):
            # another time is another time for every step
            same_time = before is not None and before.get("variables") == template.get("variables")
            told += self._unavailable(template, only if same_time else None)
            was = [] if before is None else list(misnamed(before, self._catalogue, self._known))
            told += [
                finding for finding in misnamed(template, self._catalogue, self._known) if finding not in was
            ]
        return GateResult(template, tuple(dict.fromkeys(told)))

    def _unknown(
        self, template: Document, only: Container[StepId] | None, there: Container[tuple[str, str]]
    ) -> Iterator[Diagnostic]:
        """Datasets and parameters that are nowhere, but for those that a person put `there` before."""
        for place in places(template):
            step, top = place.step, _top(template, place)
            if only is not None and top not in only:
                continue
            if isinstance(step.get("use"), str):
                yield from self._unknown_in_use(step, top, pointer(*place.path), there)
            if step.get("tool_name") != "fetch_data":
                continue
            where = pointer(*place.path, "tool_args")
            for args in _with_values(place, template):
                for choice in choices_of(args):
                    yield from self._unknown_choice(choice, top, where, there)

    def _unknown_in_use(
        self, step: Document, top: StepId, where: str, there: Container[tuple[str, str]], depth: int = 0
    ) -> Iterator[Diagnostic]:
        """The same of a pipeline that is used, with the values that it is given."""
        inner, given = self._pipelines.get(step["use"]), step.get("with")
        if inner is None or depth >= DEEPEST_BLOCK or not isinstance(given, dict):
            return
        values = {name if name.startswith("$") else f"${name}": value for name, value in given.items()}
        variables = {
            name: {"default": values[name]} if name in values else facts
            for name, facts in (inner.get("variables") or {}).items()
        }
        bound = {**inner, "variables": variables}
        for place in places(bound):
            if isinstance(place.step.get("use"), str):
                yield from self._unknown_in_use(place.step, top, where, there, depth + 1)
            if place.step.get("tool_name") == "fetch_data":
                for args in _with_values(place, bound):
                    for choice in choices_of(args):
                        yield from self._unknown_choice(choice, top, where, there)

    def _unknown_choice(
        self, choice: Choice, step: StepId, where: str, there: Container[tuple[str, str]]
    ) -> Iterator[Diagnostic]:
        if choice.dataset_id in self._elsewhere or TOKEN.search(choice.dataset_id):
            return
        elsewhere = choice.provider and not is_catalogued(choice.provider)
        if elsewhere and not self._catalogue.in_archive(choice.dataset_id):
            if (choice.provider, choice.dataset_id) not in there:
                yield from _not_served(choice, step, where)
            return
        try:
            entry = self._catalogue.dataset(choice.dataset_id)
            for name in choice.parameters:
                # of a few datasets the catalogue knows no parameters; a pattern is resolved later
                if entry.parameters and not TOKEN.search(name) and not is_glob(name):
                    entry.parameter(name)
        except UnknownDataset as error:
            yield _nowhere("HE401", error, step, where)
        except UnknownParameter as error:
            yield _nowhere("HE402", error, step, where)

    def _unavailable(self, template: Document, only: Container[StepId] | None) -> Iterator[Diagnostic]:
        """What a run with the defaults would be refused for, ranges outside what is published above all."""
        declared = template.get("variables") or {}
        if any(facts.get("default") in (None, "") for facts in declared.values() if isinstance(facts, dict)):
            return  # a run will be given the values
        try:
            archive = self._archive_of(template)
            planned = make_plan(
                template,
                now=self._now,
                archive=archive or BY_CATALOGUE,
                catalogue=self._in_files if archive else self._known,
                pipelines=self._pipelines,
            )
        except InvalidTemplate as error:
            if any(finding.code == NO_VALUE for finding in error.diagnostics):
                return  # of a variable that is used and not declared, which a run will be given too
            about = [step["step_id"] for step in template["steps"] if only is None or step["step_id"] in only]
            yield from (finding for finding in error.diagnostics if finding.step_id in (None, *about))
            return
        yield from planned.warnings
        for step in planned.steps:
            span = step.args.get("time_range")
            if (
                step.tool_name == "fetch_data"
                and isinstance(span, str)
                and (only is None or step.step_id in only)
            ):
                yield from self._never(step.step_id, choices_of(step.args), parse_time_range(span, self._now))

    def _archive_of(self, template: Document) -> str:
        """The archive that was named, if it has every dataset of a template."""
        fetched = {dataset for _, dataset in fetched_datasets(template)}
        return self._archive if fetched and all(map(self._catalogue.in_archive, fetched)) else ""

    def _never(self, step_id: StepId, choices: Sequence[Choice], span: TimeRange) -> Iterator[Diagnostic]:
        """A time that is to come, before anything was recorded, or after all of it had ended.

        No catalogue is too old to know that.
        """
        told: list[str] = []
        if span.start >= self._now and not all(choice.dataset_id in self._elsewhere for choice in choices):
            message = f"there is nothing of {span} yet: it is {self._now:%Y-%m-%d %H:%M} UTC"
            yield Diagnostic(
                "HE403", message, step_id=step_id, tool_name="fetch_data", advice=("a time that is past",)
            )
            return
        for choice in choices:
            if choice.dataset_id not in self._catalogue or choice.dataset_id in self._elsewhere:
                return
            entry = self._catalogue.summary(choice.dataset_id)
            first, last = (
                None if time is None else time.astimezone(UTC).replace(tzinfo=None)
                for time in (entry.first, entry.last)
            )
            early = first is not None and span.stop <= first
            late = last is not None and span.start > last and self._catalogue.has_stopped(entry)
            if not early and not late:
                return
            told.append(
                f"{entry.id} covers {first:%Y-%m-%d} to {last:%Y-%m-%d}" if first and last else entry.id
            )
        if told:
            message = f"there is nothing of {span}: {'; '.join(told)}"
            yield Diagnostic(
                "HE403", message, step_id=step_id, tool_name="fetch_data", advice=("another time",)
            )


def _too_many_steps(template: Document, before: Document | None = None) -> tuple[Diagnostic, ...]:
    """The error of a template with more steps than an author may write, and more than there were."""
    count = sum(1 for _ in places(template))
    if count <= MOST_STEPS or (before is not None and count <= sum(1 for _ in places(before))):
        return ()
    message = f"{count} steps are more than the {MOST_STEPS} that an author may write"
    return (Diagnostic("HV701", message, path="/steps", advice=("for_each, or several pipelines",)),)


def fetched_datasets(template: Document) -> Iterator[tuple[str, str]]:
    """Who is asked for which dataset in a template."""
    for place in places(template):
        if place.step.get("tool_name") == "fetch_data":
            for args in _with_values(place, template):
                yield from ((choice.provider, choice.dataset_id) for choice in choices_of(args))


def _with_values(place: Place, template: Document) -> Iterator[Document]:
    """A fetch's arguments for each value that its variables and its maps give them by themselves."""
    args, schema = args_of(place.step), signatures()["fetch_data"].schema()
    if not (args.get("dataset_id") or args.get("candidates")):
        return
    declared = template.get("variables") or {}
    values: dict[str, list[Any]] = {}
    for name in TOKEN.findall(json.dumps(args)):
        facts = declared.get(name)
        if not isinstance(facts, dict):
            continue
        listed = facts.get("choices")
        every = [facts.get("default"), *(listed if isinstance(listed, list) else ())]
        values[name] = list(dict.fromkeys(part for part in every if isinstance(part, str) and part))
    for loop in place.maps:
        if variable_of(loop) and isinstance(loop.get("over"), list):
            values[variable_of(loop)] = [item for item in loop["over"] if isinstance(item, str)]
    known = {name: items for name, items in values.items() if items}
    for chosen in islice(product(*known.values()), MOST_VALUES):
        try:
            yield substitute(args, schema, dict(zip(known, chosen, strict=True)))
        except Oversize:
            continue  # no run takes such values


def _both(only: Container[StepId], before: Document, after: Document) -> set[StepId]:
    """The steps that were changed, or whose variables were."""
    changed = {step["step_id"] for step in after["steps"] if step["step_id"] in only}
    return changed | _uses_changed_values(before, after)


def _uses_changed_values(before: Document, after: Document) -> set[StepId]:
    """The steps whose variables have other values than before."""
    old, new = before.get("variables") or {}, after.get("variables") or {}
    changed = {name for name, facts in new.items() if old.get(name) != facts}
    return {step["step_id"] for step in after["steps"] if changed & set(TOKEN.findall(json.dumps(step)))}


def _not_served(choice: Choice, step: StepId, where: str) -> Iterator[Diagnostic]:
    """An author chooses no provider whose datasets cannot be looked up: a person may name one, in the file."""

    def wrong(code: str, message: str, advice: str) -> Diagnostic:
        return Diagnostic(code, message, "error", step, "fetch_data", where, (advice,) if advice else ())

    known = datasets_known_to(choice.provider)
    if not known:
        yield wrong(
            "HE401",
            f"what '{choice.provider}' serves cannot be looked up, so that no author may choose it",
            "leave the provider out; a run can name an archive: --archive",
        )
        return
    parameters = known.get(choice.dataset_id)
    if parameters is None:
        message = f"{source_class(choice.provider).title} has no dataset '{choice.dataset_id}'"
        yield wrong("HE401", message, did_you_mean(choice.dataset_id, known))
        return
    for name in choice.parameters:
        if name not in parameters and not TOKEN.search(name) and not is_glob(name):
            message = f"{choice.dataset_id} has no parameter '{name}'"
            yield wrong("HE402", message, did_you_mean(name, parameters))


def _as_written(mended: Document, step: Document) -> Document:
    """A mended step with its time range as written: a variable in place of one of several would set them apart."""
    written = args_of(step).get("time_range")
    if not isinstance(written, str) or TOKEN.search(written) or not isinstance(mended.get("tool_args"), dict):
        return mended
    return {**mended, "tool_args": {**mended["tool_args"], "time_range": written}}


def _nowhere(code: str, error: UnknownDataset | UnknownParameter, step: StepId, where: str) -> Diagnostic:
    advice = (error.advice,) if error.advice else ()
    return Diagnostic(code, error.message, "error", step, "fetch_data", where, advice)


def _about(changed: Container[StepId], found: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """What is said of the steps that were changed, every error, and which values were not measured."""
    return tuple(
        diagnostic
        for diagnostic in found
        if diagnostic.severity == "error"
        or diagnostic.step_id is None
        or diagnostic.step_id in changed
        or diagnostic.code in (WRITTEN, DOUBTFUL)
    )


def _origins_by_name(template: Document) -> dict[str, tuple[Origin, StepId]]:
    """The origin of each table by its label, and of each step by its id, with the step's id."""
    known = signatures()
    found: dict[str, tuple[Origin, StepId]] = {}
    by_place = origins(template, known)
    for step in views(template, known):
        origin = by_place.get(step.pointer)
        if origin is None:
            continue
        step_id = step.step.get("step_id", step.pointer)
        names = [f"label {label}" for label in step.outputs]
        found |= dict.fromkeys([*names, f"step {step_id}"], (origin, step_id))
    return found


def _weakened(before: Document, after: Document, declared: Container[StepId]) -> Iterator[Diagnostic]:
    old, new = _named(before), _named(after)
    for name, (step, top) in old.items():
        other, _ = new.get(name, (None, name))
        if json.dumps(other) == json.dumps(step):
            continue
        if name not in declared and top not in declared:
            yield Diagnostic("HE301", f"step {name} is changed, and was not said to be", step_id=name)
        if other is None:
            if step.get("critical", True) or _draws(step):
                yield _weaker(name, "it is taken out")
            continue
        if step.get("critical", True) and not other.get("critical", True):
            yield _weaker(name, "it would no longer be critical")
        if set(step.get("pin") or ()) - set(other.get("pin") or ()):
            yield _weaker(name, "a pin is taken away")
        if step.get("on_item_error") != other.get("on_item_error"):
            yield _weaker(name, "what an item's failure does is changed")
        one, two = (
            args_of(either) if isinstance(either.get("tool_args"), dict) else {} for either in (step, other)
        )
        if one.get("time_range") != two.get("time_range"):
            yield _weaker(name, "its time range is changed")
        if _draws(step) and set(_drawn(one)) - set(_drawn(two)) and len(_drawn(two)) < len(_drawn(one)):
            yield _weaker(name, "its figure would show less")
    for name, facts in (before.get("variables") or {}).items():
        if (after.get("variables") or {}).get(name) != facts and facts.get("type") in (
            "time_range",
            "interval",
        ):
            yield Diagnostic("HE304", f"a repair may not change the time range {name}")


def _named(template: Document) -> dict[StepId, tuple[Document, StepId]]:
    """Every step, those of blocks too, with the one of the list in which it stands; in a block ids may be left out."""
    found: dict[StepId, tuple[Document, StepId]] = {}
    for place in places(template):
        found[place.step.get("step_id", pointer(*place.path))] = (place.step, _top(template, place))
    return found


def _top(template: Document, place: Place) -> StepId:
    """The step of the list in which a step of a block stands; itself where it stands there."""
    name: StepId = template["steps"][place.path[1]]["step_id"]
    return name


def _weaker(name: StepId, what: str) -> Diagnostic:
    return Diagnostic("HE304", f"a repair may not weaken step {name}: {what}", step_id=name)


def _draws(step: Document) -> bool:
    return step.get("tool_name") in ("plot_data", "render_spec", "save_data")


def _drawn(args: Mapping[str, Any]) -> list[str]:
    spec = args.get("spec", args)
    found = spec.get("labels") if isinstance(spec, dict) else None
    panels = spec.get("panels") if isinstance(spec, dict) else None
    every = list(found) if isinstance(found, list) else []
    if isinstance(panels, list):
        every += [label for panel in panels if isinstance(panel, list) for label in panel]
    return list(dict.fromkeys(every))
