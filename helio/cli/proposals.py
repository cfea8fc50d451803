"""Commands that list, show, compare, accept and reject proposals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio.cli.app import (
    Archive,
    Json,
    Now,
    app,
    current_settings,
    errors_as_text,
    print_json,
    proposals,
    say,
    say_changes,
    say_line,
)
from helio.cli.completion import complete_proposals
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.authoring.proposals.drawings import Drawings
    from helio.authoring.proposals.store import Proposal, Proposals

Id = Annotated[
    str,
    typer.Argument(
        help="ID of a proposal, or the beginning of an ID.",
        metavar="PROPOSAL",
        autocompletion=complete_proposals,
    ),
]


proposals_app = typer.Typer(
    cls=Commands,
    help="List, show or compare proposals of `helio author`, edit and repair.",
    rich_markup_mode=None,
)
app.add_typer(proposals_app, name="proposals")


@proposals_app.callback(invoke_without_command=True)
def list_proposals(
    context: typer.Context,
    every: Annotated[bool, typer.Option("--all", help="Also list accepted and rejected proposals.")] = False,
    as_json: Json = False,
) -> None:
    """List the pending proposals, newest first."""
    if context.invoked_subcommand is not None:
        return
    with errors_as_text(as_json):
        kept = proposals()
        for file, reason in kept.damaged():
            say(
                f"note: {file} is skipped: this version of helio cannot read the proposal: {reason}", err=True
            )
        shown = kept.list(state=None if every else "pending")
        if as_json:
            damaged = [
                {"id": file.stem, "state": "damaged", "note": reason} for file, reason in kept.damaged()
            ]
            print_json([*(proposal.to_json() for proposal in shown), *damaged])
            return
        for proposal in shown:
            summary = f"{proposal.kind} by {proposal.by}: {proposal.request}"
            say_line(f"{proposal.state:<8}  {proposal.id}  {summary}")
            if proposal.on and proposal.state == "pending":
                say_line(f"{'':10}on top of {proposal.on}")
            if proposal.because:
                say_line(f"{'':10}rejected because: {proposal.because}")
        if not shown:
            say("no proposals" if every else "no pending proposals")


@proposals_app.command("show")
def show_proposal(
    proposal: Id,
    patch: Annotated[bool, typer.Option("--patch", help="Also show the change as a JSON Patch.")] = False,
    size: Annotated[
        bool, typer.Option("--size", help="Ask the archives how much a run would download.")
    ] = False,
    now: Now = None,
    archive: Archive = None,
    as_json: Json = False,
) -> None:
    """Show a proposal: what it changes, what it assumes, and who wrote it."""
    with errors_as_text(as_json):
        kept = proposals()
        loaded = kept.load(proposal)
        if as_json:
            print_json(loaded.to_json())
            return
        print_proposal(loaded, patch=patch)
        if size and loaded.after:
            say_size(loaded, now=now, archive=archive)
        say(f"{loaded.state}: {loaded.id}")
        for line in _lines_since(kept, loaded):
            say_line(line)


def _lines_since(kept: Proposals, proposal: Proposal) -> Iterator[str]:
    """Yield what accepting a pending proposal would do, if its pipeline has changed since."""
    from helio.errors import RequestError

    try:
        current = kept.current(proposal)
    except RequestError as error:
        yield f"it cannot be accepted: {error.message}"
        if error.advice:
            yield f"  help: {error.advice}"
    else:
        if current.before != proposal.before:
            yield f"{proposal.pipeline} has changed since; helio would make these changes to its new text"


@proposals_app.command("diff")
def diff_proposals(
    old: Id,
    new: Annotated[
        str,
        typer.Argument(
            help="ID of another proposal, or its beginning.",
            metavar="PROPOSAL",
            autocompletion=complete_proposals,
        ),
    ],
    as_json: Json = False,
) -> None:
    """Show how the pipeline of one proposal differs from that of another."""
    with errors_as_text(as_json):
        from helio.pipelines.changes import changes

        kept = proposals()
        first, second = kept.load(old), kept.load(new)
        for proposal in (first, second):
            if not proposal.after:
                from helio.errors import RequestError

                raise RequestError(f"proposal {proposal.id} failed, so it has no pipeline")
        changed = changes(first.template, second.template)
        if as_json:
            print_json([change.to_json() for change in changed])
        else:
            say_changes(changed, new=False)


@app.command()
def accept(
    proposal: Id,
    only: Annotated[
        str,
        typer.Option(
            "--only",
            help="Numbers of the changes to accept, as the review numbers them, such as 1,3-5. Default: all.",
            metavar="N,N-N",
        ),
    ] = "",
) -> None:
    """Accept a proposal, or some of its changes; to undo this, run helio edit PIPELINE --undo.

    If the pipeline has changed elsewhere, the changes are made to its new text.
    """
    with errors_as_text(as_json=False):
        from helio.authoring.proposals.review import accept_in_words, change_numbers

        kept = proposals()
        for line in accept_in_words(kept, kept.load(proposal), change_numbers(only)):
            say(line)


@app.command()
def reject(
    proposal: Id,
    because: Annotated[
        str,
        typer.Option(
            "--because", help="The reason, which the author of the next change gets.", metavar="REASON"
        ),
    ] = "",
) -> None:
    """Reject a proposal, and proposals that change it; the pipeline stays unchanged."""
    with errors_as_text(as_json=False):
        from helio.authoring.models.scrub import scrub_of

        kept, scrub = proposals(), scrub_of(current_settings())
        first, *above = kept.reject(kept.load(proposal), because=scrub(because))
        say(f"rejected {first.id}")
        for rejected in above:
            say_line(f"rejected {rejected.id} ('{rejected.request}'), which changes it")


def as_it_is_now(kept: Proposals, proposal: Proposal) -> Proposal:
    """Return a proposal on the present text of its pipeline; if that has changed since, say so."""
    current = kept.current(proposal)
    for note in current.notes[len(proposal.notes) :]:
        say(f"note: {note}", err=True)
    return current


def print_proposal(proposal: Proposal, *, patch: bool) -> None:
    from helio.authoring.proposals.review import proposal_lines, token_line

    for line in proposal_lines(proposal):
        say(line)
    if patch:
        say(json.dumps(proposal.patch, indent=1, ensure_ascii=False))
    if proposal.tokens:
        say(token_line(proposal))


def say_size(proposal: Proposal, *, now: str | None, archive: str | None) -> None:
    """Print how much a run of a proposal would download, or why this is unknown."""
    from helio import api
    from helio.errors import HelioError
    from helio.pipelines.runs.foresee import download_words

    try:
        _, foreseen = api.foresee(proposal.template, now=now, archive=archive, settings=current_settings())
    except HelioError as error:
        say(f"To download: unknown, because {error.message}")
    else:
        offline = foreseen.get("offline")
        say(f"To download: {download_words(foreseen)}" + (f" ({offline})" if offline else ""))


def draw_proposal(
    proposal: Proposal,
    *,
    time_range: str | None,
    now: str | None,
    archive: str | None,
    formats: list[Any] | None = None,
) -> Drawings:
    """Draw the figures before and after a proposed change into a folder of their own."""
    from helio import api
    from helio.authoring.proposals.drawings import drawings_of

    folder = Path("helio-runs") / f"preview-{proposal.id}"
    before, after = api.draw_both(
        proposal,
        folder,
        time_range=time_range,
        now=now,
        archive=archive,
        formats=formats or ["html"],
        settings=current_settings(),
    )
    return drawings_of(before, after, folder)


def say_drawings(drawings: Drawings) -> None:
    """Print the files of a preview, and why figures are missing."""
    for line in drawings.lines():
        say(line)
    for error in drawings.errors:
        say(f"no preview  {error}", err=True)
