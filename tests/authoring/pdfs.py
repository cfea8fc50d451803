"""Small PDFs and pictures, written without a library; pypdf encrypts one."""

from __future__ import annotations

import io
import struct
import zlib


def pdf(*pages: str) -> bytes:
    """Write a PDF with a text on each page, one line of Helvetica for each line of the text."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        lines = [
            b"("
            + line.encode("latin-1", "replace")
            .replace(b"\\", b"\\\\")
            .replace(b"(", b"\\(")
            .replace(b")", b"\\)")
            + b") Tj T*"
            for line in text.split("\n")
        ]
        stream = b"BT /F1 9 Tf 12 TL 40 740 Td\n" + b"\n".join(lines) + b"\nET"
        objects.append(b"<< /Length %d >>\nstream\n" % len(stream) + stream + b"\nendstream")
        kids.append(len(objects) + 1)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(objects)
        )
    listed = b" ".join(b"%d 0 R" % kid for kid in kids)
    objects[1] = b"<< /Type /Pages /Kids [" + listed + b"] /Count %d >>" % len(kids)
    written, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(written))
        written += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1) + table
    return written + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )


def encrypted(content: bytes, password: str) -> bytes:
    """Encrypt a PDF with AES; an empty password lets everybody read it."""
    from pypdf import PdfReader, PdfWriter

    writer = PdfWriter(clone_from=PdfReader(io.BytesIO(content)))
    writer.encrypt(password, owner_password="the owner's", algorithm="AES-256")
    written = io.BytesIO()
    writer.write(written)
    return written.getvalue()


def png(width: int = 2, height: int = 2, rows: int | None = None) -> bytes:
    """Write a grey PNG; with fewer rows of data than its height it is damaged."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    data = zlib.compress(b"".join(b"\0" + b"\x80" * width for _ in range(height if rows is None else rows)))
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg() -> bytes:
    """Write a small JPEG."""
    from PIL import Image

    written = io.BytesIO()
    Image.new("RGB", (4, 4), "grey").save(written, "JPEG")
    return written.getvalue()
