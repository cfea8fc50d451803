"""Saved plans: `helio plan` writes them; `helio run plan.json` executes them without any change, or refuses.

HV106 (error)  a saved plan differs from the plan of its template
    It is damaged, or was planned by another version.
    before  helio run plan.json, edited by hand
    after   refused: run helio plan again
    to do   Make the plan again with `helio plan PIPELINE --output FILE`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from helio import __version__
from helio.limits import LIMITS
from helio.pipelines.known import known_datasets
from helio.pipelines.plan import Plan, make_plan, meant
from helio.pipelines.runs.request import RunRequest
from helio.pipelines.template.diagnostics import Diagnostic, InvalidTemplate
from helio.store.records import NaiveInstant, WrongShape, convert, read_bytes, read_json
from helio.store.work_keys import key_of

if TYPE_CHECKING:
    from helio.store.lock_file import Lock

FORM = "helio-plan/1"
_START = re.compile(rb'\s*\{\s*"plan"\s*:\s*"' + re.escape(FORM.encode()) + b'"')
"""Pattern of the first bytes of a saved plan."""


@dataclass(frozen=True)
class SavedPlan:
    """A saved plan that helio has planned again from its template with the same result.

    Parameters
    ----------
    files : mapping
        Name and identity of the files of each fetch, by its step's id.
    template : str
        The digest of the planned template; empty where it was not saved.
    meant : str
        The key of the parts of that template that can change a result; empty where it was not saved.
    """

    plan: Plan
    archive: str
    files: Mapping[str, Any]
    template: str = ""
    meant: str = ""

    def is_of(self, lock: Lock) -> bool:
        """Return whether a lock file belongs to the template of this plan; descriptions may differ."""
        if lock.document and self.meant:
            return key_of(lock.document) == self.meant
        return lock.template == self.template


def read_saved(path: Path) -> Any:
    """Read a file with a saved plan or a template; return None if it is too large for a template and is no saved plan.

    Raises
    ------
    FileNotFoundError, DamagedRecord, WrongShape
        It cannot be read.
    """
    content = read_bytes(path, largest=LIMITS.plan_bytes)
    if len(content) > LIMITS.file_bytes and not _START.match(content):
        return None
    return read_json(content)


class _BarePlan(TypedDict):
    """Keys of a saved plan that helio needs to plan its template again."""

    authored: dict[str, Any]
    values: dict[str, Any]
    archive: str
    now: NaiveInstant
    steps: list[dict[str, Any]]
    files: dict[str, Any]


class _WrittenPlan(_BarePlan, total=False):
    """Keys of a saved plan, with the keys that identify its template."""

    template: str
    meant: str


def is_saved_plan(document: Any) -> bool:
    """Return whether a JSON document is a saved plan and not a template."""
    return isinstance(document, dict) and document.get("plan") == FORM


def as_json(
    request: RunRequest, *, files: Mapping[str, Any], forecast: list[dict[str, Any]]
) -> dict[str, Any]:
    """Convert a plan to the JSON of a saved plan."""
    plan = request.plan
    return {
        "plan": FORM,
        "helio": __version__,
        "pipeline": plan.pipeline_id,
        "template": plan.template_digest,
        "meant": key_of(meant(plan.authored)),
        "now": plan.now.isoformat(),
        "values": dict(plan.values),
        "archive": request.archive,
        "forecast": forecast,
        "files": dict(files),
        "steps": plan.document["steps"],
        "authored": plan.normalised,
        "edits": [edit.to_json() for edit in plan.edits],
        "warnings": [warning.to_json() for warning in plan.warnings],
    }


def restore(document: Mapping[str, Any], *, home: Path, place: str = "") -> SavedPlan:
    """Verify a saved plan: plan its template again, and compare the new plan with the saved plan.

    Raises
    ------
    InvalidTemplate
        HV106: it is damaged, or this version of helio plans the same template differently.
    """
    try:
        written: _WrittenPlan = convert(document, _WrittenPlan)
    except WrongShape as error:
        raise _refused(f"the plan is damaged: {error}", place) from error
    authored, values, archive = written["authored"], written["values"], written["archive"]
    now = datetime.fromisoformat(written["now"])
    steps, files = written["steps"], written["files"]
    known = known_datasets(home, now, archive)
    plan = make_plan(authored, now=now, values=values, archive=archive, catalogue=known, recorded=True)
    if json.dumps(plan.document["steps"], sort_keys=True) != json.dumps(steps, sort_keys=True):
        raise _refused(
            f"helio {__version__} plans this template differently from helio {document.get('helio')}", place
        )
    return SavedPlan(plan, archive, files, written.get("template", ""), written.get("meant", ""))


def _refused(message: str, place: str) -> InvalidTemplate:
    return InvalidTemplate([Diagnostic("HV106", message, advice=("run `helio plan` again",))], place=place)
