"""Commands that propose pipelines from sentences, and show, accept or reject proposals. Pending proposals never run."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TextIO

import typer

from helio import interrupts
from helio.cli.app import (
    CANCELLED,
    Archive,
    Json,
    Now,
    Replace,
    app,
    current_settings,
    errors_as_text,
    log_to,
    plain_form,
    print_json,
    proposals,
    say,
    say_changes,
)
from helio.cli.completion import complete_pipelines, complete_proposals, complete_runs
from helio.cli.groups import Commands

if TYPE_CHECKING:
    from helio.authoring.desk import By, Desk
    from helio.authoring.drawings import Drawings
    from helio.authoring.outcome import AuthorQuestion, AuthorReply
    from helio.authoring.proposals import Proposal

Request = Annotated[
    str,
    typer.Argument(
        help="What you want, in a sentence, such as 'plot the ACE magnetic field for 2022-01-01'.",
        metavar="REQUEST",
    ),
]
As = Annotated[
    str,
    typer.Option(
        "--as", help="Name of the new pipeline. Default: a name made from the request.", metavar="NAME"
    ),
]
Yes = Annotated[
    bool,
    typer.Option(
        "--yes",
        "-y",
        help="Accept the proposal without asking, and answer each question with its first choice.",
    ),
]
Answers = Annotated[
    list[str] | None,
    typer.Option(
        "--answer",
        help="Answer to a question that helio would ask; repeat the option for several questions.",
        metavar="CHOICE",
    ),
]
Writer = Annotated[
    str,
    typer.Option(
        "--author",
        help="Who writes the proposal: rules, a language model, or auto (the model if it has a key, otherwise rules).",
        metavar="rules|model|auto",
    ),
]
Preview = Annotated[
    bool, typer.Option("--preview", help="Draw the figures before and after the change, to compare them.")
]
Size = Annotated[
    bool,
    typer.Option(
        "--size", help="Ask the archives how much a run would download; at a terminal, helio always asks."
    ),
]
Range = Annotated[
    str | None,
    typer.Option(
        "--time-range", "-t", help="Time range of the preview. Default: the pipeline's.", metavar="RANGE"
    ),
]
Replay = Annotated[
    Path | None,
    typer.Option(
        "--replay",
        help="Use the answers and the time that a transcript has recorded, instead of asking the model.",
        metavar="FILE|ID",
    ),
]
Sources = Annotated[
    list[str] | None,
    typer.Option(
        "--from",
        help="List of events that the request names, as CSV or text: start, stop, label. Repeat it for several files.",
        metavar="FILE",
    ),
]
_OWN = ("rules", "equivalence table")
"""Writers of templates whose replies are helio's own texts; all other replies are texts of a language model."""
_LONGEST_REPLY = 4000
_MOST_LINES = 60
_UNCHANGED = "nothing was changed"
_WRITERS: tuple[By, ...] = ("auto", "rules", "model")
Id = Annotated[
    str,
    typer.Argument(
        help="ID of a proposal, or the beginning of an ID.",
        metavar="PROPOSAL",
        autocompletion=complete_proposals,
    ),
]


@app.command()
def new(
    name: Annotated[str, typer.Argument(help="Name of the new pipeline.", metavar="NAME")],
    spacecraft: Annotated[
        list[str] | None,
        typer.Option(
            "--spacecraft", help="Spacecraft, separated by commas, such as ACE,Wind.", metavar="NAMES"
        ),
    ] = None,
    quantity: Annotated[
        list[str] | None,
        typer.Option(
            "--quantity",
            help="Quantities to draw for each spacecraft, separated by commas, such as B,Bz,density,'ram pressure'.",
            metavar="NAMES",
        ),
    ] = None,
    dataset: Annotated[
        list[str] | None,
        typer.Option(
            "--dataset",
            help="Parameters to draw, as DATASET.PARAMETER, separated by commas, such as AC_H2_MFI.BGSEc.",
            metavar="ID.PARAMETER",
        ),
    ] = None,
    time_range: Annotated[
        str | None,
        typer.Option(
            "--time-range",
            "-t",
            help="Time range that the pipeline uses by default, in UTC. Default: the last days with data.",
            metavar="RANGE",
        ),
    ] = None,
    frame: Annotated[
        str,
        typer.Option(
            "--frame",
            help="Frame of the vectors: GSE, GSM, RTN, SM, GEO or GEI. Default: that of the data.",
            metavar="FRAME",
        ),
    ] = "",
    cadence: Annotated[
        str,
        typer.Option(
            "--cadence",
            help="Time between records, such as 5min; finer data are averaged. Default: that of the data.",
            metavar="DURATION",
        ),
    ] = "",
    operation: Annotated[
        list[str] | None,
        typer.Option(
            "--op",
            help="Computations on each series, in this order and separated by commas, such as magnitude, "
            "running_average:10min or resample:1h:median.",
            metavar="TOOL:LENGTH",
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the figure.", metavar="TEXT")] = "",
    together: Annotated[
        bool,
        typer.Option(
            "--one-panel", help="Draw all quantities in one panel. Default: a panel for each quantity."
        ),
    ] = False,
    save_as: Annotated[
        list[str] | None,
        typer.Option(
            "--save", help="Also save the series in a file: csv, cdf, netcdf or parquet.", metavar="FORM"
        ),
    ] = None,
    replace: Replace = False,
    now: Now = None,
    archive: Archive = None,
    as_json: Json = False,
) -> None:
    """Write a new pipeline from options: what to fetch, compute and draw.

    Example: helio new l1 --spacecraft ACE,Wind --quantity B,density --op running_average:10min --time-range 2022-01-01
    """
    with errors_as_text(as_json, cancelled=_UNCHANGED):
        from helio import api

        made = api.new(
            name,
            spacecraft=_parts(spacecraft),
            quantities=_parts(quantity),
            datasets=_parts(dataset),
            time_range=time_range,
            frame=frame,
            cadence=cadence,
            operations=_parts(operation),
            title=title,
            together=together,
            save_as=_parts(save_as),
            replace=replace,
            now=now,
            archive=archive,
            settings=current_settings(),
        )
        if as_json:
            print_json({"path": str(made.path), "template": made.template, "notes": list(made.notes)})
            return
        for note in made.notes:
            _say_line(f"note: {note}")
        for warning in made.diagnostics:
            if warning.severity == "warning":
                _say_line(f"warning[{warning.code}]: {warning.message}")
        say(str(made.path))


def _parts(given: list[str] | None) -> list[str]:
    """Return the values of an option that may be repeated, and whose values may be separated by commas."""
    return [part.strip() for text in given or () for part in text.split(",")]


@app.command()
def author(
    context: typer.Context,
    request: Request,
    name: As = "",
    yes: Yes = False,
    answers: Answers = None,
    sources: Sources = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a new pipeline from a sentence.

    The proposal is saved as your pipeline when you accept it.
    """
    with _desk(context, as_json, by=by, now=now, archive=archive, replay=replay) as desk:
        outcome = _answered(
            lambda chosen: desk.create(request, name=name, chosen=chosen, sources=sources or []),
            answers or [],
            yes=yes,
            as_json=as_json,
        )
        _show(
            desk,
            outcome,
            yes,
            as_json,
            preview=preview,
            time_range=time_range,
            now=now,
            archive=archive,
            size=size,
        )


@app.command()
def edit(
    context: typer.Context,
    pipeline: Annotated[
        str,
        typer.Argument(
            help="Name of a pipeline, path of its JSON file, or ID of a pending proposal.",
            metavar="PIPELINE|PROPOSAL",
            autocompletion=complete_pipelines,
        ),
    ],
    request: Annotated[
        str,
        typer.Argument(
            help="A change, such as 'add the density', or a question about the pipeline.",
            metavar="REQUEST",
        ),
    ] = "",
    undo: Annotated[
        bool,
        typer.Option(
            "--undo",
            help="Go back to the text before the last change; repeat the command to go back further.",
        ),
    ] = False,
    name: Annotated[
        str,
        typer.Option(
            "--as", help="Change a copy with this name, and leave the pipeline unchanged.", metavar="NAME"
        ),
    ] = "",
    yes: Yes = False,
    answers: Answers = None,
    sources: Sources = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a change to a pipeline, answer a question about it, or undo a change.

    The pipeline changes when you accept the proposal. A change to a pending proposal is a new proposal on top of it.
    """
    if undo:
        with errors_as_text(as_json):
            from helio import api
            from helio.errors import RequestError

            if request:
                raise RequestError(
                    "--undo cannot be used together with a request",
                    advice=f"leave out the request: `helio edit {pipeline} --undo`",
                )
            shelf = api.library(current_settings())
            entry = shelf.find(pipeline)
            if not entry.shipped and entry.path.resolve().parent != shelf.folder.resolve():
                undone = proposals().undo(entry.path.resolve())
                say(f"undone: {undone.request}; {pipeline} has its earlier text again")
                return
            made = shelf.history(shelf.own(entry.id).id).undo()
            say(f"{entry.id} is {made.request}; `helio history {entry.id}` lists all revisions")
        return
    with _desk(context, as_json, by=by, now=now, archive=archive, replay=replay) as desk:
        if not request.strip():
            from helio.errors import RequestError

            raise RequestError(
                "no change was requested", advice=f"use `helio edit {pipeline} 'add the density'`, or --undo"
            )
        outcome = _answered(
            lambda chosen: desk.edit(pipeline, request, name=name, chosen=chosen, sources=sources or []),
            answers or [],
            yes=yes,
            as_json=as_json,
        )
        _show(
            desk,
            outcome,
            yes,
            as_json,
            preview=preview,
            time_range=time_range,
            now=now,
            archive=archive,
            size=size,
        )


@app.command()
def repair(
    context: typer.Context,
    run_id: Annotated[
        str,
        typer.Argument(
            help="ID of a run that failed, or 'last' for the newest run.",
            metavar="RUN",
            autocompletion=complete_runs,
        ),
    ],
    yes: Yes = False,
    answers: Answers = None,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    replay: Replay = None,
    as_json: Json = False,
) -> None:
    """Propose a change of the pipeline that makes a failed run succeed."""
    with _desk(context, as_json, by=by, now=now, archive=archive, replay=replay) as desk:
        outcome = _answered(
            lambda chosen: desk.repair(run_id, chosen=chosen), answers or [], yes=yes, as_json=as_json
        )
        _show(
            desk,
            outcome,
            yes,
            as_json,
            preview=preview,
            time_range=time_range,
            now=now,
            archive=archive,
            size=size,
        )


@app.command()
def answer(
    context: typer.Context,
    question: Annotated[
        str, typer.Argument(help="ID of the question, which helio printed.", metavar="QUESTION")
    ],
    choice: Annotated[
        str, typer.Argument(help="One of the choices of the question, or its number.", metavar="CHOICE")
    ],
    yes: Yes = False,
    preview: Preview = False,
    size: Size = False,
    time_range: Range = None,
    as_json: Json = False,
) -> None:
    """Answer a question that author, edit or repair asked, and continue the request.

    The author, the archive and the time that counts as now are those of the request.
    """
    with errors_as_text(as_json):
        from helio.authoring.questions import OpenQuestions

        asked = OpenQuestions(current_settings().questions).load(question)
    archive = asked.archive or None
    with _desk(context, as_json, by=asked.by, now=asked.now, archive=archive, replay=None) as desk:
        outcome = desk.answer(question, choice)
        _show(
            desk,
            outcome,
            yes,
            as_json,
            preview=preview,
            time_range=time_range,
            now=asked.now,
            archive=archive,
            size=size,
        )


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
            _say_line(f"{proposal.state:<8}  {proposal.id}  {summary}")
        if not shown:
            say("no proposals" if every else "no pending proposals")


@proposals_app.command("show")
def show_proposal(
    proposal: Id,
    patch: Annotated[bool, typer.Option("--patch", help="Also show the change as a JSON Patch.")] = False,
    as_json: Json = False,
) -> None:
    """Show a proposal: what it changes, what it assumes, and who wrote it."""
    with errors_as_text(as_json):
        loaded = proposals().load(proposal)
        if as_json:
            print_json(loaded.to_json())
            return
        _print_proposal(loaded, patch=patch)
        say(f"{loaded.state}: {loaded.id}")


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
            help="Numbers of the changes to accept, as the review numbers them, separated by commas. Default: all.",
            metavar="N,N",
        ),
    ] = "",
) -> None:
    """Accept a proposal, or some of its changes; to undo this, run helio edit PIPELINE --undo.

    If the pipeline has changed elsewhere, the changes are made to its new text.
    """
    with errors_as_text(as_json=False):
        kept = proposals()
        chosen = kept.load(proposal)
        beneath = kept.beneath(chosen)
        path = kept.accept(chosen, only=_numbers(only))
        for lower in beneath:
            _say_line(f"accepted with it: {lower.id}: {lower.request}")
        accepted = kept.load(chosen.id)
        for note in accepted.notes[len(chosen.notes) :]:
            _say_line(f"note: {note}")
        for change in accepted.left_out:
            say(f"left out: {change}")
        say(f"accepted {path}")


def _numbers(text: str) -> list[int]:
    """Convert numbers that are separated by commas."""
    from helio.errors import RequestError

    parts = [part.strip() for part in text.split(",") if part.strip()]
    for part in parts:
        if not part.isdecimal():
            raise RequestError(
                f"'{part}' is not the number of a change", advice="write numbers with commas: 1,3"
            )
    return [int(part) for part in parts]


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
        kept = proposals()
        for rejected in kept.reject(kept.load(proposal), because=because):
            say(f"rejected {rejected.id}")


# ---- what the commands share


@contextmanager
def _desk(
    context: typer.Context,
    as_json: bool,
    *,
    by: str,
    now: str | None,
    archive: str | None,
    replay: Path | None,
) -> Iterator[Desk]:
    """Open the desk that answers a request; Ctrl-C stops the language model and prints the path of the transcript."""
    from threading import Event

    ended = Event()
    desk: Desk | None = None
    with errors_as_text(as_json, cancelled=_UNCHANGED):
        from helio import api
        from helio.authoring.outcome import NotProved
        from helio.errors import Cancelled

        try:
            writer = writer_called(by)
            settings = current_settings()
            log_to(settings, verbose=context.obj)
            desk = api.desk(
                by=writer, now=now, archive=archive, ended=ended, replay=replay, settings=settings
            )
            with shown_requests(sys.stderr if sys.stderr.isatty() and not context.obj else None):
                yield desk
        except (KeyboardInterrupt, Cancelled, typer.Abort) as error:
            ended.set()
            if interrupts.announce_once():
                say(_cancelled(desk), err=True)
            raise typer.Exit(CANCELLED) from error
        except NotProved as error:
            if not as_json and error.diagnostics:  # those alone would be printed
                say(f"error: {error.message}", err=True)
            raise
        finally:
            if desk is not None:
                desk.close()


def writer_called(by: str) -> By:
    """Return the author that the option --author names."""
    from helio.errors import RequestError

    writer = next((known for known in _WRITERS if known == by), None)
    if writer is None:
        raise RequestError(f"--author cannot be '{by}'", advice="use rules, model or auto")
    return writer


@contextmanager
def shown_requests(stream: TextIO | None) -> Iterator[None]:
    """Show each request to the language model on a terminal, because an answer may take a minute or longer."""
    if stream is None:
        yield
        return
    import logging

    requests = logging.getLogger("helio.authoring.door")
    handler = logging.StreamHandler(stream)
    handler.setFormatter(plain_form("  %(message)s"))
    requests.addHandler(handler)
    try:
        yield
    finally:
        requests.removeHandler(handler)


def _cancelled(desk: Desk | None) -> str:
    pending = (
        f"; the proposal {desk.kept[-1]} is pending: `helio proposals` lists it"
        if desk is not None and desk.kept
        else ""
    )
    transcript = f"; the transcript is {desk.transcript}" if desk is not None and desk.transcript else ""
    return f"cancelled; {_UNCHANGED}{pending}{transcript}"


def _answered(
    ask: Callable[[tuple[str, ...]], Proposal | AuthorQuestion | AuthorReply],
    answers: list[str],
    *,
    yes: bool,
    as_json: bool,
) -> Proposal | AuthorQuestion | AuthorReply:
    """Send a request, and answer questions about it from --answer, from --yes, or by asking at the terminal."""
    from helio.authoring.outcome import AuthorQuestion

    chosen: tuple[str, ...] = ()
    given = list(answers)
    while True:
        outcome = ask(chosen)
        if not isinstance(outcome, AuthorQuestion):
            return outcome
        if given:
            answer = outcome.choice(given.pop(0))
        elif yes:
            answer = outcome.choices[0]
            say(f"note: {outcome.text} Answered with the first choice: {answer}", err=True)
        elif sys.stdin.isatty() and not as_json:
            answer = _ask(outcome)
        else:
            return outcome
        chosen = (*chosen, answer)


def _ask(question: AuthorQuestion) -> str:
    _say_line(question.text)
    for number, choice in enumerate(question.choices, 1):
        _say_line(f"  {number}  {choice}")
    numbers = range(1, len(question.choices) + 1)
    picked: int = typer.prompt("number of your choice", type=int, default=1)
    while picked not in numbers:
        picked = typer.prompt(f"a number from 1 to {len(question.choices)}", type=int, default=1)
    return question.choices[picked - 1]


def _show(
    desk: Desk,
    outcome: Proposal | AuthorQuestion | AuthorReply,
    yes: bool,
    as_json: bool,
    *,
    preview: bool = False,
    time_range: str | None = None,
    now: str | None = None,
    archive: str | None = None,
    size: bool = False,
) -> None:
    """Show the result of a request; accept or reject a proposal by --yes or at the terminal, or leave it pending."""
    from helio.authoring.outcome import AuthorQuestion, AuthorReply
    from helio.authoring.review import work_line

    if desk.fallback:
        say(f"note: another model answered: {desk.fallback}", err=True)
    if isinstance(outcome, AuthorReply):
        if as_json:
            print_json({"reply": outcome.text[:_LONGEST_REPLY]})
        else:
            _say_reply(outcome)
        return
    if isinstance(outcome, AuthorQuestion):
        kept = desk.keep(outcome)
        if as_json:
            print_json({"question": outcome.text, "choices": list(outcome.choices), "id": kept.id})
        else:
            _say_line(outcome.text)
            for choice in outcome.choices:
                _say_line(f"  {choice}")
            say(f"help: answer with `helio answer {kept.id} CHOICE`", err=True)
        raise typer.Exit(2)
    work = desk.work(outcome)
    if as_json:
        drawn = draw_proposal(outcome, time_range=time_range, now=now, archive=archive) if preview else None
        if yes:
            desk.proposals.accept(outcome)
            outcome = desk.proposals.load(outcome.id)
        steps = {"computed_anew": list(work.recomputed), "in_the_store": list(work.unchanged)}
        files = {
            "preview": list(drawn.files) if drawn else [],
            "preview_errors": list(drawn.errors) if drawn else [],
        }
        print_json(outcome.to_json() | steps | files)
        return
    _print_proposal(outcome, patch=False)
    if outcome.earlier is not None:
        say(work_line(work))
    if size or sys.stdin.isatty():
        _say_size(outcome, now, archive)
    if preview:
        say_drawings(draw_proposal(outcome, time_range=time_range, now=now, archive=archive))
    if yes or (sys.stdin.isatty() and typer.confirm("Accept it?", default=False)):
        say(f"accepted {desk.proposals.accept(outcome)}")
    else:
        say(f"Pending. To accept it: `helio accept {outcome.id}`")


def _say_size(proposal: Proposal, now: str | None, archive: str | None) -> None:
    """Print how much a run of a proposal would download, or why this is unknown."""
    from helio import api
    from helio.errors import HelioError
    from helio.pipelines.runs.foresee import download_words

    try:
        _, foreseen = api.foresee(proposal.template, now=now, archive=archive, settings=current_settings())
    except HelioError as error:
        say(f"To download: unknown: {error.message}")
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
    from helio.authoring.drawings import drawings_of

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


def _print_proposal(proposal: Proposal, *, patch: bool) -> None:
    from helio.authoring.review import proposal_lines, token_line

    for line in proposal_lines(proposal):
        say(line)
    if patch:
        say(json.dumps(proposal.patch, indent=1, ensure_ascii=False))
    if proposal.tokens:
        say(token_line(proposal))


def _say_reply(reply: AuthorReply) -> None:
    """Print a reply; indent all but the first line of a language model's text, to mark it as not written by helio."""
    text = reply.text.expandtabs(4)
    text = text if len(text) <= _LONGEST_REPLY else text[:_LONGEST_REPLY] + " …"
    if reply.attribution.by in _OWN:
        say(text)
        return
    first, *others = text.splitlines()[:_MOST_LINES] or [""]
    say(first)
    for line in others:
        say(f"    {line}".rstrip())
    more = len(text.splitlines()) - _MOST_LINES
    if more > 0:
        say(f"    … {more} more lines")


def _say_line(text: str) -> None:
    """Print a text that helio did not write in a single line, so that no part of it looks like a message of helio."""
    say(" ".join(text.splitlines()))
