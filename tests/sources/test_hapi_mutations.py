"""Random damage to HAPI replies: whatever changes, nothing is read silently; ``HELIO_LONG=1`` tries 2,000 replies.

The law, for every reply of info and data that the stand-in sends over HTTP: a fetch raises a `HelioError`, or its table
has a note that a whole reply has not, or its epochs and values are those that an independent reader finds in the bytes
that were sent, in the byte order that was meant: all of them, in their order, with the fill of the info as NaN. The one
exception is a record of the very end of the range, which belongs to the next one. A table of clearly fewer records than
a usable cadence promises has a note in any case.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import random
import re
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helio.errors import HelioError
from helio.sources.providers.hapi import Hapi
from helio.store.table import Table
from helio.time_range import TimeRange
from tests.laws import LONG
from tests.sources.odd_hapi import FIELD, OK, OddHapi, info_reply

EXAMPLES = 2000 if LONG else 60
BLOCKS = 10
DAY = TimeRange(datetime(2021, 10, 28), datetime(2021, 10, 29))
FILL = -1e31
USUAL = re.compile(r"the records were requested as CSV|gives no modificationDate")
"""Notes that a whole reply has too; the second follows from a member that is left out."""
TIME = re.compile(
    r"(\d{4})-(?:(\d{3})|(\d{2})-(\d{2}))(?:T(\d{2})(?::?(\d{2})(?::?(\d{2})(?:\.(\d*))?)?)?)?Z?", re.ASCII
)

Row = tuple[str, float]
Read = list[tuple[np.datetime64, float]]


def rows(dice: random.Random) -> list[Row]:
    """An hourly day."""
    scale = 10.0 ** dice.randrange(-12, 12)
    return [
        (f"2021-10-28T{hour:02d}:00:00.000Z", FILL if dice.random() < 0.05 else scale * dice.uniform(-1, 1))
        for hour in range(24)
    ]


def change_rows(dice: random.Random, given: list[Row]) -> list[Row]:
    """Drop, repeat, contradict, move, shuffle or rewrite some rows."""
    changed = list(given)
    place = dice.randrange(len(changed))
    time, value = changed[place]
    kind = dice.randrange(10)
    if kind == 0:
        del changed[dice.randrange(1, 24) :]
    elif kind == 1:
        changed.insert(place, changed[place])
    elif kind == 2:
        changed.insert(dice.randrange(len(changed)), (time, value + 1))
    elif kind == 3:
        dice.shuffle(changed)
    elif kind == 4:
        day = dice.choice(["2021-10-27", "2021-10-29", "2020-01-01", "1500-01-01"])
        changed[place] = (day + time[10:], value)
    elif kind == 5:
        changed[place] = (
            dice.choice([time[:16] + "Z", time[:19] + "Z", time[:23], "2021-301" + time[10:]]),
            value,
        )
    elif kind == 6:
        changed[place] = (
            dice.choice(["", "NaN", "2021-10-28T25:00:00.000Z", "2021-02-30T00:00:00.00Z"]),
            value,
        )
    elif kind == 7:
        del changed[place]
    elif kind == 8:
        changed[place] = (time, dice.choice([float("inf"), float("nan"), 1e-320, 1e308]))
    return changed


def to_csv(given: list[Row]) -> bytes:
    return "".join(f"{time},{value!r}\n" for time, value in given).encode()


def to_binary(given: list[Row], order: str = "<") -> bytes:
    return b"".join(
        time.encode().ljust(24, b"\0")[:24] + np.array(value, f"{order}f8").tobytes() for time, value in given
    )


def change_bytes(dice: random.Random, body: bytes) -> bytes:
    """Flip, cut, insert, remove or repeat bytes somewhere."""
    changed = bytearray(body)
    place = dice.randrange(max(1, len(changed)))
    kind = dice.randrange(9)
    if kind == 0:
        changed[place] ^= 1 << dice.randrange(8)
    elif kind == 1:
        del changed[place:]
    elif kind == 2:
        changed[place:place] = dice.choice(
            [b",", b"\n", b'"', b"#", b"\0", b"\xc3\xa9", b"\x1b[31m", b" ", b"{"]
        )
    elif kind == 3:
        del changed[place : place + dice.choice([1, 8, 24, 32])]
    elif kind == 4:
        changed = bytearray(body.replace(b"\n", b"\r\n"))
    elif kind == 5:
        changed += body[: dice.choice([8, 32, len(body)])]
    elif kind == 6:
        changed = bytearray(b"#" + json.dumps(info_reply()).encode() + b"\n" + body)
    elif kind == 7:
        changed = bytearray(dice.choice([b"", b"\n\n", b"{}", b"[]", b"<html>", b"Time,B\n" + body]))
    return bytes(changed)


ODD: tuple[Any, ...] = (
    *(None, "", "x", 0, -1, 1, 3, 1.5, 10**9, True, [], {}, [1], [None], [[2]], ["a", "b"], {"a": 1}),
    *(
        "null",
        "PT0S",
        "P1000Y",
        "PT0.000000001S",
        "2021-10-28T06:00Z",
        "9999-12-31Z",
        "\x1b[2J",
        "double",
        "integer",
    ),
    *("isotime", "string", float("nan"), "4.0", {"code": 1408}, {"code": "1201"}, 24, 16, 23, "1.5"),
)


def change_info(dice: random.Random, said: dict[str, Any]) -> dict[str, Any]:
    """Give one member of the info, or of one of its parameters, an odd value, or take it away."""
    changed = copy.deepcopy(said)
    inside = dice.choice([changed, *changed["parameters"]])
    further = [
        "units",
        "size",
        "length",
        "bins",
        "fill",
        "timeStampLocation",
        "maxRequestDuration",
        "label",
        "type",
    ]
    name = dice.choice([*inside, *further])
    if dice.random() < 0.2:
        inside.pop(name, None)
    elif dice.random() < 0.1:
        changed["parameters"].insert(dice.randrange(3), dict(dice.choice(changed["parameters"])))
    else:
        inside[name] = dice.choice(ODD)
    return changed


# What was sent, read in another way than helio reads it


def moment(text: str) -> np.datetime64 | None:
    found = TIME.fullmatch(text.strip())
    if found is None:
        return None
    year, day_of_year, month, day, hour, minute, second, fraction = found.groups()
    try:
        date = datetime(int(year), int(month or 1), int(day or 1)) + timedelta(days=int(day_of_year or 1) - 1)
        clock = timedelta(hours=int(hour or 0), minutes=int(minute or 0), seconds=int(second or 0))
    except (ValueError, OverflowError):
        return None
    nanoseconds = int((fraction or "0").ljust(9, "0")[:9])
    return np.datetime64(date + clock, "ns") + np.timedelta64(nanoseconds, "ns")


def read_csv(body: bytes) -> Read | None:
    text = "".join(line for line in body.decode("latin-1").splitlines(True) if not line.startswith("#"))
    found: Read = []
    try:
        for cells in csv.reader(io.StringIO(text, newline="")):
            if cells:
                time, value = cells
                found.append((moment(time) or np.datetime64("NaT"), float(value)))
    except (ValueError, csv.Error):
        return None
    return found


def read_binary(body: bytes, order: str) -> Read | None:
    while body.startswith(b"#"):
        body = body.partition(b"\n")[2]
    if len(body) % 32:
        return None
    records = np.frombuffer(body, [("time", "S24"), ("value", f"{order}f8")])
    return [
        (moment(time.decode("latin-1")) or np.datetime64("NaT"), float(value))
        for time, value in records.tolist()
    ]


def sent(body: bytes, form: str, order: str, info: dict[str, Any]) -> Read | None:
    """Epochs and values of a reply, fill as NaN; None where they cannot be read by the layout that was meant."""
    found = read_csv(body) if form == "csv" else read_binary(body, order)
    if found is None or any(np.isnat(epoch) for epoch, _ in found):
        return None
    fill = next(
        parameter
        for parameter in info["parameters"]
        if isinstance(parameter, dict) and parameter.get("name") == "B"
    ).get("fill")
    try:
        missing = float("nan") if fill is None or isinstance(fill, bool) else float(fill)
    except (TypeError, ValueError):
        missing = float("nan")
    end = np.datetime64(DAY.stop, "ns")
    return [(epoch, float("nan") if value == missing else value) for epoch, value in found if epoch != end]


def law(table: Table, body: bytes, form: str, order: str, info: dict[str, Any]) -> None:
    notes = [note for note in table.notes if not USUAL.search(note)]
    if notes:
        return
    expected = sent(body, form, order, info)
    assert expected is not None, "what cannot be read was read without a note"
    epochs = [epoch for epoch, _ in expected]
    values = np.array([value for _, value in expected])
    assert np.array_equal(table.epoch, np.array(epochs, "M8[ns]")), (
        "epochs differ from those sent, without a note"
    )
    assert np.array_equal(table.values, values, equal_nan=True), (
        "values differ from those sent, without a note"
    )
    assert len(table) >= 22 or info.get("cadence") != "PT1H", "records are missing without a note"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(BLOCKS))
def test_nothing_odd_is_read_silently(block: int, tmp_path: Path, http):
    outcomes: dict[str, int] = {}
    with OddHapi() as server:
        for number in range(block, EXAMPLES, BLOCKS):
            dice = random.Random(number)
            form = dice.choice(["csv", "binary"])
            given = rows(dice)
            order = ">" if dice.random() < 0.1 else "<"
            info = info_reply()
            for change in dice.sample(["rows", "info"], dice.choice([0, 1, 1, 2])):
                given = change_rows(dice, given) if change == "rows" else given
                info = change_info(dice, info) if change == "info" else info
            body = to_csv(given) if form == "csv" else to_binary(given, order)
            body = change_bytes(dice, body) if dice.random() < 0.4 else body
            server.replies = {
                "capabilities": {"HAPI": "3.2", "status": OK, "outputFormats": [form]},
                "catalog": {"HAPI": "3.2", "status": OK, "catalog": [{"id": "ODD"}]},
                "info": info,
                "data": body,
            }
            server.mend()
            try:
                table = Hapi(tmp_path / f"{number}", http, url=server.url).fetch("ODD", ["B"], DAY)["B"]
            except HelioError as error:
                assert f"{error.message} {error.advice}".isprintable()
                outcome = type(error).__name__
            else:
                law(table, body, form, order, info)
                outcome = "table"
            assert len(server.asked("/data")) < 100
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert outcomes.get("table"), "no reply was read"


def test_a_whole_reply_has_no_note(tmp_path: Path, http):
    given = rows(random.Random(7))
    with OddHapi(capabilities={"HAPI": "3.2", "outputFormats": ["binary"]}, data=to_binary(given)) as server:
        table = Hapi(tmp_path, http, url=server.url).fetch("ODD", ["B"], DAY)["B"]
    assert table.notes == ()
    law(table, to_binary(given), "binary", "<", info_reply(FIELD))
