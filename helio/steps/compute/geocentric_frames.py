"""Rotations between the Earth-centred frames: GEO, GEI, GSE, GSM and SM."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from helio.errors import StepError
from helio.knowledge.geomagnetic_dipole import G10, G11, H11, YEARS
from helio.store.table import Epochs

Values = npt.NDArray[np.float64]

CHAIN = ("GEO", "GEI", "GSE", "GSM", "SM")
"""The frames in order: rotations about coordinate axes turn each frame into the next."""

BLOCK = 32768
"""Number of records computed at a time: a year of data needs no more memory than a day."""

_DAY_NS = 86_400_000_000_000
_J2000_DAYS = 10957.5  # 2000-01-01T12:00 after 1970-01-01
_X, _Y, _Z = 0, 1, 2


@dataclass(frozen=True)
class _Rotation:
    """A rotation of the frame about one of its axes, by an angle given as cosine and sine."""

    axis: int
    cosine: Values
    sine: Values

    def apply(self, vector: Values) -> None:
        """Rotate components of shape (3, n), and overwrite the array."""
        first, second = vector[(self.axis + 1) % 3], vector[(self.axis + 2) % 3]
        turned = self.cosine * first + self.sine * second
        second *= self.cosine
        second -= self.sine * first
        first[:] = turned

    def inverse(self) -> _Rotation:
        return _Rotation(self.axis, self.cosine, -self.sine)


def rotate_between(epoch: Epochs, vector: Values, start: str, stop: str) -> Values:
    """Rotate vectors from one Earth-centred frame into another; the constant `CHAIN` lists the frames.

    Parameters
    ----------
    epoch : datetime64[ns], shape (n,)
        UTC, taken for UT1: at most 0.9 s, or 0.004° of the Earth's rotation, apart.
    vector : float64, shape (n, 3)

    Returns
    -------
    array, shape (n, 3)
        NaN wherever a missing component enters; x is the same in GSE and GSM, and is kept when y is missing.

    Raises
    ------
    StepError
        Outside 1900 to 2030, when GSM or SM is asked for: the dipole is not known there.

    References
    ----------
    Hapgood, Planet. Space Sci. 40, 711 (1992), and its corrections of 1997; Sun and sidereal time after the
    Almanac for Computers (1988), to 0.01°. Fränz & Harper, Planet. Space Sci. 50, 217 (2002).
    """
    begin, end = CHAIN.index(start), CHAIN.index(stop)
    if max(begin, end) > CHAIN.index("GSE"):
        _check_dipole(epoch)
    turned = np.empty_like(vector)
    for first in range(0, len(epoch), BLOCK):
        rows = slice(first, first + BLOCK)
        part = np.array(vector[rows].T, order="C")  # a copy, which is turned in place
        for rotation in _rotations(_Moment(epoch[rows]), begin, end):
            rotation.apply(part)
        turned[rows] = part.T
    return turned


def dipole_tilt(epoch: Epochs) -> Values:
    """Compute the angle in degrees by which the northern end of the dipole leans towards the Sun."""
    _check_dipole(epoch)
    x, y, z = _Moment(epoch).dipole_in_gse()
    tilt: Values = np.degrees(np.arctan2(x, np.hypot(y, z)))
    return tilt


def _rotations(moment: _Moment, begin: int, end: int) -> Iterator[_Rotation]:
    if begin <= end:
        for link in _LINKS[begin:end]:
            yield from link(moment)
        return
    for link in reversed(_LINKS[end:begin]):
        yield from (rotation.inverse() for rotation in reversed(link(moment)))


class _Moment:
    """The angles that give the directions of the Earth's axis, the Sun and the dipole at some epochs."""

    def __init__(self, epoch: Epochs) -> None:
        nanoseconds = epoch.astype(np.int64)
        days = nanoseconds // _DAY_NS
        self.hours: Values = (nanoseconds - days * _DAY_NS) / 3.6e12
        # At midnight, as the formulas want it.
        self.centuries: Values = (days.astype(np.float64) - _J2000_DAYS) / 36525.0
        self.epoch = epoch

    def sidereal_time(self) -> Values:
        """Compute the Greenwich mean sidereal time, in degrees."""
        return 100.461 + 36000.770 * self.centuries + 15.04107 * self.hours

    def ecliptic(self) -> tuple[Values, Values]:
        """Compute the obliquity of the ecliptic and the ecliptic longitude of the Sun, in degrees."""
        obliquity = 23.439 - 0.013 * self.centuries
        anomaly = np.radians(357.528 + 35999.050 * self.centuries + 0.04107 * self.hours)
        longitude = 280.460 + 36000.772 * self.centuries + 0.04107 * self.hours
        longitude += (1.915 - 0.0048 * self.centuries) * np.sin(anomaly) + 0.020 * np.sin(2 * anomaly)
        return obliquity, longitude

    def dipole_in_gse(self) -> Values:
        """Return the unit vector towards the northern end of the dipole, shape (3, n)."""
        years = 1970.0 + self.epoch.astype(np.int64) / (365.25 * _DAY_NS)
        north: Values = np.empty((3, len(self.epoch)))
        for row, coefficients in zip(north, (G11, H11, G10), strict=True):
            row[:] = -np.interp(years, YEARS, coefficients)  # the moment points south: g10 is negative
        north /= np.sqrt((north**2).sum(axis=0))
        for rotation in (*_geo_to_gei(self), *_gei_to_gse(self)):
            rotation.apply(north)
        return north


def _turn(axis: int, degrees: Values) -> _Rotation:
    radians = np.radians(degrees)
    return _Rotation(axis, np.cos(radians), np.sin(radians))


def _geo_to_gei(moment: _Moment) -> list[_Rotation]:
    return [_turn(_Z, moment.sidereal_time()).inverse()]


def _gei_to_gse(moment: _Moment) -> list[_Rotation]:
    obliquity, longitude = moment.ecliptic()
    return [_turn(_X, obliquity), _turn(_Z, longitude)]


def _gse_to_gsm(moment: _Moment) -> list[_Rotation]:
    _, y, z = moment.dipole_in_gse()
    length = np.hypot(y, z)
    return [_Rotation(_X, z / length, -y / length)]


def _gsm_to_sm(moment: _Moment) -> list[_Rotation]:
    x, y, z = moment.dipole_in_gse()
    return [_Rotation(_Y, np.hypot(y, z), x)]


_LINKS: tuple[Callable[[_Moment], list[_Rotation]], ...] = (_geo_to_gei, _gei_to_gse, _gse_to_gsm, _gsm_to_sm)


def _check_dipole(epoch: Epochs) -> None:
    first, last = np.datetime64(int(YEARS[0]) - 1970, "Y"), np.datetime64(int(YEARS[-1]) - 1970, "Y")
    if len(epoch) and (epoch[0] < first or epoch[-1] >= last):
        raise StepError(
            f"the geomagnetic dipole is known from {int(YEARS[0])} to {int(YEARS[-1])}, but the data are "
            f"from {str(epoch[0])[:10]} to {str(epoch[-1])[:10]}",
            advice="transform into GSE, GEI or GEO, which do not depend on the dipole",
        )
