"""The sheets that are printed for the camera: markers for the rail and the board for the lens, as one PDF at true size."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Final

import cv2
import numpy as np

from vision.calibration import CHARUCO, DICTIONARY, charuco_board

_POINTS: Final = 72 / 25.4
_PAGE: Final = (210.0, 297.0)
_LEFT: Final = 20.0
_STEP: Final = 92.0
_PER_PAGE: Final = 6
SQUARE_MM: Final = 26.0
"""Side of a square of the lens board on the sheet (mm)."""
_SHARP: Final = 240


def write_sheet(path: Path, *, marker_mm: float, count: int) -> None:
    """Write the sheets; printed at 100 %, a marker's black square has the side that was asked for.

    Args:
        path: The PDF.
        marker_mm: Side of a marker's black square (mm), 60 to 80.
        count: How many markers, numbered from 0.
    """
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    pages: list[list[tuple[np.ndarray, float, float, float, float, str]]] = []
    for first in range(0, count, _PER_PAGE):
        page: list[tuple[np.ndarray, float, float, float, float, str]] = []
        for place, number in enumerate(range(first, min(count, first + _PER_PAGE))):
            drawn = np.asarray(cv2.aruco.generateImageMarker(dictionary, number, _SHARP), dtype=np.uint8)
            x = _LEFT + (place % 2) * _STEP
            y = _PAGE[1] - 15.0 - marker_mm - (place // 2) * _STEP
            page.append((drawn, x, y, marker_mm, marker_mm, f"{number}   {marker_mm:g} mm"))
        pages.append(page)
    wide, high = CHARUCO[0] * SQUARE_MM, CHARUCO[1] * SQUARE_MM
    board = np.asarray(
        charuco_board(SQUARE_MM).generateImage((CHARUCO[0] * 100, CHARUCO[1] * 100)), dtype=np.uint8
    )
    pages.append([(board, (_PAGE[0] - wide) / 2, 120.0, wide, high, f"{SQUARE_MM:g} mm")])
    path.write_bytes(_pdf(pages))


def _pdf(pages: list[list[tuple[np.ndarray, float, float, float, float, str]]]) -> bytes:
    """A PDF of grey pictures and a line of text under each."""
    objects: list[bytes] = [b"", b"", b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids: list[int] = []
    for page in pages:
        names: list[str] = []
        drawing: list[str] = []
        for number, (image, x, y, wide, high, text) in enumerate(page):
            rows, columns = image.shape
            data = zlib.compress(image.tobytes())
            head = (
                f"<< /Type /XObject /Subtype /Image /Width {columns} /Height {rows} /ColorSpace /DeviceGray "
                f"/BitsPerComponent 8 /Interpolate false /Filter /FlateDecode /Length {len(data)} >>\nstream\n"
            )
            objects.append(head.encode() + data + b"\nendstream")
            names.append(f"/I{number} {len(objects)} 0 R")
            at = (wide * _POINTS, high * _POINTS, x * _POINTS, y * _POINTS)
            drawing.append(f"q {at[0]:.3f} 0 0 {at[1]:.3f} {at[2]:.3f} {at[3]:.3f} cm /I{number} Do Q")
            drawing.append(f"BT /F1 9 Tf {at[2]:.2f} {at[3] - 18:.2f} Td ({text}) Tj ET")
        content = "\n".join(drawing).encode()
        objects.append(f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream")
        objects.append(
            (
                f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {_PAGE[0] * _POINTS:.2f} {_PAGE[1] * _POINTS:.2f}] "
                f"/Contents {len(objects)} 0 R "
                f"/Resources << /Font << /F1 3 0 R >> /XObject << {' '.join(names)} >> >> >>"
            ).encode()
        )
        kids.append(len(objects))
    objects[0] = b"<< /Type /Catalog /Pages 2 0 R >>"
    listed = " ".join(f"{kid} 0 R" for kid in kids)
    objects[1] = f"<< /Type /Pages /Kids [{listed}] /Count {len(kids)} >>".encode()
    out = bytearray(b"%PDF-1.4\n")
    starts: list[int] = []
    for number, body in enumerate(objects, 1):
        starts.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{start:010d} 00000 n \n".encode() for start in starts)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
    return bytes(out)
