"""A simulated table under a simulated camera in virtual time, with the real watcher behind the picture.

Cards move as people move them; every picture is drawn, and worked on as the camera's process would. The finder is the
real one, or an oracle that is told the truth, so that following cards can be judged apart from finding them.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import cv2
import numpy as np

from hw_sim.camera import Camera
from hw_sim.camera_place import MARKER_MM
from hw_sim.camera_scene import Light, Scene
from hw_sim.clock import Agenda
from hw_sim.crew import Crew, Script
from hw_sim.motions import Habits, Motions
from hw_sim.truth import TruthLog
from hw_sim.world import CARD_NAMES, Card, World, make_chips, make_deck
from vision.calibration import Calibration, Lens, Markers, learn_layout
from vision.detect import SeenCard
from vision.frames import Frame, Image
from vision.health import look_at
from vision.sightings import CameraState, Message, Sighting
from vision.watcher import Find, Watcher
from vision.zones import standard_zones

HABITS = Habits(flight=(0.25, 0.45), deal=(0.35, 0.6))


def lens_of(scene: Scene) -> Lens:
    """The simulated camera's true lens."""
    lens = scene.lens
    bend = tuple(float(v) for v in lens.distortion)
    return Lens(fx=lens.focal, fy=lens.focal, cx=lens.centre[0], cy=lens.centre[1], distortion=bend)


def calibrate(scene: Scene, lens: Lens | None = None) -> Calibration:
    """Calibrate on one picture of the scene, as `maldonne calibrate` does."""
    image = scene.picture(0.0)
    layout, plane, _ = learn_layout(Markers().find(image), MARKER_MM, lens)
    width, height = scene.lens.mount.size
    return Calibration(
        size=(width, height),
        marker_mm=MARKER_MM,
        markers=layout,
        homography=tuple(plane.homography.ravel().tolist()),
        zones=standard_zones(1840.0, 940.0),
        lens=lens,
        sharpness=look_at(image).sharpness,
    )


class Stage:
    """One table, one camera, one watcher, and the people who move cards.

    Attributes:
        t: Virtual time (s).
        messages: All that the watcher said.
        each: Called after every picture with what was new.
    """

    def __init__(
        self,
        *,
        seed: int = 1,
        fps: float = 15.0,
        find: Find | None = None,
        light: Light | None = None,
        order: Sequence[str] | None = None,
        wire: bool = False,
        scene: Scene | None = None,
    ) -> None:
        rng = random.Random(seed)
        if scene is None:
            decks = {"red": make_deck("red", 7, rng), "blue": make_deck("blue", 7, rng)}
            world = World(decks, make_chips({100: 40}, rng), seed=str(seed))
            scene = Scene(world, seed=seed, light=light or Light())
        self.scene = scene
        self.world = scene.world
        self.camera = Camera(scene, seed=seed)
        self.agenda = Agenda()
        self.truth = TruthLog()
        self.motions = Motions(self.agenda, self.world, self.truth, HABITS, (100,), str(seed))
        self.crew = Crew(self.agenda)
        self.calibration = calibrate(scene, lens_of(scene))
        self.watcher = Watcher(self.calibration, find or self.oracle)
        deck = list(order) if order is not None else rng.sample(CARD_NAMES, 52)
        self.world.stack_deck("red", deck)
        self.t = 0.0
        self.step = 1.0 / fps
        self.messages: list[Message] = []
        self.each: Callable[[list[Message]], None] = lambda new: None
        self._wire = wire
        self._seq = 0
        self._rng = np.random.default_rng(seed)

    # -- time --------------------------------------------------------------------------------------------

    def run(self, seconds: float) -> list[Message]:
        """Let time pass; give what was said meanwhile."""
        end, before = self.t + seconds, len(self.messages)
        while self.t < end - 1e-9:
            self.picture()
        return self.messages[before:]

    def picture(self) -> None:
        """Let the next picture be taken and worked on."""
        self.t += self.step
        while (due := self.agenda.next_time()) is not None and due <= self.t:
            self.agenda.run_next()
            self.crew.look()
        self.agenda.now = max(self.agenda.now, self.t)
        image = self._image()
        new = (
            self.watcher.feed(Frame(image, self.t, self._seq, self.t))
            if image is not None
            else self.watcher.idle(self.t)
        )
        self.messages += new
        self.each(new)

    def _image(self) -> Image | None:
        if not self._wire and not self.camera.faults & {"frozen", "unplugged", "dropped"}:
            self._seq += 1
            return self.camera.picture(self.t)
        shot = self.camera.shot(self.t)
        if shot is None:
            return None
        self._seq += 1
        return np.asarray(cv2.imdecode(np.frombuffer(shot.jpeg, np.uint8), cv2.IMREAD_COLOR), np.uint8)

    # -- people ------------------------------------------------------------------------------------------

    def play(self, script: Script, name: str = "somebody") -> None:
        """Let somebody do something."""
        self.crew.add(name, script)

    def move(
        self, card: Card, to: str, *, face: str = "down", shows: bool = False, who: str = "dealer"
    ) -> None:
        """Move a card and wait until it lies."""
        self.play(self.motions.card(who, card, to, face, "test", shows=shows))
        self.run(0.5)

    # -- what was said -----------------------------------------------------------------------------------

    def sightings(self, *kinds: str) -> list[Sighting]:
        """All sightings so far, of these kinds."""
        return [m for m in self.messages if isinstance(m, Sighting) and (not kinds or m.kind in kinds)]

    @property
    def trouble(self) -> str:
        """What the camera last said of itself."""
        states = [m for m in self.messages if isinstance(m, CameraState)]
        return states[-1].trouble if states else ""

    # -- the oracle --------------------------------------------------------------------------------------

    def oracle(self, frame: Image, *, scale_mm: float | None = None, regions: Any = None) -> list[SeenCard]:
        """What a perfect finder would find: every card of which enough can be seen."""
        found: list[SeenCard] = []
        for true in self.scene.truth(self.t):
            x, y = true.quad.mean(axis=0)
            inside = regions is None or any(a <= x <= a + c and b <= y <= b + d for a, b, c, d in regions)
            if true.visible < 0.45 or not inside:
                continue
            quad = (true.quad + self._rng.normal(0, 0.4, (4, 2))).astype(np.float32)
            name = true.card if true.face_up and true.visible > 0.6 else None
            found.append(SeenCard(quad, true.face_up, name, 0.99, true.visible))
        return found
