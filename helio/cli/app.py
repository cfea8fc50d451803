"""Parts that all commands use: common options, printing, errors as text, and exit codes."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio import __version__, interrupts
from helio.cli.completion import (
    complete_assignments,
    complete_formats,
    complete_pipelines,
    complete_providers,
    complete_runs,
)
from helio.cli.groups import GroupedCommands
from helio.pipelines.template.plain_text import plain, without_long_words
from helio.sources.registry import choices

if TYPE_CHECKING:
    from logging import Formatter, Handler

    from helio.authoring.proposals.store import Proposals
    from helio.errors import HelioError, UnknownPipeline
    from helio.pipelines.changes import Change
    from helio.settings import Settings
    from helio.store.runs import Runs


SUCCESS, FAILED, INVALID, PARTIAL, CANCELLED = 0, 1, 2, 3, 130
EXIT_OF_STATUS = {"success": SUCCESS, "partial": PARTIAL, "failed": FAILED}
EXIT_CODES = "Exit codes: 0 success, 1 failed, 2 invalid request, 3 partial, 130 cancelled."
app = typer.Typer(
    name="helio",
    cls=GroupedCommands,
    help="Run reproducible pipelines for heliophysics: a JSON file says what to fetch, compute and draw.",
    epilog=EXIT_CODES,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
Name = Annotated[
    str,
    typer.Argument(
        help="Name of a pipeline, or path of its JSON file.",
        metavar="PIPELINE",
        autocompletion=complete_pipelines,
    ),
]
OwnName = Annotated[
    str,
    typer.Argument(
        help="Name of one of your pipelines.", metavar="PIPELINE", autocompletion=complete_pipelines
    ),
]
TimeRange = Annotated[
    str | None,
    typer.Option(
        "--time-range",
        "-t",
        help="Time range in UTC: a day such as 2021-10-28, a phrase such as 'last 7 days', or START/STOP, where STOP "
        "itself is not included. Default: the pipeline's.",
        metavar="RANGE",
    ),
]
Assign = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        help="Set a variable of the pipeline; repeat the option for several variables. Default: the pipeline's values, "
        "which `helio show PIPELINE` lists.",
        metavar="VAR=VALUE",
        autocompletion=complete_assignments,
    ),
]
Archive = Annotated[
    str | None,
    typer.Option(
        "--archive",
        help=f"Where to get the data: a folder of files, a provider ({choices()}), or the URL of a HAPI server. "
        "Default: the provider that the step names; if it names none, the provider in the catalogue.",
        metavar="DIR|NAME|URL",
        autocompletion=complete_providers,
    ),
]
Formats = Annotated[
    str,
    typer.Option(
        "--format",
        help="Further formats of the figures, separated by commas: html, json, png, pdf, svg. Default: only those of "
        "the pipeline.",
        metavar="LIST",
        autocompletion=complete_formats,
    ),
]
SelfContained = Annotated[
    bool,
    typer.Option(
        "--self-contained",
        help="Write each HTML figure as one file, with plotly.js (5 MB) and all points in it.",
    ),
]
RunId = Annotated[
    str,
    typer.Argument(
        help="ID of a run, the beginning of an ID, or 'last' for the newest run.",
        metavar="RUN",
        autocompletion=complete_runs,
    ),
]
GalleryPort = Annotated[
    int | None,
    typer.Option(
        "--port",
        min=1,
        max=65535,
        help="Port of the gallery on this machine. Default: the first free one from 4180.",
        metavar="NUMBER",
    ),
]
MaxDownload = Annotated[
    str,
    typer.Option(
        "--max-download",
        help="Maximum size of all downloads together, such as 500MB or 20GB.",
        metavar="SIZE",
    ),
]
Offline = Annotated[
    bool, typer.Option("--offline", help="Contact no server; use only files downloaded before.")
]
Refresh = Annotated[
    bool,
    typer.Option(
        "--refresh",
        help="Ask the servers again about files downloaded before, and download those that changed.",
    ),
]
Replace = Annotated[
    bool,
    typer.Option(
        "--replace", help="Replace your pipeline of the same name; `helio history` keeps the old text."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Now = Annotated[
    str | None,
    typer.Option(
        "--now",
        help="UTC time to use as the present in phrases such as 'last 7 days'. Default: the current time.",
        metavar="TIME",
    ),
]
Locked = Annotated[
    bool,
    typer.Option(
        "--locked",
        help="Use only the data files listed in ./helio.lock; options that you leave out are taken from it.",
    ),
]
LockFile = Annotated[
    Path | None,
    typer.Option(
        "--lock",
        help="Use this lock file instead of ./helio.lock; --locked is then not needed.",
        metavar="FILE",
    ),
]
_NARROWEST = 40
"""Width, in characters, of the narrowest terminal for which helio wraps texts."""
_NEVER_WRAPPED = 10_000
MARKS = {"completed": "✓", "cached": "=", "failed": "✗", "skipped": "–"}


def _print_version(is_asked_for: bool) -> None:
    if is_asked_for:
        say(f"helio {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Print log messages to standard error.")
    ] = False,
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version of helio and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Run reproducible pipelines for heliophysics: a JSON file says what to fetch, compute and draw."""
    del version
    context.obj = verbose


@contextmanager
def errors_as_text(
    as_json: bool, *, cancelled: str = "run the same command again to continue from the finished steps"
) -> Iterator[None]:
    """Print an error of helio as text and exit with its exit code; any other error is a bug and shows a traceback.

    Parameters
    ----------
    cancelled : str
        What the command says after Ctrl-C.
    """
    interrupts.begin_work(cancelled)
    # Errors cost an import; a command that succeeds at once does not need them.
    from helio.errors import Cancelled, HelioError, RequestError, UnknownPipeline

    try:
        yield
    except (KeyboardInterrupt, Cancelled) as error:
        _say_cancelled(cancelled)
        raise typer.Exit(CANCELLED) from error
    except HelioError as error:
        if interrupts.asked():  # the error is only how the interrupted work ended
            _say_cancelled(cancelled)
            raise typer.Exit(CANCELLED) from error
        code = INVALID if isinstance(error, RequestError) else FAILED
        if isinstance(error, UnknownPipeline):
            _name_proposal_or_run(error)
        _say_error(error, as_json, code)
        raise typer.Exit(code) from error


def _say_cancelled(afterwards: str) -> None:
    if interrupts.announce_once():
        say(f"cancelled; {afterwards}", err=True)


def _name_proposal_or_run(error: UnknownPipeline) -> None:
    """Add advice to an unknown pipeline's error if the name is that of a pending proposal or of a run."""
    waiting = proposals().working(error.name) if error.name else None
    if waiting is not None:
        error.message = f"'{error.name}' is a proposal that is not accepted yet"
        error.advice = (
            f"accept it: `helio accept {waiting.id}`, or not: `helio reject {waiting.id}`; "
            f"`helio run {error.name}` runs it before"
        )
    elif is_run(error.name):
        error.message = f"'{error.name}' is a run, not a pipeline"
        error.advice = f"save its steps as a pipeline: `helio save {error.name} --as NAME`"


def proposals() -> Proposals:
    """Return the proposals in helio's home folder."""
    from helio.authoring.proposals.store import Proposals
    from helio.pipelines.library import Library

    settings = current_settings()
    return Proposals(settings.proposals, Library(settings.templates))


def _say_error(error: HelioError, as_json: bool, code: int) -> None:
    from helio.pipelines.template.diagnostics import without_hints

    diagnostics = without_hints(getattr(error, "diagnostics", ()))
    if as_json:
        print_json(
            {
                "status": "invalid" if code == INVALID else "failed",
                "error": {
                    "kind": type(error).__name__,
                    "message": error.message,
                    "place": error.place,
                    "advice": error.advice,
                },
                "found": [diagnostic.to_json() for diagnostic in diagnostics],
            }
        )
    elif diagnostics:
        place = f"{error.place}\n" if error.place else ""
        say(place + "\n".join(without_long_words(str(diagnostic)) for diagnostic in diagnostics), err=True)
    else:
        say(without_long_words(f"error: {error}"), err=True)


def say(text: object = "", *, err: bool = False, nl: bool = True, exact: bool = False) -> None:
    """Print a line as plain text; if the program that reads the output has ended, as in ``| head``, discard the line.

    Every command prints through this, or through `print_json`.

    Parameters
    ----------
    text : object
        Written as ``str`` does.
    err : bool
        To standard error.
    nl : bool
        Whether the line ends.
    exact : bool
        Whether to write the text unchanged to a file or another program; a terminal always gets plain text.
    """
    stream = sys.stderr if err else sys.stdout
    try:
        typer.echo(str(text) if exact and not stream.isatty() else plain(str(text)), err=err, nl=nl)
        stream.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def say_line(text: str) -> None:
    """Print a text that helio did not write in a single line, so that no part of it looks like a message of helio."""
    say(" ".join(text.splitlines()))


def say_when(line: str) -> None:
    """Print a line of the log of ``helio serve``, with the present time in UTC."""
    from datetime import UTC, datetime

    say(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S}  {'; '.join(line.splitlines())}")


def terminal_width(at_most: int) -> int:
    """Return the maximum number of characters of a printed line: the terminal's width, or `at_most` if that is less."""
    return min(max(shutil.get_terminal_size((at_most, 0)).columns, _NARROWEST), at_most)


def say_rows(rows: Sequence[tuple[str, str]], *, indent: int = 0) -> None:
    """Print names and their descriptions in two columns; wrap the descriptions to the width of the terminal.

    Parameters
    ----------
    rows : sequence of (str, str)
    indent : int
        Spaces before each name.
    """
    column = indent + max((len(name) for name, _ in rows), default=0) + 2
    width = max(terminal_width(_NEVER_WRAPPED), column + _NARROWEST // 2)
    for name, text in rows:
        first = f"{'':<{indent}}{name}".ljust(column)
        lines = textwrap.wrap(text, width - column, break_on_hyphens=False, break_long_words=False) or [""]
        say(f"\n{'':<{column}}".join([first + lines[0], *lines[1:]]).rstrip())


def print_json(value: Any) -> None:
    """Print a value as indented JSON."""
    say(json.dumps(value, indent=1, ensure_ascii=False, default=str))  # still JSON after it was made plain


def say_changes(changes: Sequence[Change], *, new: bool) -> None:
    """Print what a change to a pipeline changes; print the whole pipeline if the pipeline is new.

    Parameters
    ----------
    changes : sequence of Change
    new : bool
        Whether there was no earlier text.
    """
    from helio.pipelines.review_lines import review_lines

    for line in review_lines(changes, new=new):
        say(line)


def size_of(text: str) -> int:
    """Convert a size such as ``20GB`` or ``500 MiB`` to a number of bytes."""
    from helio import settings

    return settings.size_of(text)


def current_settings() -> Settings:
    """Return the settings, read from the environment variables."""
    from helio.settings import settings_in_use

    return settings_in_use()


def logged_settings(context: typer.Context) -> Settings:
    """Return the settings, and start to write log messages to the log file; with --verbose, also print them."""
    settings = current_settings()
    log_to(settings, verbose=context.obj)
    return settings


def page_link(link: str, settings: Settings) -> str:
    """Let any browser open a link to the engine's pages, by adding a login; do this only if the output is a terminal.

    In a log, which others may read, the link stays as it is: it opens only where somebody has logged in.
    """
    if not sys.stdout.isatty():
        return link
    from helio.flows.server import Server

    return Server(settings.home, settings.environ).with_ticket(link)


def plain_form(written: str) -> Formatter:
    """Return a log formatter that writes plain text, which is safe to show on a terminal."""
    import logging

    class Plain(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return plain(super().format(record))

    return Plain(written)


def printed_notices() -> Handler:
    """Return a log handler that prints messages to the user, also while a moving progress line is shown."""
    import logging

    class Printed(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            say(record.getMessage(), err=True)

    return Printed()


def log_to(settings: Settings, *, verbose: bool) -> None:
    """Write all log messages to a file in the home folder, a new one at 1 MB; with --verbose, also print them."""
    import logging
    from logging.handlers import RotatingFileHandler

    class Kept(RotatingFileHandler):
        is_full = False

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the name in logging
            if not self.is_full:  # once: a service on a full disk would fill the journal with tracebacks
                say(f"{self.baseFilename} cannot be written: {sys.exc_info()[1]}", err=True)
            self.is_full = True

    root = logging.getLogger("helio")
    root.setLevel(logging.DEBUG)
    root.propagate = False
    notices = logging.getLogger("helio.notice")
    notices.handlers[:] = [] if verbose else [printed_notices()]
    while root.handlers:  # of an earlier command in this process
        root.handlers.pop().close()
    written = "%(asctime)s %(levelname)s %(name)s: %(message)s"
    if verbose:
        on_terminal = logging.StreamHandler()
        on_terminal.setFormatter(plain_form(written))
        root.addHandler(on_terminal)
    try:
        settings.log_file.parent.mkdir(parents=True, exist_ok=True)
        kept = Kept(
            settings.log_file, maxBytes=1_000_000, backupCount=3, encoding="utf-8", errors="backslashreplace"
        )
    except OSError as error:
        shown = logging.StreamHandler()
        shown.setFormatter(plain_form("%(message)s"))
        root.addHandler(shown)
        root.warning("the log file cannot be written: %s", error)
        return
    kept.setFormatter(plain_form(written))
    root.addHandler(kept)


def run_records() -> Runs:
    """Return the records of the runs in helio's home folder."""
    from helio.store.runs import Runs

    return Runs(current_settings().runs)


def is_run(name: str) -> bool:
    """Return whether a text is the complete id of a run, or the word ``last``."""
    from helio.store.runs import LAST

    return name == LAST or name in run_records().ids()


def chosen_lock(locked: bool, file: Path | None) -> Path | None:
    """Return the lock file that a run must follow; return None if the run has none."""
    return file or (Path("helio.lock") if locked else None)


def chosen_formats(text: str) -> list[Any]:
    """Convert the names of figure formats, separated by commas, to a list of formats."""
    from helio.pipelines.template.files import check_formats

    chosen = [name.strip().lower() for name in text.split(",") if name.strip()]
    check_formats(chosen)
    return chosen


def assignments(texts: list[str]) -> dict[str, str]:
    """Convert ``VAR=VALUE`` texts to a dict of values by variable name."""
    from helio.errors import RequestError

    values: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name.strip("$ "):
            raise RequestError(
                f"--set needs VARIABLE=VALUE, not '{text}'",
                advice="write the variable, =, and its value: --set WINDOW=5min",
            )
        values[name.strip()] = value
    return values
