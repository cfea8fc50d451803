"""Builds the site: `make docs` writes it to build/docs/html without any request to the network."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx

import helio

ROOT = Path(__file__).parents[1]
ROOT_TEXTS = {
    "architecture": "ARCHITECTURE.md",
    "changes": "CHANGELOG.md",
    "conduct": "CODE_OF_CONDUCT.md",
    "contributing": "CONTRIBUTING.md",
}
"""Texts of the root of the repository, by the page whose first line they replace."""

project = "helio"
author = "The helio developers"
copyright = "The helio developers, Apache-2.0"
version = release = helio.__version__

extensions = ["myst_parser", "numpydoc", "sphinx.ext.autodoc"]
exclude_patterns = ["figures"]
suppress_warnings: list[str] = []
smartquotes = False
"""Options, values and quotation marks stay as they are typed."""

myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
myst_links_external_new_tab = False

autodoc_preserve_defaults = True
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

html_theme = "pydata_sphinx_theme"
html_title = "helio"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options: dict[str, Any] = {
    "logo": {"text": "helio"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "show_toc_level": 1,
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "header_links_before_dropdown": 6,
}
html_context = {"default_mode": "auto"}
html_sidebars: dict[str, list[str]] = {"index": [], "start": [], "contributing": []}


def write_reference(app: Sphinx) -> None:
    """Write the generated pages into docs/reference/, and remove those that are no longer made."""
    folder = Path(app.srcdir) / "reference"
    made: dict[Path, str] = {}
    for script in sorted((ROOT / "scripts").glob("write_*_reference.py")):
        for path, text in runpy.run_path(str(script))["pages"]().items():
            made[folder / path] = text
    for path, text in made.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for path in set(folder.rglob("*.md")) - set(made):
        path.unlink()


def take_root_text(app: Sphinx, docname: str, source: list[str]) -> None:
    """Put the text of the root into its page, and let its links lead to pages."""
    if docname in ROOT_TEXTS:
        path = ROOT / ROOT_TEXTS[docname]
        app.env.note_dependency(str(path))
        source[0] = path.read_text(encoding="utf-8") + source[0].partition("\n")[2]
        source[0] = source[0].replace("](docs/", "](")
    for page, name in ROOT_TEXTS.items():
        source[0] = source[0].replace(f"]({name}", f"]({page}.md").replace(f"](../{name}", f"]({page}.md")


def setup(app: Sphinx) -> None:
    """Let Sphinx call the functions above."""
    app.connect("builder-inited", write_reference)
    app.connect("source-read", take_root_text)
