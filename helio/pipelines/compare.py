"""Two runs side by side: plans, files, numbers, figures, and what may explain the first difference."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from helio.errors import DamagedObject
from helio.pipelines.states import DONE
from helio.store.keys import difference
from helio.store.rules import changed_rules
from helio.store.runs import RunRecord
from helio.store.store import Store

if TYPE_CHECKING:
    from helio.store.table import Table

Judge = Callable[[str, str], str]
"""Says in words how the tables of two digests differ; empty where it cannot."""


_CITED = re.compile(r"inputs\.\w+\.(?P<label>.+)\.cites\[\d+\]\[(?P<part>[0-3])\]: (?P<change>.+)")
_INPUT = re.compile(r"inputs\.(?P<parameter>\w+)(?:\[\d+\]|\.(?P<label>.+))\.digest changed")
_CITES = ("dataset", "version", "provider", "standing")
"""What a figure's recipe says of each source of a table, in order (recipes.py)."""


@dataclass(frozen=True)
class Difference:
    """One output of a step that is not the same in both runs.

    Parameters
    ----------
    step_id : str
    output : str
        A table's label, the name of a figure's or an export's file, or ``"figure"``.
    message : str
        What differs, in words.
    reasons : tuple of str
        What explains it, as far as the records tell.
    """

    step_id: str
    output: str
    message: str
    reasons: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {**vars(self), "reasons": list(self.reasons)}


@dataclass(frozen=True)
class Comparison:
    """What differs between two runs; each part is empty where nothing does.

    Parameters
    ----------
    plan : tuple of str
        Pipeline, template, archive, values, and steps.
    files : tuple of str
        Files that data were read from.
    numbers, figures : tuple of Difference
        In the order of the plan, so that the first one is where the runs part.
    environment : tuple of str
        Versions of what results depend on.
    rules : tuple of str
        Changes of helio's own rules between the two, in words (`helio.store.rules`).
    tables, drawn, saved : int
        How many tables, figures, and files of `save_data` were compared.
    """

    old: str
    new: str
    plan: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    numbers: tuple[Difference, ...] = ()
    figures: tuple[Difference, ...] = ()
    environment: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    tables: int = 0
    drawn: int = 0
    saved: int = 0
    order: tuple[str, ...] = field(default=(), repr=False)
    """Ids of the steps, as planned."""

    @property
    def same_results(self) -> bool:
        """Whether every table, figure and file that both runs should have is the same."""
        return not self.numbers and not self.figures

    @property
    def first(self) -> Difference | None:
        """The difference at the first step of the plan that has one."""
        found = (*self.numbers, *self.figures)
        places = {step_id: place for place, step_id in enumerate(self.order)}
        return min(found, key=lambda one: places.get(one.step_id, len(places)), default=None)

    def to_json(self) -> dict[str, Any]:
        """For programs."""
        return {
            "comparison": "helio-comparison/1",
            "old": self.old,
            "new": self.new,
            "same_results": self.same_results,
            "compared": {"tables": self.tables, "figures": self.drawn, "saved": self.saved},
            "plan": list(self.plan),
            "files": list(self.files),
            "numbers": [one.to_json() for one in self.numbers],
            "figures": [one.to_json() for one in self.figures],
            "environment": list(self.environment),
            "rules": list(self.rules),
        }


def compare(old: RunRecord, new: RunRecord, *, judge: Judge = lambda old, new: "") -> Comparison:
    """Compare the records of two runs, step by step, by digests.

    Parameters
    ----------
    judge : callable, optional
        Says how the tables of two digests differ, for whoever has both.

    Raises
    ------
    DamagedObject
        A record cannot be read.
    """
    before, after = _steps(old), _steps(new)
    environment = tuple(_of_environments(old.header, new.header))
    rules = changed_rules(old.header.get("rules", {}), new.header.get("rules", {}))
    numbers: list[Difference] = []
    figures: list[Difference] = []
    tables = drawn = saved = 0
    for step_id in dict.fromkeys((*before, *after)):
        one, other = before.get(step_id), after.get(step_id)
        if one is None or other is None:
            continue  # said of the plans
        tables += sum(bool(output["label"]) for output in one["outputs"])
        artefacts = [output for output in one["outputs"] if not output["label"]]
        saved += sum("filename" in output for output in artefacts)
        drawn += sum("filename" not in output for output in artefacts)
        if _state(one) != _state(other):
            gives_table = any(output["label"] for output in (*one["outputs"], *other["outputs"]))
            message = f"{_state(one)} → {_state(other)}"
            found = Difference(step_id, "", message, tuple(_reasons(one, other, environment)))
            (numbers if gives_table else figures).append(found)
            continue
        theirs = {output["label"]: output for output in other["outputs"]}
        for output in one["outputs"]:
            label = output["label"]
            if label not in theirs:
                continue  # said of the plans, for a label is planned
            if output["digest"] == theirs[label]["digest"]:
                continue
            words = (label and judge(output["digest"], theirs[label]["digest"])) or (
                f"{_short(output['digest'])} → {_short(theirs[label]['digest'])}"
            )
            reasons = tuple(_reasons_of_output(output, theirs[label], environment, rules))
            name = label or str(output.get("filename") or "figure")
            (numbers if label else figures).append(Difference(step_id, name, words, reasons))
    changed = {one.step_id for one in figures}
    figures += [one for one in _of_artefacts(old, new, environment) if one.step_id not in changed]
    return Comparison(
        old=old.id,
        new=new.id,
        plan=tuple(_of_plans(old, new, before, after)),
        files=tuple(dict.fromkeys(_of_files(before, after))),
        numbers=tuple(numbers),
        figures=tuple(figures),
        environment=environment,
        rules=rules,
        tables=tables,
        drawn=drawn,
        saved=saved,
        order=tuple(dict.fromkeys((*before, *after))),
    )


def judge_by(store: Store) -> Judge:
    """Tells how two tables of a store differ."""

    def judge(old: str, new: str) -> str:
        try:
            return table_difference(store.table(old), store.table(new))
        except DamagedObject:  # collected since the run, or damaged: the digests are compared all the same
            return ""

    return judge


def table_difference(old: Table, new: Table) -> str:
    """In words, how two tables differ: shape, epochs, facts, or how many numbers by how much."""
    import numpy as np

    if old.values.shape != new.values.shape:
        return f"{_shape(old)} → {_shape(new)}"
    told = [
        f"{name} '{before}' → '{after}'"
        for name in ("unit", "name", "frame", "representation", "periods", "scale", "description")
        if (before := getattr(old, name)) != (after := getattr(new, name))
    ]
    if old.components != new.components:
        told.append(f"components {', '.join(old.components)} → {', '.join(new.components)}")
    moved = int(np.count_nonzero(old.epoch != new.epoch))
    if moved:
        told.append(f"{moved} of {len(old)} epochs differ")
    lost = int(np.count_nonzero(np.isnan(old.values) != np.isnan(new.values)))
    if lost:
        told.append(f"{lost} {'value is' if lost == 1 else 'values are'} missing in one of them only")
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(new.values.astype(np.float64) - old.values.astype(np.float64))
    count = int(np.count_nonzero(apart > 0))
    if count:
        unit = f" {new.unit}" if new.unit else ""
        told.append(f"{count} of {apart.size} values differ, by at most {np.nanmax(apart):.3g}{unit}")
    if old.values.dtype != new.values.dtype:
        told.append(f"{old.values.dtype} → {new.values.dtype}")
    return "; ".join(told) or "the bins differ"


def _shape(table: Table) -> str:
    wide = " × ".join(str(length) for length in table.values.shape[1:])
    return f"{len(table)} records" + (f" of {wide}" if wide else "")


def _steps(record: RunRecord) -> dict[str, dict[str, Any]]:
    """The steps by id, in the order of the plan: an engine ends them in another one each time."""
    planned = [str(one["step_id"]) for one in record.documents.get("plan", {}).get("steps", ())]
    done = {str(one["step_id"]): one for one in record.steps}
    return {step_id: done[step_id] for step_id in (*planned, *done) if step_id in done}


def _state(step: Mapping[str, Any]) -> str:
    if step["state"] in DONE:
        return "done"
    if step["state"] == "failed":
        return f"failed ({step['error']['kind']}: {step['error']['message']})"
    return str(step["state"])


def _reasons(
    old: Mapping[str, Any], new: Mapping[str, Any], environment: Sequence[str]
) -> Iterator[str]:  # fmt: skip
    if old["tool_version"] != new["tool_version"]:
        yield f"tool {new['tool_name']}: version {old['tool_version']} → {new['tool_version']}"
    yield from environment


def _reasons_of_output(
    old: Mapping[str, Any], new: Mapping[str, Any], environment: Sequence[str], rules: Sequence[str]
) -> Iterator[str]:
    """Explain why two outputs differ: by their recipes, else by what did the work. Rules are named once, elsewhere."""
    if "range" in old["recipe"]:
        files = list(_of_sources(old, new))
        yield from files
        # the files are named by what they are above, and in recipes by how they are listed
        before, after = ({**one["recipe"], "choices": ()} for one in (old, new))
        found = files + difference(before, after)
        yield from difference(before, after)
    else:
        found = [_told(one, new) for one in difference(old["recipe"], new["recipe"])]
        yield from dict.fromkeys(found)
    if found:
        return
    yield from environment
    if not environment and not rules:
        yield "the same work on the same content: no version that is recorded differs"


def _told(one: str, output: Mapping[str, Any]) -> str:
    """A difference of recipes in words, where its path says little."""
    if one.startswith("version: "):
        return f"tool {output['recipe']['tool']}: {one}"
    found = _INPUT.fullmatch(one)
    if found:
        return f"its input {found['label'] or found['parameter']} is another"
    found = _CITED.fullmatch(one)
    if found:
        return f"{found['label']} cites another {_CITES[int(found['part'])]}: {found['change']}"
    return one


def _of_sources(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = ({source["file"]: source for source in one["sources"]} for one in (old, new))
    for name in dict.fromkeys((*before, *after)):
        if name not in after:
            yield f"{name} is not used any more"
        elif name not in before:
            yield f"{name} was not used before"
        elif before[name]["sha256"] != after[name]["sha256"]:
            yield (
                f"{name} has other bytes: sha256 {before[name]['sha256'][:12]}… → "
                f"{after[name]['sha256'][:12]}…"
            )


def _of_files(
    before: Mapping[str, Mapping[str, Any]], after: Mapping[str, Mapping[str, Any]]
) -> Iterator[str]:
    for step_id in dict.fromkeys((*before, *after)):
        if step_id in before and step_id in after:
            theirs = {output["label"]: output for output in after[step_id]["outputs"]}
            for output in before[step_id]["outputs"]:
                if "range" in output["recipe"] and output["label"] in theirs:
                    yield from _of_sources(output, theirs[output["label"]])


def _of_plans(
    old: RunRecord,
    new: RunRecord,
    before: Mapping[str, Mapping[str, Any]],
    after: Mapping[str, Mapping[str, Any]],
) -> Iterator[str]:
    for name, words in (("pipeline", "pipeline"), ("archive", "archive")):
        one, other = old.header.get(name, ""), new.header.get(name, "")
        if one != other:
            yield f"{words}: {one or 'as the steps say'} → {other or 'as the steps say'}"
    values, theirs = old.header.get("values", {}), new.header.get("values", {})
    yield from difference(values, theirs)
    planned = [
        {str(one["step_id"]): one for one in record.documents.get("plan", {}).get("steps", ())}
        for record in (old, new)
    ]
    for step_id in dict.fromkeys((*planned[0], *planned[1])):
        if step_id not in planned[1]:
            yield f"step {step_id} is gone"
        elif step_id not in planned[0]:
            yield f"step {step_id} is new"
        else:
            used = [{name: one[step_id].get(name) for name in ("tool_name", "tool_args")} for one in planned]
            yield from (f"step {step_id}: {one}" for one in difference(used[0], used[1]))
    for step_id in before:
        if step_id in after and before[step_id]["tool_version"] != after[step_id]["tool_version"]:
            yield (
                f"tool {after[step_id]['tool_name']}: version {before[step_id]['tool_version']} → "
                f"{after[step_id]['tool_version']}"
            )


def _of_artefacts(old: RunRecord, new: RunRecord, environment: Sequence[str]) -> Iterator[Difference]:
    """Files whose bytes differ although what they show is the same."""
    theirs = {_name(one): one for one in new.header.get("artefacts", ())}
    for one in old.header.get("artefacts", ()):
        name = _name(one)
        if name not in theirs:
            yield Difference(str(one["step_id"]), name, "was written → was not written")
        elif one["sha256"] != theirs[name]["sha256"]:
            reasons = list(environment)
            if one["kind"] in ("png", "pdf", "svg"):
                reasons.append("the figure is the same; the browser that drew it, or its fonts, may not be")
            yield Difference(
                str(one["step_id"]),
                name,
                f"sha256 {one['sha256'][:12]}… → {theirs[name]['sha256'][:12]}…",
                tuple(reasons),
            )


def _name(artefact: Mapping[str, Any]) -> str:
    return PurePath(artefact["file"]).name


def _of_environments(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    before, after = old.get("environment", {}), new.get("environment", {})
    for name in dict.fromkeys((*before, *after)):
        if before.get(name) != after.get(name):
            yield f"{name}: {before.get(name, 'not there')} → {after.get(name, 'not there')}"


def _short(digest: str) -> str:
    return f"{digest[:19]}…"
