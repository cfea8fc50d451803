"""Makes the pages of the commands from the commands themselves: one page a group; `make docs` writes them."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from reference_text import cell, definitions, markdown, page_name
from typer.main import get_command

from helio.cli import app

INDEX = """# Commands

`helio COMMAND --help` prints the same in a terminal. Name a pipeline by its name or by the path of a JSON file. Name a
run by its ID, by the beginning of the ID, or by `last`. Brackets in a usage line mark what you can leave out.
"""
EXAMPLES = {
    "list": ("helio list",),
    "show": ("helio show gle73-particles", "helio show running_average"),
    "run": (
        "helio run gle73-particles --archive sample --output figures",
        'helio run omni-solar-wind --time-range "last 27 days"',
        "helio run gle73-particles --archive sample --set WINDOW=30min --format png,pdf",
    ),
    "plan": ("helio plan gle73-particles --archive sample",),
    "runs": ("helio runs", "helio runs --pipeline gle73-particles --limit 5"),
    "runs show": ("helio runs show last",),
    "runs delete": ("helio runs delete gle73-particles-20261120T1518",),
    "describe": ("helio describe last", "helio describe last proton_bands"),
    "preview": (
        "helio preview last proton_bands",
        "helio preview my-ace-20261120T1606 --archive sample -t 2022-01-01 --format png",
    ),
    "why": ("helio why last smooth",),
    "gallery build": ("helio gallery build ~/gallery",),
    "gallery serve": ("helio gallery serve",),
    "report": ("helio report last --output report.html",),
    "check": ("helio check mine.json", "helio check mine.json --archive data"),
    "fix": ("helio fix mine --diff", "helio fix mine"),
    "copy": ("helio copy ace-bfield-overview my-ace",),
    "save": ("helio save last --as my-pipeline",),
    "mcp": ("helio mcp --archive sample --output figures",),
    "import": (
        "helio import mine.json",
        "helio import mine.json --as ace-daily",
        "helio import paper.zip --output figures",
    ),
    "export": (
        "helio export my-ace my-ace.json",
        "helio export --notebook last field.ipynb",
        "helio export last --bundle paper.zip",
    ),
    "history": ("helio history my-ace", "helio history my-ace --diff"),
    "blame": ("helio blame my-ace",),
    "models": ("helio models",),
    "models list": ("helio models list", "helio models list ollama"),
    "models test": ("helio models test", "helio models test ollama/qwen3:8b"),
    "delete": ("helio delete my-ace",),
    "new": (
        "helio new l1 --spacecraft ACE,Wind --quantity B,density --op running_average:10min",
        "helio new bx --dataset MY_FIELD.Bx --archive data --time-range 2024-05-10",
    ),
    "author": ('helio author "Compare ACE and Wind magnetic field for last week" --as ace-wind',),
    "edit": (
        'helio edit my-ace "draw the magnitude in red" --preview',
        'helio edit my-ace "which dataset does it use?"',
        'helio edit my-ace-20261120T1606 "and a thicker line"',
        "helio edit my-ace --undo",
    ),
    "chat": ("helio chat", "helio chat my-ace", "helio chat --continue", "helio chat --list"),
    "answer": ('helio answer question-1f2e3d4c "16 s"',),
    "repair": ("helio repair last",),
    "proposals": ("helio proposals", "helio proposals --all"),
    "proposals show": ("helio proposals show my-ace-20261120T1606 --patch",),
    "proposals diff": ("helio proposals diff my-ace-20261120T1606 my-ace-20261120T1612",),
    "accept": ("helio accept my-ace-20261120T1606", "helio accept my-ace-20261120T1606 --only 1,3"),
    "reject": ('helio reject my-ace-20261120T1606 --because "red is for alerts"',),
    "memory": ("helio memory",),
    "memory list": ("helio memory list",),
    "memory add": (
        'helio memory add preference "vectors in RTN" --mission PSP',
        'helio memory add name "halloween storm = 2003-10-28 to 2003-11-01"',
    ),
    "memory accept": ("helio memory accept 3",),
    "memory forget": ("helio memory forget 2",),
    "datasets search": ('helio datasets search "solar wind magnetic field ACE 1 min"',),
    "datasets show": ("helio datasets show AC_H0_MFI",),
    "datasets parameters": ("helio datasets parameters AC_H0_MFI --match GSE",),
    "missions": ("helio missions",),
    "archive": ("helio archive sample", "helio archive ~/data MY_FIELD"),
    "catalog refresh": ("helio catalog refresh",),
    "backfill": (
        "helio backfill gle73-particles 2021-10-01..2021-11-01 --archive ~/data --dry-run",
        "helio backfill omni-solar-wind 2015..2024 --each 27d --output ~/plots",
        "helio backfill ace-bfield-overview --events shocks.csv --before 2h --after 1d",
    ),
    "drift": ("helio drift", "helio drift psp-bfield --since 2024-01-01", "helio drift last --compare"),
    "refresh": ("helio refresh psp-bfield --dry-run", "helio refresh --since 2024-01-01"),
    "status": ("helio status", "helio status --json"),
    "notify": ("helio notify",),
    "notify test": ("helio notify test",),
    "schedule": ["helio schedule"],
    "schedule add": (
        'helio schedule add gle73-particles --cron "10 6 * * *" --time-range yesterday --archive ~/data',
    ),
    "schedule list": ("helio schedule list",),
    "schedule again": ("helio schedule again gle73-particles",),
    "schedule pause": ("helio schedule pause gle73-particles",),
    "schedule resume": ("helio schedule resume gle73-particles",),
    "schedule remove": ("helio schedule remove gle73-particles",),
    "serve": ("helio serve",),
    "up": ("helio up", 'eval "$(helio up --env)"'),
    "down": ("helio down",),
    "lock": ("helio lock gle73-particles --archive data", "helio lock --run last"),
    "verify": ("helio verify last",),
    "rerun": ("helio rerun particles.png", "helio rerun my-field.pdf --archive data --output again"),
    "diff": ("helio diff gle73-particles-20261120T1518 last",),
    "cite": ("helio cite last", "helio cite last --format bibtex"),
    "tools": ("helio tools", "helio tools running_average"),
    "explain": ("helio explain HN402", "helio explain last"),
    "doctor": ("helio doctor", "helio doctor --online"),
    "gc": ("helio gc", "helio gc --older-than 30d --delete"),
    "passes": ("helio passes",),
    "schema": ("helio schema",),
    "dev new-tool": ("helio dev new-tool my_tool",),
    "dev new-pass": ("helio dev new-pass check_names --stage V",),
    "dev new-source": ("helio dev new-source my_archive",),
}
"""What each command is typed like; every line has to be understood by the command."""


def pages() -> dict[str, str]:
    """Make an index and a page for each group of commands, by path in the reference."""
    helio: Any = get_command(app)
    made, index, listing = {}, [INDEX], []
    for title, names in helio.sections().items():
        page = page_name(title)
        listing.append(page)
        index += [f"## [{title}]({page}.md)\n", "| command | what it does |\n|---|---|"]
        index[-1] += "".join(
            f"\n| [{name}]({page}.md#helio-{name}) | {cell(_help(helio.commands[name])[0])} |"
            for name in names
        )
        index[-1] += "\n"
        sections = [
            _section(words, command)
            for name in names
            for words, command in _commands(helio.commands[name], (name,))
        ]
        made[f"commands/{page}.md"] = "\n\n".join([f"# {title}", *sections]) + "\n"
    context = helio.make_context("helio", [], resilient_parsing=True)
    index += [f"## Options of every call\n\n{definitions(_options(helio, context))}\n"]
    index += [f"## Exit codes\n\n{_exit_codes(helio.epilog)}\n"]
    listed = "\n".join(listing)
    index += [f"```{{toctree}}\n:hidden:\n\n{listed}\n```\n"]
    return {"commands/index.md": "\n".join(index)} | made


def _commands(command: Any, words: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield words, command
    for name in getattr(command, "commands", {}):
        yield from _commands(command.commands[name], (*words, name))


def _section(words: tuple[str, ...], command: Any) -> str:
    name = " ".join(words)
    context = command.make_context(f"helio {name}", [], resilient_parsing=True)
    usage = re.sub(r"\{([^{}]+)\}", r"\1", " ".join(context.get_usage().removeprefix("Usage: ").split()))
    parts = [f"{'##' if len(words) == 1 else '###'} helio {name}", *map(markdown, _help(command))]
    parts += [f"```text\n{usage}\n```"]
    explained = _options(command, context)
    for title, is_option in (("Arguments", False), ("Options", True)):
        if entries := [entry for entry in explained if entry[0].startswith("`-") is is_option]:
            parts += [f"**{title}**", definitions(entries)]
    if name in EXAMPLES:
        lines = "\n".join(EXAMPLES[name])
        parts += [f"**Example{'s' if len(EXAMPLES[name]) > 1 else ''}**", f"```sh\n{lines}\n```"]
    return "\n\n".join(parts)


def _options(command: Any, context: Any) -> list[tuple[str, str]]:
    """Return the arguments and options that ``--help`` lists, with their explanations."""
    records = [parameter.get_help_record(context) for parameter in command.params]
    return [(f"`{record[0]}`", markdown(" ".join(record[1].split()))) for record in records if record]


def _help(command: Any) -> list[str]:
    """Return the paragraphs that explain a command, without examples."""
    paragraphs = (" ".join(text.split()) for text in (command.help or "").split("\n\n"))
    return [text for text in paragraphs if not text.startswith("Example: ")]


def _exit_codes(text: str) -> str:
    codes = text.removeprefix("Exit codes: ").rstrip(".").split(", ")
    rows = "\n".join(f"| {code.partition(' ')[0]} | {code.partition(' ')[2]} |" for code in codes)
    return f"| code | meaning |\n|---|---|\n{rows}"
