"""Tables of every shape, made by Hypothesis, and two that never change."""

import string

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from helio.store.representation import STATED
from helio.store.source_file import SourceFile
from helio.store.table import PARTS, Axis, Table

START = np.datetime64("2024-05-10T00:00:00", "ns")
WORDS = st.text(alphabet=string.ascii_letters + '°²⁻ "\\é\ud800', max_size=8)
DTYPES = st.sampled_from([np.dtype("f4"), np.dtype("f8")])


def numbers(dtype):
    return st.one_of(
        st.floats(width=dtype.itemsize * 8, allow_nan=True, allow_infinity=True),
        st.sampled_from([0.0, -0.0, float("nan"), -float("nan")]),
    )


@st.composite
def arrays(draw, shape, dtype=None):
    dtype = dtype or draw(DTYPES)
    return draw(hnp.arrays(dtype, shape, elements=numbers(dtype)))


@st.composite
def axes(draw, records, bins):
    per_record = draw(st.booleans())
    shape = (records, bins) if per_record else (bins,)
    dtype = draw(DTYPES)
    edges = draw(st.booleans())
    return Axis(
        label=draw(WORDS),
        unit=draw(WORDS),
        centers=draw(arrays(shape, dtype)),
        lower=draw(arrays(shape, dtype)) if edges else None,
        upper=draw(arrays(shape)) if edges else None,
        scale=draw(st.sampled_from(["linear", "log"])),
    )


@st.composite
def tables(draw):
    records = draw(st.integers(0, 6))
    kind = draw(st.sampled_from(["scalar", "vector", "spectrum", "two axes"]))
    components = tuple(draw(st.lists(WORDS, min_size=1, max_size=4))) if kind == "vector" else ()
    count = {"spectrum": 1, "two axes": 2}.get(kind, 0)
    bins = [draw(st.integers(0, 4)) for _ in range(count)]
    period = st.one_of(st.none(), st.sampled_from([0.0, 24.0, 360.0, 2 * np.pi]))
    width = max(1, len(components))
    periods = (
        st.just(None)
        if count
        else st.one_of(st.none(), st.just(()), st.lists(period, min_size=width, max_size=width).map(tuple))
    )
    steps = draw(hnp.arrays(np.int64, records, elements=st.integers(1, 10**12)))
    return Table(
        epoch=START + np.cumsum(steps).astype("timedelta64[ns]"),
        values=draw(arrays((records, *([len(components)] if components else bins)))),
        unit=draw(WORDS),
        name=draw(WORDS),
        frame=draw(WORDS),
        components=components,
        stated_representation=draw(st.sampled_from([None, "", *STATED])) if components else None,
        stated_periods=draw(periods),
        axes=tuple(draw(axes(records, count)) for count in bins),
        scale=draw(st.sampled_from(["linear", "log"])),
        description=draw(WORDS),
        sources=(SourceFile("AC_H2_MFI", "a.cdf"),),
        notes=("tolerated",),
    )


def vector():
    """Five records of a magnetic field, one value missing."""
    values = np.array(
        [[3.0, 4.0, -0.0], [1.0, np.nan, 2.0], [-2.0, 3.0, 6.0], [8.0, -1.0, 4.0], [0.1, 0.2, 0.3]]
    )
    epoch = START + np.arange(5) * np.timedelta64(60, "s")
    return Table(epoch, values, unit="nT", name="B", frame="GSE", components=("Bx", "By", "Bz"))


def spectrum():
    """Four records over two axes in float32: fixed energies with edges, angles that change."""
    energies = np.array([10.0, 31.6, 100.0], dtype=np.float32)
    angles = np.array([[45.0, 135.0], [44.5, 134.5], [44.0, 134.0], [np.nan, 133.5]])
    return Table(
        START + np.arange(4) * np.timedelta64(4_000_000_001, "ns"),
        np.arange(24, dtype=np.float32).reshape(4, 3, 2) / 7,
        unit="1/(cm² s sr keV)",
        name="FEDU",
        axes=(
            Axis(
                "Energy", "keV", energies, lower=energies * np.float32(0.9), upper=energies * np.float32(1.1)
            ),
            Axis("Pitch angle", "deg", angles, scale="linear"),
        ),
        scale="log",
        description="Electron flux",
    )


def bits(array):
    """The elements as whole numbers, every NaN as one and −0.0 as 0.0."""
    plain = array.astype(array.dtype.newbyteorder("="), copy=True)
    if plain.dtype.kind == "f":
        plain[np.isnan(plain)] = np.nan
        plain[plain == 0] = 0.0
    return plain.view(f"i{plain.itemsize}")


def assert_same(one, other):
    """Everything equal that a step can see, dtypes too."""
    said = ("unit", "name", "frame", "components", "scale", "description")
    for name in (*said, "stated_representation", "stated_periods"):
        assert getattr(one, name) == getattr(other, name), name
    pairs = [("epoch", one.epoch, other.epoch), ("values", one.values, other.values)]
    assert len(one.axes) == len(other.axes)
    for mine, theirs in zip(one.axes, other.axes, strict=True):
        assert (mine.label, mine.unit, mine.scale) == (theirs.label, theirs.unit, theirs.scale)
        for part in PARTS:
            left, right = getattr(mine, part), getattr(theirs, part)
            assert (left is None) == (right is None), part
            if left is not None:
                pairs.append((part, left, right))
    for name, left, right in pairs:
        assert left.shape == right.shape, name
        assert left.dtype == right.dtype, name
        assert np.array_equal(bits(left), bits(right)), name
