"""Find the steps on which each step depends, from the labels that the step reads.

HR203 (error)  label that no step produces
    helio may suggest a fetch, but never chooses a dataset.
    before  "source_label": "AC_H2_MFI.BGSEc" without its fetch
    after   refused
    to do   Add the step that fetches or computes this label, or correct the label as the message suggests.

HR301 (edit safe)  dependency derived from a label or figure
    A step waits for the step that produces the labels it reads.
    before  2 reads "AC_H2_MFI.BGSEc" of 1
    after   "depends_on": [1]

HR303 (error)  dependency on a step that does not exist
    The author may mean another step.
    before  "depends_on": [7] in a plan of 3 steps
    after   refused
    to do   Correct the id in depends_on, or remove it; helio derives the dependencies from the labels.
"""

from __future__ import annotations

from collections.abc import Iterator

from helio.errors import closest
from helio.pipelines.analyses.known_labels import MOST_ITEMS, Labels, labels_of
from helio.pipelines.dialect.declare_variables import REQUIRED, declaration
from helio.pipelines.dialect.spell_variables import BUILT_IN
from helio.pipelines.template.context import Context, Finding
from helio.pipelines.template.diagnostics import Diagnostic, Fix, StepId, pointer
from helio.pipelines.template.document import shortened
from helio.pipelines.template.edit import Edit, Operation, added, replaced
from helio.pipelines.template.graph import Read, StepView, views
from helio.pipelines.template.labels import close_labels, owner
from helio.pipelines.template.maps import is_glob, matching
from helio.pipelines.template.template import Template
from helio.pipelines.template.variables import TOKEN, Path


def derive_dependencies(template: Template, context: Context) -> Iterator[Finding]:
    """Let each step depend on the steps whose labels it reads; refuse labels and step ids that do not exist.

    A block depends on the steps that its own steps read from; inside it they depend on one another.

    >>> from datetime import datetime
    >>> from helio.steps.signature import signatures
    >>> template = Template.from_json({"steps": [
    ...     {"step_id": 1, "tool_name": "fetch_data", "depends_on": [], "produces": ["A.B"],
    ...      "tool_args": {"dataset_id": "A", "parameter_id": "B", "time_range": "2024"}},
    ...     {"step_id": 2, "tool_name": "magnitude", "depends_on": [], "produces": ["C"],
    ...      "tool_args": {"source_label": "A.B", "output_label": "C"}}]})
    >>> [edit] = derive_dependencies(template, Context(signatures(), datetime(2024, 1, 1), {}))
    >>> print(edit.code, edit.message)
    HR301 depends on 1, whose labels it reads
    """
    steps = list(views(template.walk(), context.signatures))
    labels = labels_of(steps, context)
    ids: dict[Path, list[StepId]] = {}
    reads: dict[Path, list[str]] = {}
    for step in steps:
        ids.setdefault(step.path[:-1], []).append(step.id)
        for read in step.reads:
            meant = [read.label, *_of_items(read.label, step, context)]
            for length in range(len(step.path), 0, -2):
                reads.setdefault(step.path[:length], []).extend(meant)
            if is_glob(read.label) and not _takes_several(step, read.path):
                yield _one_wanted(step, read, labels)
            elif _is_unknown(read.label, labels):
                yield _nobody(template, step, read, labels, context)
    order = {path: {step_id: index for index, step_id in enumerate(among)} for path, among in ids.items()}
    for step in steps:
        among, written = step.path[:-1], step.step.depends_on
        known = order[among]
        dependencies: list[StepId] = list(written)
        found: set[StepId] = set()
        for position, needed in enumerate(dependencies):
            if needed not in known:
                yield _no_step(step, position, needed, ids[among])
        for label in dict.fromkeys(reads.get(step.path, ())):
            found.update(labels.steps(label, among))
        # What the author wrote first, as written; what the labels add in the order of the list.
        dependencies += sorted(found.difference(dependencies), key=known.__getitem__)
        if step.id in dependencies:
            if not step.step.block and _reads_itself(step):
                yield Diagnostic(
                    "HR402",
                    f"step {step.id} depends on itself: it reads the label that it produces",
                    step_id=step.id,
                    tool_name=step.tool,
                    path=pointer(*step.path, "tool_args"),
                    advice=("choose another output_label",),
                )
                continue
            if step.id not in written:  # a block reads what its own steps give
                dependencies.remove(step.id)
        if dependencies != list(written):
            new = [needed for needed in dependencies if needed not in written]
            at = pointer(*step.path, "depends_on")
            message = f"depends on {', '.join(map(str, new))}, whose labels it reads"
            yield Edit("HR301", message, replaced(at, list(written), dependencies), step.id, path=at)


def _of_items(label: str, step: StepView, context: Context) -> list[str]:
    """Return the labels that a label with an item in its name stands for, as far as the items are known."""
    if not any(name in TOKEN.findall(label) for name in step.step.items):
        return []
    found = step.with_items(label, context)
    return [step.pattern(label)] if found is None else found[:MOST_ITEMS]


def _is_unknown(label: str, labels: Labels) -> bool:
    if TOKEN.search(label):
        return False
    if is_glob(label):
        return not labels.may_match(label)
    return labels.complete and owner(label, labels.all) is None


def _takes_several(step: StepView, path: Path) -> bool:
    """Return whether a tool takes a list of labels at this path in its arguments."""
    in_list = isinstance(path[-1], int)
    return any(
        table.many and (in_list or dotted == ".".join(map(str, path)))
        for table in (step.signature.tables if step.signature else ())
        for dotted in (table.argument, *table.also)
        if dotted.partition(".")[0] == path[0]
    )


def _one_wanted(step: StepView, read: Read, labels: Labels) -> Diagnostic:
    known = matching(read.label, labels.all)
    meant = known[:3] or list(labels.all)[:3]
    return Diagnostic(
        "HR203",
        f"'{shortened(read.label)}' may match several labels, but exactly one is needed here",
        step_id=step.id,
        tool_name=step.tool,
        path=pointer(*step.path, "tool_args", *read.path),
        advice=(
            f"write one of these labels: {', '.join(meant)}"
            if meant
            else "add a step that produces the label",
        ),
        candidates=tuple(known[:50]),
    )


def _reads_itself(step: StepView) -> bool:
    own = set(step.outputs)
    return any(matching(label, own) if is_glob(label) else owner(label, own) for label in step.labels)


def _no_step(step: StepView, position: int, needed: StepId, ids: list[StepId]) -> Diagnostic:
    close: list[StepId] = [known for known in ids if str(known) == str(needed)]
    if not close:
        named = {str(known): known for known in ids}
        close = [named[name] for name in closest(str(needed), named)]
    at = pointer(*step.path, "depends_on", position)
    return Diagnostic(
        "HR303",
        f"depends_on names step {needed}, which does not exist",
        step_id=step.id,
        tool_name=step.tool,
        path=at,
        advice=(f"did you mean {close[0]!r}?",)
        if close
        else (f"use one of these steps: {', '.join(map(str, ids[:50]))}",),
        candidates=tuple(close),
        fixes=tuple(Fix(f"depend on {known}", replaced(at, needed, known)) for known in close),
    )


def _nobody(template: Template, step: StepView, read: Read, labels: Labels, context: Context) -> Diagnostic:
    label, known = read.label, list(labels.all)
    close = close_labels(label, [other for other in known if other not in step.labels])
    at = pointer(*step.path, "tool_args", *read.path)
    fixes = [Fix(f"read {guess}", replaced(at, label, guess)) for guess in close]
    inserted = _fetch_of(template, label, context)
    advice = [f"did you mean '{guess}'?" for guess in close[:1]]
    if inserted is not None:
        fixes.insert(0, inserted)
        advice.append(f"add a step that fetches {label}")
    return Diagnostic(
        "HR203",
        f"no step produces {'a label that matches' if is_glob(label) else 'the label'} '{shortened(label)}'",
        step_id=step.id,
        tool_name=step.tool,
        path=at,
        advice=tuple(advice)
        or (f"use one of these labels: {', '.join(known[:50])}" if known else "add a step that produces it",),
        candidates=close,
        fixes=tuple(fixes),
    )


def _fetch_of(template: Template, label: str, context: Context) -> Fix | None:
    """Return the fetch step that would give a label, if the catalogue knows the label."""
    dataset_id, _, rest = label.partition(".")
    dataset = context.catalogue.get(dataset_id)
    parameter = next(
        (name for name in (rest, rest.rpartition(".")[0]) if dataset and name in dataset.parameters), ""
    )
    if not parameter:
        return None
    times = template.time_variables
    operations: tuple[Operation, ...] = ()
    if not times and BUILT_IN not in template.variables:
        operations = declaration("variables" in template.keys, REQUIRED)
    numbers = [step.step_id for step in template.steps if isinstance(step.step_id, int)]
    fetch = {
        "step_id": max([*numbers, 0]) + 1,
        "tool_name": "fetch_data",
        "tool_args": {
            "dataset_id": dataset_id,
            "parameter_id": parameter,
            "time_range": times[0] if len(times) == 1 else BUILT_IN,
        },
    }
    operations += added(pointer("steps", len(template.steps)), fetch)
    return Fix(f"fetch {dataset_id}.{parameter}", operations)
