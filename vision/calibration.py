"""What the camera must know of its table: its lens, where the markers lie, which pixel is which millimetre.

Markers of one known size are enough: their layout on the rail is learned from the picture itself (each must come out
square and of that size), so nobody measures anything. Marker 0 lies at the dealer's right hand; that fixes which way
round the table is. Afterwards any three markers of the layout give the plane again, when the stand was moved too.

ArUco ids and shapes are taken flattened: they differ between OpenCV 4 and 5.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import msgspec
import numpy as np
import numpy.typing as npt
from msgspec import Meta

from vision.corners import refined
from vision.errors import VisionError
from vision.frames import Image
from vision.zones import Zone, Zones

Floats = npt.NDArray[np.float64]
Found = Mapping[int, Floats]
"""Markers in a picture: number to its four corners (pixels), clockwise from its upper left."""

DICTIONARY: Final = cv2.aruco.DICT_4X4_50
ENOUGH: Final = 3
"""So many markers of a known layout give the plane again."""
LEAST: Final = 4
"""So many markers must be seen to learn a layout."""
ALARM: Final = 3.0
"""The plane is wrong when markers lie so far from where they should (mm)."""
CHARUCO: Final = (7, 5)
_TOLERANCE: Final = 3.0
_ROUNDS: Final = 60
_IN_A_ROW: Final = 300.0
_LOWEST: Final = 300.0


class CalibrationError(VisionError):
    """The camera cannot be told its table from this."""

    code = "calibration"
    default_hint = "see docs/camera.md"


class Lens(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The camera's own geometry: focal lengths and centre in pixels, five coefficients, error of the fit in pixels."""

    fx: float
    fy: float
    cx: float
    cy: float
    distortion: tuple[float, ...]
    error: float = 0.0

    @property
    def matrix(self) -> Floats:
        """The camera matrix."""
        return np.array([[self.fx, 0.0, self.cx], [0.0, self.fy, self.cy], [0.0, 0.0, 1.0]])


class MarkerAt(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where a marker lies: its middle in mm, turned by `angle` (rad)."""

    id: int
    x: float
    y: float
    angle: float


class Calibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The calibration file.

    Attributes:
        version: Of the form: 1.
        size: Pixels of the camera's picture, width and height.
        marker_mm: Side of a marker's black square.
        markers: Their layout.
        homography: From pixels (without the lens's bend) to mm, row by row.
        zones: The parts of the table.
        lens: None takes the lens as free of distortion.
        sharpness: Of the picture at calibration.
        taken: When, for people.
    """

    version: Annotated[int, Meta(ge=1, le=1)] = 1
    size: tuple[Annotated[int, Meta(ge=64, le=8192)], Annotated[int, Meta(ge=64, le=8192)]]
    marker_mm: Annotated[float, Meta(ge=20, le=200)]
    markers: tuple[MarkerAt, ...]
    homography: tuple[float, float, float, float, float, float, float, float, float]
    zones: tuple[Zone, ...]
    lens: Lens | None = None
    sharpness: float | None = None
    taken: str = ""

    def plane(self) -> Plane:
        """The way between pixels and millimetres."""
        return Plane(np.array(self.homography).reshape(3, 3), self.lens)

    def all_zones(self) -> Zones:
        """The zones, ready to be asked."""
        return Zones(self.zones)


class Plane:
    """Pixels of one camera and millimetres of one table.

    Attributes:
        homography: From pixels without the lens's bend to mm.
    """

    def __init__(self, homography: Floats, lens: Lens | None) -> None:
        self.homography = homography / homography[2, 2]
        self.lens = lens
        self._back = np.linalg.inv(self.homography)
        self._eye = _eye(self._back, lens)

    def to_mm(self, pixels: npt.ArrayLike) -> Floats:
        """Points of the picture (n × 2) in mm."""
        return _through(self.homography, straight(pixels, self.lens))

    def to_pixels(self, points: npt.ArrayLike) -> Floats:
        """Points of the table (n × 2, mm) in pixels."""
        flat = _through(self._back, np.asarray(points, dtype=np.float64).reshape(-1, 2))
        if self.lens is None:
            return flat
        lens = self.lens
        x, y = (flat[:, 0] - lens.cx) / lens.fx, (flat[:, 1] - lens.cy) / lens.fy
        rays = np.stack([x, y, np.ones_like(x)], axis=1)
        none = np.zeros(3)
        found, _ = cv2.projectPoints(
            rays.reshape(-1, 1, 3), none, none, lens.matrix, np.array(lens.distortion)
        )
        return np.asarray(found, dtype=np.float64).reshape(-1, 2)

    def lowered(self, x: float, y: float, height: float) -> tuple[float, float]:
        """Where a thing that is seen at a point of the plane truly is, so high over it (mm).

        Without a lens nobody knows where the camera hangs: the point itself.
        """
        if self._eye is None:
            return x, y
        share = height / self._eye[2]
        return float(x - (x - self._eye[0]) * share), float(y - (y - self._eye[1]) * share)

    def mm_per_pixel(self, x: float, y: float) -> float:
        """How many millimetres a pixel is at a point of the picture."""
        a, b, c = self.to_mm([[x, y], [x + 4, y], [x, y + 4]])
        return float((np.hypot(*(b - a)) + np.hypot(*(c - a))) / 8)


def _eye(back: Floats, lens: Lens | None) -> Floats | None:
    """Where the camera hangs (mm, height last), from its lens and the plane; None when that is nowhere."""
    if lens is None:
        return None
    seen = np.linalg.inv(lens.matrix) @ back
    seen = seen / math.sqrt(float(np.linalg.norm(seen[:, 0]) * np.linalg.norm(seen[:, 1])))
    third = np.cross(seen[:, 0], seen[:, 1])
    eye: Floats = -np.linalg.inv(np.column_stack([seen[:, 0], seen[:, 1], third])) @ seen[:, 2]
    eye[2] = abs(eye[2])
    return eye if eye[2] > _LOWEST else None


def straight(pixels: npt.ArrayLike, lens: Lens | None) -> Floats:
    """Points of the picture without the lens's bend (still pixels)."""
    points = np.asarray(pixels, dtype=np.float64).reshape(-1, 2)
    if lens is None or not len(points):
        return points
    flat = cv2.undistortPoints(
        points.reshape(-1, 1, 2), lens.matrix, np.array(lens.distortion), P=lens.matrix
    )
    return np.asarray(flat, dtype=np.float64).reshape(-1, 2)


def _through(homography: Floats, points: Floats) -> Floats:
    found = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ homography.T
    flat: Floats = found[:, :2] / found[:, 2:3]
    return flat


# -- markers --------------------------------------------------------------------------------------------------


class Markers:
    """Finds ArUco markers in a picture."""

    def __init__(self) -> None:
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
        settings.cornerRefinementWinSize = 4
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), settings)

    def find(self, image: Image) -> dict[int, Floats]:
        """All markers in a picture (13 ms at 1280×720, half a millisecond more for each); one that is there twice is left out."""
        grey = _grey(image)
        return {number: refined(grey, quad) for number, quad in self._detected(grey).items()}

    def _detected(self, grey: npt.NDArray[Any]) -> dict[int, Floats]:
        corners, numbers, _ = self._detector.detectMarkers(grey)
        found: dict[int, Floats] = {}
        twice: set[int] = set()
        for number, quad in zip(np.asarray(() if numbers is None else numbers).ravel(), corners, strict=True):
            key = int(number)
            if key in found:
                twice.add(key)
            found[key] = np.asarray(quad, dtype=np.float64).reshape(4, 2)
        return {key: quad for key, quad in found.items() if key not in twice}

    def find_near(self, image: Image, expected: Found, margin: float = 0.9) -> dict[int, Floats]:
        """The markers that lie about where they are expected (half a millisecond each)."""
        height, width = image.shape[:2]
        found: dict[int, Floats] = {}
        for number, quad in expected.items():
            low, high = quad.min(axis=0), quad.max(axis=0)
            room = margin * float((high - low).max())
            x0, y0 = (max(0, int(v)) for v in low - room)
            x1, y1 = min(width, int(high[0] + room)), min(height, int(high[1] + room))
            if x1 - x0 < 16 or y1 - y0 < 16:
                continue
            seen = self._detected(_grey(image[y0:y1, x0:x1])).get(number)
            if seen is not None:
                found[number] = seen + np.array([x0, y0])
        return found


def _grey(image: Image) -> npt.NDArray[Any]:
    return image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)


def marker_corners(marker: MarkerAt, side: float) -> Floats:
    """The corners of a marker on the table (4 × 2, mm), clockwise from its upper left."""
    half = side / 2
    raw = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    c, s = math.cos(marker.angle), math.sin(marker.angle)
    corners: Floats = raw @ np.array([[c, s], [-s, c]]) + np.array([marker.x, marker.y])
    return corners


def learn_layout(
    found: Found, side: float, lens: Lens | None = None
) -> tuple[tuple[MarkerAt, ...], Plane, float]:
    """Learn where the markers lie from one picture: each must be a square of this size in one plane.

    Args:
        found: Markers in the picture.
        side: Of a marker's black square, mm.
        lens: The lens, when it is known.

    Returns:
        The layout, the plane, and what is left of error (mm, root mean square over corners).

    Raises:
        CalibrationError: Too few markers, marker 0 is missing, or they do not fit one plane.
    """
    if len(found) < LEAST:
        raise CalibrationError(
            f"{len(found)} markers seen, {LEAST} are needed",
            hint="lay the printed markers flat on the rail, well apart, nothing over them",
        )
    if 0 not in found:
        raise CalibrationError("marker 0 is not seen", hint="it lies on the rail at the dealer's right hand")
    numbers = sorted(found)
    flat = {number: straight(found[number], lens) for number in numbers}
    fit = _fit_squares([flat[number] for number in numbers], side)
    homography, poses, error = fit
    if error > _TOLERANCE:
        raise CalibrationError(
            f"the markers do not fit one plane ({error:.1f} mm)",
            hint="print them at one size, lay them flat, tell their true size, calibrate the lens first",
        )
    turn = _table_frame(numbers, poses)
    layout: list[MarkerAt] = []
    for number, (x, y, angle) in zip(numbers, poses, strict=True):
        at = turn @ np.array([x, y, 1.0])
        layout.append(
            MarkerAt(
                id=number,
                x=round(float(at[0]), 2),
                y=round(float(at[1]), 2),
                angle=round(float(angle + math.atan2(turn[1, 0], turn[0, 0])), 5),
            )
        )
    return tuple(layout), Plane(turn @ homography, lens), error


def _fit_squares(
    quads: Sequence[Floats], side: float
) -> tuple[Floats, list[tuple[float, float, float]], float]:
    """One plane and a pose for each square, by least squares (Levenberg-Marquardt) from a view straight down."""
    half = side / 2
    raw = np.array([[-half, -half], [half, -half], [half, half], [-half, half]])
    pixels = np.concatenate(quads)
    edges = np.array([np.hypot(*(np.roll(quad, -1, axis=0) - quad).T).mean() for quad in quads])
    scale = float(side / edges.mean())
    centre = pixels.mean(axis=0)
    size = float(np.abs(pixels - centre).max())
    norm = (pixels - centre) / size  # pixels within -1…1
    unit = scale * size  # mm at the border
    start: list[float] = [1, 0, 0, 1, 0, 0]  # a b d e g h; no shift: the poses carry it
    for quad in quads:
        middle = (quad.mean(axis=0) - centre) / size
        way = quad[1] - quad[0]
        start += [float(middle[0]), float(middle[1]), math.atan2(way[1], way[0])]
    box = raw / unit

    def left(values: Floats) -> Floats:
        """How far each corner, seen through the plane, is from its square (units of the border)."""
        a, b, d, e, g, h = values[:6]
        below = g * norm[:, 0] + h * norm[:, 1] + 1.0
        seen = np.stack(
            [(a * norm[:, 0] + b * norm[:, 1]) / below, (d * norm[:, 0] + e * norm[:, 1]) / below], axis=1
        )
        poses = values[6:].reshape(-1, 3)
        c, s = np.cos(poses[:, 2]), np.sin(poses[:, 2])
        x = poses[:, 0, None] + c[:, None] * box[:, 0] - s[:, None] * box[:, 1]
        y = poses[:, 1, None] + s[:, None] * box[:, 0] + c[:, None] * box[:, 1]
        return np.concatenate([seen[:, 0] - x.ravel(), seen[:, 1] - y.ravel()])

    values = _least_squares(left, np.array(start, dtype=np.float64))
    rest = left(values) * unit
    a, b, d, e, g, h = values[:6]
    inner = np.array([[a, b, 0.0], [d, e, 0.0], [g, h, 1.0]])
    into = np.array([[1 / size, 0, -centre[0] / size], [0, 1 / size, -centre[1] / size], [0, 0, 1.0]])
    homography = np.diag([unit, unit, 1.0]) @ inner @ into
    poses = [(float(x * unit), float(y * unit), float(turn)) for x, y, turn in values[6:].reshape(-1, 3)]
    return homography, poses, float(np.sqrt((rest**2).mean() * 2))


def _least_squares(left: Any, values: Floats) -> Floats:
    """Levenberg-Marquardt with differences; the gauge freedom of the plane is held by the damping."""
    damping, rest = 1e-3, left(values)
    for _ in range(_ROUNDS):
        slopes = np.empty((len(rest), len(values)))
        for number in range(len(values)):
            moved = values.copy()
            moved[number] += 1e-6
            slopes[:, number] = (left(moved) - rest) / 1e-6
        square, pull = slopes.T @ slopes, slopes.T @ rest
        better = False
        while not better and damping < 1e6:
            step = np.linalg.solve(
                square + damping * (np.diag(np.diag(square)) + 1e-9 * np.eye(len(values))), -pull
            )
            trial = left(values + step)
            better = bool(trial @ trial < rest @ rest)
            damping = damping / 5 if better else damping * 4
        if not better:
            break
        gain = float(rest @ rest - trial @ trial)
        values, rest = values + step, trial
        if gain < 1e-14:
            break
    return values


def _table_frame(numbers: Sequence[int], poses: Sequence[tuple[float, float, float]]) -> Floats:
    """From the fit's own frame to the table's: the markers' box lies along x, marker 0 on the dealer's side (y > 0)."""
    points = np.array([[x, y] for x, y, _ in poses], dtype=np.float32)
    (_, _), (wide, high), degrees = cv2.minAreaRect(points)
    angle = math.radians(degrees if wide >= high else degrees + 90.0)
    c, s = math.cos(-angle), math.sin(-angle)
    turned = points.astype(np.float64) @ np.array([[c, s], [-s, c]])
    middle = (turned.min(axis=0) + turned.max(axis=0)) / 2
    way = (
        1.0 if turned[numbers.index(0)][1] > middle[1] else -1.0
    )  # half a turn brings the dealer to the lower side
    return np.array(
        [[way * c, -way * s, -way * middle[0]], [way * s, way * c, -way * middle[1]], [0.0, 0.0, 1.0]]
    )


def in_a_row(markers: Iterable[MarkerAt]) -> bool:
    """Whether markers lie in a row: they tell nothing of the table beside them, and what was known must hold."""
    middles = np.array([[each.x, each.y] for each in markers], dtype=np.float32)
    return len(middles) < ENOUGH or min(cv2.minAreaRect(middles)[1]) < _IN_A_ROW


def solve_plane(
    found: Found, layout: Sequence[MarkerAt], side: float, lens: Lens | None = None
) -> tuple[Plane, float] | None:
    """The plane from markers of a known layout; None when too few of them are seen, in a row or contradicting one another.

    Returns:
        The plane and the error that is left (mm, over the corners that fit).
    """
    known = {marker.id: marker for marker in layout}
    numbers = [number for number in sorted(found) if number in known]
    if len(numbers) < ENOUGH:
        return None
    if in_a_row(known[number] for number in numbers):
        return None
    pixels = np.concatenate([straight(found[number], lens) for number in numbers])
    points = np.concatenate([marker_corners(known[number], side) for number in numbers])
    fitted: Any = cv2.findHomography(pixels, points, cv2.RANSAC, _TOLERANCE)
    if fitted[0] is None:
        return None
    inside = fitted[1]
    keep = np.asarray(inside).ravel() > 0
    agree = [
        known[number]
        for number, corners in zip(numbers, keep.reshape(-1, 4), strict=True)
        if corners.sum() > 2
    ]
    if len(agree) < ENOUGH or in_a_row(agree):
        return None
    homography: Floats = np.array(fitted[0], dtype=np.float64)
    if lens is not None:
        homography = _by_pose(pixels[keep], points[keep], lens, homography)
    plane = Plane(homography, lens)
    off = np.hypot(*(_through(plane.homography, pixels[keep]) - points[keep]).T)
    return plane, float(np.sqrt((off**2).mean()))


def _by_pose(pixels: Floats, points: Floats, lens: Lens, otherwise: Floats) -> Floats:
    """The plane from where the camera stands: six numbers instead of eight, so few markers carry further."""
    flat = np.concatenate([points, np.zeros((len(points), 1))], axis=1)
    done, turn, shift = cv2.solvePnP(flat, pixels, lens.matrix, None, flags=cv2.SOLVEPNP_IPPE)
    if not done:
        return otherwise
    pose = cv2.solvePnPRefineLM(flat, pixels, lens.matrix, np.zeros(5), turn, shift)
    matrix, shift = cv2.Rodrigues(pose[0])[0], pose[1]
    seen = lens.matrix @ np.column_stack([matrix[:, 0], matrix[:, 1], np.ravel(shift)])
    found: Floats = np.asarray(np.linalg.inv(seen), dtype=np.float64)
    better = np.hypot(*(_through(found, pixels) - points).T).mean()
    return found if better < 1.5 else otherwise


def drift(found: Found, layout: Sequence[MarkerAt], plane: Plane) -> float | None:
    """How far the markers seen lie from where the plane has them (mm, median); None without any."""
    known = {marker.id: marker for marker in layout}
    off = [
        float(np.hypot(*(plane.to_mm(quad).mean(axis=0) - (known[number].x, known[number].y))))
        for number, quad in found.items()
        if number in known
    ]
    return float(np.median(off)) if off else None


# -- the lens ---------------------------------------------------------------------------------------------------


def charuco_board(square_mm: float = 30.0) -> Any:
    """The printed board for the lens: squares of this size, markers of DICT_4X4_50 in the white ones."""
    dictionary = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return cv2.aruco.CharucoBoard(CHARUCO, square_mm, square_mm * 0.7, dictionary)


def calibrate_lens(pictures: Sequence[Image], square_mm: float = 30.0) -> Lens:
    """The lens from pictures of the board held in different ways.

    Raises:
        CalibrationError: The board is seen well in fewer than five of them, or the fit is poor.
    """
    board = charuco_board(square_mm)
    detector = cv2.aruco.CharucoDetector(board)
    objects: list[Floats] = []
    images: list[Floats] = []
    for picture in pictures:
        grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
        corners, numbers, _, _ = detector.detectBoard(grey)
        if corners is None or numbers is None or len(corners) < 8:
            continue
        seen, flat = board.matchImagePoints(corners, numbers)
        objects.append(np.asarray(seen, dtype=np.float32))
        images.append(np.asarray(flat, dtype=np.float32))
    if len(objects) < 5:
        raise CalibrationError(
            f"the board is seen well in {len(objects)} pictures, five are needed",
            hint="hold it still, near and far, tilted, in every corner of the picture",
        )
    size = (pictures[0].shape[1], pictures[0].shape[0])
    error, matrix, distortion, _, _ = cv2.calibrateCamera(objects, images, size, None, None)
    if error > 1.5:
        raise CalibrationError(
            f"the lens fits badly ({error:.2f} pixels)", hint="hold the board flat and still"
        )
    return Lens(
        fx=float(matrix[0, 0]),
        fy=float(matrix[1, 1]),
        cx=float(matrix[0, 2]),
        cy=float(matrix[1, 2]),
        distortion=tuple(round(float(v), 8) for v in np.asarray(distortion).ravel()[:5]),
        error=round(float(error), 4),
    )


# -- the file -----------------------------------------------------------------------------------------------------


def save(calibration: Calibration, path: Path) -> None:
    """Write the file whole, or not at all."""
    text = msgspec.json.format(msgspec.json.encode(calibration), indent=1)
    beside = path.with_name(path.name + ".new")
    beside.write_bytes(text + b"\n")
    beside.replace(path)


def load(path: Path) -> Calibration:
    """Read a calibration file.

    Raises:
        CalibrationError: It is missing, or not one.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Calibration)
    except OSError as error:
        raise CalibrationError(
            f"cannot be read: {error.strerror}", where=str(path), hint="run `maldonne calibrate`"
        ) from error
    except msgspec.DecodeError as error:
        raise CalibrationError(
            f"is no calibration: {error}", where=str(path), hint="run `maldonne calibrate` again"
        ) from error
