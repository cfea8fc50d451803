"""Which steps each step rests on, from the labels that it reads."""

from __future__ import annotations

from collections.abc import Iterator

from helio.pipelines.diagnostics import Diagnostic, StepId, did_you_mean, pointer
from helio.pipelines.labels import owner, produced_labels, read_labels
from helio.pipelines.passes.edit import Context, Edit, Finding, replaced
from helio.pipelines.template import Document
from helio.pipelines.variables import TOKEN


def derive_dependencies(plan: Document, context: Context) -> Iterator[Finding]:
    """Add a dependency for each label read; refuse labels of nobody and steps that do not exist.

    ``{"step_id": 2, "tool_args": {"source_label": "AC_H2_MFI.BGSEc", …}}`` → ``"depends_on": [1]``
    """
    steps = plan["steps"]
    ids = [step["step_id"] for step in steps]
    producers: dict[str, StepId] = {}
    complete = True  # whether every step's labels are known
    for step in steps:
        signature = context.signatures.get(step["tool_name"])
        labels = produced_labels(signature, step["tool_args"]) if signature else []
        # A label made of a variable is known only once the variable has its value.
        known_by_now = bool(labels) and not any(TOKEN.search(label) for label in labels)
        complete = (
            complete and signature is not None and (known_by_now or signature.gives in ("figure", "export"))
        )
        for label in labels:
            producers.setdefault(label, step["step_id"])
    for index, step in enumerate(steps):
        signature = context.signatures.get(step["tool_name"])
        wanted: list[StepId] = list(step["depends_on"])
        for position, one in enumerate(wanted):
            if one not in ids:
                close = [known for known in ids if str(known) == str(one)] or did_you_mean(
                    str(one), map(str, ids)
                )
                yield Diagnostic(
                    "HR303",
                    f"there is no step {one} to depend on",
                    step_id=step["step_id"],
                    tool_name=step["tool_name"],
                    path=pointer("steps", index, "depends_on", position),
                    advice=(f"did you mean {close[0]!r}?",)
                    if close
                    else (f"steps: {', '.join(map(str, ids))}",),
                )
        for path, label in read_labels(signature, step["tool_args"]) if signature else ():
            known = owner(label, producers)
            if known is None and complete and not TOKEN.search(label):
                yield _nobody(index, step, path, label, list(producers))
            elif known is not None and producers[known] not in wanted:
                wanted.append(producers[known])
        if step["step_id"] in wanted:  # a step never waits for itself: its own label read back is a cycle
            own = [label for _, label in read_labels(signature, step["tool_args"])] if signature else []
            if any(owner(label, step["produces"]) for label in own):
                yield Diagnostic(
                    "HR402",
                    f"a cycle: step {step['step_id']} reads the label that it produces",
                    step_id=step["step_id"],
                    tool_name=step["tool_name"],
                    path=pointer("steps", index, "tool_args"),
                    advice=("another output_label",),
                )
                continue
            kept = [one for one in wanted if one != step["step_id"]]
            at = pointer("steps", index, "depends_on")
            yield Edit(
                "HR302", "does not depend on itself", replaced(at, step["depends_on"], kept), step["step_id"]
            )
        elif wanted != step["depends_on"]:
            new = [one for one in wanted if one not in step["depends_on"]]
            at = pointer("steps", index, "depends_on")
            message = f"depends on {', '.join(map(str, new))} by label"
            yield Edit("HR301", message, replaced(at, step["depends_on"], wanted), step["step_id"])


def _nobody(
    index: int, step: Document, path: tuple[str | int, ...], label: str, known: list[str]
) -> Diagnostic:
    close = did_you_mean(label, known)
    return Diagnostic(
        "HR203",
        f"no step produces the label '{label}'",
        step_id=step["step_id"],
        tool_name=step["tool_name"],
        path=pointer("steps", index, "tool_args", *path),
        advice=(f"did you mean '{close[0]}'?",) if close else (f"labels: {', '.join(known) or 'none'}",),
        candidates=close,
    )
