"""Plans: verified templates with the values of one run. A plan never changes after it is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Any, TypeVar

from helio import __version__
from helio.counts import number_of
from helio.errors import RequestError
from helio.notebook import box, listed, table_of
from helio.pipelines.analyses.origins import origins
from helio.pipelines.known import components_in_files
from helio.pipelines.mend import repair
from helio.pipelines.normal_forms import normal_form_of
from helio.pipelines.passes import AS_WRITTEN, BINDING, NORMALISE, REPEATED, VERIFY
from helio.pipelines.passes.bind_files import planned_files
from helio.pipelines.reach import check_reach
from helio.pipelines.template.context import Context, Dataset
from helio.pipelines.template.diagnostics import (
    Diagnostic,
    InvalidTemplate,
    StepId,
    diagnostics_as_html,
    pointer,
)
from helio.pipelines.template.document import NOT_MEANING, Document, digest, shortened
from helio.pipelines.template.edit import Edit
from helio.pipelines.template.files import OutputFile
from helio.pipelines.template.from_document import documents_by_label
from helio.pipelines.template.labels import owner, read_labels
from helio.pipelines.template.retries import Retries, retry_pause
from helio.pipelines.template.runner import FIX, AuthoredPaths, Mode, RewriteResult, rewrite
from helio.pipelines.template.template import Step, Template
from helio.pipelines.template.time_literals import listed_literals, time_literals
from helio.steps.signature import Signature, signatures
from helio.time_range import TimeRange, parse_time_range

_VERIFIED = object()
Known = TypeVar("Known")


@dataclass(frozen=True)
class Item:
    """One item of a ``for_each``, as recorded in every planned step that belongs to this item."""

    map_id: StepId
    name: str
    """Name of the item in ids and labels of steps, such as ``2024-01-10``."""
    keep_partial: bool
    """Whether later steps continue without this item if it fails and at least one other item succeeds."""

    def __str__(self) -> str:
        return f"{self.map_id}[{self.name}]"


@dataclass(frozen=True)
class PlannedStep:
    """One step of a plan: a tool, with all values filled into its arguments."""

    step_id: StepId
    tool_name: str
    tool_version: int
    args: Mapping[str, Any]
    reads: Mapping[str, tuple[str, ...]]
    """Labels that the step reads, grouped by the tool's table parameter."""
    produces: tuple[str, ...]
    depends_on: tuple[StepId, ...]
    critical: bool
    intent: str
    time_ranges: Mapping[str, TimeRange] = field(default_factory=dict)
    """Time ranges among the arguments, by the argument's name; `args` has the same ranges as texts."""
    items: tuple[Item, ...] = ()
    """Items to which the step belongs: one item for each ``for_each`` around it, the outermost first."""
    files: tuple[OutputFile, ...] = ()
    """Files that the step writes, if it makes a figure or an export."""
    not_measured: tuple[str, ...] = ()
    """Labels of tables that the step reads or makes with numbers that the author of the template wrote."""
    maybe_not_measured: tuple[str, ...] = ()
    """Labels of tables from code in which some numbers may come from the author of the template."""
    retries: Retries | None = None
    """How often to try the step again after an error that may pass; None if the template does not say it."""
    documents: tuple[Mapping[str, Any], ...] = ()
    """Documents from which numbers of these tables were read: name, SHA-256 and pages of each."""

    def __repr__(self) -> str:
        labels = f" → {shortened(', '.join(self.produces))}" if self.produces else ""
        return f"<step {self.step_id!r}: {self.tool_name}{labels}>"


@dataclass(frozen=True)
class Plan:
    """Plan of one run. Only `make_plan` creates plans, so every executed plan has been verified."""

    pipeline_id: str
    name: str
    template_digest: str
    now: datetime
    values: Mapping[str, Any]
    time_ranges: Mapping[str, TimeRange]
    """Values of the time variables by name, ``$TIME_RANGE`` first."""
    steps: tuple[PlannedStep, ...]
    owners: Mapping[str, str]
    """Table of each label that a step reads: the label ``B.Bz`` belongs to the table ``B``."""
    authored: Document
    normalised: Document
    document: Document
    edits: tuple[Edit, ...]
    warnings: tuple[Diagnostic, ...]
    verified: InitVar[object]

    def __post_init__(self, verified: object) -> None:
        if verified is not _VERIFIED:
            raise TypeError("make a Plan with make_plan, which verifies it")

    def __repr__(self) -> str:
        values = shortened(", ".join(f"{name[1:]}={value!r}" for name, value in self.values.items()))
        ids = shortened(", ".join(repr(step.step_id) for step in self.steps))
        warnings = f", {number_of(len(self.warnings), 'warning')}" if self.warnings else ""
        return f"<Plan {self.pipeline_id!r}: {values or 'no variables'}; steps {ids}{warnings}>"

    def _repr_html_(self) -> str:
        steps = (
            (
                step.step_id,
                step.tool_name,
                ", ".join(label for labels in step.reads.values() for label in labels),
                ", ".join(step.produces or [file.name for file in step.files]),
                step.intent,
            )
            for step in self.steps
        )
        return box(
            f"Plan of {self.pipeline_id}",
            listed("Values", (f"{name} = {value}" for name, value in self.values.items())),
            table_of(["step", "tool", "reads", "makes", "intent"], steps),
            diagnostics_as_html(self.warnings),
        )


def normalise(template: Document, context: Context, *, mode: Mode = "safe") -> RewriteResult:
    """Rewrite a template into a plan without the values of a run, and collect all diagnostics.

    Stages N to G are repeated until no pass has an edit; then the plan is verified.
    """
    stable = rewrite(template, context, REPEATED, mode=mode, until_stable=True)
    if stable.errors:
        return stable if mode == "repair" else _with_checked_advice(stable, template, context)
    verified = rewrite(stable.plan, context, VERIFY)
    paths = AuthoredPaths(template)
    findings = [paths.of(finding, stable.plan) for finding in verified.diagnostics]
    written = rewrite(template, context, AS_WRITTEN).diagnostics
    return RewriteResult(
        stable.plan, stable.edits, tuple(dict.fromkeys((*stable.diagnostics, *findings, *written)))
    )


def _with_checked_advice(stable: RewriteResult, template: Document, context: Context) -> RewriteResult:
    """Replace the advice to use ``helio fix`` where ``helio fix`` would fail, and explain what prevents it."""
    if not any(text.startswith(FIX) for error in stable.errors for text in error.advice):
        return stable
    wrong = repair(template, context).errors or normalise(template, context, mode="repair").errors
    if not wrong:
        return stable
    first = wrong[0]
    where = f" of step {first.step_id}" if first.step_id is not None else ""
    before = f"first correct {first.code}{where} by hand ({first.message}), then {FIX}"
    diagnostics = tuple(
        replace(
            diagnostic,
            advice=tuple(
                before + text[len(FIX) :] if text.startswith(FIX) else text for text in diagnostic.advice
            ),
        )
        for diagnostic in stable.diagnostics
    )
    return RewriteResult(stable.plan, stable.edits, diagnostics)


def bind(template: Document, normalised: RewriteResult, context: Context) -> RewriteResult:
    """Fill the values of one run into a plan that has no values yet."""
    bound = rewrite(normalised.plan, context, BINDING)
    paths = AuthoredPaths(template)
    findings = tuple(paths.of(finding, normalised.plan) for finding in bound.diagnostics)
    return RewriteResult(bound.plan, bound.edits, findings)


def check(
    template: Document,
    *,
    now: datetime,
    mode: Mode = "safe",
    archive: str = "",
    catalogue: Mapping[str, Dataset] | None = None,
    pipelines: Mapping[str, Document] | None = None,
) -> RewriteResult:
    """Check a template with all tools that are installed; a later `make_plan` then has less to do."""
    context = Context(
        signatures(), now, {}, archive, catalogue=_given(catalogue), pipelines=_given(pipelines)
    )
    if mode == "safe":
        return normal_form_of(template, context, normalise)
    return normalise(template, context, mode=mode)


def spelled(template: Document) -> RewriteResult:
    """Write each readable field, name and value of a template in the standard spelling."""
    return rewrite(template, Context(signatures(), datetime.min, {}), NORMALISE)


def meant(template: Document) -> dict[str, Any]:
    """Return the parts of a template that can change a result: variables and steps, in standard spelling.

    It excludes names, descriptions and intents, which are for people, and everything that passes derive.
    """
    plain = spelled(template).plan
    variables = plain.get("variables") or {}
    return {
        "variables": {name: _without(facts, ("description",)) for name, facts in variables.items()},
        "steps": {str(step["step_id"]): _meaning_of_step(step) for step in plain["steps"]},
    }


def _meaning_of_step(step: Document) -> Document:
    meaningful = _without(step, ("step_id", "intent", "produces", *NOT_MEANING))
    return meaningful | ({"block": [*map(_meaning_of_inner, step["block"])]} if "block" in step else {})


def _meaning_of_inner(step: Any) -> Any:
    return {"step_id": step.get("step_id"), **_meaning_of_step(step)} if isinstance(step, dict) else step


def _without(facts: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    return {name: value for name, value in facts.items() if name not in names}


def normal_form(template: Document) -> Document:
    """Return a template with each field, name and value in the standard spelling, and no other change.

    Raises
    ------
    InvalidTemplate
        A field is misplaced or has a wrong type.
    """
    spelling = spelled(template)
    if spelling.errors:
        raise InvalidTemplate(spelling.errors)
    return spelling.plan


def check_fields(template: Document) -> tuple[Diagnostic, ...]:
    """Return the errors about misplaced fields and about fields with wrong types in a template."""
    return rewrite(template, Context(signatures(), datetime.min, {}), NORMALISE[:1]).errors


def make_plan(
    template: Document,
    *,
    now: datetime,
    values: Mapping[str, Any] | None = None,
    time_range: str | None = None,
    archive: str = "",
    catalogue: Mapping[str, Dataset] | None = None,
    pipelines: Mapping[str, Document] | None = None,
    recorded: bool = False,
) -> Plan:
    """Verify a template and fill in the values of one run.

    Parameters
    ----------
    template : Document
        The template as read by `read_template`.
    now : datetime
        Naive UTC; every relative time phrase is resolved with it, once.
    values : mapping, optional
        Values of variables by name, with or without ``$``.
    time_range : str, optional
        The value of ``$TIME_RANGE``, otherwise of the only variable of type ``time_range``.
    archive : str
        The archive given for this run.
    catalogue : mapping, optional
        Known facts about datasets.
    pipelines : mapping, optional
        Saved templates by id, for steps that use one.
    recorded : bool
        Whether the values are those of an earlier run or of a saved plan, which is then planned as before, whatever
        ranges they move.

    Raises
    ------
    InvalidTemplate
        With all diagnostics.
    """
    given = {name if name.startswith("$") else f"${name}": value for name, value in (values or {}).items()}
    context = Context(
        signatures(),
        now,
        given,
        archive,
        f"helio {__version__} · {template.get('id', 'pipeline')}",
        _given(catalogue),
        pipelines=_given(pipelines),
        components=partial(components_in_files, archive),
    )
    authored = normal_form_of(template, context, normalise)
    if authored.errors:
        raise InvalidTemplate(authored.diagnostics)
    if time_range is not None:
        set_time_range(given, time_variable(authored.plan), time_range)
    reach = () if recorded else tuple(check_reach(authored, context, whole_run=time_range is not None))
    authored = replace(authored, diagnostics=(*authored.diagnostics, *reach))
    if authored.errors:
        raise InvalidTemplate(authored.diagnostics)
    bound = bind(template, authored, context)
    if bound.errors:
        raise InvalidTemplate(bound.diagnostics)
    return _freeze(template, authored, bound, now)


def set_time_range(values: dict[str, Any], variable: str, time_range: str) -> None:
    """Put the value of ``--time-range`` into the values of a run.

    Raises
    ------
    RequestError
        The variable already has a value.
    """
    if variable in values:
        raise RequestError(
            f"{variable} is given twice: as '{values[variable]}', and as the time range '{time_range}'",
            advice="give only one of the two values",
        )
    values[variable] = time_range


def time_variable(template: Document) -> str:
    """Find the variable whose value the option ``--time-range`` sets.

    Raises
    ------
    InvalidTemplate
        There is none, or more than one.
    """
    read = Template.from_json(template)
    if "$TIME_RANGE" in read.variables:
        return "$TIME_RANGE"
    named = read.time_variables
    if len(named) == 1:
        return named[0]
    message = "--time-range is given, but the template has no variable of type time_range"
    literals = list(time_literals(read, signatures()))
    if literals:
        message += f"; its time ranges are fixed: {listed_literals(literals)}"
    if named:
        message = f"--time-range could mean {' or '.join(named)}"
    advice = (f"use --set {named[0][1:]}=…",) if named else ()
    if literals and not named:
        advice = ('declare "$TIME_RANGE", and use it instead of each time range that should change',)
    raise InvalidTemplate([Diagnostic("HB203", message, advice=advice, candidates=tuple(named))])


def _freeze(written: Document, authored: RewriteResult, bound: RewriteResult, now: datetime) -> Plan:
    known = signatures()
    template = Template.from_json(bound.plan)
    labels = {label for step in template.steps for label in step.produces}
    steps: list[PlannedStep] = []
    came_from = origins(template, known)
    documents = documents_by_label(template.steps)
    for step in template.steps:
        origin = came_from[pointer(*step.path)]
        signature = known[step.tool_name]
        steps.append(
            PlannedStep(
                step_id=step.step_id,
                tool_name=step.tool_name,
                tool_version=signature.version,
                args=step.tool_args,
                reads=_reads(signature, step.tool_args),
                produces=step.produces,
                depends_on=step.depends_on,
                critical=step.critical,
                intent=step.intent,
                time_ranges={
                    name: parse_time_range(step.tool_args[name], now)
                    for name in signature.time_arguments()
                    if name in step.tool_args
                },
                items=_items(step),
                files=planned_files(step, signature.gives),
                not_measured=tuple(sorted(origin.written)),
                maybe_not_measured=tuple(sorted(origin.doubtful)),
                retries=_retries(step),
                documents=tuple(
                    documents[label].short() for label in sorted(origin.written) if label in documents
                ),
            )
        )
    return Plan(
        pipeline_id=written.get("id", "pipeline"),
        name=written.get("name") or written.get("id", "pipeline"),
        template_digest=digest(written),
        now=now,
        values={name: facts.value for name, facts in template.variables.items()},
        time_ranges=_time_ranges(template, now),
        steps=tuple(steps),
        owners={
            label: _owner(label, labels) for step in steps for read in step.reads.values() for label in read
        },
        authored=written,
        normalised=authored.plan,
        document=bound.plan,
        edits=(*authored.edits, *bound.edits),
        warnings=tuple(
            finding
            for finding in dict.fromkeys((*authored.diagnostics, *bound.diagnostics))
            if finding.severity == "warning"
        ),
        verified=_VERIFIED,
    )


def _retries(step: Step) -> Retries | None:
    if step.retries is None:
        return None
    pause = retry_pause(step.retries, step.retry_delay)
    return Retries(step.retries, None if pause is None else pause.total_seconds())


def _reads(signature: Signature, args: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the labels that a step reads, grouped by the tool's table parameter."""
    reads: dict[str, tuple[str, ...]] = {}
    for table in signature.tables:
        # The first argument names every label, in order; the others repeat them.
        first = tuple(table.argument.split("."))
        labels = [label for path, label in read_labels(signature, args) if path[: len(first)] == first]
        reads[table.parameter] = tuple(labels)
    return reads


def _time_ranges(template: Template, now: datetime) -> dict[str, TimeRange]:
    """Return the values of the time variables, ``$TIME_RANGE`` first."""
    names = sorted(template.time_variables, key=lambda name: name != "$TIME_RANGE")
    return {name: parse_time_range(template.variables[name].value, now) for name in names}


def _items(step: Step) -> tuple[Item, ...]:
    """Read from a step's annotations the items to which the step belongs."""
    note = step.annotations.get("map")
    items: list[Item] = []
    while isinstance(note, dict) and "step_id" in note:
        keep_partial = note.get("on_item_error") == "keep_partial"
        items.insert(0, Item(note["step_id"], str(note.get("name", "")), keep_partial))
        note = note.get("inside")
    return tuple(items)


def _given(known: Mapping[str, Known] | None) -> Mapping[str, Known]:
    """Return the mapping, or an empty mapping for None; do not ask for its length, because this opens the catalogue."""
    return {} if known is None else known


def _owner(label: str, produced: set[str]) -> str:
    table = owner(label, produced)
    if table is None:  # derive_dependencies has refused it
        raise AssertionError(f"no step produces {label!r} in a verified plan")
    return table
