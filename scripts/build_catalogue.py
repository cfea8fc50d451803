"""Build the catalogue of CDAWeb's datasets that is shipped, from the package xhelio-cdaweb.

The package is fetched by ``pip download`` from whatever registry pip is configured for and checked against the
sha256 written here. Its metadata files hold what NASA's archive says of its datasets; facts are taken, no code and no
prose of the package. The same package gives the same bytes.

    python scripts/build_catalogue.py            write the catalogue
    python scripts/build_catalogue.py --check    build elsewhere and compare with what is there
    python scripts/build_catalogue.py --wheel F  take the package from a file
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

from helio.knowledge.catalogue import SHIPPED, read_time, time_text
from helio.knowledge.catalogue_file import CatalogueDataset, CatalogueParameter, encode
from helio.knowledge.clean import clean_text, split_title

PACKAGE, VERSION = "xhelio-cdaweb", "0.3.7"
SHA256 = "6eba1bc25f9379899863ca7ba898777e32742f374837d3c58fc2a797634473ad"
LARGEST = 1_000_000
"""Bytes that the catalogue may take: it travels with every installation."""


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--wheel", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        wheel = arguments.wheel or _download(Path(folder))
        _verify(wheel)
        with zipfile.ZipFile(wheel) as package:
            as_of, facts = _facts(package)
    content = encode(
        facts,
        as_of=as_of,
        sources=[f"CDAWeb's metadata as collected by {PACKAGE} {VERSION} (MIT, Zesen Huang)"],
    )
    print(
        f"{len(facts)} datasets, {sum(len(one.parameters) for one in facts)} parameters, {len(content)} bytes"
    )
    if len(content) > LARGEST:
        print(f"more than {LARGEST} bytes", file=sys.stderr)
        return 1
    if arguments.check:
        same = SHIPPED.read_bytes() == content
        print("the same as shipped" if same else "differs from what is shipped")
        return 0 if same else 1
    SHIPPED.write_bytes(content)
    return 0


def _download(folder: Path) -> Path:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    subprocess.run([*command, "--dest", str(folder), f"{PACKAGE}=={VERSION}"], check=True)
    return next(folder.glob("*.whl"))


def _verify(wheel: Path) -> None:
    found = hashlib.sha256(wheel.read_bytes()).hexdigest()
    if found != SHA256:
        raise SystemExit(f"{wheel.name} has sha256 {found}, not {SHA256}")


def _facts(package: zipfile.ZipFile) -> tuple[datetime, list[CatalogueDataset]]:
    names = sorted(package.namelist())
    described = {
        Path(name).stem: json.loads(package.read(name)) for name in names if "/data/metadata/" in name
    }
    facts: list[CatalogueDataset] = []
    asked: list[str] = []
    for name in names:
        if "/data/observatories/" not in name:
            continue
        group: dict[str, Any] = json.loads(package.read(name))
        asked.append(group["_meta"]["generated_at"])
        for instrument in group["instruments"].values():
            for dataset_id, about in instrument["datasets"].items():
                pi = clean_text(about.get("pi_name") or "")
                title, affiliation = split_title(clean_text(about["description"]), pi)
                facts.append(
                    CatalogueDataset(
                        id=dataset_id,
                        group=group["name"],
                        instrument_type=instrument["name"],
                        title=title,
                        first=_second(about["start_date"]),
                        last=_second(about["stop_date"]),
                        doi=about.get("doi") or "",
                        pi=pi,
                        affiliation=affiliation,
                        parameters=_parameters(described.get(dataset_id, {})),
                    )
                )
    latest = read_time(max(asked))
    assert latest is not None
    return latest, facts


def _parameters(described: dict[str, Any]) -> list[CatalogueParameter]:
    return [
        CatalogueParameter(
            one["name"],
            clean_text(one["units"] or ""),
            tuple(one.get("size") or ()),
            one["type"],
            clean_text(one.get("description") or ""),
        )
        for one in described.get("parameters", [])
        if one["type"] != "isotime"
    ]


def _second(text: str) -> str:
    return time_text(read_time(text))


if __name__ == "__main__":
    raise SystemExit(main())
