"""`board.json`: what is fitted on this board, and on which pins. Everything is checked before a pin is touched."""

import json

from .antennas import ANTENNAS_MAX

PINS = 30
PLACES = 16
REQUIRED = object()


class SettingsError(ValueError):
    """The settings cannot be used; says what is wrong, where, and what to do."""

    code = "bad-settings"
    hint = "correct board.json, copy it to the board again, restart the board"

    def __init__(self, what, where):
        super().__init__(f"{where}: {what}")
        self.what = what
        self.where = where


class _Table:
    """One object of the file; every key must be known and is asked for once."""

    def __init__(self, value, where, pins):
        if not isinstance(value, dict):
            raise SettingsError("must be an object {…}", where)
        self._left = dict(value)
        self._where = where
        self.pins = pins

    def take(self, key, default=REQUIRED):
        if key not in self._left:
            if default is REQUIRED:
                raise SettingsError(f"{key} is missing", self._where)
            return default
        return self._left.pop(key)

    def at(self, key):
        return f"{self._where}.{key}"

    def number(self, key, low, high, default=REQUIRED, whole=True):
        value = self.take(key, default)
        if (
            isinstance(value, bool)
            or not isinstance(value, int if whole else (int, float))
            or not low <= value <= high
        ):
            raise SettingsError(f"must be a number from {low} to {high}", self.at(key))
        return value

    def text(self, key, default=REQUIRED):
        value = self.take(key, default)
        if not isinstance(value, str) or len(value.encode()) > 64:
            raise SettingsError("must be a text of at most 64 bytes", self.at(key))
        return value

    def choice(self, key, choices):
        value = self.take(key)
        if value not in choices:
            raise SettingsError(f"must be one of {', '.join(choices)}", self.at(key))
        return value

    def flag(self, key, default):
        value = self.take(key, default)
        if not isinstance(value, bool):
            raise SettingsError("must be true or false", self.at(key))
        return value

    def pin(self, key, default=REQUIRED):
        value = self.take(key, default)
        return value if value is None else self.claim(value, self.at(key))

    def claim(self, value, where):
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < PINS:
            raise SettingsError(f"must be a pin from 0 to {PINS - 1}", where)
        if value in self.pins:
            raise SettingsError(f"pin {value} is already {self.pins[value]}", where)
        self.pins[value] = where
        return value

    def list(self, key, longest, default=REQUIRED):
        value = self.take(key, default)
        if not isinstance(value, list) or len(value) > longest:
            raise SettingsError(f"must be a list of at most {longest}", self.at(key))
        return value

    def table(self, key, default=REQUIRED):
        value = self.take(key, default)
        return None if value is None else _Table(value, self.at(key), self.pins)

    def numbers(self, key, low, high, least, most, default=REQUIRED):
        """An object whose keys and values are numbers."""
        value = self.take(key, default)
        if not isinstance(value, dict):
            raise SettingsError("must be an object {…}", self.at(key))
        out = {}
        for name, number in value.items():
            where = f"{self.at(key)}.{name}"
            if not name.isdigit() or not low <= int(name) <= high:
                raise SettingsError(f"the key must be a number from {low} to {high}", where)
            if (
                isinstance(number, bool)
                or not isinstance(number, (int, float))
                or not least <= number <= most
            ):
                raise SettingsError(f"must be a number from {least} to {most}", where)
            out[int(name)] = number
        return out

    def done(self, result):
        for key in self._left:
            raise SettingsError(f"there is no setting called {key}", self._where)
        return result


def load(path):
    """Read and check a settings file.

    Raises:
        SettingsError: It is not there, is not JSON, or something in it cannot be.
    """
    try:
        with open(path) as file:
            data = json.load(file)
    except OSError:
        raise SettingsError("the file is not there", path) from None
    except ValueError:
        raise SettingsError("is not JSON: a comma or a bracket is missing or too much", path) from None
    return check(data)


def bare():
    """What a board does with settings that it cannot use: it says so on the line, and nothing else."""
    return check({"serial": "unset", "line": {"kind": "usb"}})


def check(data):
    """Check settings and fill in what was left out.

    Raises:
        SettingsError: Something in them cannot be.
    """
    top = _Table(data, "board.json", {})
    out = {"serial": top.text("serial"), "line": _line(top.table("line"))}
    out["i2c"] = _i2c(top.table("i2c", None))
    buses = top.list("spi", 2, [])
    out["spi"] = [_spi(_Table(each, f"board.json.spi[{at}]", top.pins)) for at, each in enumerate(buses)]
    _unique([bus["id"] for bus in out["spi"]], "spi bus", 2)
    speeds = {bus["id"]: bus["khz"] for bus in out["spi"]}
    readers = top.list("readers", 4, [])
    out["readers"] = [
        _reader(_Table(each, f"board.json.readers[{at}]", top.pins), speeds)
        for at, each in enumerate(readers)
    ]
    _unique([a["id"] for reader in out["readers"] for a in reader["antennas"]], "antenna", ANTENNAS_MAX)
    out["buttons"] = _buttons(top.table("buttons", None))
    out["lamps"] = _lamps(top.table("lamps", None))
    out["display"] = _display(top.table("display", None))
    out["buzzer"] = _buzzer(top.table("buzzer", None))
    out["shoe"] = _shoe(top.table("shoe", None))
    out["supply"] = _supply(top.table("supply", None))
    out["temperature"] = top.flag("temperature", False)
    out["maintenance"] = top.pin("maintenance", None)
    needs = out["display"] is not None or (
        out["shoe"] is not None and out["shoe"]["memory"]["kind"] == "fram"
    )
    if needs and out["i2c"] is None:
        raise SettingsError("i2c is missing, and the display or the shoe's memory hangs on it", "board.json")
    return top.done(out)


def _unique(numbers, what, most):
    for number in numbers:
        if numbers.count(number) > 1:
            raise SettingsError(f"two have the {what} number {number}", "board.json")
    if len(numbers) > most:
        raise SettingsError(f"at most {most} of {what}", "board.json")


def _line(table):
    kind = table.choice("kind", ("usb", "uart"))
    if kind == "usb":
        return table.done({"kind": kind})
    out = {"kind": kind, "id": table.number("id", 0, 1), "tx": table.pin("tx"), "rx": table.pin("rx")}
    out["baud"] = table.number("baud", 9600, 3000000, 921600)
    return table.done(out)


def _i2c(table):
    if table is None:
        return None
    out = {"id": table.number("id", 0, 1), "sda": table.pin("sda"), "scl": table.pin("scl")}
    out["khz"] = table.number("khz", 10, 1000, 400)
    return table.done(out)


def _spi(table):
    out = {"id": table.number("id", 0, 1)}
    for pin in ("sck", "mosi", "miso"):
        out[pin] = table.pin(pin)
    out["khz"] = table.number("khz", 100, 7000, 5000)
    return table.done(out)


def _reader(table, speeds):
    kind = table.choice("kind", ("pn532", "pn5180"))
    out = {"kind": kind, "uart": None}
    uart = table.table("uart", None) if kind == "pn532" else None
    if uart is not None:
        out["uart"] = uart.done({"id": uart.number("id", 0, 1), "tx": uart.pin("tx"), "rx": uart.pin("rx")})
    else:
        out["spi"] = table.number("spi", 0, 1)
        if out["spi"] not in speeds:
            raise SettingsError(f"there is no spi bus {out['spi']}", table.at("spi"))
        if kind == "pn532" and speeds[out["spi"]] > 5000:
            raise SettingsError("a PN532 takes at most 5000 khz", table.at("spi"))
        out["nss"] = table.pin("nss")
    if kind == "pn5180":
        out["busy"] = table.pin("busy")
    out["reset"] = table.pin("reset", None)
    mux = table.table("mux", None)
    channels = 1
    if mux is None:
        out["mux"] = None
    else:
        pins = mux.list("select", 6)
        select = [mux.claim(pin, mux.at("select")) for pin in pins]
        channels = 1 << len(select)
        out["mux"] = mux.done({"select": select, "settle_ms": mux.number("settle_ms", 0, 50, 2)})
    out["period_ms"] = table.number("period_ms", 0, 10000, 100)
    antennas = table.list("antennas", ANTENNAS_MAX)
    if not antennas:
        raise SettingsError("a reader without antennas", table.at("antennas"))
    out["antennas"] = []
    for at, value in enumerate(antennas):
        each = _Table(value, f"{table.at('antennas')}[{at}]", None)
        entry = {"id": each.number("id", 0, 254), "kind": each.number("kind", 1, 9)}
        entry["index"] = each.number("index", 0, 10, 0)
        entry["channel"] = each.number("channel", 0, channels - 1, 0)
        out["antennas"].append(each.done(entry))
    return table.done(out)


def _buttons(table):
    if table is None:
        return None
    out = {"kind": table.choice("kind", ("pins", "hc165"))}
    if out["kind"] == "pins":
        pins = table.numbers("pins", 1, 255, 0, PINS - 1)
        out["ids"] = sorted(pins)
        out["pins"] = [table.claim(pins[number], table.at("pins")) for number in out["ids"]]
    else:
        for pin in ("load", "clock", "data"):
            out[pin] = table.pin(pin)
        out["ids"] = table.list("ids", 32)
        for number in out["ids"]:
            if not isinstance(number, int) or not 1 <= number <= 255:
                raise SettingsError("must be numbers from 1 to 255", table.at("ids"))
        _unique(out["ids"], "button", 32)
    out["debounce_ms"] = table.number("debounce_ms", 1, 100, 10)
    out["stuck_ms"] = table.number("stuck_ms", 1000, 120000, 20000)
    return table.done(out)


def _lamps(table):
    if table is None:
        return None
    out = {"pin": table.pin("pin"), "pixels": table.number("pixels", 1, 256)}
    out["lamps"] = table.numbers("lamps", 1, 255, 0, out["pixels"] - 1)
    out["places"] = table.numbers("places", 1, PLACES, 0, out["pixels"] - 1, {})
    out["brightness"] = table.number("brightness", 1, 255, 64)
    return table.done(out)


def _display(table):
    if table is None:
        return None
    kind = table.choice("kind", ("hd44780", "ssd1306"))
    address = table.number("address", 8, 119, 39 if kind == "hd44780" else 60)
    if kind == "ssd1306":
        rows = table.number("rows", 1, 8, 4)
        return table.done({"kind": kind, "address": address, "rows": rows, "columns": 16})
    rows, columns = table.number("rows", 1, 4, 4), table.number("columns", 8, 40, 20)
    return table.done({"kind": kind, "address": address, "rows": rows, "columns": columns})


def _buzzer(table):
    if table is None:
        return None
    return table.done({"pin": table.pin("pin"), "hertz": table.number("hertz", 100, 10000, 2700)})


def _shoe(table):
    if table is None:
        return None
    out = {}
    # without a door switch nobody could tell the shoe that a jam was looked into
    for pin in ("motor", "gate", "loaded", "door"):
        out[pin] = table.pin(pin)
    for pin in ("carriage", "thick", "aligned"):
        out[pin] = table.pin(pin, None)
    out["angles"] = table.numbers("angles", 1, 12, 0, 180)
    for name, usual in (("aim", 600), ("pull", 500), ("pass", 200), ("jam", 800), ("settle", 80)):
        out[name] = table.number(name + "_ms", 10, 1000, usual)
    memory = table.table("memory")
    kind = memory.choice("kind", ("fram", "flash"))
    out["memory"] = memory.done(
        {"kind": kind, "address": memory.number("address", 8, 119, 80) if kind == "fram" else 0}
    )
    return table.done(out)


def _supply(table):
    if table is None:
        return None
    out = {"adc": table.pin("adc"), "ratio": table.number("ratio", 1, 20, whole=False)}
    if not 26 <= out["adc"] <= 29:
        raise SettingsError("must be one of the pins 26 to 29", table.at("adc"))
    out["low_mv"] = table.number("low_mv", 1000, 6000, 4600)
    return table.done(out)
