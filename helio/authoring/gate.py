"""Correct and verify each template that rules or a language model wrote, before a person sees it.

HE301 (error)  a repair changes a step that it does not name
    An edit may change only the steps that it names.
    before  a repair of step 3 that also changes step 1
    after   refused
    to do   Reject the repair, or ask with `helio edit` for the other change by itself.

HE303 (error)  a repair is the same as an earlier one, or changes only descriptions or retries
    The repaired run would fail in the same way.
    before  the same repair twice
    after   refused
    to do   Correct the template by hand, or say with `helio edit` what to change.

HE304 (error)  a repair removes "critical", a pin, a part of the time range or of a figure
    Such a repair would hide the error instead of correcting it.
    before  "critical": false on the step that failed
    after   refused
    to do   If the step may fail or the range may be shorter, make this change yourself with `helio edit`.

HE305 (error)  a repair replaces measured data with values written in the template
    A figure of invented numbers is worse than no figure.
    before  a fetch is replaced by a table of numbers
    after   refused
    to do   Choose another dataset with `helio edit`; `helio datasets search` finds one.

HE401 (error)  an author uses a dataset that is in no catalogue
    helio refuses invented names before a person sees the proposal.
    before  "dataset_id": "AC_H9_MFI"
    after   refused; did you mean 'AC_H3_MFI'?
    to do   Find the dataset with `helio datasets search`, and use its id.

HE402 (error)  an author uses a parameter that the dataset does not have
    helio refuses invented names before a person sees the proposal.
    before  "dataset_id": "AC_H2_MFI", "parameter_id": "BGSEx"
    after   refused; did you mean 'BGSEc'?
    to do   List the parameters with `helio datasets parameters DATASET`, and use one of these names.

HE403 (error)  an author chooses a time without data
    The time lies in the future, before the first record, or after the last record of a dataset that has ended.
    before  Parker Solar Probe in 2010
    after   refused, with the time that the dataset covers
    to do   Choose a time range within the coverage that the message gives, or another dataset.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from typing import Any

from helio.authoring.fetches import FETCH, fetch_choices
from helio.authoring.naming import misnamed
from helio.authoring.operations import touched
from helio.errors import UnknownDataset, UnknownParameter, did_you_mean
from helio.knowledge.catalogue import Catalogue
from helio.limits import LIMITS
from helio.pipelines.analyses.origins import Origin, origins
from helio.pipelines.analyses.work import work_of
from helio.pipelines.dialect.parse import parse
from helio.pipelines.dialect.template_in import template_in
from helio.pipelines.dialect.written import object_of, written_steps
from helio.pipelines.known import KnownDatasets
from helio.pipelines.mend import mend
from helio.pipelines.passes.check_written_values import DOUBTFUL, WRITTEN
from helio.pipelines.plan import check, make_plan
from helio.pipelines.template.context import Dataset
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate, StepId, pointer
from helio.pipelines.template.document import Document
from helio.pipelines.template.figures import FIGURES, complete_labels
from helio.pipelines.template.graph import views
from helio.pipelines.template.maps import is_glob
from helio.pipelines.template.oversize import Oversize
from helio.pipelines.template.runner import RewriteResult
from helio.pipelines.template.template import Step
from helio.pipelines.template.variables import TOKEN, substitute
from helio.sources.registry import datasets_known_to, is_catalogued, source_class
from helio.steps.fetch.choices import Choice, choices_of
from helio.steps.signature import signatures
from helio.time_range import TimeRange, parse_time_range

NO_VALUE = "HB202"
UNKNOWN_DATASET = "HV502"
SAVE = "save_data"
VERIFIED = "HV"
"""First letters of the codes that checks of a template report; corrections report other codes."""
MOST_VALUES = 1000
"""Maximum number of combinations of variables' values that helio checks for one fetch."""
MOST_STEPS = 200
"""Maximum number of steps that rules or a language model may write; a person cannot review more."""


@dataclass(frozen=True)
class GateResult:
    """A corrected and verified template, and what the checks found; helio proposes it only if there are no errors."""

    template: Document
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def errors(self) -> tuple[Diagnostic, ...]:
        """Return the errors, which prevent a proposal."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "error")

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """Return the warnings, which a reviewer should see."""
        return tuple(finding for finding in self.diagnostics if finding.severity == "warning")


class Gate:
    """Corrector and verifier of the templates that rules and language models write.

    Parameters
    ----------
    catalogue : Catalogue
        Known datasets; a template with other datasets is refused.
    home : Path
        The home folder, which may have an updated catalogue.
    now : datetime
        Naive UTC.
    pipelines : mapping
        Saved templates by id, for steps with ``use``.
    archive : str
        The archive to use in runs, if `catalogue` includes its datasets.
    """

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        home: Path,
        now: datetime,
        pipelines: Mapping[str, Document],
        archive: str = "",
    ) -> None:
        self.catalogue = catalogue
        self._archive = archive
        self._in_files: Mapping[str, Dataset] = KnownDatasets(home, now, spans=False)
        self._known: Mapping[str, Dataset] = KnownDatasets(home, now, spans=True)
        self._now = now
        self._pipelines = pipelines

    def new(self, text: str) -> GateResult:
        """Correct and verify a new template that rules or a language model wrote."""
        written = parse(text).plan
        too_many = _too_many_steps(written)
        if too_many:
            return GateResult(written, too_many)
        template, findings = self._mended(text)
        proved = GateResult(template, findings)
        if not proved.errors:
            proved = GateResult(template, self._as_it_runs(template, findings))
        return proved if proved.errors else self._checked(template, proved.diagnostics)

    def edited(self, before: Document, after: Document) -> GateResult:
        """Verify an edited template: correct the steps that the edit changed, and leave all other steps as they are."""
        too_many = _too_many_steps(after, before)
        if too_many:
            return GateResult(after, too_many)
        changed = set(touched(before, after))
        mended, findings = self._mended(json.dumps(after))
        if any(finding.severity == "error" for finding in findings):
            return GateResult(after, _about(changed, findings))
        template = _with_mended(after, mended, changed)
        proved = GateResult(template, _about(changed, self._as_it_runs(template, findings)))
        return proved if proved.errors else self._checked(template, proved.diagnostics, changed, before)

    def _mended(self, text: str) -> tuple[Document, tuple[Diagnostic, ...]]:
        template, _, findings = mend(text, now=self._now, catalogue=self._known, pipelines=self._pipelines)
        return template, findings

    def _check(self, template: Document, **options: Any) -> RewriteResult:
        return check(template, now=self._now, catalogue=self._known, pipelines=self._pipelines, **options)

    def _as_it_runs(self, template: Document, findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
        """Combine the diagnostics of the correction with those for a run, in which maps become single steps."""
        run = self._check(template, archive=self._archive_of(template))
        early = [finding for finding in findings if not finding.code.startswith(VERIFIED)]
        late = [
            finding
            for finding in run.diagnostics
            if (finding.severity == "error" or finding.code.startswith(VERIFIED))
            # HE401 reports an unknown dataset, unless the named archive has it
            and finding.code != UNKNOWN_DATASET
        ]
        return (*early, *late)

    def findings(self, template: Document) -> tuple[Diagnostic, ...]:
        """Return the errors and warnings of a template."""
        return self._check(template).diagnostics

    def repaired(self, before: Document, after: Document, declared: Container[StepId]) -> GateResult:
        """Verify a repair: it may change only steps in `declared`, and may not weaken a step or shorten a time range.

        Parameters
        ----------
        declared : container of int or str
            Ids of the steps that may change: the failed step and those that the repair names.
        """
        proved = self.edited(before, after)
        if proved.errors:
            return proved
        if work_of(before, signatures()) == work_of(after, signatures()):
            message = "the repair changes only descriptions or retries, so the run would fail again"
            return GateResult(after, (Diagnostic("HE303", message, advice=("change the step that fails",)),))
        refused = (*_weakened(before, after, declared), *self._invented(before, after))
        return GateResult(after, refused) if refused else proved

    def _invented(self, before: Document, after: Document) -> Iterator[Diagnostic]:
        """Report steps that used fetched data before a repair, but use invented numbers after the repair."""
        reported: set[StepId] = set()
        for old, new in ((before, after), (self._check(before).plan, self._check(after).plan)):
            new_origins = _origins_by_name(new)
            for name, (origin, _) in _origins_by_name(old).items():
                new_origin, step_id = new_origins.get(name, (origin, None))
                lost = bool(origin.fetched) and (
                    not new_origin.fetched or bool(new_origin.written - origin.written)
                )
                if not lost or step_id is None or step_id in reported:
                    continue
                reported.add(step_id)
                values = f"values that are written in the template ({', '.join(sorted(new_origin.written))})"
                yield Diagnostic(
                    "HE305",
                    f"a repair may not replace measured data: step {step_id} would use "
                    f"{values if new_origin.written else 'no fetched data'}",
                    step_id=step_id,
                    advice=("fetch the data from another source, or reply that the run cannot be repaired",),
                )

    def _checked(
        self,
        template: Document,
        early: tuple[Diagnostic, ...],
        changed: Container[StepId] | None = None,
        before: Document | None = None,
    ) -> GateResult:
        """Check the datasets, times and names of a template; of an edited template, only those that were changed."""
        too_many = _too_many_steps(template, before)
        if too_many:
            return GateResult(template, too_many)
        findings = [*early, *self._unknown(template, changed, before)]
        if not any(finding.severity == "error" for finding in findings):
            # a new time range is new for every step
            same_time = before is not None and _times(before) == _times(template)
            findings += self._unavailable(template, changed if same_time else None)
            earlier = [] if before is None else list(misnamed(before, self.catalogue, self._known))
            names = misnamed(template, self.catalogue, self._known)
            findings += [finding for finding in names if finding not in earlier]
        return GateResult(template, tuple(dict.fromkeys(findings)))

    def _unknown(
        self, template: Document, changed: Container[StepId] | None, before: Document | None
    ) -> Iterator[Diagnostic]:
        """Report datasets and parameters that do not exist; accept uncatalogued datasets that `before` used already."""
        accepted = set() if before is None else set(fetched_datasets(before))
        new_values = set() if before is None else _steps_with_new_values(before, template)
        for step, choice in self._choices(template):
            top = _top(template, step.path)
            if changed is None or top in changed or top in new_values:
                inside = () if step.use else ("tool_args",)
                yield from self._unknown_choice(choice, top, pointer(*step.path, *inside), accepted)

    def _choices(self, template: Document, depth: int = 0) -> Iterator[tuple[Step, Choice]]:
        """Yield each dataset that a template, or a pipeline that it uses, may fetch, together with the fetch's step."""
        for step in template_in(template).walk():
            used = self._pipelines.get(step.use)
            if used is not None and depth < LIMITS.blocks and "with" in step.keys:
                inner = self._choices(_bound(used, step.with_values), depth + 1)
                yield from ((step, choice) for _, choice in inner)
            yield from ((step, choice) for choice in _fetch_choices(step, template))

    def _unknown_choice(
        self, choice: Choice, step: StepId, path: str, accepted: Container[tuple[str, str]]
    ) -> Iterator[Diagnostic]:
        if TOKEN.search(choice.dataset_id):
            return
        catalogued = not choice.provider or is_catalogued(choice.provider)
        if not catalogued and not self.catalogue.in_archive(choice.dataset_id):
            if (choice.provider, choice.dataset_id) not in accepted:
                yield from _not_served(choice, step, path)
            return
        try:
            entry = self.catalogue.dataset(choice.dataset_id)
            # of a few datasets the catalogue knows no parameters
            for name in _plain_names(choice) if entry.parameters else ():
                entry.parameter(name)
        except UnknownDataset as error:
            yield _wrong_fetch("HE401", error.message, error.advice, step, path)
        except UnknownParameter as error:
            yield _wrong_fetch("HE402", error.message, error.advice, step, path)

    def _unavailable(self, template: Document, only: Container[StepId] | None) -> Iterator[Diagnostic]:
        """Report why helio would refuse a run with default values, for example a time range without data."""
        declared = template.get("variables") or {}
        if any(facts.get("default") in (None, "") for facts in declared.values() if isinstance(facts, dict)):
            return  # a run gets the values
        archive = self._archive_of(template)
        try:
            planned = make_plan(
                template,
                now=self._now,
                archive=archive,
                catalogue=self._in_files if archive else self._known,
                pipelines=self._pipelines,
            )
        except InvalidTemplate as error:
            if any(finding.code == NO_VALUE for finding in error.diagnostics):
                return  # of a variable that is not declared: a run gets its value too
            steps = [step["step_id"] for step in template["steps"] if only is None or step["step_id"] in only]
            yield from (finding for finding in error.diagnostics if finding.step_id in (None, *steps))
            return
        yield from planned.warnings
        for step in planned.steps:
            span = step.args.get("time_range")
            checked = step.tool_name == FETCH and (only is None or step.step_id in only)
            if checked and isinstance(span, str):
                yield from self._without_data(
                    step.step_id, choices_of(step.args), parse_time_range(span, self._now)
                )

    def _archive_of(self, template: Document) -> str:
        """Return the archive that the user named if it has a dataset for each fetch; otherwise return ""."""
        fetches = list(datasets_by_fetch(template))
        served = all(any(map(self.catalogue.in_archive, datasets)) for datasets in fetches)
        return self._archive if fetches and served else ""

    def _without_data(self, step: StepId, choices: Sequence[Choice], span: TimeRange) -> Iterator[Diagnostic]:
        """Report a time range in the future, or a time range that none of the datasets covers."""
        if span.start >= self._now:
            message = f"{span} is in the future: the time is now {self._now:%Y-%m-%d %H:%M} UTC"
            yield _wrong_fetch("HE403", message, "choose a time in the past", step, "")
            return
        covered = [self._other_coverage(choice, span) for choice in choices]
        if covered and all(covered):
            archived = [choice for choice in choices if self.catalogue.in_archive(choice.dataset_id)]
            lacking, more = (
                (f"the archive {self._archive} has no data for {span}", ", or leave the archive out")
                if archived
                else (f"no data exist for {span}", "")
            )
            message = f"{lacking}: {'; '.join(covered)}"
            yield _wrong_fetch("HE403", message, f"choose another time{more}", step, "")

    def _other_coverage(self, choice: Choice, span: TimeRange) -> str:
        """Say which time a dataset covers if a time range is outside; return an empty text if the range is covered."""
        if datasets_known_to(choice.provider):
            source = source_class(choice.provider)
            if source.keeps is not None and span.start < self._now - source.keeps:
                return f"{source.title} keeps its data for {source.keeps.days} days at most"
        if choice.dataset_id not in self.catalogue:
            return ""
        entry = self.catalogue.summary(choice.dataset_id)
        first, last = (
            time and time.astimezone(UTC).replace(tzinfo=None) for time in (entry.first, entry.last)
        )
        early = first is not None and span.stop <= first
        late = last is not None and span.start > last and self.catalogue.has_stopped(entry)
        if not early and not late:
            return ""
        where = self.catalogue.covered_elsewhere(entry.id)
        return (
            f"{entry.id} covers {first:%Y-%m-%d} to {last:%Y-%m-%d}{where and f' {where}'}"
            if first and last
            else f"{entry.id} has no data in this time range"
        )


def _too_many_steps(template: Document, before: Document | None = None) -> tuple[Diagnostic, ...]:
    """Return an error if a template has more steps than is allowed, and more steps than before the edit."""
    count = sum(1 for _ in written_steps(template))
    if count <= MOST_STEPS or (before is not None and count <= sum(1 for _ in written_steps(before))):
        return ()
    message = f"the template has {count} steps; an author may write at most {MOST_STEPS}"
    return (
        Diagnostic("HV701", message, path="/steps", advice=("use for_each, or write several pipelines",)),
    )


def fetched_datasets(template: Document) -> Iterator[tuple[str, str]]:
    """Yield provider and dataset for each dataset that the fetches of a template may use."""
    for step in template_in(template).walk():
        yield from ((choice.provider, choice.dataset_id) for choice in _fetch_choices(step, template))


def datasets_by_fetch(template: Document) -> Iterator[list[str]]:
    """Yield the datasets among which each fetch chooses, for each value of its variables and maps."""
    for step in template_in(template).walk():
        for choices in _choices_by_value(step, template):
            yield [choice.dataset_id for choice in choices]


def _fetch_choices(step: Step, template: Document) -> Iterator[Choice]:
    """Yield the datasets that a fetch may use, for each value that its variables and maps have in the template."""
    for choices in _choices_by_value(step, template):
        yield from choices


def _choices_by_value(step: Step, template: Document) -> Iterator[list[Choice]]:
    """Yield the datasets among which a fetch chooses, once for each value that its variables and maps have."""
    args = dict(step.tool_args)
    if step.tool_name != FETCH or not fetch_choices(args):
        return
    values = _values_of(step, template, TOKEN.findall(json.dumps(args)))
    schema = signatures()[FETCH].schema()
    for chosen in islice(product(*values.values()), MOST_VALUES):
        try:
            yield fetch_choices(substitute(args, schema, dict(zip(values, chosen, strict=True))))
        except Oversize:
            continue  # no run takes such values


def _values_of(step: Step, template: Document, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the possible texts of each variable: its default, its choices, and items of the maps around the step."""
    declared = template.get("variables") or {}
    values: dict[str, Any] = {}
    for name in names:
        variable = declared.get(name)
        if isinstance(variable, dict):
            listed = variable.get("choices")
            values[name] = [variable.get("default"), *(listed if isinstance(listed, list) else ())]
    values |= {loop.name: loop.items for loop in step.maps if loop.items is not None}
    texts = {
        name: list(dict.fromkeys(text for text in items if isinstance(text, str) and text))
        for name, items in values.items()
    }
    return {name: items for name, items in texts.items() if name and items}


def _bound(used: Document, arguments: Mapping[str, Any]) -> Document:
    """Return a pipeline whose variables have, as defaults, the values that the calling step gives."""
    values = {name if name.startswith("$") else f"${name}": value for name, value in arguments.items()}
    variables = {
        name: {"default": values[name]} if name in values else variable
        for name, variable in (used.get("variables") or {}).items()
    }
    return {**used, "variables": variables}


def _steps_with_new_values(before: Document, after: Document) -> set[StepId]:
    """Return the steps that use a variable whose declaration was changed."""
    old, new = before.get("variables") or {}, after.get("variables") or {}
    changed = {name for name, variable in new.items() if old.get(name) != variable}
    return {step["step_id"] for step in after["steps"] if changed & set(TOKEN.findall(json.dumps(step)))}


def _times(template: Document) -> dict[str, Any]:
    """Return the variables of a template that do not give numbers or lengths: a new value may mean other data."""
    declared = template.get("variables") or {}
    return {
        name: facts
        for name, facts in declared.items()
        if not isinstance(facts, dict) or facts.get("type") not in ("number", "duration")
    }


def _not_served(choice: Choice, step: StepId, path: str) -> Iterator[Diagnostic]:
    """Report a dataset or parameter that does not exist at a provider without a catalogue, or an unknown provider."""
    served = datasets_known_to(choice.provider)
    parameters = served.get(choice.dataset_id)
    if not served:
        message = f"helio does not know the datasets of '{choice.provider}', so an author may not choose this provider"
        advice = "leave out the provider; to use an archive, run with --archive"
        yield _wrong_fetch("HE401", message, advice, step, path)
    elif parameters is None:
        message = f"{source_class(choice.provider).title} has no dataset '{choice.dataset_id}'"
        yield _wrong_fetch("HE401", message, did_you_mean(choice.dataset_id, served), step, path)
    else:
        for name in _plain_names(choice):
            if name not in parameters:
                message = f"{choice.dataset_id} has no parameter '{name}'"
                yield _wrong_fetch("HE402", message, did_you_mean(name, parameters), step, path)


def _plain_names(choice: Choice) -> list[str]:
    """Return the names of a fetch's parameters, without names that contain variables or ``*`` patterns."""
    return [name for name in choice.parameters if not TOKEN.search(name) and not is_glob(name)]


def _wrong_fetch(code: str, message: str, advice: str, step: StepId, path: str) -> Diagnostic:
    return Diagnostic(code, message, "error", step, FETCH, path, (advice,) if advice else ())


def _with_mended(after: Document, mended: Document, changed: Container[StepId]) -> Document:
    """Return a template in which the changed steps are corrected, with any variables that the correction needs."""
    better = {step["step_id"]: step for step in mended["steps"]}
    steps = [
        _as_written(better.get(step["step_id"], step), step) if step["step_id"] in changed else step
        for step in after["steps"]
    ]
    used = TOKEN.findall(json.dumps([step for step in steps if step["step_id"] in changed]))
    declared = after.get("variables") or {}
    added = {
        name: variable
        for name, variable in (mended.get("variables") or {}).items()
        if name not in declared and name in used
    }
    return {**after, "steps": steps} | ({"variables": {**declared, **added}} if added else {})


def _as_written(mended: Document, step: Document) -> Document:
    """Return a corrected step with the time range that was written in it, and not with a new variable for the range."""
    written = object_of(step.get("tool_args")).get("time_range")
    if not isinstance(written, str) or TOKEN.search(written) or not isinstance(mended.get("tool_args"), dict):
        return mended
    return {**mended, "tool_args": {**mended["tool_args"], "time_range": written}}


def _about(changed: Container[StepId], findings: tuple[Diagnostic, ...]) -> tuple[Diagnostic, ...]:
    """Return all errors, the diagnostics of changed steps, and every warning about numbers that were not measured."""
    return tuple(
        finding
        for finding in findings
        if finding.severity == "error"
        or finding.step_id is None
        or finding.step_id in changed
        or finding.code in (WRITTEN, DOUBTFUL)
    )


def _origins_by_name(template: Document) -> dict[str, tuple[Origin, StepId]]:
    """Return where each table comes from, by its label and by its step, together with the step's id."""
    tools = signatures()
    by_name: dict[str, tuple[Origin, StepId]] = {}
    read = template_in(template)
    by_path = origins(read, tools)
    for step in views(read.walk(), tools):
        origin = by_path.get(step.pointer)
        if origin is None:
            continue
        step_id = step.id or step.pointer
        names = [f"label {label}" for label in step.outputs]
        by_name |= dict.fromkeys([*names, f"step {step_id}"], (origin, step_id))
    return by_name


def _weakened(before: Document, after: Document, declared: Container[StepId]) -> Iterator[Diagnostic]:
    """Report steps that a repair changes without naming them, and steps in which a repair demands less than before."""
    new = {name: step for name, (step, _) in _steps_by_id(after).items()}
    for name, (step, top) in _steps_by_id(before).items():
        if json.dumps(new.get(name)) == json.dumps(step):
            continue
        if name not in declared and top not in declared:
            yield Diagnostic(
                "HE301",
                f"the repair changes step {name}, but does not list this step as changed",
                step_id=name,
            )
        for weakness in _weaknesses(step, new.get(name)):
            yield Diagnostic("HE304", f"a repair may not weaken step {name}: {weakness}", step_id=name)
    variables = after.get("variables") or {}
    for name, variable in (before.get("variables") or {}).items():
        if variables.get(name) != variable and variable.get("type") in ("time_range", "interval"):
            yield Diagnostic("HE304", f"a repair may not change the time range in the variable '{name}'")


def _weaknesses(old: Document, new: Document | None) -> Iterator[str]:
    """Say in what way a changed step demands or shows less than before."""
    critical, draws = old.get("critical", True), old.get("tool_name") in (*FIGURES, SAVE)
    if new is None:
        if critical or draws:
            yield "this repair removes the step"
        return
    before, after = object_of(old.get("tool_args")), object_of(new.get("tool_args"))
    lost = set(_drawn(before)) - set(_drawn(after))
    weaker = {
        "the step would no longer be critical": critical and not new.get("critical", True),
        "a pin of the step is removed": set(old.get("pin") or ()) - set(new.get("pin") or ()),
        "its on_item_error is changed": old.get("on_item_error") != new.get("on_item_error"),
        "its time range is changed": before.get("time_range") != after.get("time_range"),
        "its figure would show less": draws and lost and len(_drawn(after)) < len(_drawn(before)),
    }
    yield from (text for text, holds in weaker.items() if holds)


def _drawn(args: Mapping[str, Any]) -> set[str]:
    spec = args.get("spec", args)
    return set(complete_labels(spec)) if isinstance(spec, dict) else set()


def _steps_by_id(template: Document) -> dict[StepId, tuple[Document, StepId]]:
    """Return every step by its id, with the id of the outermost step around it; steps in blocks may have no id."""
    return {
        step.json.get("step_id", step.at()): (step.json, _top(template, step.path))
        for step in written_steps(template)
    }


def _top(template: Document, path: Sequence[str | int]) -> StepId:
    """Return the id of the outermost step that contains the step at a path; this may be the step itself."""
    step_id: StepId = template["steps"][path[1]]["step_id"]
    return step_id
