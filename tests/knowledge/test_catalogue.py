"""The catalogue of datasets: what it knows, how it is looked up, and that it is what its maker would write."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from helio.errors import DamagedFile, UnknownDataset, UnknownParameter
from helio.knowledge.cadence import cadence_text, cadences_of
from helio.knowledge.catalogue import SHIPPED, Catalogue, open_catalogue, renewed_path
from helio.knowledge.catalogue_file import CatalogueDataset, CatalogueParameter, encode
from helio.knowledge.clean import LONGEST, clean_text, split_title
from helio.knowledge.masters import read_masters
from helio.knowledge.missions import Craft, craft_of, instrument_of
from helio.knowledge.text import entry_lines, mission_lines, parameter_lines
from helio.sources.samples import sample_folder
from tests.rows import in_one_test

REFERENCE = json.loads((Path(__file__).parent / "reference.json").read_text(encoding="utf-8"))
NOON = datetime(2026, 5, 10, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


def small(*ids: str, last: str = "2026-05-09T00:00:00Z") -> list[CatalogueDataset]:
    return [
        CatalogueDataset(
            dataset_id,
            "ACE",
            "Magnetic Fields",
            f"Title of {dataset_id}",
            "1998-01-01T00:00:00Z",
            last,
            "",
            "N. Ness",
            "",
            [],
        )
        for dataset_id in ids
    ]


def written(path: Path, facts: list[CatalogueDataset], as_of: datetime = NOON) -> Catalogue:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(encode(facts, as_of=as_of, sources=["a test"]))
    return Catalogue(path)


def test_the_shipped_catalogue_has_every_dataset_and_stays_small(catalogue: Catalogue):
    assert len(catalogue) == 2917
    assert sum(summary.known_parameters for summary in catalogue.summaries()) == 72364
    assert SHIPPED.stat().st_size <= 1_000_000


@pytest.mark.slow
def test_the_shipped_catalogue_is_what_the_code_would_write_of_its_facts(catalogue: Catalogue):
    again = encode(catalogue.facts(), as_of=catalogue.as_of, sources=catalogue.sources)
    assert again == SHIPPED.read_bytes(), "python scripts/build_catalogue.py"


def test_a_dataset_is_known_with_all_that_the_archive_says(catalogue: Catalogue):
    entry = catalogue.dataset("ac_h0_mfi")
    assert (entry.id, entry.mission, entry.instrument) == ("AC_H0_MFI", "ACE", "MFI")
    assert entry.title == "H0 - ACE Magnetic Field 16-Second Level 2 Data"
    assert entry.cadence == (16.0,)
    assert entry.doi == "10.48322/e0dc-0h53"
    assert (entry.pi, entry.affiliation) == ("N. Ness", "Bartol Research Institute")
    assert entry.first == datetime(1997, 9, 2, 0, 0, 12, tzinfo=UTC)
    assert entry.last is not None
    assert entry.last > datetime(2026, 1, 1, tzinfo=UTC)
    assert [(parameter.name, parameter.components) for parameter in entry.parameters[:3]] == [
        ("Magnitude", 1),
        ("BGSEc", 3),
        ("BGSM", 3),
    ]
    assert "https://doi.org/10.48322/e0dc-0h53" in entry.citation
    assert entry.notes_url.endswith("NotesA.html#AC_H0_MFI")


def test_units_come_raw_and_canonical(catalogue: Catalogue):
    density = catalogue.dataset("AC_H0_SWE").parameter("Np")
    assert (density.unit, density.canonical_unit) == ("#/cc", "cm^-3")


def test_a_spectrum_with_two_bin_axes_keeps_its_size(catalogue: Catalogue):
    pitch_angles = catalogue.dataset("PSP_SWP_SPE_SF0_L3_PAD").parameter("EFLUX_VS_PA_E")
    assert pitch_angles.size == (12, 32)
    assert pitch_angles.components == 384


def test_a_misspelt_id_is_told_the_closest_ones(catalogue: Catalogue):
    with pytest.raises(UnknownDataset, match="AC_H0_MFY") as found:
        catalogue.dataset("AC_H0_MFY")
    assert "'AC_H0_MFI'" in found.value.advice


def test_a_misspelt_parameter_is_told_the_closest_ones(catalogue: Catalogue):
    with pytest.raises(UnknownParameter) as found:
        catalogue.dataset("AC_H0_MFI").parameter("BGSE")
    assert "'BGSEc'" in found.value.advice


def test_a_dataset_without_described_parameters_does_not_say_that_it_has_none(catalogue: Catalogue):
    entry = catalogue.dataset("DN_MAGN-L2-HIRES_G16")
    assert entry.parameters == ()
    with pytest.raises(UnknownParameter, match="does not describe"):
        entry.parameter("b_gse")
    assert "does not describe" in parameter_lines(entry, [])[0]


@in_one_test("dataset", REFERENCE["there"])
def test_a_dataset_of_the_reference_pipelines_is_there(dataset: str, catalogue: Catalogue):
    assert catalogue.summary(dataset).id == dataset


@pytest.mark.parametrize("dataset", REFERENCE["missing"])
def test_what_is_named_as_missing_is_still_missing(dataset: str, catalogue: Catalogue):
    assert dataset not in catalogue


@pytest.mark.slow
def test_every_dataset_can_be_shown(catalogue: Catalogue):
    for dataset in catalogue.ids():
        entry = catalogue.dataset(dataset)
        lines = entry_lines(entry, catalogue)
        assert lines[0].startswith(dataset)
        assert len(lines) >= 12
        assert len(parameter_lines(entry, entry.parameters)) == max(
            1, len(entry.parameters) + bool(entry.parameters)
        )


def test_missions_come_with_their_spacecraft_and_years(catalogue: Catalogue):
    missions = {mission.name: mission for mission in catalogue.missions()}
    assert missions["MMS"].spacecraft == ("MMS1", "MMS2", "MMS3", "MMS4")
    assert missions["GOES"].spacecraft[0] == "GOES-6"
    assert sum(mission.datasets for mission in missions.values()) == len(catalogue)
    ace = missions["ACE"]
    assert ace.first is not None
    assert ace.first.year == 1997
    assert any(
        line.startswith("ACE ") and "1997–2026" in line for line in mission_lines(list(missions.values()))
    )


@pytest.mark.process
def test_a_look_up_imports_neither_numpy_nor_pandas():
    code = (
        "import sys; from helio.knowledge.catalogue import Catalogue; from helio.knowledge.search import Search\n"
        "Catalogue().dataset('AC_H0_MFI'); Search(Catalogue()).find('ACE')\n"
        "sys.exit(' '.join(name for name in ('numpy', 'pandas', 'pyarrow') if name in sys.modules) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_spans_of_a_shipped_catalogue_refuse_nothing_of_yesterday(catalogue: Catalogue):
    now = catalogue.as_of + timedelta(days=200)
    assert not catalogue.is_fresh(catalogue.summary("AC_H0_MFI"), now)
    assert catalogue.is_fresh(catalogue.summary("UY_1MIN_VHM"), now)


def test_spans_of_today_may_refuse(catalogue: Catalogue):
    mfi = catalogue.summary("AC_H0_MFI")
    assert catalogue.is_fresh(mfi, catalogue.as_of + timedelta(hours=23))
    assert not catalogue.is_fresh(mfi, catalogue.as_of + timedelta(hours=25))
    assert not catalogue.is_fresh(mfi, catalogue.as_of - timedelta(hours=1))


def test_a_dataset_that_lags_behind_has_not_ended(tmp_path: Path):
    lagging = written(tmp_path / "lagging", small("AC_H0_MFI", last="2020-01-01T00:00:00Z"))
    assert not lagging.has_ended(lagging.summary("AC_H0_MFI"))
    settled = written(tmp_path / "settled", small("AC_H0_MFI", last="2010-01-01T00:00:00Z"))
    assert settled.has_ended(settled.summary("AC_H0_MFI"))
    unknown = written(tmp_path / "unknown", small("AC_H0_MFI", last=""))
    assert not unknown.has_ended(unknown.summary("AC_H0_MFI"))


def test_the_newer_of_shipped_and_renewed_is_opened(tmp_path: Path):
    assert len(open_catalogue(tmp_path)) == 2917
    written(renewed_path(tmp_path), small("AC_H0_MFI"), NOON)
    assert open_catalogue(tmp_path).ids() == ["AC_H0_MFI"]
    written(renewed_path(tmp_path), small("AC_H0_MFI"), datetime(2020, 1, 1, tzinfo=UTC))
    assert len(open_catalogue(tmp_path)) == 2917


def test_parameters_come_back_as_written(tmp_path: Path):
    parameters = [
        CatalogueParameter("B", "nT", (3,), "double", "field", "GSE"),
        CatalogueParameter("flag", "", (), "integer", "0 is good"),
        CatalogueParameter("flux", "cm^-2", (12, 32), "double", "", "", ("Energy [eV]", "Pitch angle [deg]")),
        CatalogueParameter("plain"),
    ]
    [facts] = small("AC_H0_MFI")
    again = written(tmp_path / "file", [replace(facts, parameters=parameters)])
    assert [vars(parameter) for parameter in again.dataset("AC_H0_MFI").parameters] == [
        vars(parameter) for parameter in parameters
    ]
    assert again.facts()[0].parameters == parameters


@pytest.mark.parametrize("cut", [0, 5, 400, 100_000])
def test_a_damaged_catalogue_is_named(tmp_path: Path, cut: int):
    path = tmp_path / "cdaweb.catalogue"
    path.write_bytes(SHIPPED.read_bytes()[:cut])
    with pytest.raises(DamagedFile, match="damaged") as found:
        Catalogue(path).dataset("WI_H0_MFI")
    assert "helio catalog refresh" in found.value.advice


def test_a_catalogue_of_another_format_is_refused(tmp_path: Path):
    path = tmp_path / "cdaweb.catalogue"
    path.write_bytes(b'{"format": "helio-catalogue 9"}\n')
    with pytest.raises(DamagedFile, match="format"):
        Catalogue(path)


@in_one_test(
    ("dataset", "title", "seconds"),
    [
        ("AC_H0_SWE", "ACE/SWEPAM Solar Wind Experiment 64-Second Level 2 Data", (64.0,)),
        ("WI_H0_MFI", "Wind Magnetic Fields Investigation: 3 sec, 1 min, and hourly", (3.0, 60.0, 3600.0)),
        ("WI_H5_SWE", "9 sec solar wind electron moments at 12 sec cadence", (12.0,)),
        ("SOLO_L2_MAG-RTN-NORMAL-1-MINUTE", "Solar Orbiter Magnetometer L2 Data", (60.0,)),
        ("BAR_1H_L2_SSPC", "Slow time resolution (32s) X-ray spectrum", (32.0,)),
        ("RBSP-A_HFR-SPECTRA_EMFISIS-L2", "Single Axis AC Electric Field Spectra ~5-10,000 Hz", ()),
        ("RBSPA_REL03_ECT-REPT-SCI-L2", "Electron fluxes 2-20 MeV and proton fluxes 20-120 MeV", ()),
        ("MMS1_FGM_SRVY_L2", "Level2 Flux Gate Magnetometer", ()),
    ],
)
def test_a_cadence_is_what_id_or_title_tell(dataset: str, title: str, seconds: tuple[float, ...]):
    assert cadences_of(dataset, title) == seconds


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.092, "92 ms"), (16, "16 s"), (60, "1 min"), (90, "90 s"), (7200, "2 h"), (86400, "1 day")],
)
def test_a_cadence_is_told_in_the_largest_whole_unit(seconds: float, text: str):
    assert cadence_text(seconds) == text


@in_one_test(
    ("dataset", "mission", "spacecraft", "instrument"),
    [
        ("OMNI_HRO_1MIN", "OMNI", "OMNI", ""),
        ("STA_L1_HET", "STEREO", "STEREO-A", "IMPACT HET"),
        ("MMS3_FPI_FAST_L2_DIS-MOMS", "MMS", "MMS3", "FPI"),
        ("RBSPA_REL03_ECT-REPT-SCI-L2", "Van Allen Probes", "RBSP-A", "ECT-REPT"),
        ("RBSP-B_MAGNETOMETER_4SEC-GSM_EMFISIS-L3", "Van Allen Probes", "RBSP-B", "EMFISIS"),
        ("DN_MAGN-L2-HIRES_G08", "GOES", "GOES-8", "MAG"),
        ("THG_L2_MAG_MEK", "THEMIS", "THEMIS ground", "MAG"),
        ("VOYAGER-1_LECP_LEV-1-RATES", "Voyager", "Voyager-1", "LECP"),
        ("I8_H0_MAG", "IMP", "IMP-8", "MAG"),
        ("I1_AV_OTT", "ISIS", "ISIS-1", ""),
        ("CN_K1_MARI", "CANOPUS", "CANOPUS", ""),
        ("IG_K0_PCI", "Interball", "Interball ground", ""),
        ("L7_K0_MPA", "LANL", "LANL-97A", "MPA"),
        ("BAR_2T_L2_FSPC", "BARREL", "BARREL-2T", ""),
        ("L7_K0_SPA", "LANL", "LANL-97A", "SOPA"),
        ("METOP2_POES-SEM2_FLUXES-2SEC", "MetOp", "MetOp-A", "SEM-2"),
    ],
)
def test_the_id_tells_mission_spacecraft_and_instrument(
    dataset: str, mission: str, spacecraft: str, instrument: str
):
    craft = craft_of(dataset)
    assert (craft.mission, craft.spacecraft, instrument_of(dataset, mission)) == (
        mission,
        spacecraft,
        instrument,
    )


def test_no_group_of_the_archive_is_a_spacecraft():
    catalogue = Catalogue()
    assert [row.id for row in catalogue.rows if craft_of(row.id) != craft_of(row.id, row.group)] == []
    assert [row.id for row in catalogue.rows if craft_of(row.id).mission == row.id] == []


@pytest.mark.parametrize(
    ("dataset", "group", "mission"),
    [
        ("NEWSAT_L2_MAG", "Smallsats/Cubesats", "NEWSAT"),
        ("NEWSAT_L2_MAG", "New Satellite (NS)", "New Satellite"),
        ("NEWSAT_L2_MAG", "", "NEWSAT_L2_MAG"),
    ],
)
def test_a_dataset_with_an_unknown_id_is_of_its_group(dataset: str, group: str, mission: str):
    assert craft_of(dataset, group) == Craft(mission, mission)


def test_text_of_an_archive_is_one_bounded_line():
    assert clean_text("a\x1b[31m\n\tb") == "a [31m b"
    assert len(clean_text("x" * 10_000)) == LONGEST


def test_an_investigator_who_is_not_at_the_title_s_end_leaves_it_alone():
    assert split_title("ExB - drift velocity", "Mats Andre") == ("ExB - drift velocity", "")


@pytest.mark.process
def test_a_master_tells_units_sizes_and_frames_and_a_damaged_one_nothing(tmp_path: Path):
    good = next(sample_folder().glob("ac_k2_mfi*.cdf"))
    damaged = tmp_path / "damaged.cdf"
    damaged.write_bytes(good.read_bytes()[:2000])
    found = read_masters([damaged, good])
    assert list(found) == [good]
    vector = next(parameter for parameter in found[good] if parameter.name == "BGSEc")
    assert (vector.unit, vector.size, vector.frame, vector.kind) == ("nT", (3,), "GSE", "double")


@pytest.mark.parametrize(
    ("dataset", "mission", "spacecraft"),
    [
        ("themisa", "THEMIS", "THEMIS-A"),
        ("themisd@1h", "THEMIS", "THEMIS-D"),
        ("cluster3", "Cluster", "Cluster-3"),
        ("ace", "ACE", "ACE"),
        ("wind@1d", "Wind", "Wind"),
        ("mms2", "MMS", "MMS2"),
    ],
)
def test_an_id_of_sscweb_names_its_spacecraft(dataset, mission, spacecraft):
    assert craft_of(dataset) == Craft(mission, spacecraft)
