"""Command that holds a conversation about a pipeline, at a terminal or with lines from standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from helio import interrupts
from helio.cli.app import (
    FAILED,
    Archive,
    Json,
    Now,
    app,
    current_settings,
    errors_as_text,
    logged_settings,
    print_json,
    proposals,
    say,
)
from helio.cli.asking import Sources, Writer, shown_requests, writer_called
from helio.cli.completion import complete_chats

if TYPE_CHECKING:
    from helio.authoring.conversation.chat import Answer, Chat
    from helio.pipelines.plan import PlannedStep
    from helio.pipelines.runs.execute import StepResult

_PROMPT = "> "
_CANCELLED = "the conversation is saved; `helio chat --continue` resumes it"


@app.command()
def chat(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            help="Name of a pipeline, or ID of a pending proposal; with --continue, ID of a conversation. Default: a "
            "new pipeline; with --continue, the last conversation.",
            metavar="[PIPELINE|CHAT]",
            autocompletion=complete_chats,
        ),
    ] = "",
    resume: Annotated[bool, typer.Option("--continue", help="Resume a saved conversation.")] = False,
    sources: Sources = None,
    listed: Annotated[bool, typer.Option("--list", help="List the saved conversations.")] = False,
    now: Now = None,
    archive: Archive = None,
    by: Writer = "auto",
    as_json: Json = False,
) -> None:
    """Hold a conversation about a pipeline: say what to plot and what to change, look, run, accept.

    Only /accept changes a pipeline. Without a terminal, helio reads lines from standard input.
    """
    with errors_as_text(as_json, cancelled=_CANCELLED):
        from helio import api
        from helio.errors import RequestError

        settings = logged_settings(context)
        if listed:
            _list(as_json)
            return
        if as_json:
            raise RequestError("--json belongs to --list", advice="leave it out for a conversation")
        at_terminal = sys.stdin.isatty() and sys.stdout.isatty()
        held = api.chat(
            name,
            resume=resume,
            by=writer_called(by),
            now=now,
            archive=archive,
            sources=sources or [],
            settings=settings,
            started=_print_started if at_terminal else lambda step: None,
            finished=_print_finished if at_terminal else lambda result: None,
        )
        with shown_requests(sys.stderr if sys.stderr.isatty() and not context.obj else None):
            failed = _hold(held, _typed_lines() if at_terminal else _piped_lines())
    if failed and not at_terminal:
        raise typer.Exit(FAILED)


def _hold(held: Chat, lines: Iterator[str]) -> bool:
    """Carry out lines until the user quits; return whether helio could not carry out one of them."""
    _print(held.greeting())
    failed = False
    for line in lines:
        answer = _answer(held, line)
        if answer is None:
            continue
        _print(answer)
        failed |= answer.is_error
        if answer.is_last:
            return failed
    _print(held.say("/quit"))
    return failed


def _answer(held: Chat, line: str) -> Answer | None:
    """Return the answer to a line; return None if the user has cancelled it with Ctrl-C."""
    from helio.errors import Cancelled

    try:
        return held.say(line)
    except (Cancelled, KeyboardInterrupt):
        if interrupts.was_terminated():
            raise
        interrupts.ended_as_asked()
        say("cancelled; the conversation goes on", err=True)
        return None


def _typed_lines() -> Iterator[str]:
    """Yield the lines that the user types, with the line editor of the system if there is one."""
    with suppress(ImportError):
        import readline  # noqa: F401
    while True:
        try:
            yield input(_PROMPT)
        except EOFError:
            say()
            return
        except KeyboardInterrupt:
            if interrupts.was_terminated():
                raise
            interrupts.ended_as_asked()
            say("\nto end the conversation: /quit or Ctrl-D", err=True)


def _piped_lines() -> Iterator[str]:
    """Yield the lines of standard input, and print each one, so that the output is the whole conversation."""
    for line in sys.stdin:
        say(f"{_PROMPT}{line.rstrip()}")
        yield line


def _print(answer: Answer) -> None:
    for line in answer.lines:
        say(line)


def _print_started(step: PlannedStep) -> None:
    say(f"  … {step.step_id}  {step.tool_name}", err=True)


def _print_finished(result: StepResult) -> None:
    from helio.cli.progress import step_line

    say(f"  {step_line(result)}", err=True)


def _list(as_json: bool) -> None:
    from dataclasses import asdict

    from helio.authoring.conversation.saved import list_conversations

    undecided = [proposal.id for proposal in proposals().list(state="pending")]
    rows = list_conversations(current_settings().chats, undecided)
    if as_json:
        print_json([asdict(row) for row in rows])
        return
    for row in rows:
        if row.note:
            say(f"{row.id}  cannot be read: {row.note}")
            continue
        pending = f"  {row.pending} pending" if row.pending else ""
        say(f"{row.id}  {row.at[:16]}  {row.pipeline or '-'}{pending}  {row.first}".rstrip())
    if not rows:
        say("no conversations yet; `helio chat` begins one")
