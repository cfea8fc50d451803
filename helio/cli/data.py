"""Commands that find datasets and missions, and update the catalogue."""

from __future__ import annotations

from typing import Annotated

import typer

from helio.cli.app import FAILED, Json, app, current_settings, errors_as_text, print_json, say
from helio.cli.groups import Commands

datasets_app = typer.Typer(
    cls=Commands,
    help="Find datasets of CDAWeb, and show their parameters.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
app.add_typer(datasets_app, name="datasets")
DatasetId = Annotated[str, typer.Argument(help="ID of a dataset, such as AC_H0_MFI.", metavar="DATASET")]


@datasets_app.command("search")
def search_datasets(
    words: Annotated[
        list[str],
        typer.Argument(help="What to look for, such as 'ACE magnetic field 1 min'.", metavar="WORDS"),
    ],
    limit: Annotated[
        int,
        typer.Option(
            "--limit", help="Maximum number of datasets to list, best first.", min=1, metavar="NUMBER"
        ),
    ] = 10,
    as_json: Json = False,
) -> None:
    """Find datasets by words for mission, instrument, quantity, frame or cadence."""
    with errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.search import Search
        from helio.knowledge.text import answer_lines, source_lines
        from helio.sources.registry import sources_about

        question = " ".join(words)
        answer = Search(open_catalogue(current_settings().home)).find(question, limit=limit)
        if as_json:
            hits = [{**hit.dataset.to_json(), "score": hit.score} for hit in answer.hits]
            unknown = {word: list(close) for word, close in answer.unknown.items()}
            elsewhere = {word: list(missions) for word, missions in answer.elsewhere.items()}
            found = {"total": answer.total, "datasets": hits, "unknown": unknown, "elsewhere": elsewhere}
            further = dict(sources_about(question))
            print_json({**found, "providers": further} if further else found)
        else:
            say("\n".join([*answer_lines(answer), *source_lines(question)]))
    if not answer.hits:
        raise typer.Exit(FAILED)


@datasets_app.command("show")
def show_dataset(dataset: DatasetId, as_json: Json = False) -> None:
    """Show a dataset: title, time span, cadence, DOI, notes, citation."""
    with errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import entry_lines

        catalogue = open_catalogue(current_settings().home)
        entry = catalogue.dataset(dataset)
        if as_json:
            print_json({**entry.to_json(), "as_of": catalogue.as_of.isoformat()})
        else:
            say("\n".join(entry_lines(entry, catalogue)))


@datasets_app.command("parameters")
def list_parameters(
    dataset: DatasetId,
    match: Annotated[
        str,
        typer.Option(
            "--match",
            help="List only parameters with this text in their name, unit or description.",
            metavar="TEXT",
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """List the parameters of a dataset with size, unit and description."""
    with errors_as_text(as_json):
        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import parameter_lines

        entry = open_catalogue(current_settings().home).dataset(dataset)
        chosen = entry.matching(match)
        if as_json:
            print_json({"id": entry.id, "parameters": [parameter.to_json() for parameter in chosen]})
        else:
            say("\n".join(parameter_lines(entry, chosen)))


@app.command()
def missions(as_json: Json = False) -> None:
    """List the missions whose data CDAWeb serves."""
    with errors_as_text(as_json):
        from dataclasses import asdict

        from helio.knowledge.catalogue import open_catalogue
        from helio.knowledge.text import mission_lines

        served = open_catalogue(current_settings().home).missions()
        if as_json:
            print_json([asdict(mission) for mission in served])
        else:
            say("\n".join(mission_lines(served)))


catalog_app = typer.Typer(
    cls=Commands,
    help="Update the local catalogue of CDAWeb's datasets.",
    rich_markup_mode=None,
    no_args_is_help=True,
)
app.add_typer(catalog_app, name="catalog")


@catalog_app.command("refresh")
def refresh_catalog(
    masters: Annotated[
        str,
        typer.Option(
            "--masters",
            help="Also read the parameters of the datasets whose IDs match this pattern, such as 'AC_*', from their "
            "master CDFs. For '*', helio downloads 2,900 files.",
            metavar="PATTERN",
        ),
    ] = "",
    force: Annotated[
        bool, typer.Option("--force", help="Update the catalogue even if it is less than a day old.")
    ] = False,
    server: Annotated[
        str | None, typer.Option("--server", help="Server to use instead of CDAWeb's own.", metavar="URL")
    ] = None,
    as_json: Json = False,
) -> None:
    """Update the catalogue from CDAWeb; if this fails, helio keeps the old catalogue."""
    with errors_as_text(as_json):
        from dataclasses import asdict
        from datetime import UTC, datetime

        from helio.errors import DataError
        from helio.knowledge.refresh import known_so_far, renew
        from helio.sources.http import Http

        settings, now = current_settings(), datetime.now(UTC)
        home = settings.home
        before = known_so_far(home)
        if before.as_of <= now < before.fresh_until and not (force or masters):
            if as_json:
                print_json({"status": "fresh", "as_of": before.as_of, "datasets": len(before)})
            else:
                made = f"{before.as_of:%Y-%m-%d %H:%M} UTC"
                say(
                    f"the catalogue of {made} is less than a day old; --force updates it ({len(before)} datasets)"
                )
            return
        http = Http(limits=settings.network)
        try:
            done = renew(before, home, http, now=now, server=server or "", masters=masters)
        except DataError as error:
            kept = f"the catalogue of {before.as_of:%Y-%m-%d} is kept"
            error.advice = f"{error.advice}; {kept}" if error.advice else kept
            raise
        finally:
            http.close()
        if as_json:
            print_json({"status": "renewed", **asdict(done)})
            return
        say(f"{done.datasets} datasets, {len(done.added)} new, {len(done.gone)} removed: {done.path}")
        if done.undescribed:
            say(
                f"note: the master CDFs of these datasets could not be read: {', '.join(done.undescribed[:10])}",
                err=True,
            )
