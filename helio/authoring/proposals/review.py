"""Write a proposal as lines of text, for the person who reviews it."""

from __future__ import annotations

from collections.abc import Sequence

from helio.authoring.proposals.store import Proposal, Proposals
from helio.counts import number_of
from helio.errors import RequestError
from helio.pipelines.changes import RemainingWork
from helio.pipelines.dialect.written import object_of, spec_of
from helio.pipelines.review_lines import review_lines
from helio.pipelines.template.shown_values import shown


def proposal_lines(proposal: Proposal) -> list[str]:
    """Write a proposal: who wrote it and for which request, notes, findings, and numbered changes."""
    lines = [_line(f"{proposal.pipeline}: {proposal.kind} by {proposal.by}: {proposal.request}")]
    if proposal.on:
        lines.append(f"  on top of {proposal.on}, which is accepted with it")
    lines += [_line(f"  note: {note}") for note in proposal.notes]
    for finding in proposal.diagnostics:  # above the changes, where nobody overlooks them
        where = f" step {finding['step_id']}" if finding.get("step_id") is not None else ""
        severity = finding.get("severity", "error")
        lines.append(_line(f"  {severity}[{finding['code']}]{where}: {finding.get('message', '')}"))
    if proposal.after:
        lines += review_lines(proposal.changes, new=proposal.earlier is None, numbered=True)
        lines += _panels_after(proposal)
    lines += [_line(f"  left out: {change}") for change in proposal.left_out]
    if proposal.because:
        lines.append(_line(f"  rejected because: {proposal.because}"))
    return lines


def _panels_after(proposal: Proposal) -> list[str]:
    """Write the panels, as they will be, of each figure of which the changes name a panel by its number."""
    named = {change.step_id for change in proposal.changes if "panel" in change.what}
    lines = []
    for step in proposal.template["steps"] if proposal.earlier is not None else ():
        panels = object_of(spec_of(step)).get("panels")
        if step.get("step_id") in named and isinstance(panels, list) and len(panels) > 1:
            drawn = (
                " + ".join(map(shown, panel if isinstance(panel, list) else [panel])) for panel in panels
            )
            told = "; ".join(f"{number} {labels}" for number, labels in enumerate(drawn, 1))
            lines.append(_line(f"  panels of step {step['step_id']} after the change: {told}"))
    return lines


def work_line(work: RemainingWork) -> str:
    """Write which steps a run would compute again, and which it would not."""
    again = ", ".join(map(str, work.recomputed)) or "nothing"
    kept = f" Unchanged: {', '.join(map(str, work.unchanged))}." if work.unchanged else ""
    return f"Will be recomputed: {again}.{kept}"


def change_numbers(text: str) -> list[int]:
    """Convert the numbers of changes, as the review numbers them, and ranges of them, separated by commas.

    >>> change_numbers("1, 3-5"), change_numbers("")
    ([1, 3, 4, 5], [])
    """
    if not text:
        return []
    numbers: list[int] = []
    for part in [part.strip() for part in text.split(",") if part.strip()] or [text]:
        first, sign, last = part.partition("-")
        last = last if sign else first
        if not (first.isdecimal() and last.isdecimal() and int(first) <= int(last)):
            raise RequestError(
                f"'{part}' is not the number of a change, or a range",
                advice="write numbers with commas: 1,3-5",
            )
        numbers += range(int(first), int(last) + 1)
    return numbers


def accept_in_words(kept: Proposals, proposal: Proposal, only: Sequence[int]) -> list[str]:
    """Accept a proposal, or some of its changes, and write what was accepted with it and what was left out."""
    beneath = kept.beneath(proposal)
    path = kept.accept(proposal, only=only)
    accepted = kept.load(proposal.id)
    return [
        *(_line(f"accepted with it: {lower.id}: {lower.request}") for lower in beneath),
        *(_line(f"note: {note}") for note in accepted.notes[len(proposal.notes) :]),
        *(f"left out: {change}" for change in accepted.left_out),
        f"accepted {path}",
    ]


def token_line(proposal: Proposal) -> str:
    """Write how many tokens the author of a proposal used."""
    return f"  the model used {number_of(proposal.tokens, 'token')}; transcript: {proposal.transcript}"


def _line(text: str) -> str:
    """Write a text that helio did not write in a single line, so that no part of it looks like a message of helio."""
    return " ".join(text.splitlines())
