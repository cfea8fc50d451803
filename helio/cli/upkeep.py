"""What keeps an installation well: collection and a look at what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from helio.cli.app import (
    FAILED,
    SUCCESS,
    Json,
    app,
    current_settings,
    errors_as_text,
    print_json,
    run_records,
    say,
    size_of,
)

if TYPE_CHECKING:
    from helio.store.collect import Collected


@app.command()
def gc(
    older_than: Annotated[
        str | None, typer.Option("--older-than", help="Drop records of runs that began before: 30d.")
    ] = None,
    quota: Annotated[
        str | None, typer.Option("--quota", help="Bytes that results and files may take: 20GB.")
    ] = None,
    delete: Annotated[bool, typer.Option("--delete", help="Do it, instead of only saying so.")] = False,
    as_json: Json = False,
) -> None:
    """Collect what no run refers to; says what would go, and with --delete lets it go.

    What was made or used in the last hour stays: a run may be about to refer to it. So do downloaded files that were
    used in the last week.
    """
    with errors_as_text(as_json):
        from datetime import UTC, datetime, timedelta

        from helio.store.collect import collect
        from helio.store.store import Store
        from helio.time_range import Duration

        settings = current_settings()
        age = None if older_than is None else timedelta(microseconds=Duration(older_than).nanoseconds // 1000)
        limit = None if quota is None else size_of(quota)
        found = collect(
            Store(settings.store),
            run_records(),
            files=settings.home / "files",
            older_than=age,
            quota=limit,
            now=datetime.now(UTC),
            dry_run=not delete,
        )
        _print_collected(found, done=delete, as_json=as_json)
        if limit is not None and found.kept > limit and not as_json:
            say(
                f"{found.kept / 1e6:.1f} MB are more than was asked for: the rest is of the last hour or in use"
            )


@app.command()
def doctor(
    archive: Annotated[
        str | None, typer.Option("--archive", help="An archive to look at.", metavar="DIR|sample")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say what this installation has, and what it lacks."""
    with errors_as_text(as_json):
        from helio.doctor import examine

        findings = examine(current_settings(), archive or "")
        if as_json:
            print_json(
                [
                    {"subject": one.subject, "ok": one.ok, "found": one.found, "advice": one.advice}
                    for one in findings
                ]
            )
        else:
            width = max(len(one.subject) for one in findings)
            for one in findings:
                say(f"{'ok  ' if one.ok else 'MISS'}  {one.subject:<{width}}  {one.found}")
                if one.advice:
                    say(f"      {'':<{width}}  try {one.advice}")
    raise typer.Exit(SUCCESS if all(one.ok or one.optional for one in findings) else FAILED)


def _print_collected(found: Collected, *, done: bool, as_json: bool) -> None:
    rows: list[dict[str, Any]] = [
        {"kind": kind, "reason": reason, "count": count, "bytes": size}
        for (kind, reason), (count, size) in found.by_reason().items()
    ]
    if as_json:
        print_json({"deleted": done, "freed": found.freed, "kept": found.kept, "removals": rows})
        return
    for row in rows:
        say(f"{row['count']:>6} {row['kind']:<14}  {row['bytes'] / 1e6:>9.1f} MB  {row['reason']}")
    verb = "freed" if done else "would be freed (--delete does it)"
    say(f"{found.freed / 1e6:.1f} MB {verb}, {found.kept / 1e6:.1f} MB kept")
