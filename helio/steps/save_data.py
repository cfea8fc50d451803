"""Tables as a file for other programs: CSV, Parquet, CDF or netCDF."""

from __future__ import annotations

from dataclasses import dataclass

from helio.steps.export.about import about
from helio.steps.export.formats import ENDINGS, Format, file_of_export
from helio.steps.export.names import parameters_of
from helio.steps.signature import FileName, whole_range
from helio.steps.tool import tool
from helio.store.table import Table

_MEDIA_TYPES: dict[Format, str] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
    "cdf": "application/x-cdf",
    "netcdf": "application/x-netcdf",
}


@dataclass(frozen=True)
class Export:
    """A file for the user: its name without folders, its bytes and its media type."""

    filename: str
    content: bytes
    media_type: str


@tool(
    version=3,
    context=whole_range("a file holds all records"),
    synonyms="save write_data save_table save_csv export_data export_table",
)
def save_data(
    tables: dict[str, Table], *, filename: FileName = FileName(""), format: Format | None = None
) -> Export:
    """Export one or several tables as a file.

    In the file, a table is named after the last part of its label: ``AC_H2_MFI.BGSEc`` becomes ``BGSEc``. The same
    tables give the same bytes, and helio reads the same tables back from every format, in a folder that a run uses
    as its archive.

    Parameters
    ----------
    tables : dict of str to Table
        Scalars, vectors or spectra, one or several; in CSV and Parquet all of the same epochs.
    filename : str
        A plain name without folders; the extension is added when it is missing. {start}, {stop} and {NAME} of a
        declared variable are filled in. Empty: made from the label.
    format : "csv", "parquet", "cdf" or "netcdf"
        Default: the format of the filename's ending, otherwise CSV. CSV: a header of lines that start with #, missing
        values empty. Parquet: epochs as UTC nanoseconds. CDF: ISTP, TT2000. NetCDF: netCDF-4 with CF, times since
        1970, units of UDUNITS.

    Returns
    -------
    Export
        The content and its file name; nothing is written here.

    Raises
    ------
    StepError
        When the filename has folders, or the ending of another format; when the format cannot hold the tables.

    References
    ----------
    ISO 8601-1:2019; RFC 4180; ISTP Metadata Guidelines; CF Conventions 1.11.

    Examples
    --------
    The last lines of a CSV file:

    >>> from helio.steps.examples import series
    >>> export = save_data({"OMNI.Bz": series([-5.0, 2.5], "nT", "Bz")}, filename="bz.csv")
    >>> export.content.decode().splitlines()[-2:]
    ['2024-05-10T00:00:00Z,-5.0', '2024-05-10T00:01:00Z,2.5']
    """
    named = dict(zip(parameters_of(list(tables)), tables.values(), strict=True))
    default = "-".join(named).lower().replace("_", "-")[:80]
    name, kind = file_of_export(filename or f"{default}.{ENDINGS[format or 'csv'][0]}", format)
    return Export(name, _written(named, kind, name), _MEDIA_TYPES[kind])


def _written(tables: dict[str, Table], kind: Format, filename: str) -> bytes:
    if kind == "csv":
        from helio.steps.export.write_csv import write_csv

        return write_csv(tables)
    if kind == "parquet":
        from helio.steps.export.write_parquet import write_parquet

        return write_parquet(tables)
    if kind == "cdf":
        from helio.steps.export.write_cdf import write_cdf

        return write_cdf(tables, about(filename, tables))
    from helio.steps.export.write_netcdf import write_netcdf

    return write_netcdf(tables, about(filename, tables))
