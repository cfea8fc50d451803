"""Check that a data source does what helio expects, run against a test server."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from helio.clock import Clock
from helio.errors import Cancelled, DataError, HelioError, Offline, UnknownDataset, UnknownParameter
from helio.sources.base import Source
from helio.testing.client import client
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.sources.cdf import CdfReader
    from helio.store.table import Table


def check_source(
    kind: type[Source],
    url: str,
    dataset_id: str,
    parameters: Sequence[str],
    time_range: TimeRange,
    *,
    cache: Path,
    reader: CdfReader | None = None,
    clock: Clock | None = None,
) -> dict[str, Table]:
    """Check that a source does what helio expects of each fetch, and return the tables of this fetch.

    The function checks that files have the same names before and after the fetch, that tables are in order, within the
    range, and have sources, and that a second run requests no data again. An offline run makes no request and gives the
    same tables; it raises `Offline` for data that are not cached. An unknown dataset and an unknown parameter raise
    different errors.

    Parameters
    ----------
    kind : class
        Class of the source.
    url : str
        Address of the test server.
    dataset_id, parameters, time_range
        A fetch for which the test server has data.
    cache : Path
        An empty folder.
    reader : CdfReader, optional
        Reader for a source that serves files.
    clock : Clock, optional
        Default: a `FakeClock`.

    Raises
    ------
    AssertionError
        The source does not do what helio expects; the message explains the difference.
    """
    with client(clock) as http, client(clock) as nobody:
        nobody.cancel()

        def new(folder: str = "kept", **options: Any) -> Source:
            return kind(cache / folder, options.pop("http", http), url=url, reader=reader, **options)

        source = new()
        ids = source.datasets()
        _hold(
            ids == sorted(ids) and dataset_id in ids,
            f"datasets() returns {ids}, which is not sorted or lacks {dataset_id}",
        )
        before = [file.identity for file in source.locate(dataset_id, time_range)]
        tables = source.fetch(dataset_id, parameters, time_range)
        _hold(list(tables) == list(parameters), f"fetch() returns {list(tables)}, not {list(parameters)}")
        for name, table in tables.items():
            _check_table(source, dataset_id, name, table, time_range)
        after = [file.identity for file in new().locate(dataset_id, time_range)]
        _hold(
            before == after, f"locate() returns other names after the fetch: {before} before, {after} after"
        )
        digests = {name: table.digest() for name, table in tables.items()}
        for again in (new(), new(http=nobody, offline=True)):
            try:
                repeated = again.fetch(dataset_id, parameters, time_range)
            except Cancelled as error:
                raise AssertionError(
                    "an offline fetch sends a request for data that are already cached"
                ) from error
            _hold(
                {name: table.digest() for name, table in repeated.items()} == digests,
                f"a second identical fetch returns different tables{' offline' * again.offline}",
            )
        empty = new("empty", http=nobody, offline=True)
        _refuses(
            Offline,
            lambda: empty.fetch(dataset_id, parameters, time_range),
            "an offline fetch without cached data",
        )
        _refuses(UnknownDataset, lambda: new().locate("NO_SUCH_DATASET", time_range), "an unknown dataset")
        _refuses(
            UnknownParameter,
            lambda: new().fetch(dataset_id, ["no_such_parameter"], time_range),
            "an unknown parameter",
        )
        return tables


def _check_table(source: Source, dataset_id: str, name: str, table: Table, time_range: TimeRange) -> None:
    import numpy as np

    start, stop = (np.datetime64(moment, "ns") for moment in (time_range.start, time_range.stop))
    _hold(len(table) > 0, f"{name} has no record: raise NoData instead")
    _hold(bool(np.all(np.diff(table.epoch) > np.timedelta64(0))), f"the epochs of {name} do not increase")
    _hold(
        bool(start <= table.epoch[0] and table.epoch[-1] < stop),
        f"{name} has records outside {time_range}",
    )
    _hold(bool(table.sources), f"{name} has no sources: set table.sources")
    for file in table.sources:
        _hold(file.dataset_id == dataset_id, f"a source of {name} has the dataset {file.dataset_id}")
        _hold(
            file.provider.startswith(source.title),
            f"a source of {name} names '{file.provider}', which does not begin with '{source.title}'",
        )


def _refuses(kind: type[DataError], act: Callable[[], object], what: str) -> None:
    try:
        act()
    except kind:
        return
    except HelioError as error:
        raise AssertionError(
            f"{what} raises {type(error).__name__} instead of {kind.__name__}: {error}"
        ) from error
    raise AssertionError(f"{what} raises no error; it must raise {kind.__name__}")


def _hold(condition: bool, message: str) -> None:
    if not condition:
        raise AssertionError(message)
