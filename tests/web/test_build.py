"""The static site: whole, written again only where something changed, and never over other files."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest
from PIL import Image

from helio.api import run
from helio.errors import OutputError
from helio.pictures import make_smaller, size_of
from helio.web.build import MANIFEST, build
from helio.web.files import HEIGHT, WIDTH
from helio.web.site import SCRIPTS, START, Site
from tests.cli.commands import helio
from tests.web.homes import NOW, add_run, settings_of, usual_home

pytestmark = pytest.mark.usefixtures("warm_processes")


def site_of(home: Path) -> Site:
    return Site(settings_of(home), now=lambda: NOW)


def files_below(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def test_a_build_writes_every_page_and_file(tmp_path: Path):
    usual_home(tmp_path / "home")
    site = site_of(tmp_path / "home")
    built = build(site, tmp_path / "site")
    assert files_below(tmp_path / "site") == {*site.pages, *site.files_named, MANIFEST}
    assert (built.pages, built.files) == (len(site.pages), len(site.files_named))
    for address in (*site.pages, *site.files_named):
        content = site.content(address)
        assert content is not None
        assert (tmp_path / "site" / address).read_bytes() == content.body


def test_a_second_build_writes_only_what_may_have_changed(tmp_path: Path):
    usual_home(tmp_path / "home")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    figure = tmp_path / "site" / "ace-field" / "2024-05-03.html"
    before = figure.stat().st_mtime_ns
    built = build(site_of(tmp_path / "home"), tmp_path / "site")
    assert figure.stat().st_mtime_ns == before
    assert built.written == 1 + 2 + 3  # the first page, and index.html and the months of each pipeline


def test_a_new_run_changes_its_page_and_those_of_its_neighbours(tmp_path: Path):
    usual_home(tmp_path / "home")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    add_run(tmp_path / "home", "2024-05-07")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    folder = tmp_path / "site" / "ace-field"
    assert (folder / "2024-05-07.html").is_file()
    assert 'rel="next" href="../ace-field/2024-05-07.html"' in (folder / "2024-05-06.html").read_text()


def test_what_is_gone_is_removed(tmp_path: Path):
    run_id = add_run(tmp_path / "home", "2024-05-10")
    add_run(tmp_path / "home", "2024-05-11")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    for path in (tmp_path / "home" / "runs" / run_id).iterdir():
        path.unlink()
    (tmp_path / "home" / "runs" / run_id).rmdir()
    site = site_of(tmp_path / "home")
    assert build(site, tmp_path / "site").removed == 4  # the page, two figures, and the small picture
    assert files_below(tmp_path / "site") == {*site.pages, *site.files_named, MANIFEST}


def test_files_and_small_pictures_take_no_second_place_on_the_disk(tmp_path: Path):
    usual_home(tmp_path / "home")
    site = site_of(tmp_path / "home")
    built = build(site, tmp_path / "site")
    assert (built.copied, built.reason) == (0, "")
    linked = [address for address in site.files_named if address.startswith(("files/", "thumbs/"))]
    shared = [address for address in linked if address not in SCRIPTS]
    for address in shared:
        source = site.source(address)
        assert source is not None
        assert (tmp_path / "site" / address).read_bytes() == source.read_bytes()
    assert len(shared) > 20


def test_files_that_are_copied_are_counted_with_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usual_home(tmp_path / "home")
    monkeypatch.setattr("helio.store.files._clone", lambda source, path: False)
    monkeypatch.setattr("helio.store.files._hard_link", lambda source, path: "they are on another disk")
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    printed = helio("gallery", "build", str(tmp_path / "site"))
    assert "copied instead of linked: they are on another disk" in printed.stderr
    assert build(site_of(tmp_path / "home"), tmp_path / "site").copied == 0


def test_an_interrupted_build_continues(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usual_home(tmp_path / "home")
    site = site_of(tmp_path / "home")
    whole = site.content

    def interrupt(address: str) -> object:
        if address == "ace-field/2024-05-08.html":
            raise KeyboardInterrupt
        return whole(address)

    monkeypatch.setattr(site, "content", interrupt)
    with pytest.raises(KeyboardInterrupt):
        build(site, tmp_path / "site")
    before = len(files_below(tmp_path / "site"))
    assert before > 1
    fresh = site_of(tmp_path / "home")
    built = build(fresh, tmp_path / "site")
    assert files_below(tmp_path / "site") == {*fresh.pages, *fresh.files_named, MANIFEST}
    assert built.written < len(fresh.pages) + len(fresh.files_named)


def test_a_file_that_has_changed_since_its_run_is_not_shown(tmp_path: Path):
    run_id = add_run(tmp_path / "home", "2024-05-10", formats=("png",), export="field.csv")
    (tmp_path / "home" / "out" / run_id / "field.csv").write_text("another")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    assert not [name for name in files_below(tmp_path / "site") if name.endswith(".csv")]


@pytest.mark.parametrize(
    ("options", "days"),
    [
        (("--since", "2024-05-10"), ["10", "11"]),
        (("--since", "2024-05-09T12:00"), ["09", "10", "11"]),
        ((), ["03", "04", "05", "06", "08", "09", "10", "11"]),
    ],
)
def test_a_build_can_be_limited_to_the_newest_intervals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], days: list[str]
):
    usual_home(tmp_path / "home")
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    helio("gallery", "build", str(tmp_path / "site"), *options)
    pages = {path.name[8:10] for path in (tmp_path / "site" / "ace-field").glob("2024-05-??.html")}
    assert sorted(pages) == days


def test_a_duration_counts_from_now(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    add_run(tmp_path / "home", "2024-05-10")
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    helio("gallery", "build", str(tmp_path / "site"), "--last", "2d")
    assert not (tmp_path / "site" / "ace-field").exists()
    helio("gallery", "build", str(tmp_path / "site"), "--last", "40000d")
    assert (tmp_path / "site" / "ace-field" / "2024-05-10.html").is_file()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--since", "2024", "--last", "2d"), "exclude each other"),
        (("--since", "May"), "May"),
        (("--last", "two days"), "two days"),
        (("--last", "1 month"), "month"),
    ],
)
def test_a_limit_that_is_not_understood_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], reason: str
):
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    assert reason in helio("gallery", "build", str(tmp_path / "site"), *options, code=2).output
    assert not (tmp_path / "site").exists()


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path):
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "thesis.tex").write_text("mine")
    with pytest.raises(OutputError, match="is not empty"):
        build(site_of(tmp_path / "home"), tmp_path / "site")
    assert files_below(tmp_path / "site") == {"thesis.tex"}


def test_a_file_instead_of_a_folder_is_left_alone(tmp_path: Path):
    (tmp_path / "site").write_text("mine")
    with pytest.raises(OutputError):
        build(site_of(tmp_path / "home"), tmp_path / "site")


def test_files_that_a_person_added_to_the_gallery_stay(tmp_path: Path):
    build(site_of(tmp_path / "home"), tmp_path / "site")
    (tmp_path / "site" / "robots.txt").write_text("mine")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    assert (tmp_path / "site" / "robots.txt").read_text() == "mine"


def test_a_list_that_names_files_outside_removes_nothing(tmp_path: Path):
    build(site_of(tmp_path / "home"), tmp_path / "site")
    (tmp_path / "mine").write_text("mine")
    listed = tmp_path / "site" / MANIFEST
    written = json.loads(listed.read_text())
    written["written"]["../mine"] = ""
    listed.write_text(json.dumps(written))
    with pytest.raises(OutputError, match="outside the folder"):
        build(site_of(tmp_path / "home"), tmp_path / "site")
    assert (tmp_path / "mine").exists()


def test_a_damaged_list_is_reported(tmp_path: Path):
    build(site_of(tmp_path / "home"), tmp_path / "site")
    (tmp_path / "site" / MANIFEST).write_text("{")
    with pytest.raises(OutputError):
        build(site_of(tmp_path / "home"), tmp_path / "site")


def test_small_pictures_are_made_once_and_kept_by_content(tmp_path: Path):
    usual_home(tmp_path / "home")
    build(site_of(tmp_path / "home"), tmp_path / "site")
    kept = sorted((tmp_path / "home" / "gallery" / "thumbs").iterdir())
    times = [path.stat().st_mtime_ns for path in kept]
    build(site_of(tmp_path / "home"), tmp_path / "other")
    assert [path.stat().st_mtime_ns for path in kept] == times
    assert all(path.stat().st_size < 20_000 for path in kept)


def test_a_small_picture_keeps_the_colours_of_thin_lines():
    drawn = Image.new("RGBA", (2000, 1400), (255, 255, 255, 0))
    colours = [(0, 0, 255), (255, 0, 0), (0, 128, 0), (0, 0, 0)]
    for row, colour in enumerate(colours):
        for line in range(6):
            drawn.paste((*colour, 255), (100, 100 + 300 * row + line, 1900, 101 + 300 * row + line))
    written = io.BytesIO()
    drawn.save(written, "PNG")
    small = make_smaller(written.getvalue(), WIDTH, HEIGHT)
    assert small is not None
    with Image.open(io.BytesIO(small)) as picture:
        assert picture.size == (400, 280)
        shown = picture.convert("RGB")
        assert min(shown.getpixel((0, 0))) > 250  # type: ignore[type-var, arg-type]
        for row, colour in enumerate(colours):
            darkest = min((shown.getpixel((200, 20 + 60 * row + y)) for y in range(3)), key=sum)  # type: ignore
            assert all(abs(have - want) < 40 for have, want in zip(darkest, colour, strict=True))


@pytest.mark.parametrize("content", [b"", b"x", b"\x89PNG\r\n\x1a\n", b"\x89PNG\r\n\x1a\n" + b"\x00" * 40])
def test_what_is_no_picture_has_no_small_picture(content: bytes):
    assert make_smaller(content, WIDTH, HEIGHT) is None


def test_a_tall_figure_has_a_small_picture_that_is_not_taller_than_a_page():
    written = io.BytesIO()
    Image.new("RGB", (500, 4000), "white").save(written, "PNG")
    small = make_smaller(written.getvalue(), WIDTH, HEIGHT)
    assert small is not None
    assert size_of(small) == (70, 560)


def test_the_command_writes_the_gallery(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usual_home(tmp_path / "home")
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    printed = helio("gallery", "build", str(tmp_path / "site")).output
    assert str(tmp_path / "site" / START) in printed
    assert (tmp_path / "site" / "ace-field" / "2024-05-10.html").is_file()


def test_the_command_refuses_a_folder_with_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    (tmp_path / "thesis.tex").write_text("mine")
    assert "choose a new or empty folder" in helio("gallery", "build", str(tmp_path), code=1).output


def a_run(home: Path, output: Path, time_range: str) -> None:
    """A run of which the page loads further points."""
    run(
        "gle73-particles",
        archive="sample",
        time_range=time_range,
        output=output,
        settings=settings_of(home),
    )


def test_the_points_of_a_page_are_in_the_gallery_also_after_its_folder_was_used_again(tmp_path: Path):
    home, output = tmp_path / "home", tmp_path / "out"
    a_run(home, output, "2021-10-28")
    (folder,) = (path for path in output.iterdir() if path.is_dir())
    points = (folder / "0.js").read_bytes()
    build(site_of(home), tmp_path / "first")
    a_run(home, output, "2021-10-28/2021-10-28T23:00")
    assert not folder.exists()
    for name in ("first", "second"):
        build(site_of(home), tmp_path / name)
        files = tmp_path / name / "files"
        assert (files / folder.name / "0.js").read_bytes() == points
        assert len([path for path in files.iterdir() if path.is_dir()]) == 2
        pages = [path.read_text(encoding="utf-8") for path in files.glob("*.html")]
        assert len([page for page in pages if folder.name in page]) == 1
        assert {path.name for path in files.glob("*.js")} == {"helio-figure.js", "plotly.min.js"}
    (link,) = [name for name in site_of(home).files_named if folder.name in name]
    assert site_of(home).content(link).body == points
    for wrong in ("1.js", "-1.js", "index.json", "../0.js", "٣.js"):
        assert site_of(home).content(link.replace("0.js", wrong)) is None
    assert site_of(home).content("files/other.detail-0123456789abcdef/0.js") is None


def test_changed_points_are_not_in_the_gallery(tmp_path: Path):
    home, output = tmp_path / "home", tmp_path / "out"
    a_run(home, output, "2021-10-28")
    (folder,) = (path for path in output.iterdir() if path.is_dir())
    (folder / "0.js").write_bytes(b"alert(1)")
    assert site_of(home).content(f"files/{folder.name}/0.js").body.startswith(b"helioDetail(")
    for path in home.rglob("*.detail"):
        path.unlink()
    assert site_of(home).content(f"files/{folder.name}/0.js") is None
