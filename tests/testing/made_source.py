"""A small source of records and its stand-in."""

from __future__ import annotations

from typing import Any

import numpy as np

from helio.errors import DamagedFile
from helio.sources.reply_source import ReplySource
from helio.store.table import Table
from helio.testing import Handler, StandIn
from helio.time_range import TimeRange


class Made(ReplySource):
    """Hourly numbers."""

    title = "Made"
    address = "https://made.example"

    def datasets(self) -> list[str]:
        return ["COUNTS"]

    def parameters_of(self, dataset_id: str) -> list[str]:
        return ["n"]

    def url_of(self, dataset_id: str, time_range: TimeRange) -> str:
        return f"{self.url}/data/{dataset_id}?start={time_range.start.isoformat()}"

    def read(self, reply: Any, dataset_id: str, parameter: str) -> Table:
        try:
            epoch = np.array(reply["time"], "datetime64[ns]")
        except (TypeError, KeyError) as error:
            raise DamagedFile("Made sends no times") from error
        return Table(epoch=epoch, values=np.array(reply["n"], float), name=parameter)


class MadeHandler(Handler):
    def route(self) -> None:
        self.answer(200, self.standin.reply)


class MadeStandIn(StandIn):
    """Answers everything with one reply: 30 hours from 10 May 2024."""

    handler = MadeHandler

    def __init__(self) -> None:
        hours = np.datetime64("2024-05-10T00", "h") + np.arange(30)
        self.reply: Any = {"time": [str(hour) for hour in hours.astype("M8[s]")], "n": list(range(30))}
        super().__init__()
