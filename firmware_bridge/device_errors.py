"""What can go wrong with card readers and with the panel on the Pi's own pins: their part of the tree of errors.

The rows join the one table of `errors.DEFINED` when this module is imported, which every driver that raises them does.
"""

from typing import Final

from firmware_bridge.errors import DEFINED, BadCommand, Definition, DeviceError

_ROWS: Final = (
    Definition(
        "reader-path",
        "this path may not be given to a reader",
        "use the plain path of the device, as ls /dev/serial/by-id shows it: letters, digits and . _ + : @ = , / -",
        "ce chemin ne peut pas être donné à un lecteur",
        "indiquer le chemin simple de l'appareil, tel que ls /dev/serial/by-id le montre : lettres, chiffres et . _ + : @ = , / -",
    ),
    Definition(
        "reader-library",
        "the library of the card readers cannot be loaded",
        "install what it needs (sudo apt install libusb-1.0-0), then start the program again",
        "la bibliothèque des lecteurs de cartes ne se charge pas",
        "installer ce qui manque (sudo apt install libusb-1.0-0), puis redémarrer le programme",
    ),
    Definition(
        "reader-missing",
        "something is at this port, but no PN532 reader answers",
        "check `path` in table.toml and that the reader's switches say HSU (serial), then unplug it and plug it in again",
        "quelque chose est à cette adresse, mais aucun lecteur PN532 ne répond",
        "vérifier `path` dans table.toml et que le lecteur est réglé sur HSU (série), puis le débrancher et le rebrancher",
    ),
    Definition(
        "reader-failing",
        "the reader answers wrongly or not at all",
        "nothing yet: it is asked again; if it lasts, look at its cable and supply",
        "le lecteur répond mal, ou pas du tout",
        "rien pour l'instant : il est interrogé à nouveau ; si cela dure, vérifier son câble et son alimentation",
    ),
    Definition(
        "reader-failed",
        "the reader has answered wrongly or not at all too often",
        "look at its cable and supply; the table goes on without it and takes it back by itself",
        "le lecteur a trop souvent mal répondu, ou pas du tout",
        "vérifier son câble et son alimentation ; la table continue sans lui et le reprend d'elle-même",
    ),
    Definition(
        "gpio-library",
        "the library of the Pi's pins is not installed",
        "install it: pip install 'maldonne[pi]', or sudo apt install python3-lgpio python3-rpi-lgpio",
        "la bibliothèque des broches du Pi n'est pas installée",
        "l'installer : pip install 'maldonne[pi]', ou sudo apt install python3-lgpio python3-rpi-lgpio",
    ),
    Definition(
        "gpio-absent",
        "this machine has no pins that may be used",
        "use the panel on a Raspberry Pi and add the user to the group gpio: sudo usermod -aG gpio $USER",
        "cette machine n'a pas de broches utilisables",
        "utiliser le panneau sur un Raspberry Pi et ajouter l'utilisateur au groupe gpio : sudo usermod -aG gpio $USER",
    ),
    Definition(
        "gpio-busy",
        "a pin of the panel, or the whole header, is used by something else",
        "stop the other program, or take that pin out of /boot/firmware/config.txt; gpioinfo shows who has it",
        "une broche du panneau, ou tout le connecteur, sert à autre chose",
        "arrêter l'autre programme, ou libérer la broche dans /boot/firmware/config.txt ; gpioinfo montre qui l'occupe",
    ),
    Definition(
        "gpio-pin",
        "a pin of the panel cannot be what the configuration says",
        "correct the pin's number in table.toml (BCM numbers; 2 and 3 always pull up)",
        "une broche du panneau ne peut pas être ce que dit la configuration",
        "corriger le numéro de la broche dans table.toml (numéros BCM ; 2 et 3 tirent toujours vers le haut)",
    ),
    Definition(
        "gpio-failed",
        "the Pi's pins stopped answering",
        "the panel is opened again by itself; if it repeats, restart the Pi",
        "les broches du Pi ne répondent plus",
        "le panneau est rouvert tout seul ; si cela se répète, redémarrer le Pi",
    ),
    Definition(
        "button-stuck",
        "a button does nothing until it is let go: it is stuck, shorted, or its contact chatters",
        "free the button or replace its contact; use the dealer's page until then",
        "un bouton est sans effet tant qu'il n'est pas relâché : coincé, en court-circuit, ou faux contact",
        "dégager le bouton ou changer son contact ; d'ici là, utiliser la page du donneur",
    ),
)

DEFINED.update({row.code: row for row in _ROWS})


class BadReaderPath(BadCommand):
    """The path of a reader holds what a shell would read as something else."""

    code = "reader-path"


class ReaderLibraryMissing(DeviceError):
    """The library of the readers cannot be loaded."""

    code = "reader-library"


class ReaderMissing(DeviceError):
    """Nothing at the port speaks as a PN532 does, at any speed."""

    code = "reader-missing"


class ReaderFailing(DeviceError):
    """One read went wrong."""

    code = "reader-failing"


class ReaderFailed(DeviceError):
    """Too many reads in a row went wrong."""

    code = "reader-failed"


class PinsLibraryMissing(DeviceError):
    """The library of the Pi's pins is not installed."""

    code = "gpio-library"


class PinsAbsent(DeviceError):
    """There are no pins, or this user may not use them."""

    code = "gpio-absent"


class PinsBusy(DeviceError):
    """A pin or the header is taken."""

    code = "gpio-busy"


class BadPin(DeviceError):
    """A pin cannot do what the configuration asks of it."""

    code = "gpio-pin"


class PinsFailed(DeviceError):
    """Pins that worked stopped working."""

    code = "gpio-failed"


class ButtonStuck(DeviceError):
    """A button is held, shorted or chattering."""

    code = "button-stuck"
