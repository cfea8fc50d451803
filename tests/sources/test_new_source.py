"""A source is one file: the examples of docs/sources.md, found by helio as they are written there."""

from __future__ import annotations

import importlib.util
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from typer.testing import CliRunner

from helio.cli import app
from helio.errors import RequestError
from helio.knowledge.citations import _publisher
from helio.settings import read_settings
from helio.sources import providers, registry
from helio.sources.archives import Archives
from helio.sources.base import Source
from helio.sources.samples import sample_folder
from helio.testing import CdaWebStandIn

PAGE = Path(__file__).parents[2] / "docs" / "sources.md"
FILES = dict(
    re.findall(r"^```python\n# (\S+)\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
)
TESTS = [
    (path, name)
    for path, text in FILES.items()
    if path.startswith("tests/")
    for name in re.findall(r"^def (test_\w+)", text, re.MULTILINE)
]


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The sources of the page among helio's own."""
    folder = tmp_path / "providers"
    folder.mkdir()
    for path, text in FILES.items():
        if path.startswith("helio/sources/providers/"):
            (folder / Path(path).name).write_text(text)
    monkeypatch.setattr(providers, "__path__", [*providers.__path__, str(folder)])
    before = set(sys.modules)
    yield folder
    for name in set(sys.modules) - before:
        if name.startswith(f"{providers.__name__}."):
            monkeypatch.delattr(providers, name.rpartition(".")[2])
            del sys.modules[name]


def loaded(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_has_two_sources_and_their_tests():
    assert [path for path in FILES if path.startswith("helio/")] == [
        "helio/sources/providers/mirror.py",
        "helio/sources/providers/geoindex.py",
    ]
    assert len(TESTS) == 3


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_an_example_passes(written: Path, tmp_path: Path, path: str, name: str):
    module = loaded(tmp_path / Path(path).name, FILES[path])
    cache = tmp_path / "cache"
    cache.mkdir()
    getattr(module, name)(cache)


@pytest.mark.process
def test_a_file_is_all_that_a_source_needs(written: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HELIO_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HELIO_ENGINE", "direct")
    monkeypatch.delenv("HELIO_ARCHIVE", raising=False)
    fetch: dict[str, Any] = {
        "step_id": 1,
        "tool_name": "fetch_data",
        "tool_args": {
            "dataset_id": "STA_L1_HET",
            "parameter_id": "Proton_Flux",
            "time_range": "2021-10-28",
            "provider": "mirror",
        },
    }
    Path("flux.json").write_text(
        json.dumps({"schema_version": 1, "id": "flux", "name": "Flux", "steps": [fetch]})
    )
    with CdaWebStandIn(sample_folder()) as server:
        monkeypatch.setenv("HELIO_MIRROR_URL", server.url)
        result = CliRunner().invoke(app, ["run", "flux.json", "-o", "out"], prog_name="helio")
        assert result.exit_code == 0, result.output
        assert server.asked("/pub/data/sta_l1_het/2021/")
    [source] = json.loads(Path("out/run.json").read_text())["steps"][0]["outputs"][0]["sources"]
    assert source["provider"] == "Mirror"
    assert _publisher(("Mirror",), in_catalogue=True) == "An institute"
    assert read_settings().addresses == {"mirror": server.url}
    fetch["tool_args"] = {**fetch["tool_args"], "provider": "miror"}
    Path("flux.json").write_text(
        json.dumps({"schema_version": 1, "id": "flux", "name": "Flux", "steps": [fetch]})
    )
    result = CliRunner().invoke(app, ["run", "flux.json", "-o", "out"], prog_name="helio")
    assert result.exit_code == 2
    said = " ".join(result.output.split())
    assert {"sample", "cdaweb", "cdaweb-folders", "geoindex", "mirror", "swpc", "hapi:NAME"} <= {
        name.strip() for name in said.partition("or one of these providers:")[2].split(",")
    }


def test_a_file_without_a_source_is_a_bug(written: Path):
    (written / "empty.py").write_text('"""Nothing."""\n')
    registry._files_in.cache_clear()
    with pytest.raises(TypeError, match="empty must have exactly one subclass of Source, but has 0"):
        registry.source_class("empty")
    registry._files_in.cache_clear()


def test_a_provider_that_no_file_has_is_refused():
    with pytest.raises(RequestError, match="no provider is called 'mirror'"):
        Archives(None).choose("mirror")


@pytest.mark.parametrize("name", [name for name, _ in registry.source_classes()])
def test_every_source_says_who_it_is(name: str):
    source = registry.source_class(name)
    assert source.title
    assert source.publisher or source.server_of("http://host/data?id=1")
    assert source.__init__ is Source.__init__, "what a source needs of its own it makes in prepare"
    assert not inspect.isabstract(source)


def test_a_title_that_is_not_a_plain_text_is_a_bug(written: Path):
    (written / "mirror.py").write_text(
        (written / "mirror.py").read_text().replace('"Mirror"', '"Mir" + "ror"')
    )
    registry._stated_in.cache_clear()
    with pytest.raises(TypeError, match="mirror must state its title as plain text"):
        registry.source_class("mirror")
