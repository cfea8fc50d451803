"""Enclose a document in the file of a figure, and read it from a file that may come from a stranger.

A PNG has the document in an iTXt chunk, a PDF in its XMP metadata, an SVG in a metadata element, and an HTML page in a
script element without code. The bytes of the document are the same in all formats.
"""

from __future__ import annotations

import html
import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from helio.errors import ExportError, RequestError

Enclosing = Literal["html", "png", "pdf", "svg"]
LARGEST = 4_000_000
"""Maximum bytes of an enclosed document. A figure of a map over a year of days has a tenth of this."""
_NAME = "helio-figure"
_PNG = b"\x89PNG\r\n\x1a\n"
_TAGS: Mapping[str, tuple[bytes, bytes]] = {
    "html": (f'<script type="application/json" id="{_NAME}">'.encode(), b"</script>"),
    "svg": (f'<metadata id="{_NAME}">'.encode(), b"</metadata>"),
    "pdf": (b"<helio:figure>", b"</helio:figure>"),
}
"""Texts before and after the document in each format that is not PNG."""
_HEAD = b'<meta charset="utf-8">\n'
_TRAILER = re.compile(rb"trailer\s*<<((?:[^<>]|<[0-9A-Fa-f\s]*>)*)>>\s*startxref\s+(\d+)\s+%%EOF\s*\Z")
_TITLE = re.compile(rb"/Title \((?:\\.|[^\\()])*\)", re.DOTALL)
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_XMP = """<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/">
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
<rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:helio="urn:x-helio:figure">
<dc:format>application/pdf</dc:format>
<dc:title><rdf:Alt><rdf:li xml:lang="x-default">{title}</rdf:li></rdf:Alt></dc:title>
{enclosed}
</rdf:Description>
</rdf:RDF>
</x:xmpmeta>
<?xpacket end="r"?>"""


def as_bytes(document: Mapping[str, Any]) -> bytes:
    """Return a document as ASCII JSON without the characters ``<``, ``>`` and ``&``, which HTML and XML would read."""
    text = json.dumps(document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text.encode("ascii")


def enclose(content: bytes, format: str, document: bytes, *, title: str) -> bytes:
    """Return the file of a figure with a document; the picture stays the same.

    Parameters
    ----------
    content : bytes
        The file as `write_figure` made it.
    format : "html", "png", "pdf" or "svg"
        In other formats, the file stays unchanged.
    document : bytes
        JSON, as `as_bytes` returns it.
    title : str
        Title of the figure; a PDF gets it as the title of its pages.

    Raises
    ------
    ExportError
        The browser wrote a PNG, PDF or SVG of an unexpected form.
    """
    if format == "png":
        place = content.find(b"IDAT") - 4
        if not content.startswith(_PNG) or place < len(_PNG):
            raise _unexpected(format)
        text = _NAME.encode() + b"\0\0\0\0\0" + document
        return content[:place] + _chunk(b"iTXt", text) + content[place:]
    if format == "pdf":
        return _with_xmp(content, document, title)
    if format == "svg":
        end = content.find(b">") + 1
        if not content.startswith(b"<svg ") or not end:
            raise _unexpected(format)
        return content[:end] + _tagged(format, document) + content[end:]
    if format == "html":
        before, head, after = content.partition(_HEAD)
        return before + head + _tagged(format, document) + b"\n" + after
    return content


def enclosed(content: bytes) -> tuple[bytes, Enclosing]:
    """Return the document in the file of a figure, and the format of the file.

    Raises
    ------
    RequestError
        The file is damaged, is no figure, or has no document, more than one, or one that is too large.
    """
    format = _format_of(content)
    documents = list(_in_png(content) if format == "png" else _between(content, *_TAGS[format]))
    if not documents:
        raise RequestError(
            f"this {format.upper()} file contains no document of helio",
            advice="another program may have saved it without this document; use the file that helio wrote",
        )
    if len(documents) > 1:
        raise RequestError(
            f"this file contains {len(documents)} documents of helio; a figure of helio has one",
            advice="use the file that helio wrote",
        )
    return documents[0], format


def _format_of(content: bytes) -> Enclosing:
    start = content[:1000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if content.startswith(_PNG):
        return "png"
    if content.startswith(b"%PDF-"):
        return "pdf"
    if start[:14].lower() == b"<!doctype html" or start[:5].lower() == b"<html":
        return "html"
    if b"<svg" in start and start.startswith((b"<svg", b"<?xml", b"<!")):
        return "svg"
    raise RequestError(
        "this file is not a figure of helio in PNG, PDF, SVG or HTML",
        advice="name a figure in one of these formats; JSON files of figures contain no document",
    )


def _unexpected(format: str) -> ExportError:
    return ExportError(
        f"the browser wrote a {format.upper()} file of a form that helio does not know",
        advice="use Chromium or Chrome, or write the figure in another format",
    )


def _tagged(format: str, document: bytes) -> bytes:
    before, after = _TAGS[format]
    return before + document + after


def _between(content: bytes, before: bytes, after: bytes) -> Iterator[bytes]:
    """Yield each text between two tags.

    Raises
    ------
    RequestError
        A text has no end, or is too long.
    """
    place = content.find(before)
    while place >= 0:
        start = place + len(before)
        end = content.find(after, start)
        if end < 0:
            raise _damaged("the document of helio has no end")
        _refuse_size(end - start)
        yield content[start:end]
        place = content.find(before, end)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _in_png(content: bytes) -> Iterator[bytes]:
    """Yield the text of each iTXt chunk of helio in a PNG.

    Raises
    ------
    RequestError
        A chunk is longer than the file, has a wrong checksum or is too large.
    """
    place = len(_PNG)
    while True:
        if place + 12 > len(content):
            raise _damaged("it ends too early")
        (length,) = struct.unpack_from(">I", content, place)
        kind, end = content[place + 4 : place + 8], place + 8 + length
        if end + 4 > len(content):
            raise _damaged(f"a part at byte {place:,} says that it has {length:,} bytes; the file is shorter")
        (checksum,) = struct.unpack_from(">I", content, end)
        if zlib.crc32(content[place + 4 : end]) != checksum:
            raise _damaged(f"the checksum of the part at byte {place:,} is wrong")
        if kind == b"iTXt" and content.startswith(_NAME.encode() + b"\0", place + 8):
            yield _text_of(content[place + 8 + len(_NAME) + 1 : end])
        if kind == b"IEND":
            return
        place = end + 4


def _text_of(data: bytes) -> bytes:
    """Return the text of an iTXt chunk, from its data after the keyword; other programs may have compressed it."""
    parts = data[2:].split(b"\0", 2)
    if len(parts) < 3 or data[0] > 1 or data[1]:
        raise _damaged("its document of helio has no valid form")
    text = parts[2]
    if data[0]:
        reader = zlib.decompressobj()
        try:
            text = reader.decompress(text, LARGEST + 1)
        except zlib.error as error:
            raise _damaged("its document of helio cannot be decompressed") from error
        if len(text) <= LARGEST and not reader.eof:
            raise _damaged("its document of helio cannot be decompressed")
    _refuse_size(len(text))
    return text


def _refuse_size(size: int) -> None:
    if size > LARGEST:
        raise RequestError(
            f"the document of helio in this file is too large: the maximum is {LARGEST:,} bytes",
            advice="do not trust this file; helio writes no such document",
        )


def _damaged(reason: str) -> RequestError:
    return RequestError(f"the file is damaged: {reason}", advice="use the file that helio wrote")


def _with_xmp(content: bytes, document: bytes, title: str) -> bytes:
    """Append an update to a PDF: its title, and a catalogue that names the metadata. Earlier bytes stay."""
    trailer = _TRAILER.search(content)
    if trailer is None:
        raise _unexpected("pdf")
    facts, start = trailer[1], int(trailer[2])
    size, root, info = (
        re.search(rb"/%s (\d+)%s" % (name, ending), facts)
        for name, ending in ((b"Size", b""), (b"Root", b" 0 R"), (b"Info", b" 0 R"))
    )
    if size is None or root is None or info is None:
        raise _unexpected("pdf")
    catalogue = _object_of(content, start, int(root[1]))
    named = f"/Title <feff{title.encode('utf-16-be', 'replace').hex()}>".encode()
    about, titles = _TITLE.subn(named, _object_of(content, start, int(info[1])))
    if b"/Metadata" in catalogue or not titles:
        raise _unexpected("pdf")
    number = int(size[1])
    text = _NO_XML.sub("\ufffd", html.escape(title))
    packet = _XMP.format(title=text, enclosed=_tagged("pdf", document).decode()).encode()
    length = b"<</Type /Metadata\n/Subtype /XML\n/Length %d>> stream\n" % len(packet)
    objects = {
        int(info[1]): about,
        int(root[1]): catalogue.replace(b"<<", b"<</Metadata %d 0 R\n" % number, 1),
        number: length + packet + b"\nendstream\n",
    }
    written, table = content, b"xref\n0 1\n0000000000 65535 f \n"
    for object_number, body in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (object_number, len(written))
        written += b"%d 0 obj\n%sendobj\n" % (object_number, body)
    facts = facts.replace(size[0], b"/Size %d" % (number + 1))
    ending = b"trailer\n<<%s\n/Prev %d>>\nstartxref\n%d\n%%%%EOF\n" % (facts, start, len(written))
    return written + table + ending


def _object_of(content: bytes, table: int, number: int) -> bytes:
    """Return an object of a PDF, without its number, from the place that the table of contents gives."""
    head = re.compile(rb"xref\s+0 (\d+)\s*?\n").match(content, table)
    if head is None or number >= int(head[1]):
        raise _unexpected("pdf")
    entry = content[head.end() + 20 * number :][:20]
    begin = b"%d 0 obj\n" % number
    place = int(entry[:10]) if entry[:10].isdigit() else 0
    end = content.find(b"endobj", place)
    if not content.startswith(begin, place) or end < 0:
        raise _unexpected("pdf")
    return content[place + len(begin) : end]
