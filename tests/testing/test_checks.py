"""`check_source` passes what keeps the contract, and says how each breach looks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio.store.source_file import SourceFile
from helio.store.table import Table
from helio.testing import check_source
from helio.time_range import TimeRange
from tests.testing.made_source import Made, MadeStandIn

DAY = TimeRange(datetime(2024, 5, 10), datetime(2024, 5, 11))


def changed(**changes: Any) -> type[Made]:
    """A source whose tables are changed after they are read."""

    class Changed(Made):
        def fetch(
            self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange
        ) -> dict[str, Table]:
            tables = super().fetch(dataset_id, parameters, time_range)
            return {
                name: replace(table, **{key: change(table) for key, change in changes.items()})
                for name, table in tables.items()
            }

    return Changed


class Unsorted(Made):
    def datasets(self) -> list[str]:
        return ["COUNTS", "A"]


class NamesChange(Made):
    names = iter("abcdefgh")

    def locate(self, dataset_id: str, time_range: TimeRange) -> tuple[SourceFile, ...]:
        return tuple(
            replace(file, sha256=next(self.names)) for file in super().locate(dataset_id, time_range)
        )


class AsksOffline(Made):
    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        self.offline = False
        return super().fetch(dataset_id, parameters, time_range)


class KeepsNothing(AsksOffline):
    def prepare(self) -> None:
        self.refresh = True


class KnowsEverything(Made):
    def refuse_unknown(self, dataset_id: str, parameters: Sequence[str], known: Any) -> None:
        del dataset_id, parameters, known


@pytest.fixture
def server():
    with MadeStandIn() as standin:
        yield standin


def test_a_source_that_keeps_the_contract_gives_its_tables(server, tmp_path: Path):
    table = check_source(Made, server.url, "COUNTS", ["n"], DAY, cache=tmp_path)["n"]
    assert table.values.tolist() == list(range(24))
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (Unsorted, "not sorted"),
        (NamesChange, "other names after the fetch"),
        (KnowsEverything, "an unknown parameter raises no error"),
        (changed(epoch=lambda table: table.epoch[::-1].copy()), "do not increase"),
        (changed(epoch=lambda table: table.epoch + np.timedelta64(1, "D")), "records outside"),
        (changed(sources=lambda table: ()), "has no sources"),
        (
            changed(sources=lambda table: (replace(table.sources[0], provider="Other"),)),
            "does not begin with 'Made'",
        ),
        (changed(sources=lambda table: (replace(table.sources[0], dataset_id="B"),)), "has the dataset B"),
    ],
)
def test_a_breach_of_the_contract_is_said(server, tmp_path: Path, kind: type[Made], words: str):
    with pytest.raises(AssertionError, match=words):
        check_source(kind, server.url, "COUNTS", ["n"], DAY, cache=tmp_path)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (AsksOffline, "an offline fetch without cached data raises Cancelled instead of Offline"),
        (KeepsNothing, "an offline fetch sends a request for data that are already cached"),
    ],
)
def test_a_source_that_asks_offline_is_found_out(server, tmp_path: Path, kind: type[Made], words: str):
    with pytest.raises(AssertionError, match=words):
        check_source(kind, server.url, "COUNTS", ["n"], DAY, cache=tmp_path)
