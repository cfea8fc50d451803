"""A document in the file of a figure: the file stays valid, and a hostile file is refused with a plain message."""

import json
import os
import re
import struct
import xml.etree.ElementTree as ElementTree
import zlib

import pytest

from helio.errors import ExportError, RequestError
from helio.steps.render.enclose import LARGEST, as_bytes, enclose, enclosed
from helio.steps.render.write_figure import StaticRenderer, find_browser, plain_title, to_html
from tests.rows import try_rows
from tests.steps.render.test_write_figure import drawn, needs_browser

DOCUMENT = as_bytes({"title": "</script> & <metadata> ü \x07", "numbers": [1, 2.5, None]})
KEYWORD = b"helio-figure\0"
SIGN = b"\x89PNG\r\n\x1a\n"


def chunk(kind, data, *, length=None, checksum=None):
    """Return a chunk of a PNG, with a wrong length or checksum if one is given."""
    size = struct.pack(">I", len(data) if length is None else length)
    return size + kind + data + struct.pack(">I", zlib.crc32(kind + data) if checksum is None else checksum)


PIXEL = (
    chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
    chunk(b"IDAT", zlib.compress(b"\0\0")),
    chunk(b"IEND", b""),
)
PNG = SIGN + b"".join(PIXEL)
SVG = b'<svg class="main-svg" xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect/></svg>'
TEXT = chunk(b"iTXt", KEYWORD + b"\0\0\0\0" + DOCUMENT)


def png_with(*chunks):
    return SIGN + PIXEL[0] + b"".join(chunks) + b"".join(PIXEL[1:])


def pdf():
    """A PDF of one empty page, written as Chromium writes its PDFs."""
    objects = [
        b"<</Title (Kaleido-fier \\(1\\))\n/Producer (Skia)>>",
        b"<</Type /Catalog\n/Pages 3 0 R\n/MarkInfo <</Marked true>>>>",
        b"<</Type /Pages\n/Count 1\n/Kids [4 0 R]>>",
        b"<</Type /Page\n/MediaBox [0 0 10 10]\n/Parent 3 0 R>>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in places)
    start = len(content)
    return content + (
        b"xref\n0 5\n0000000000 65535 f \n%strailer\n<</Size 5\n/Root 2 0 R\n/Info 1 0 R>>\nstartxref\n%d\n%%%%EOF\n"
        % (table, start)
    )


FILES = {"png": PNG, "pdf": pdf(), "svg": SVG, "html": to_html(drawn(), scripts="beside")}


def chunks_of(content):
    """Return the kinds of all chunks of a PNG, after a check of their lengths and checksums."""
    kinds, place = [], len(SIGN)
    while place < len(content):
        (length,) = struct.unpack_from(">I", content, place)
        kind = content[place + 4 : place + 8]
        (checksum,) = struct.unpack_from(">I", content, place + 8 + length)
        assert checksum == zlib.crc32(content[place + 4 : place + 8 + length])
        kinds.append(kind)
        place += 12 + length
    assert place == len(content)
    return kinds


def objects_of(content):
    """Return the newest version of each object of a PDF, as its tables of contents name them, and its trailer."""
    objects = {}
    (place,) = (int(digits) for digits in re.findall(rb"startxref\n(\d+)\n%%EOF\n\Z", content))
    trailer = newest = b""
    while True:
        table = content[place : content.index(b"startxref", place)]
        entries, trailer = table.split(b"trailer\n")
        newest = newest or trailer
        lines = entries.splitlines()[1:]
        while lines:
            first, count = map(int, lines.pop(0).split())
            for number in range(first, first + count):
                offset, _, kind = lines.pop(0).split()
                if kind == b"n":
                    assert content.startswith(b"%d 0 obj\n" % number, int(offset))
                    end = content.index(b"endobj", int(offset))
                    objects.setdefault(number, content[int(offset) : end])
        earlier = re.search(rb"/Prev (\d+)", trailer)
        if earlier is None:
            return objects, newest
        place = int(earlier[1])


@pytest.mark.parametrize("form", FILES)
def test_a_document_is_read_as_it_was_written(form: str):
    content = enclose(FILES[form], form, DOCUMENT, title="Field & <flux>")
    assert enclosed(content) == (DOCUMENT, form)
    assert enclose(FILES[form], form, DOCUMENT, title="Field & <flux>") == content
    assert json.loads(enclosed(content)[0])["title"] == "</script> & <metadata> ü \x07"


def test_a_document_has_no_sign_that_html_or_xml_reads():
    assert not re.search(rb"[<>&\x00-\x1f\x7f-\xff]", DOCUMENT)


def test_a_png_stays_valid():
    content = enclose(PNG, "png", DOCUMENT, title="")
    assert chunks_of(content) == [b"IHDR", b"iTXt", b"IDAT", b"IEND"]
    assert b"".join(PIXEL[1:]) in content


def test_an_svg_stays_valid_xml():
    root = ElementTree.fromstring(enclose(SVG, "svg", DOCUMENT, title=""))
    [metadata] = [child for child in root if child.tag.endswith("metadata")]
    assert metadata.text.encode() == DOCUMENT


def test_a_page_has_the_document_before_the_figure():
    page = enclose(FILES["html"], "html", DOCUMENT, title="").decode()
    assert page.index('<script type="application/json"') < page.index("<title>")
    assert page.count("</script>") == 3


def test_a_pdf_gets_its_title_and_its_metadata():
    content = enclose(pdf(), "pdf", DOCUMENT, title="Äquator (1) & <B>\x07")
    assert content.startswith(pdf()), "earlier bytes stay"
    objects, trailer = objects_of(content)
    assert sorted(objects) == [1, 2, 3, 4, 5]
    assert b"/Size 6" in trailer
    title = bytes.fromhex(re.search(rb"/Title <([0-9a-f]+)>", objects[1])[1].decode()).decode("utf-16")
    assert title == "Äquator (1) & <B>\x07"
    assert b"/Producer (Skia)" in objects[1]
    assert b"/Metadata 5 0 R" in objects[2]
    assert b"/Pages 3 0 R" in objects[2]
    head, packet = objects[5].split(b" stream\n")
    length = int(re.search(rb"/Length (\d+)", head)[1])
    assert packet[length:] == b"\nendstream\n"
    tree = ElementTree.fromstring(packet[:length].decode().removeprefix("\ufeff"))
    texts = [text.strip() for text in tree.itertext() if text.strip()]
    assert texts == ["application/pdf", "Äquator (1) & <B>\ufffd", DOCUMENT.decode()]


@pytest.mark.parametrize("form", ["png", "pdf", "svg"])
def test_a_file_of_another_form_is_an_export_error(form: str):
    others = {
        "png": b"GIF89a",
        "pdf": pdf().replace(b"/Type /Catalog", b"/Metadata 9 0 R"),
        "svg": b"<?xml version='1.0'?><svg/>",
    }
    with pytest.raises(ExportError, match="of a form that helio does not know"):
        enclose(others[form], form, DOCUMENT, title="")


def test_a_json_file_stays_as_it_is():
    assert enclose(b"{}", "json", DOCUMENT, title="") == b"{}"


def test_a_compressed_document_of_another_program_is_read():
    packed = chunk(b"iTXt", KEYWORD + b"\1\0\0\0" + zlib.compress(DOCUMENT))
    assert enclosed(png_with(packed)) == (DOCUMENT, "png")


HOSTILE = {
    "bomb": (
        png_with(chunk(b"iTXt", KEYWORD + b"\1\0\0\0" + zlib.compress(b"0" * 5 * LARGEST))),
        "is too large: the maximum is 4,000,000 bytes",
    ),
    "long": (png_with(chunk(b"iTXt", KEYWORD + b"\0\0\0\0" + b"0" * (LARGEST + 1))), "is too large"),
    "length": (
        png_with(chunk(b"iTXt", KEYWORD, length=2**32 - 1)),
        "4,294,967,295 bytes; the file is shorter",
    ),
    "length of IHDR": (SIGN + chunk(b"IHDR", b"", length=2**31), "the file is shorter"),
    "checksum": (
        png_with(chunk(b"iTXt", KEYWORD + b"\0\0\0\0{}", checksum=1)),
        "checksum of the part at byte 33",
    ),
    "two": (png_with(TEXT, TEXT), "contains 2 documents of helio"),
    "no end": (SIGN + PIXEL[0] + TEXT, "ends too early"),
    "cut": (PNG[:-3], "ends too early"),
    "no picture": (SIGN, "ends too early"),
    "none": (PNG, "this PNG file contains no document of helio"),
    "no stream": (png_with(chunk(b"iTXt", KEYWORD + b"\1\0\0\0not zlib")), "cannot be decompressed"),
    "half a stream": (
        png_with(chunk(b"iTXt", KEYWORD + b"\1\0\0\0" + zlib.compress(DOCUMENT)[:-9])),
        "cannot be decompressed",
    ),
    "method": (png_with(chunk(b"iTXt", KEYWORD + b"\0\1\0\0{}")), "no valid form"),
    "short": (png_with(chunk(b"iTXt", KEYWORD + b"\0\0")), "no valid form"),
    "empty": (b"", "is not a figure of helio"),
    "text": (b"a note", "is not a figure of helio"),
    "json": (b'{"data": []}', "is not a figure of helio"),
    "svg without": (SVG, "this SVG file contains no document"),
    "svg open": (SVG.replace(b"<rect/>", b'<metadata id="helio-figure">{}'), "has no end"),
    "svg two": (
        SVG.replace(b"<rect/>", b'<metadata id="helio-figure">{}</metadata>' * 2),
        "contains 2 documents",
    ),
    "svg long": (
        SVG.replace(b"<rect/>", b'<metadata id="helio-figure">' + b"0" * (LARGEST + 1) + b"</metadata>"),
        "is too large",
    ),
    "pdf without": (pdf(), "this PDF file contains no document"),
    "pdf two": (pdf() + b"<helio:figure>{}</helio:figure>" * 2, "contains 2 documents"),
}


def test_a_hostile_file_is_refused_in_plain_words():
    def check(content, message):
        with pytest.raises(RequestError) as found:
            enclosed(content)
        assert message in found.value.message
        assert found.value.advice

    try_rows(((name, *row) for name, row in HOSTILE.items()), check)


@needs_browser
@pytest.mark.browser
@pytest.mark.parametrize("form", ["png", "pdf", "svg"])
def test_what_the_browser_writes_takes_a_document(form):
    figure = drawn()
    with StaticRenderer(browser=find_browser(os.environ)) as renderer:
        content = enclose(renderer.render(figure, form), form, DOCUMENT, title=plain_title(figure))
    assert enclosed(content) == (DOCUMENT, form)
    if form == "png":
        assert b"iTXt" in chunks_of(content)
    elif form == "pdf":
        objects, _ = objects_of(content)
        assert any(b"/Metadata" in body and b"/Catalog" in body for body in objects.values())
    else:
        ElementTree.fromstring(content)
