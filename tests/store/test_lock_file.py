"""What is locked against what is used now, in words; locks on disk."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from helio.errors import DamagedFile, OutputError, RequestError
from helio.store.lock_file import Lock, LockedDataset, LockedFetch, LockedFile, changes, read_lock

SPAN = ("2023-01-02T00:00:00", "2023-01-03T00:00:00")
FILE = LockedFile(
    "ac_h0_mfi_20230102_v07.cdf", "07", "https://one/ac_h0_mfi_20230102_v07.cdf", 9, "ab" * 32, "2023-05-01"
)


def lock(*files: LockedFile, tables: dict[str, str] | None = None, **changed: Any) -> Lock:
    dataset = LockedDataset("AC_H0_MFI", ("BGSEc",), "CDAWeb", files or (FILE,), used=True)
    fetch = LockedFetch("b", SPAN, (dataset,), tables or {"B": "sha256:" + "1" * 64})
    whole = Lock("p", "sha256:1", "cdaweb", "2024-01-01T00:00:00", {}, "0.1.0", {"fetch_data": 2}, (fetch,))
    return replace(whole, **changed)


def fetch_of(one: Lock, **changed: Any) -> Lock:
    return replace(one, fetches=(replace(one.fetches[0], **changed),))


def test_the_same_is_the_same():
    assert changes(lock(), lock()) == []


def test_another_clock_and_another_helio_change_nothing_that_is_used():
    assert changes(lock(), lock(now="2025-01-01T00:00:00", helio="0.2.0")) == []


def test_a_mirror_of_the_same_bytes_is_the_same():
    mirrored = replace(FILE, url="https://other/x.cdf", last_modified="2026-01-01")
    assert changes(lock(), lock(mirrored)) == []


def test_a_file_that_is_not_here_yet_is_compared_by_its_listing():
    listed = replace(FILE, sha256="")
    assert changes(lock(), lock(listed)) == []
    later = replace(listed, size=10, last_modified="2023-06-01")
    assert changes(lock(), lock(later)) == [
        "step b: AC_H0_MFI: ac_h0_mfi_20230102_v07.cdf was published again: "
        "9 bytes → 10 bytes, published 2023-05-01 → 2023-06-01"
    ]


def test_other_bytes_are_named_with_old_and_new():
    [told] = changes(lock(), lock(replace(FILE, sha256="cd" * 32)))
    assert "ac_h0_mfi_20230102_v07.cdf has other content" in told
    assert "sha256 abababababab… → cdcdcdcdcdcd…" in told


def test_a_new_version_is_one_difference_and_not_two():
    newer = replace(FILE, file="ac_h0_mfi_20230102_v10.cdf", version="10", sha256="")
    assert changes(lock(), lock(newer)) == [
        "step b: AC_H0_MFI: version 07 → 10 (ac_h0_mfi_20230102_v07.cdf → ac_h0_mfi_20230102_v10.cdf)"
    ]


def test_more_and_fewer_files_are_named():
    second = replace(FILE, file="ac_h0_mfi_20230103_v07.cdf", sha256="cd" * 32)
    assert changes(lock(), lock(FILE, second)) == ["step b: AC_H0_MFI: ac_h0_mfi_20230103_v07.cdf is new"]
    assert changes(lock(FILE, second), lock()) == [
        "step b: AC_H0_MFI: ac_h0_mfi_20230103_v07.cdf is no longer listed"
    ]


def test_other_numbers_are_told_only_where_no_file_explains_them():
    tables = {"B": "sha256:" + "2" * 64}
    assert changes(lock(), lock(tables=tables)) == [
        "step b: the numbers of B changed: sha256:111111111111… → sha256:222222222222…"
    ]
    [told] = changes(lock(), lock(replace(FILE, sha256="cd" * 32), tables=tables))
    assert "has other content" in told


def test_another_candidate_another_range_and_other_parameters_are_told():
    one = lock()
    dataset = one.fetches[0].datasets[0]
    spare = replace(dataset, dataset="AC_K2_MFI", used=False)
    both = fetch_of(one, datasets=(dataset, spare))
    other = fetch_of(one, datasets=(replace(dataset, used=False), replace(spare, used=True)))
    assert changes(both, other) == ["step b: AC_H0_MFI was used → AC_K2_MFI is used"]
    [told] = changes(one, fetch_of(one, range=(SPAN[1], "2023-01-04T00:00:00")))
    assert told.startswith("step b: 2023-01-02T00:00:00 to 2023-01-03T00:00:00 → 2023-01-03")
    [told] = changes(one, fetch_of(one, datasets=(replace(dataset, parameters=("BGSM",)),)))
    assert told == "step b: AC_H0_MFI (BGSEc) → AC_H0_MFI (BGSM)"


def test_a_fetch_that_gave_nothing_and_gives_data_now_is_told():
    nothing = fetch_of(lock(), failed="NoData", tables={})
    assert changes(nothing, lock()) == ["step b: no data (NoData) → data"]
    assert changes(nothing, nothing) == []
    before_reading = fetch_of(lock(), tables=None)
    assert changes(nothing, before_reading) == []


def test_a_dataset_that_has_files_now_is_told():
    dataset = lock().fetches[0].datasets[0]
    absent = fetch_of(lock(), datasets=(replace(dataset, files=(), absent="NoData"),))
    assert changes(absent, lock()) == ["step b: AC_H0_MFI: NoData → 1 file"]


def test_fetches_that_come_and_go_are_told():
    assert changes(lock(), lock(fetches=())) == ["step b no longer fetches data"]
    assert changes(lock(fetches=()), lock()) == ["step b fetches data that are not locked"]


def test_a_lock_reads_back_as_it_was_written(tmp_path: Path):
    one = lock(values={"$TIME_RANGE": "2023-01-02"})
    assert one.write(tmp_path / "helio.lock")
    assert read_lock(tmp_path / "helio.lock") == one
    assert (one.files, one.bytes) == (1, 9)


def test_a_folder_beside_the_lock_is_found_where_the_lock_is(tmp_path: Path):
    one = lock(archive=str(tmp_path / "data"))
    one.write(tmp_path / "helio.lock")
    assert '"./data"' in (tmp_path / "helio.lock").read_text()
    assert read_lock(tmp_path / "helio.lock") == one
    assert not one.write(tmp_path / "helio.lock")


def test_what_only_one_side_knows_of_a_file_is_no_difference():
    local = replace(FILE, url="", last_modified="")
    listed = replace(FILE, sha256="")
    assert changes(lock(local), lock(listed)) == []


def test_a_lock_that_differs_in_its_clock_alone_is_left_as_it_is(tmp_path: Path):
    path = tmp_path / "helio.lock"
    lock().write(path)
    before = path.read_bytes()
    assert not lock(now="2025-01-01T00:00:00").write(path)
    assert path.read_bytes() == before
    assert lock(values={"$X": 1}).write(path)


def test_a_lock_goes_where_a_damaged_one_was_and_not_over_a_folder(tmp_path: Path):
    path = tmp_path / "helio.lock"
    path.write_text("{")
    with pytest.raises(DamagedFile):
        read_lock(path)
    assert lock().write(path)
    with pytest.raises(OutputError, match="is a folder"):
        lock().write(tmp_path)
    with pytest.raises(RequestError, match="there is no lock"):
        read_lock(tmp_path)
