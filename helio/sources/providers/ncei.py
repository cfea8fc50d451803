"""Science-quality X-rays of the GOES satellites from NOAA's National Centers for Environmental Information (NCEI)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NamedTuple
from urllib.parse import urljoin, urlsplit

from helio.errors import DamagedFile, NoData
from helio.sources.file_source import FileSource, RemoteFile
from helio.sources.folder_listing import folders_between, read_listing
from helio.sources.http import Http
from helio.sources.netcdf_guard import NETCDF_3, NETCDF_4, check_netcdf
from helio.sources.witness import Witness
from helio.time_range import TimeRange

if TYPE_CHECKING:
    from helio.store.table import Table

OLDER = "https://www.ncei.noaa.gov"
"""Server of the satellites up to GOES-15."""

_LAST_OLDER = 15
_AVERAGES = "xrsf-l2-avg1m_science"
_SCIENCE = (
    "science-quality: without the factors of 0.85 (short channel) and 0.7 (long channel) that are in the operational "
    "data of GOES-1 to 15, so flare classes differ from the operational ones of that time"
)
_KNOWN_FOLDER = f"platforms/solar-space-observing-satellites/goes/goes16/l2/data/{_AVERAGES}/2017/09/"


class _Product(NamedTuple):
    """Folder of a product, satellites for which it exists, and the parameters that helio knows of it."""

    folder: str
    satellites: range
    parameters: tuple[str, ...]


_PRODUCTS = (
    _Product(_AVERAGES, range(8, 20), ("xrsa_flux", "xrsb_flux", "xrsa_flag", "xrsb_flag")),
    _Product("xrsf-l2-flx1s_science", range(16, 20), ("xrsa_flux", "xrsb_flux")),
)
_ID = re.compile(r"SCI_(?P<product>[A-Z0-9-]+)_G(?P<satellite>\d{2})")


def _dataset_id(product: _Product, satellite: int) -> str:
    return f"SCI_{product.folder.removesuffix('_science').upper()}_G{satellite:02}"


class Ncei(FileSource):
    """Folders ``PRODUCT/YEAR/MONTH/`` with one netCDF file for each day and satellite, listed by the web server.

    Dataset ids are those in the names of the files: ``sci_xrsf-l2-avg1m_g16_d20170906_v2-2-0.nc`` belongs to
    ``SCI_XRSF-L2-AVG1M_G16``. Tables of satellites up to GOES-15 have a note that the fluxes are not scaled as the
    operational ones.

    References
    ----------
    https://www.ncei.noaa.gov/products/goes-r-extreme-ultraviolet-xray-irradiance,
    https://www.ncei.noaa.gov/products/goes-1-15/space-weather-instruments
    """

    title = "NCEI"
    address = "https://data.ngdc.noaa.gov"
    further_addresses = (OLDER,)
    publisher = "NOAA National Centers for Environmental Information"
    question = "for the X-rays of GOES-16 in September 2017"
    ending = ".nc"
    check: ClassVar[Callable[[Path], None]] = staticmethod(check_netcdf)

    def datasets(self) -> list[str]:
        """Return the ids of all datasets, sorted."""
        return sorted(self.known_datasets())

    @classmethod
    def known_datasets(cls) -> Mapping[str, Collection[str]]:
        """Return all datasets with their most important parameters."""
        return {
            _dataset_id(product, satellite): product.parameters
            for product in _PRODUCTS
            for satellite in product.satellites
        }

    @classmethod
    def probe(cls, url: str, http: Http, witness: Witness) -> str:
        """Request the page of a folder that certainly exists, and the first bytes of one of its files."""
        folder = f"{url}/{_KNOWN_FOLDER}"
        page = http.get(folder, accept="text/html").content.decode(errors="replace")
        files = read_listing(folder, page, cls.ending)
        if not files:
            raise NoData("the folder of September 2017 has no file", advice="try again later", place=folder)
        http.refuse_foreign(files[0].url, f"a listing of {urlsplit(url).netloc}")
        head = witness.first_bytes(http, files[0].url, len(NETCDF_4))
        if not head.startswith((*NETCDF_3, NETCDF_4)):
            raise DamagedFile(f"'{files[0].name}' is not a netCDF file", place=files[0].url)
        return f"the archive has September 2017, and its file {files[0].name} is a netCDF file"

    def list_files(self, dataset_id: str, time_range: TimeRange) -> Sequence[RemoteFile]:
        """Read the pages of the folders of the months that the range touches, and return the days of the range."""
        if dataset_id not in self.known_datasets():
            return []
        folders = folders_between(self._folder(dataset_id), "%Y/%m", time_range)
        return self.files_in_folders(folders, time_range)

    def fetch(self, dataset_id: str, parameters: Sequence[str], time_range: TimeRange) -> dict[str, Table]:
        """Read parameters over [start, stop); the tables of satellites up to GOES-15 say that they are not scaled.

        Raises
        ------
        DataError
            As for `FileSource.fetch`.
        """
        tables = super().fetch(dataset_id, parameters, time_range)
        if _satellite(dataset_id) > _LAST_OLDER:
            return tables
        return {name: replace(table, notes=(*table.notes, _SCIENCE)) for name, table in tables.items()}

    def _folder(self, dataset_id: str) -> str:
        satellite = _satellite(dataset_id)
        [product] = (product for product in _PRODUCTS if _dataset_id(product, satellite) == dataset_id)
        if satellite > _LAST_OLDER:
            path = (
                f"platforms/solar-space-observing-satellites/goes/goes{satellite}/l2/data/{product.folder}/"
            )
            return urljoin(f"{self.url}/", path)
        # A mirror that the user names has all satellites.
        host = OLDER if self.url == self.full_address(self.address) else self.url
        path = f"data/goes-space-environment-monitor/access/science/xrs/goes{satellite:02}/{product.folder}/"
        return urljoin(f"{host}/", path)


def _satellite(dataset_id: str) -> int:
    match = _ID.fullmatch(dataset_id)
    return int(match["satellite"]) if match else 0
