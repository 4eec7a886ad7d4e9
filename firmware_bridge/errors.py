"""What can go wrong between the table's devices and the Pi, and what to do about it.

Each defined error is a row of `DEFINED`: `doctor` prints the table, the dealer's page shows the row of a device that
is lost. An error outside this tree is a fault of the program and is not caught.
"""

import errno
from typing import ClassVar, Final

import msgspec


class Definition(msgspec.Struct, frozen=True):
    """One row of the table of defined errors, in both languages of the room.

    Attributes:
        code: Stable slug, safe to search for.
        what: What happened, in one sentence.
        hint: What to do next.
        what_fr: The same in French.
        hint_fr: The same in French.
    """

    code: str
    what: str
    hint: str
    what_fr: str
    hint_fr: str


_ROWS: Final = (
    Definition(
        "port-absent",
        "the device is not plugged in: nothing at its path",
        "plug the board in, or correct `path` in table.toml (list: ls /dev/serial/by-id)",
        "l'appareil n'est pas branché : rien à son adresse",
        "brancher la carte, ou corriger `path` dans table.toml (liste : ls /dev/serial/by-id)",
    ),
    Definition(
        "port-denied",
        "this user may not open the device",
        "add the user to the group dialout and log in again: sudo usermod -aG dialout $USER",
        "cet utilisateur n'a pas le droit d'ouvrir l'appareil",
        "ajouter l'utilisateur au groupe dialout et rouvrir la session : sudo usermod -aG dialout $USER",
    ),
    Definition(
        "port-busy",
        "another program holds the device",
        "stop the other program (a second controller, a serial monitor): fuser -v <path>",
        "un autre programme occupe l'appareil",
        "arrêter l'autre programme (second contrôleur, moniteur série) : fuser -v <chemin>",
    ),
    Definition(
        "unplugged",
        "the line broke while it was in use",
        "push the plug back in; the table goes on without the device and takes it back by itself",
        "la liaison s'est coupée en cours d'utilisation",
        "rebrancher le câble ; la table continue sans l'appareil et le reprend d'elle-même",
    ),
    Definition(
        "peer-lost",
        "the board does not acknowledge what is sent to it",
        "look at cable and supply; if it repeats, press reset on the board",
        "la carte n'accuse pas réception",
        "vérifier câble et alimentation ; si cela se répète, bouton reset de la carte",
    ),
    Definition(
        "hello-missing",
        "something is at this port, but it does not say who it is",
        "check `path` and `baud` in table.toml, then that the board carries the table's firmware",
        "quelque chose répond sur ce port, mais ne dit pas qui il est",
        "vérifier `path` et `baud` dans table.toml, puis que la carte porte le logiciel de la table",
    ),
    Definition(
        "heartbeat-late",
        "the board has missed heartbeats",
        "nothing yet: what its antennas say may be late; if it lasts, look at cable and supply",
        "la carte a manqué des battements",
        "rien pour l'instant : ses antennes peuvent être en retard ; si cela dure, vérifier câble et alimentation",
    ),
    Definition(
        "line-noisy",
        "many frames on the line are broken or must be sent again",
        "look at plug, cable and supply before the line breaks; keep it away from motors and antenna cables",
        "beaucoup de trames sur la liaison sont abîmées ou doivent être renvoyées",
        "vérifier prise, câble et alimentation avant que la liaison ne casse ; l'éloigner des moteurs et des câbles d'antenne",
    ),
    Definition(
        "heartbeat-missing",
        "the board has fallen silent",
        "press reset on the board; if it stays silent, look at cable and supply",
        "la carte ne dit plus rien",
        "bouton reset de la carte ; si elle reste muette, vérifier câble et alimentation",
    ),
    Definition(
        "protocol-refused",
        "board and program do not speak the same version of the line",
        "update the older of the two",
        "la carte et le programme ne parlent pas la même version",
        "mettre à jour le plus ancien des deux",
    ),
    Definition(
        "frame-unencodable",
        "a value does not fit into its frame",
        "a fault of the program: report it with this line",
        "une valeur ne tient pas dans sa trame",
        "défaut du programme : le signaler avec cette ligne",
    ),
    Definition(
        "command-bad",
        "a command that no board can carry out",
        "a fault of the program or of the configuration: correct the value named",
        "une commande qu'aucune carte ne peut exécuter",
        "défaut du programme ou de la configuration : corriger la valeur citée",
    ),
    Definition(
        "command-queue-full",
        "too many feeds wait for the shoe",
        "wait until the shoe has answered; look at its state",
        "trop de distributions en attente du sabot",
        "attendre la réponse du sabot ; regarder son état",
    ),
    Definition(
        "not-ready",
        "the device was not ready in time",
        "run `maldonne doctor`: it names what is missing",
        "l'appareil n'a pas été prêt à temps",
        "lancer `maldonne doctor` : il dit ce qui manque",
    ),
    Definition(
        "close-stalled",
        "the device's thread did not end in time",
        "a fault of the program: report it with the log",
        "le fil de l'appareil ne s'est pas terminé à temps",
        "défaut du programme : le signaler avec le journal",
    ),
    Definition(
        "driver-failed",
        "the device's driver stopped by a fault of its own",
        "restart the table's program; report the fault with its log",
        "le pilote de l'appareil s'est arrêté par sa propre faute",
        "redémarrer le programme de la table ; signaler le défaut avec son journal",
    ),
    Definition(
        "name-taken",
        "two devices have one name",
        "give each device of table.toml a name of its own",
        "deux appareils portent le même nom",
        "donner à chaque appareil de table.toml son propre nom",
    ),
)

DEFINED: Final[dict[str, Definition]] = {row.code: row for row in _ROWS}


class BridgeError(Exception):
    """Anything that the device bridge knows how to explain.

    Attributes:
        code: Stable slug, a key of `DEFINED`.
        what: What happened, in words.
        where: The device, path, frame or setting that it concerns.
        hint: What to do next.
    """

    code: ClassVar[str]

    def __init__(self, what: str = "", *, where: str, hint: str = "") -> None:
        row = DEFINED[self.code]
        self.what = what or row.what
        self.where = where
        self.hint = hint or row.hint
        super().__init__(f"[{self.code}] {self.where}: {self.what} — {self.hint}")


class FrameUnencodable(BridgeError):
    """A value does not fit into its frame."""

    code = "frame-unencodable"


class CommandError(BridgeError):
    """A command cannot be taken."""


class BadCommand(CommandError):
    """No board could carry this command out: a lamp 300, a colour that does not exist."""

    code = "command-bad"


class CommandQueueFull(CommandError):
    """Too many feeds wait for the shoe."""

    code = "command-queue-full"


class DeviceError(BridgeError):
    """A device cannot be used now; the table goes on without it."""


class PortAbsent(DeviceError):
    """Nothing is plugged in at the path."""

    code = "port-absent"


class PortDenied(DeviceError):
    """The path may not be opened by this user."""

    code = "port-denied"


class PortBusy(DeviceError):
    """Another program holds the port."""

    code = "port-busy"


class Unplugged(DeviceError):
    """The line broke while it was open."""

    code = "unplugged"


class PeerLost(DeviceError):
    """The board did not acknowledge a frame, however often it was sent."""

    code = "peer-lost"


class HelloMissing(DeviceError):
    """The board did not say who it is."""

    code = "hello-missing"


class HeartbeatMissing(DeviceError):
    """The board has fallen silent."""

    code = "heartbeat-missing"


class ProtocolRefused(DeviceError):
    """Board and program have no version of the line in common."""

    code = "protocol-refused"


class NotReady(DeviceError):
    """Waiting for a device ran out of time."""

    code = "not-ready"


class CloseStalled(DeviceError):
    """A device's thread did not end in time."""

    code = "close-stalled"


class DriverFailed(DeviceError):
    """A device's driver met a fault of the program and ended."""

    code = "driver-failed"


class NameTaken(DeviceError):
    """Two devices of one table have the same name."""

    code = "name-taken"


def port_error(error: Exception, path: str) -> DeviceError:
    """What the system's refusal to open a port means for the people at the table."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        return PortDenied(where=path)
    if number in (errno.EBUSY, errno.EAGAIN):
        return PortBusy(where=path)
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO):
        return PortAbsent(where=path)
    return Unplugged(f"the port cannot be opened: {error}", where=path)
