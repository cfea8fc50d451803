"""Process that computes and draws; if this process is killed, the process that started it continues.

It reads one request per line of JSON from standard input, and answers each with one line on standard output. Tables
pass only through the store. It ends when its input ends.
"""

from __future__ import annotations

import json
import os
import sys
import traceback
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from helio.errors import DamagedObject, HelioError, StepError
from helio.pipelines.runs.call import call_tool
from helio.pipelines.runs.replies import error_as_reply, table_facts
from helio.sources.child import limit_memory
from helio.steps.sandbox.jail import Jail
from helio.store.no_values import no_values_note
from helio.store.source_file import SourceFile
from helio.store.store import Store
from helio.store.table import Table
from helio.time_range import TimeRange


def main() -> None:
    """Read requests and write replies until the input ends."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # the output of a library must not look like an answer
    memory, sandbox, *ahead = sys.argv[1:]
    limit_memory(int(memory))
    # the parent holds the other end of our input: when it is gone, code in the jail must end
    with Jail(policy="weak" if sandbox == "weak" else "refuse", lifeline=0) as jail:
        if ahead and sys.platform == "linux":  # elsewhere the step itself is refused with a message
            jail.start()
        import numpy as np

        import helio.store.ipc  # noqa: F401 - the longest import of any step, done while the plan is made

        np.seterr(all="ignore")
        answers.write(b'{"ready": true}\n')
        for line in sys.stdin.buffer:
            answers.write(json.dumps(_answer(json.loads(line), jail)).encode() + b"\n")


def _answer(request: dict[str, Any], jail: Jail) -> dict[str, Any]:
    store = _store(request["store"])
    try:
        tables = {
            parameter: {read["label"]: _table(store, read) for read in named}
            for parameter, named in request["inputs"].items()
        }
        time_ranges = {name: TimeRange.from_iso(*span) for name, span in request["time_ranges"].items()}
        made = call_tool(request["tool"], request["args"], tables, time_ranges=time_ranges, jail=jail)
        answer = {"output": _keep(store, made)}
        return answer | {"detail": _keep_detail(store, made)} if request.get("detail") else answer
    except _DamagedInput as error:
        return {"damaged": error.digest}
    except HelioError as error:
        return error_as_reply(error)
    except MemoryError:
        return error_as_reply(
            StepError("the step needs more memory than its limit", advice="choose a shorter time range")
        )
    except Exception:  # noqa: BLE001 - a bug is raised again in the parent, with this traceback
        return {"bug": traceback.format_exc()}


@cache
def _store(root: str) -> Store:
    """Return the store of a folder, the same for all requests: it remembers which objects it has checked."""
    return Store(Path(root))


class _DamagedInput(Exception):
    """Error for an input table that is damaged in the store; the parent process makes it again and asks again."""

    def __init__(self, digest: str) -> None:
        super().__init__(digest)
        self.digest = digest


def _table(store: Store, named: dict[str, Any]) -> Table:
    if named["absent"]:
        return _absent_table(named["absent"])
    try:
        table = store.table(named["digest"])
    except DamagedObject as error:
        raise _DamagedInput(named["digest"]) from error
    sources = tuple(SourceFile(**source) for source in named["sources"])
    table = replace(table, sources=sources, notes=tuple(named["notes"]))
    if not named["component"]:
        return table
    try:
        return table.component(named["component"])
    except StepError as error:
        raise StepError(f"{named['label']}: {error.message}", advice=error.advice) from error


def _absent_table(reason: str) -> Table:
    """Return a table without records in place of one that does not exist, with a note that says why."""
    import numpy as np

    return Table(np.zeros(0, "datetime64[ns]"), np.zeros(0), notes=(no_values_note(reason),))


def _keep(store: Store, made: Any) -> dict[str, Any]:
    """Store the result of a tool, and describe the result for the reply."""
    if isinstance(made, Table):
        return {"digest": store.put_table(made), "suffix": ".arrow", "facts": table_facts(made)}
    from helio.steps.render.figure import Figure

    if isinstance(made, Figure):
        from helio.steps.render.write_figure import to_json

        digest = store.put_bytes(to_json(made), ".json")
        return {"digest": digest, "suffix": ".json", "facts": {"notes": list(made.notes)}}
    suffix = Path(made.filename).suffix
    digest = store.put_bytes(made.content, suffix)
    facts = {"filename": made.filename, "media_type": made.media_type, "notes": []}
    return {"digest": digest, "suffix": suffix, "facts": facts}


def _keep_detail(store: Store, made: Any) -> str:
    """Store the detail of a figure, and return its digest."""
    from helio.steps.render.detail import SUFFIX
    from helio.steps.render.refine import make_detail

    return store.put_bytes(make_detail(made.details), SUFFIX)


if __name__ == "__main__":
    main()
