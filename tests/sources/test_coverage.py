"""Which files of a dataset may hold records of an interval, compared with looking at each file in turn."""

from __future__ import annotations

from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from helio.sources.local import ArchiveFile, KnownFile, _Coverage
from helio.time_range import TimeRange
from tests.laws import law

FIRST = datetime(2024, 1, 1)
SPILL = timedelta(minutes=5)


def one_by_one(files: list[ArchiveFile], span: TimeRange, known: dict[str, KnownFile]) -> list[ArchiveFile]:
    """Ask each file alone whether it may hold records of an interval."""
    starts = [file.start for file in files if file.start is not None]
    spacings = [after - before for before, after in pairwise(starts)]
    longest = max(2 * max(spacings), timedelta(days=366)) if spacings else None

    def may_hold(index: int, file: ArchiveFile) -> bool:
        facts = known.get(file.path.name)
        if facts is not None:
            return facts.first < span.stop and facts.last >= span.start
        if file.start is None:
            if file.first is None or file.stop is None:
                return True
            return file.first < span.stop and file.stop > span.start
        if file.start - SPILL >= span.stop:
            return False
        if file.stop is not None:
            return file.stop + SPILL > span.start
        ends = starts[index + 1 : index + 2]
        if file.timed:
            ends.append(file.start + timedelta(days=1))
        elif longest is not None:
            ends.append(file.start + longest)
        return not ends or min(ends) + SPILL > span.start

    return [file for index, file in enumerate(files) if may_hold(index, file)]


hours = st.integers(0, 24 * 40).map(lambda count: FIRST + timedelta(hours=count))


@st.composite
def archives(draw: st.DrawFn) -> tuple[list[ArchiveFile], dict[str, KnownFile]]:
    files, known = [], {}
    for number in range(draw(st.integers(0, 8))):
        start = draw(st.none() | hours)
        first = draw(st.none() | hours)
        later = draw(st.none() | st.integers(0, 60).map(lambda count: timedelta(hours=count)))
        stop = None if later is None else (start or first or FIRST) + later
        name = f"{number}.cdf"
        files.append(ArchiveFile(Path(name), "A", start, draw(st.booleans()), "", stop, first))
        if draw(st.integers(0, 4)) == 0:
            begin = draw(hours)
            known[name] = KnownFile(begin, begin + timedelta(hours=draw(st.integers(0, 50))))
    return sorted(files, key=lambda file: (file.start is None, file.start or FIRST)), known


@law(200)
@given(archives(), hours, st.integers(1, 24 * 10))
def test_the_files_of_an_interval_are_those_found_one_by_one(
    archive: tuple[list[ArchiveFile], dict[str, KnownFile]], start: datetime, length: int
):
    files, known = archive
    span = TimeRange(start, start + timedelta(hours=length))
    assert _Coverage(files, known).of(span) == one_by_one(files, span, known)
