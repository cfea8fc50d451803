"""Damaged files: whatever is flipped or cut, the reader answers, with a table or with words."""

import random
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from helio.errors import DamagedFile, DataError, NoData, UnknownParameter
from helio.sources.cdf import CdfReader
from helio.time_range import TimeRange

pytestmark = pytest.mark.slow

ALWAYS = TimeRange(datetime(1700, 1, 1), datetime(2200, 1, 1))


@pytest.fixture(scope="module")
def impatient():
    with CdfReader(time_limit=1.0) as reader:
        yield reader


def mutated(data: bytes, seed: int) -> bytes:
    """Flip bytes, overwrite a word by an extreme, cut, or blank a stretch."""
    dice = random.Random(seed)
    bad = bytearray(data)
    kind = seed % 4
    if kind == 0:
        for _ in range(dice.choice([1, 4, 32])):
            bad[dice.randrange(8, len(bad))] ^= 1 << dice.randrange(8)
    elif kind == 1:
        place = dice.randrange(8, len(bad) - 8)
        bad[place : place + 4] = dice.choice(
            [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff", b"\0\0\0\0", b"\0\0\1\0"]
        )
    elif kind == 2:
        del bad[dice.randrange(8, len(bad)) :]
    else:
        place = dice.randrange(8, len(bad) - 64)
        bad[place : place + dice.choice([8, 64])] = bytes(dice.choice([8, 64]))
    return bytes(bad)


def survive(reader: CdfReader, path: Path, parameters: list[str]) -> list[DataError]:
    """Errors of the kinds that a reader may raise; any other leaves the test."""
    errors: list[DataError] = []
    try:
        reader.describe(path)
    except DamagedFile as error:
        errors.append(error)
    for name in parameters:
        try:
            table = reader.read(path, [name], ALWAYS)[name]
        except (DamagedFile, UnknownParameter, NoData) as error:
            errors.append(error)
        else:
            assert bool((np.diff(table.epoch) > np.timedelta64(0)).all())
    assert all(error.message and error.place == str(path) for error in errors)
    return errors


@pytest.fixture(params=["plain", "variables", "whole"])
def data(request, new_cdf):
    """A small file with what readers trip over, plain and compressed."""
    rng = np.random.default_rng(3)
    gzip = 6 if request.param == "variables" else 0
    made = new_cdf(f"{request.param}.cdf", compressed=6 if request.param == "whole" else 0)
    made.say(Logical_source="MADE", TITLE="damaged soon")
    made.add("Epoch", "tt2000", 700_000_000_000_000_000 + np.arange(200) * 10**9, gzip=gzip)
    made.add(
        "B", "f4", rng.normal(size=(200, 3)), gzip=gzip, DEPEND_0="Epoch", LABL_PTR_1="labels", UNITS="nT",
        FILLVAL=np.float32(-1e31), VALIDMIN=np.array([-9.0, -9, -9]), VALIDMAX=np.array([9.0, 9, 9]),
    )  # fmt: skip
    made.add("labels", "text", np.array(["Bx GSE", "By GSE", "Bz GSE"]), constant=True)
    made.add("j", "f8", rng.normal(size=(200, 4)), gzip=gzip, DEPEND_0="Epoch", DEPEND_1="E", SCALETYP="log")
    made.add("E", "f4", np.array([[1.0, 2, 3, 4], [2, 3, 4, 5]] * 100), DEPEND_0="Epoch", UNITS="keV")
    made.add("s", "i4", [[3, 90], np.array([1, 2], dtype="i4")], sparse="pad_sparse", DEPEND_0="Epoch")
    return made.done().read_bytes()


def test_no_damage_crashes_or_hangs_the_parent(data, impatient, tmp_path):
    outcomes = []
    for seed in range(60):
        path = tmp_path / f"damaged{seed}.cdf"
        path.write_bytes(mutated(data, seed))
        outcomes.extend(survive(impatient, path, ["B", "j", "s"]))
    assert any(isinstance(error, DamagedFile) for error in outcomes)


@pytest.mark.archive
@pytest.mark.parametrize("name", ["ac_k2_mfi*.cdf", "ia_k0_epi*.cdf", "ge_k0_cpi*.cdf", "solo_L2_epd*.cdf"])
def test_no_damage_of_a_real_file_crashes_or_hangs_the_parent(archive, name, impatient, tmp_path):
    whole = next(archive.rglob(name))
    parameters = list(impatient.describe(whole).parameters[:3])
    data = whole.read_bytes()
    outcomes = []
    for seed in range(40):
        path = tmp_path / f"damaged{seed}.cdf"
        path.write_bytes(mutated(data, seed))
        outcomes.extend(survive(impatient, path, parameters))
    assert any(isinstance(error, DamagedFile) for error in outcomes)
