"""How data are cited: what the files say, what the catalogue adds, what nobody knows."""

from __future__ import annotations

import json
import re

import pytest

from helio.knowledge.catalogue import Catalogue
from helio.knowledge.citations import (
    ACKNOWLEDGEMENTS,
    Citation,
    Use,
    bibtex,
    citation_text,
    cite,
    span_text,
    text_lines,
    uses_of,
)
from helio.store.source_file import SourceFile

SPAN = ("2023-01-02T00:00:00", "2023-01-03T00:00:00")


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


def one(
    catalogue: Catalogue | None = None, *, accessed: str = "2026-11-20T10:00:00", **said: object
) -> Citation:
    source = SourceFile(**{"dataset_id": "AC_H2_MFI", "file": "a.cdf", "provider": "CDAWeb", **said})
    [found] = cite([Use(source, SPAN, accessed)], catalogue)
    return found


def test_what_the_file_says_comes_before_what_the_catalogue_says(catalogue: Catalogue):
    found = one(catalogue, pi="E. Smith", affiliation="JPL", doi="10.1/x", title="Its own title")
    assert (found.pi, found.affiliation, found.doi, found.title) == (
        "E. Smith", "JPL", "10.1/x", "Its own title",
    )  # fmt: skip
    assert found.mission == "ACE"


def test_where_the_file_is_silent_the_catalogue_speaks(catalogue: Catalogue):
    found = one(catalogue)
    assert found.pi == "N. Ness"
    assert found.affiliation == "Bartol Research Institute"
    assert found.doi.startswith("10.48322/")
    assert found.publisher == "NASA Space Physics Data Facility (SPDF), CDAWeb"
    assert found.unknown == ("versions", "acknowledgement")
    assert found.notes_url.endswith("#AC_H2_MFI")


def test_an_affiliation_is_never_put_to_another_investigator(catalogue: Catalogue):
    assert one(catalogue, pi="E. Smith").affiliation == ""


def test_a_dataset_of_ones_own_has_no_invented_facts(catalogue: Catalogue):
    found = one(catalogue, dataset_id="MY_EVENTS", provider="mine", accessed="")
    assert found.unknown == ("title", "doi", "pi", "publisher", "versions", "accessed", "acknowledgement")
    lines = text_lines([found], "0.1.0")
    assert "  acknowledgement: not stated in the files; ask the author of the dataset" in lines
    assert "  DOI: none known" in lines
    entry = bibtex([found], "0.1.0").partition("\n\n")[0]
    assert "author" not in entry
    assert "doi" not in entry


def test_an_id_of_another_service_is_not_taken_for_one_of_cdaweb(catalogue: Catalogue):
    assert one(catalogue, provider="HAPI lisird").doi == ""
    assert one(catalogue, provider="HAPI lisird").publisher == "HAPI lisird"
    assert one(catalogue, provider="HAPI cdaweb").doi.startswith("10.48322/")


def test_a_hapi_server_is_cited_with_its_address_and_what_it_says_of_the_dataset():
    told = {
        "provider": "HAPI mine",
        "url": "https://host.org/hapi/data?dataset=AC_H2_MFI&start=2023-01-02Z",
        "page": "https://host.org/about/mfi",
    }
    found = one(**told)
    assert (found.served_at, found.notes_url) == ("https://host.org/hapi", "https://host.org/about/mfi")
    text = citation_text(found)
    assert "HAPI mine, https://host.org/hapi. https://host.org/about/mfi. 2023-01-02 to" in text
    entry = bibtex([found], "0.1.0")
    assert "url = {https://host.org/about/mfi}" in entry
    assert "served by https://host.org/hapi" in entry
    with_doi = citation_text(one(**told, doi="10.1/x"))
    assert "https://doi.org/10.1/x" in with_doi
    assert "about/mfi" not in with_doi
    assert "url = {https://host.org/hapi}" in bibtex([one(**told | {"page": ""})], "0.1.0")


def test_files_of_one_dataset_are_one_citation():
    first = SourceFile("AC_H2_MFI", "a_v06.cdf", "06", "CDAWeb")
    second = SourceFile("AC_H2_MFI", "b_v07.cdf", "07", "CDAWeb", acknowledgement="thank us")
    later = ("2023-02-01T00:00:00", "2023-02-02T06:00:00")
    uses = [
        Use(first, SPAN, "2026-11-20T10:00:00"),
        Use(second, SPAN, "2026-11-21T10:00:00"),
        Use(second, later, ""),
    ]
    [found] = cite(uses)
    assert found.versions == ("06", "07")
    assert found.files == 2
    assert found.spans == (SPAN, later)
    assert found.accessed == ("2026-11-20", "2026-11-21")
    assert found.acknowledgement == "thank us"


def test_addresses_of_investigators_are_left_out():
    assert one(pi="Stuart D. Bale (bale@berkeley.edu)").pi == "Stuart D. Bale"
    assert one(pi="Rami Vainio <rami.vainio@utu.fi>").pi == "Rami Vainio"


def test_bibtex_is_escaped_and_its_keys_are_stable():
    title = "50% of {B_z} & $n_p$ #1 ~ ^ \\ one\ntwo"
    text = bibtex([one(title=title), one(dataset_id="A/B C"), one(dataset_id="A-B-C")], "0.1.0")
    assert (
        r"50\% of \{B\_z\} \& \$n\_p\$ \#1 \textasciitilde{} \textasciicircum{} \textbackslash{} one two"
        in text
    )
    assert re.findall(r"@misc\{(.+),", text) == ["AC_H2_MFI", "A-B-C", "A-B-C-2", "helio"]
    assert text.count("{") == text.count("}") + text.count(r"\{") - text.count(r"\}")


def test_a_preliminary_product_is_said_to_be_one():
    assert any("not for publication" in line for line in text_lines([one(preliminary=True)], "0.1.0"))


def test_records_of_earlier_versions_are_cited_without_what_they_lack():
    source = SourceFile("AC_H2_MFI", "a.cdf", provider="CDAWeb")
    fetch = {"outputs": [{"recipe": {"range": SPAN}, "sources": [source]}]}
    computed = {"outputs": [{"recipe": {"tool": "magnitude"}, "sources": [source]}]}
    [use] = uses_of([fetch, computed])
    assert use == Use(source, SPAN, "")


def test_a_range_says_its_hours_where_it_has_any():
    assert span_text(("2023-01-02T06:00:00", "2023-01-03T00:00:00")) == (
        "2023-01-02 06:00:00 to 2023-01-03 00:00:00 UTC"
    )


def test_what_an_archive_asks_for_is_quoted_with_its_page_beside_what_the_file_says(catalogue: Catalogue):
    found = one(catalogue, dataset_id="OMNI2_H0_MRG1HR", acknowledgement="NSSDC")
    assert found.acknowledgement == "NSSDC"
    assert found.requested.startswith("We acknowledge use of NASA/GSFC")
    assert any(
        "https://omniweb.gsfc.nasa.gov/html/citing.html" in line for line in text_lines([found], "0.1.0")
    )
    silent = one(catalogue, dataset_id="OMNI_HRO_1MIN")
    assert "acknowledgement" not in silent.unknown
    assert "acknowledgement not known" not in bibtex([silent], "0.1.0")


def test_each_request_of_an_archive_names_its_page():
    for entry in json.loads(ACKNOWLEDGEMENTS.read_text(encoding="utf-8")):
        assert entry["text"].endswith(".")
        assert entry["source"].startswith("https://")
        assert entry["datasets"]


def test_files_from_a_folder_are_said_to_come_from_there(catalogue: Catalogue):
    assert citation_text(one(catalogue, provider="my archive")).endswith("Read from my archive.")
    assert "Read from" not in citation_text(one(catalogue))
