"""The document that a figure's file contains: the steps that made the figure, their data, and how to cite the data.

Two runs that make the same figure from the same files write the same document. So it has no run, no clock, no folder,
no address and no name of a person or a computer.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from helio import __version__
from helio.errors import RequestError
from helio.knowledge.citations import Citation, Use, citations_of
from helio.pipelines.plan import Plan, normal_form
from helio.pipelines.runs.as_template import variables_of
from helio.pipelines.runs.execute import PlanResult, StepResult
from helio.pipelines.runs.locking import fetch_of_result
from helio.pipelines.template.diagnostics import InvalidTemplate, StepId, pointer
from helio.pipelines.template.document import NOT_MEANING, Document, canonical, check_shape
from helio.pipelines.template.edit import Edit, replaced
from helio.pipelines.template.figures import MANAGE
from helio.pipelines.template.files import Format
from helio.pipelines.template.oversize import oversize_value
from helio.pipelines.template.runner import replay
from helio.pipelines.template.template import Template, reached
from helio.pipelines.template.time_literals import time_literals
from helio.sources.archives import is_folder
from helio.sources.registry import is_provider, is_url
from helio.steps.render.enclose import LARGEST, as_bytes, enclosed
from helio.steps.signature import signatures
from helio.store.lock_file import LockedDataset, LockedFetch, changed_fetches
from helio.store.records import Digest, WrongShape, convert, read_bytes, read_json
from helio.store.rules import changed_rules, rule_numbers
from helio.time_range import is_relative, parse_time_range

FORM = "helio-figure/1"
FOLDER, ADDRESS = "a folder", "an address"
"""Words that stand for the archive if a user named a folder or a URL, which other people should not see."""
_LARGEST_FILE = 100 * 1024**2


@dataclass(frozen=True)
class Provenance:
    """Where a figure comes from, as the figure's file says it.

    Parameters
    ----------
    helio : str
        Version of helio.
    step : str
        Id of the step that drew the figure.
    digest : str
        Digest of the figure in the store, without this document.
    archive : str
        The provider that was given for the run, or ``"a folder"`` or ``"an address"``; empty if none was given.
    values : mapping
        Values of the variables that these steps use.
    tools, rules : mapping
        Version of each tool of these steps, and the number of each of helio's rules.
    fetches : tuple of LockedFetch
        Files and tables of each fetch, with their digests.
    citations : tuple of Citation
        How to cite the datasets, without the facts that may differ between two equal runs.
    template : dict
        A template with only the steps that the figure needs; its variables have the values of the run.
    """

    helio: str
    step: str
    digest: Digest
    archive: str
    values: Mapping[str, Any]
    tools: Mapping[str, int]
    rules: Mapping[str, int]
    fetches: tuple[LockedFetch, ...]
    citations: tuple[Citation, ...]
    template: dict[str, Any]

    def to_json(self) -> dict[str, Any]:
        """Convert to JSON, without empty facts of citations."""
        citations = [
            {name: fact for name, fact in cited.to_json().items() if fact} for cited in self.citations
        ]
        return {
            "figure": FORM,
            **vars(self),
            "fetches": [fetch.to_json() for fetch in self.fetches],
            "citations": citations,
        }

    @classmethod
    def from_json(cls, document: Any) -> Self:
        """Make it from the JSON that `to_json` returns.

        Raises
        ------
        RequestError
            A part is missing or wrong, or a later version of helio wrote it.
        InvalidTemplate
            A field of its template has a wrong place or type.
        """
        form = document.get("figure") if isinstance(document, dict) else None
        if form != FORM:
            raise RequestError(
                f"the document in this figure has the format {str(form)[:40]!r}; this version of helio reads {FORM}",
                advice="update helio",
            )
        if "left_out" in document:
            raise RequestError(
                f"this figure does not contain its pipeline: {str(document['left_out'])[:200]}",
                advice="ask for the pipeline, or use the record of the run",
            )
        try:
            read: Self = convert({name: document[name] for name in document if name != "figure"}, cls)
        except WrongShape as error:
            raise RequestError(
                f"the document in this figure is damaged: {error}", advice="use the file that helio wrote"
            ) from error
        if read.archive not in ("", FOLDER, ADDRESS) and not is_provider(read.archive):
            raise RequestError(
                f"the document in this figure names the archive {read.archive[:40]!r}, which is no provider",
                advice="give the data with --archive DIR or --archive NAME",
            )
        found = oversize_value(read.template) or check_shape(read.template)
        if found is not None:
            raise InvalidTemplate([found])
        # what is shown is what runs: other spellings are corrected before both
        read = replace(read, template=normal_form(read.template))
        if read.values != _values_of(read.template):
            raise RequestError(
                "the document in this figure is damaged: its values are not those of its template",
                advice="use the file that helio wrote",
            )
        return read

    @property
    def needs_archive(self) -> bool:
        """Whether the data came from a folder or an address, which the document does not name."""
        return self.archive in (FOLDER, ADDRESS)

    @property
    def datasets(self) -> tuple[LockedDataset, ...]:
        """The datasets that the fetches used."""
        return tuple(dataset for fetch in self.fetches for dataset in fetch.datasets)


@dataclass(frozen=True)
class FigureFile:
    """The file of a figure, as helio read it once.

    Parameters
    ----------
    origin : Provenance
        The document in the file.
    format : str
        ``"html"``, ``"png"``, ``"pdf"`` or ``"svg"``.
    sha256 : str
        Digest of the file.
    self_contained : bool
        Whether it is a page with its scripts in it.
    """

    origin: Provenance
    format: Format
    sha256: str
    self_contained: bool = False


def read_figure(path: Path) -> FigureFile:
    """Read the file of a figure with the document in it.

    Raises
    ------
    RequestError
        There is no such file, it is no figure of helio, or it is damaged.
    """
    from helio.steps.render.write_figure import loads_scripts

    try:
        content = read_bytes(path, largest=_LARGEST_FILE)
        document, form = enclosed(content)
        origin = Provenance.from_json(read_json(document))
    except FileNotFoundError:
        raise RequestError(f"there is no file {path}", advice="name a figure that helio wrote") from None
    except WrongShape as error:
        raise RequestError(
            f"the document in this figure is damaged: {error}",
            advice="use the file that helio wrote",
            place=str(path),
        ) from error
    except RequestError as error:
        raise error.located(str(path)) from error
    return FigureFile(
        origin, form, hashlib.sha256(content).hexdigest(), form == "html" and not loads_scripts(content)
    )


def provenance_of(
    result: PlanResult,
    figure: StepResult,
    *,
    archive: str,
    home: Path,
    digest: str,
    template: Document | None = None,
) -> Provenance:
    """Return where a figure of a run comes from.

    Parameters
    ----------
    figure : StepResult
        The step that drew the figure.
    archive : str
        The archive that was given for the run.
    home : Path
        helio's home folder, whose catalogue has facts for citations.
    digest : str
        Digest of the figure.
    template : Document, optional
        The template of this figure, if the run was made from the document of an earlier figure.
    """
    plan = result.plan
    needed = reached(figure.step.step_id, {step.step_id: step.depends_on for step in plan.steps})
    steps = [step_result for step_result in result.steps if step_result.step.step_id in needed]
    fetches = [
        step_result for step_result in steps if signatures()[step_result.step.tool_name].gives == "tables"
    ]
    tools = {step_result.step.tool_name: step_result.step.tool_version for step_result in steps}
    uses = [
        Use(source, tuple(output.recipe["range"]))
        for step_result in fetches
        for output in step_result.outputs
        for source in output.sources
    ]
    template = template or template_of_figure(plan, figure.step.step_id)
    return Provenance(
        helio=__version__,
        step=str(figure.step.step_id),
        digest=digest,
        archive=FOLDER if is_folder(archive) else ADDRESS if is_url(archive) else archive,
        values=_values_of(template),
        tools=dict(sorted(tools.items())),
        rules=rule_numbers(),
        fetches=tuple(map(_used, fetches)),
        citations=tuple(
            replace(
                cited,
                accessed=(),
                proofs={},
                unknown=(),
                served_at="" if is_url(archive) else cited.served_at,
            )
            for cited in citations_of(uses, home)
        ),
        template=template,
    )


def document_of(origin: Provenance) -> bytes:
    """Return the document as the figure's file contains it; if it is too large, only the reason why it is left out."""
    document = as_bytes(origin.to_json())
    if len(document) <= LARGEST:
        return document
    reason = f"it has {len(document):,} bytes, and a figure contains at most {LARGEST:,}"
    return as_bytes({"figure": FORM, "helio": origin.helio, "left_out": reason})


def template_of_figure(plan: Plan, step_id: StepId) -> Document:
    """Return a template with only the steps that a figure needs; its variables have the values of the plan.

    A figure of one item of a ``for_each`` gets a template of this item.
    """
    needed = reached(step_id, {step.step_id: step.depends_on for step in plan.steps})
    names = {str(name) for name in needed}
    steps = _kept(plan.normalised["steps"], lambda name: _stands_for(name, names))
    steps = [_part_of(step, names) for step in steps]
    steps = [_of_one_item(step, plan, step_id, needed) for step in steps]
    used = {name for step in steps for name in variables_of(step)}
    made = {name: fact for name, fact in plan.normalised.items() if name not in NOT_MEANING}
    made["variables"] = {
        name: {
            **{key: fact for key, fact in facts.items() if key != "required"},
            "default": plan.values[name],
        }
        for name, facts in plan.normalised.get("variables", {}).items()
        if name in used
    }
    made["steps"] = steps
    edits = [
        Edit(
            "HB101",
            f"{literal.written} means {span}",
            replaced(pointer(*literal.path), literal.written, span),
            kind="bind",
        )
        for literal in time_literals(Template.from_json(made), signatures())
        if is_relative(literal.written) and (span := str(parse_time_range(literal.written, plan.now)))
    ]
    return canonical(replay(made, edits))


def differences(old: Provenance, new: Provenance) -> tuple[str, ...]:
    """Describe how the data and the programs of two figures differ; files are compared by their digests."""
    lines = [] if old.helio == new.helio else [f"helio: {old.helio} → {new.helio}"]
    for name in dict.fromkeys((*old.tools, *new.tools)):
        before, after = (side.tools.get(name) for side in (old, new))
        if None not in (before, after) and before != after:
            lines.append(f"tool {name}: version {before} → {after}")
    served = [
        f"{before.dataset}: read from {before.provider} → {after.provider}"
        for before in old.datasets
        for after in new.datasets
        if before.dataset == after.dataset and before.provider != after.provider
    ]
    fetches = _without_equal_files(old.fetches, new.fetches), _without_equal_files(new.fetches, old.fetches)
    return tuple(
        dict.fromkeys([*lines, *served, *changed_fetches(*fetches), *changed_rules(old.rules, new.rules)])
    )


def _values_of(template: Document) -> dict[str, Any]:
    return {name: facts.get("default") for name, facts in (template.get("variables") or {}).items()}


def _used(made: StepResult) -> LockedFetch:
    """Return the files of the dataset that a fetch used, as the figure cites them, without addresses."""
    fetch = fetch_of_result(made)
    served = {source.dataset_id: source.provider for output in made.outputs for source in output.sources}
    datasets = (
        replace(
            dataset,
            provider=served.get(dataset.dataset, dataset.provider),
            files=tuple(replace(file, url="", last_modified="") for file in dataset.files),
        )
        for dataset in fetch.datasets
        if dataset.used
    )
    return replace(fetch, datasets=tuple(datasets))


def _without_equal_files(fetches: Iterable[LockedFetch], others: Iterable[LockedFetch]) -> list[LockedFetch]:
    """Leave out the files with the same bytes as a file of the other fetches, whatever their names are."""
    known = {file.sha256 for fetch in others for dataset in fetch.datasets for file in dataset.files}
    return [
        replace(
            fetch,
            datasets=tuple(
                replace(
                    dataset, files=tuple(file for file in dataset.files if file.sha256 not in known - {""})
                )
                for dataset in fetch.datasets
            ),
        )
        for fetch in fetches
    ]


def _stands_for(name: str, needed: Iterable[str]) -> bool:
    """Return whether a step of the template became one of the needed steps: ``ID``, ``ID[item]`` or ``ID.inner``."""
    return any(other == name or other.startswith((f"{name}[", f"{name}.")) for other in needed)


def _kept(steps: Sequence[Document], is_needed: Callable[[str], bool]) -> list[Document]:
    """Return the needed steps, and the exports of figures among them, which only name files."""
    kept = [step["step_id"] for step in steps if is_needed(str(step["step_id"]))]
    return [
        step
        for step in steps
        if step["step_id"] in kept
        or (step.get("tool_name") == MANAGE and any(other in kept for other in step["depends_on"]))
    ]


def _part_of(step: Document, needed: Iterable[str]) -> Document:
    """Leave out the steps of a block that the figure needs for no item: ``MAP[item].inner``."""
    if "block" not in step:
        return step
    items = [f"{name}." for name in needed if name.startswith(f"{step['step_id']}[")]

    def is_needed(name: str) -> bool:
        return any(f"].{name}{sign}" in item for item in items for sign in ".[")

    return {**step, "block": _kept(step["block"], is_needed) or step["block"]}


def _of_one_item(step: Document, plan: Plan, step_id: StepId, needed: Iterable[StepId]) -> Document:
    """Reduce a ``for_each`` to the item of the figure, if the figure needs no other item of it."""
    steps = {planned.step_id: planned for planned in plan.steps}
    names = {
        steps[name].items[0].name
        for name in needed
        if steps[name].items and str(steps[name].items[0].map_id) == str(step["step_id"])
    }
    figure = steps[step_id]
    if len(names) != 1 or not figure.items or str(figure.items[0].map_id) != str(step["step_id"]):
        return step
    document = next(other for other in plan.document["steps"] if other["step_id"] == step_id)
    note = document["annotations"]["map"]
    while isinstance(note.get("inside"), dict):
        note = note["inside"]
    return {**step, "for_each": {**step["for_each"], "over": [note["item"]]}}
