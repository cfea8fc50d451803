"""Send a request to an author, answer its questions, show the result, and accept a proposal if the user wants."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

import typer

from helio import interrupts
from helio.cli.app import (
    CANCELLED,
    chosen_formats,
    errors_as_text,
    logged_settings,
    plain_form,
    print_json,
    say,
    say_line,
)
from helio.cli.completion import complete_formats
from helio.cli.proposals import draw_proposal, print_proposal, say_drawings, say_size

if TYPE_CHECKING:
    from helio.authoring.choice_of_author import By
    from helio.authoring.desk import Desk
    from helio.authoring.outcome import AuthorQuestion, AuthorReply
    from helio.authoring.proposals.drawings import Drawings
    from helio.authoring.proposals.store import Proposal

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
        help="Who writes the proposal: rules, a language model, or auto (the model if you have named one or set a key, "
        "otherwise rules).",
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
PreviewFormats = Annotated[
    str,
    typer.Option(
        "--format",
        help="Formats of the figures of a preview, separated by commas: html, png, pdf, svg. With png, a picture shows "
        "where they differ. Default: html.",
        metavar="LIST",
        autocompletion=complete_formats,
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
        help="File that the request names: a list of events as CSV or text (start, stop, label), or a PDF, picture or "
        "text for a language model. Repeat it for several files.",
        metavar="FILE",
    ),
]
_OWN = ("rules", "equivalence table")
"""Writers of templates whose replies are helio's own texts; all other replies are texts of a language model."""
_LONGEST_REPLY = 4000
_MOST_LINES = 60
_UNCHANGED = "nothing was changed"
_WRITERS: tuple[By, ...] = ("auto", "rules", "model")


@dataclass(frozen=True)
class Options:
    """Options of the commands that send a request.

    Parameters
    ----------
    yes : bool
        Accept the proposal without asking.
    as_json : bool
        Print JSON, and do not ask at the terminal.
    preview : bool
        Draw the figures before and after the change.
    size : bool
        Say how much a run would download.
    time_range : str, optional
        Time range of the preview. Default: the pipeline's.
    formats : str
        Formats of the figures of the preview, separated by commas. Default: HTML.
    now : str, optional
        The time that counts as now, UTC. Default: the clock.
    archive : str, optional
        The archive to use in runs.
    """

    yes: bool
    as_json: bool
    preview: bool
    size: bool
    time_range: str | None
    formats: str
    now: str | None
    archive: str | None


@contextmanager
def open_desk(
    context: typer.Context, options: Options, *, by: str, replay: Path | None = None
) -> Iterator[Desk]:
    """Open the desk that answers a request; Ctrl-C stops the language model and prints the path of the transcript."""
    from threading import Event

    ended = Event()
    desk: Desk | None = None
    with errors_as_text(options.as_json, cancelled=_UNCHANGED):
        from helio import api
        from helio.authoring.outcome import NotProved
        from helio.errors import Cancelled

        try:
            chosen_formats(options.formats)
            writer = writer_called(by)
            settings = logged_settings(context)
            desk = api.desk(
                by=writer,
                now=options.now,
                archive=options.archive,
                ended=ended,
                replay=replay,
                settings=settings,
            )
            with shown_requests(sys.stderr if sys.stderr.isatty() and not context.obj else None):
                yield desk
        except (KeyboardInterrupt, Cancelled, typer.Abort) as error:
            ended.set()
            if interrupts.announce_once():
                say(_cancelled(desk), err=True)
            raise typer.Exit(CANCELLED) from error
        except NotProved as error:
            if not options.as_json and error.diagnostics:  # those alone would be printed
                say(f"error: {error.message}", err=True)
            raise
        finally:
            if desk is not None:
                desk.close()


def writer_called(by: str) -> By:
    """Return the author that the option --author names."""
    from helio.errors import RequestError

    writer = next((name for name in _WRITERS if name == by), None)
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

    requests = logging.getLogger("helio.authoring.models.door")
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


def ask(
    desk: Desk,
    send: Callable[[tuple[str, ...]], Proposal | AuthorQuestion | AuthorReply],
    answers: Sequence[str],
    options: Options,
) -> Proposal | AuthorQuestion | AuthorReply:
    """Send a request, and answer questions about it from --answer, from --yes, or by asking at the terminal.

    Raises
    ------
    RequestError
        There are more answers than questions; then nothing is proposed.
    """
    from helio.authoring.outcome import AuthorQuestion
    from helio.authoring.proposals.store import Proposal
    from helio.errors import RequestError

    chosen: tuple[str, ...] = ()
    remaining = list(answers)
    while True:
        outcome = send(chosen)
        if not isinstance(outcome, AuthorQuestion):
            if not remaining:
                return outcome
            if isinstance(outcome, Proposal):
                desk.proposals.remove(outcome)
            raise RequestError(
                f"helio asked no question for {' '.join(f'--answer {answer!r}' for answer in remaining)}",
                advice="leave it out, or say it in the request",
            )
        if remaining:
            answer = outcome.choice(remaining.pop(0))
        elif options.yes:
            answer = outcome.choices[0]
            say(f"note: {outcome.text} Answered with the first choice: {answer}", err=True)
        elif sys.stdin.isatty() and not options.as_json:
            answer = _prompt(outcome)
        else:
            return outcome
        chosen = (*chosen, answer)


def _say_question(question: AuthorQuestion) -> None:
    """Print a question and its numbered choices."""
    say_line(question.text)
    for number, choice in enumerate(question.choices, 1):
        say_line(f"  {number}  {choice}")


def _prompt(question: AuthorQuestion) -> str:
    from helio.errors import RequestError

    _say_question(question)
    while True:
        try:
            return question.choice(typer.prompt("your choice", default="1"))
        except RequestError as error:
            say(str(error), err=True)


def show(desk: Desk, outcome: Proposal | AuthorQuestion | AuthorReply, options: Options) -> None:
    """Show the result of a request; accept or reject a proposal by --yes or at the terminal, or leave it pending."""
    from helio.authoring.outcome import AuthorQuestion, AuthorReply
    from helio.authoring.proposals.review import work_line

    if desk.fallback:
        say(f"note: another model answered: {desk.fallback}", err=True)
    if isinstance(outcome, AuthorReply):
        if options.as_json:
            print_json({"reply": outcome.text[:_LONGEST_REPLY]})
        else:
            _say_reply(outcome)
        return
    if isinstance(outcome, AuthorQuestion):
        kept = desk.keep(outcome)
        if options.as_json:
            print_json({"question": outcome.text, "choices": list(outcome.choices), "id": kept.id})
        else:
            _say_question(outcome)
            say(f"help: answer with a number or a choice: `helio answer {kept.id} 1`", err=True)
        raise typer.Exit(2)
    work = desk.work(outcome)
    if options.as_json:
        drawn = _draw(outcome, options) if options.preview else None
        if options.yes:
            desk.proposals.accept(outcome)
            outcome = desk.proposals.load(outcome.id)
        steps = {"computed_anew": list(work.recomputed), "in_the_store": list(work.unchanged)}
        files = {
            "preview": list(drawn.files) if drawn else [],
            "preview_errors": list(drawn.errors) if drawn else [],
        }
        print_json(outcome.to_json() | steps | files)
        return
    print_proposal(outcome, patch=False)
    if outcome.earlier is not None:
        say(work_line(work))
    if options.size or sys.stdin.isatty():
        say_size(outcome, now=options.now, archive=options.archive)
    if options.preview:
        say_drawings(_draw(outcome, options))
    if options.yes or (sys.stdin.isatty() and typer.confirm("Accept it?", default=False)):
        say(f"accepted {desk.proposals.accept(outcome)}")
    else:
        say(f"Pending. To accept it: `helio accept {outcome.id}`")


def _draw(proposal: Proposal, options: Options) -> Drawings:
    return draw_proposal(
        proposal,
        time_range=options.time_range,
        now=options.now,
        archive=options.archive,
        formats=chosen_formats(options.formats),
    )


def _say_reply(reply: AuthorReply) -> None:
    """Print a reply; indent all but the first line of a language model's text, to mark it as not written by helio."""
    text = reply.text.expandtabs(4)
    text = text if len(text) <= _LONGEST_REPLY else text[:_LONGEST_REPLY] + " …"
    if reply.attribution.by in _OWN:
        say(text)
        return
    first, *rest = text.splitlines()[:_MOST_LINES] or [""]
    say(first)
    for line in rest:
        say(f"    {line}".rstrip())
    more = len(text.splitlines()) - _MOST_LINES
    if more > 0:
        say(f"    … {more} more lines")
