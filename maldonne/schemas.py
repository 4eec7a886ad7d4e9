"""Writes the forms of everything that crosses a wire: `python -m maldonne.schemas`, or `make schemas`.

One JSON Schema per payload and one AsyncAPI document, all made from the structs that the programs themselves use;
further one schema for the table events and one for rulings, orders and state. They are committed, and a test compares
them: a form cannot change without somebody seeing how.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

import msgspec

from engine import events as table_events
from engine import rulings
from table_controller import messages as m
from table_controller.messages.documents import COMMAND_FORMS
from table_controller.messages.events import AmendingEnvelope

#: Where the schemas stand in the project.
FOLDER: Final = Path(__file__).resolve().parent.parent / "docs" / "schemas"
_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_COMMAND: Final = "make schemas"

Json = dict[str, Any]


class Change(NamedTuple):
    """How a form differs from the committed one.

    `added`: an older receiver still understands every message. `broken`: it does not, or an older message is
    refused now. Each detail names the path inside the schema.
    """

    kind: Literal["same", "added", "broken"]
    details: tuple[str, ...] = ()


class Channel(NamedTuple):
    """One kind of topic: its pattern, who says it, how it travels, and what it carries."""

    name: str
    address: str
    sender: Literal["hub", "table"]
    payloads: tuple[str, ...]
    delivery: m.Delivery
    summary: str


# ------------------------------------------------------------------ payloads


def payload_schemas() -> dict[str, Json]:
    """One schema per payload of `mqtt.md`, by name."""
    forms: dict[str, Any] = {
        "hub_status": m.HubStatus,
        "hub_ack": m.HubAck,
        "table_status": m.TableStatus,
        "birth": m.Birth,
        "state": m.TableState,
        "heartbeat": m.Heartbeat,
        "alert": m.Alert,
        "request": m.Request,
        "response": m.Response,
        "desired": m.Desired,
        "reply": m.Reply,
    }
    forms |= {f"command_{verb}": form for verb, form in COMMAND_FORMS.items()}
    forms |= {f"tournament_{part}": form for part, form in m.TOURNAMENT_FORMS.items()}
    forms |= {
        f"public_{part}": form
        for part, form in m.PUBLIC_FORMS.items()
        if form is not m.TOURNAMENT_FORMS[part]
    }
    found = {name: _schema(name, form) for name, form in forms.items()}
    return found | {f"event_{kind}": _event_schema(kind, body) for kind, body in m.EVENT_BODIES.items()}


def _schema(name: str, form: Any) -> Json:
    (top,), components = msgspec.json.schema_components((form,), ref_template="#/$defs/{name}")
    own = top.get("$ref", "").removeprefix("#/$defs/")
    body = components.pop(own) if own else top
    return _document(name, body, components)


def _event_schema(kind: str, body: type[m.EventBody]) -> Json:
    """The envelope with the one body that belongs to its type."""
    (envelope, inner), components = msgspec.json.schema_components(
        (AmendingEnvelope, body), ref_template="#/$defs/{name}"
    )
    whole = components.pop(envelope["$ref"].removeprefix("#/$defs/"))
    properties = whole["properties"]
    properties["v"] = {"const": m.MAJOR}
    properties["type"] = {"const": kind}
    properties["body"] = inner
    whole["title"] = f"Event {kind}"
    whole["description"] = body.__doc__
    return _document(f"event_{kind}", whole, components)


def _document(name: str, body: Json, components: Mapping[str, Json]) -> Json:
    document: Json = {"$schema": _DIALECT, "$id": f"maldonne/{m.MAJOR}/{name}", **body}
    if components:
        document["$defs"] = dict(sorted(components.items()))
    return document


def engine_schemas() -> dict[str, Json]:
    """The table events, and what the engine says: rulings, orders, state."""
    (top,), components = msgspec.json.schema_components(
        (table_events.TableEvent,), ref_template="#/$defs/{name}"
    )
    says = (rulings.Ruling, rulings.Order, rulings.Summary)
    tops, parts = msgspec.json.schema_components(says, ref_template="#/$defs/{name}")
    return {
        "events": _document("events", {"title": "Table event", **top}, components),
        "rulings": _document("rulings", {"title": "Ruling, order or state", "anyOf": list(tops)}, parts),
    }


# ------------------------------------------------------------------ AsyncAPI

_TABLE: Final = f"maldonne/{m.MAJOR}/{{club}}/table/{{table}}"
_ROOT: Final = f"maldonne/{m.MAJOR}/{{club}}"


def channels() -> tuple[Channel, ...]:
    """Every topic, with what it carries."""
    of = m.DELIVERY
    events = tuple(f"event_{kind}" for kind in m.EVENT_BODIES)
    table: list[tuple[str, str, Literal["hub", "table"], tuple[str, ...], str]] = [
        ("status", "status", "table", ("table_status",), "Whether the table is there; also its last will."),
        ("birth", "birth", "table", ("birth",), "Who the table is, at every connection."),
        ("state", "state", "table", ("state",), "The full public snapshot."),
        ("event", "event", "table", events, "The ordered public event stream: one topic for all types."),
        ("heartbeat", "heartbeat", "table", ("heartbeat",), "Sign of life, every 5 s."),
        (
            "alert",
            "alert/{alert}",
            "table",
            ("alert",),
            "What needs a person; emptied when somebody has taken it.",
        ),
        ("request", "request/{kind}", "table", ("request",), "What the table asks of the hub."),
        ("response", "response/{kind}", "hub", ("response",), "What the hub answers."),
        ("desired", "desired", "hub", ("desired",), "The whole target of the table, never a difference."),
    ]
    found = [
        Channel(
            "hub_status",
            f"{_ROOT}/hub/status",
            "hub",
            ("hub_status",),
            of["hub_status"],
            "Whether the room is there.",
        ),
        Channel(
            "hub_ack",
            f"{_ROOT}/hub/ack/{{table}}",
            "hub",
            ("hub_ack",),
            of["hub_ack"],
            "What the hub has committed.",
        ),
    ]
    for kind, path, sender, payloads, summary in table:
        delivery = next(delivery for name, delivery in of.items() if name == kind)
        found.append(Channel(f"table_{kind}", f"{_TABLE}/{path}", sender, payloads, delivery, summary))
    for verb, command in COMMAND_FORMS.items():
        summary = (command.__doc__ or "").splitlines()[0]
        name, path = f"command_{verb}", f"{_TABLE}/command/{verb}"
        found.append(
            Channel(
                name, path, "hub", (name,), of["command"], f"{summary} Expires within 30 s, never retained."
            )
        )
    found.append(
        Channel(
            "reply",
            f"{_TABLE}/reply/{{verb}}",
            "table",
            ("reply",),
            of["reply"],
            "What the table says to it.",
        )
    )
    for part, form in m.TOURNAMENT_FORMS.items():
        delivery = m.topics.ANNOUNCE_DELIVERY if part == "announce" else of["tournament"]
        summary = (form.__doc__ or "").splitlines()[0]
        name, path = f"tournament_{part}", f"{_ROOT}/tournament/{{tournament}}/{part}"
        found.append(Channel(name, path, "hub", (name,), delivery, summary))
        shown = name if m.PUBLIC_FORMS[part] is form else f"public_{part}"
        path = f"{_ROOT}/public/{{tournament}}/{part}"
        found.append(Channel(f"public_{part}", path, "hub", (shown,), delivery, f"{summary} For displays."))
    return tuple(found)


def asyncapi() -> Json:
    """All topics in one document, AsyncAPI 3: payloads by reference to the schemas beside it."""
    names = {name for channel in channels() for name in channel.payloads}
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "maldonne",
            "version": f"{m.MAJOR}.{m.SCHEMA_MINOR}.0",
            "description": (
                "Tables, tournament room and displays over MQTT 5. State is retained, events and commands never. "
                f"Payloads are JSON of at most {m.MAX_BYTES} bytes, at most {m.MAX_DEPTH} deep, without NaN and "
                "without a key named twice; receivers ignore unknown fields, senders refuse them."
            ),
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "channels": {channel.name: _channel(channel) for channel in channels()},
        "operations": {
            f"{channel.sender}_says_{channel.name}": _operation(channel) for channel in channels()
        },
        "components": {
            "messages": {name: {"payload": {"$ref": f"./mqtt/{name}.json"}} for name in sorted(names)}
        },
    }


def _channel(channel: Channel) -> Json:
    described: Json = {
        "address": channel.address,
        "description": channel.summary,
        "messages": {name: {"$ref": f"#/components/messages/{name}"} for name in channel.payloads},
    }
    words = [part[1:-1] for part in channel.address.split("/") if part.startswith("{")]
    described["parameters"] = {word: {"description": f"id of the {word}"} for word in words}
    return described


def _operation(channel: Channel) -> Json:
    bindings: Json = {"qos": channel.delivery.qos, "retain": channel.delivery.retain}
    if channel.name.startswith("command"):
        bindings["messageExpiryInterval"] = m.COMMAND_EXPIRY_S
    return {
        "action": "send",
        "channel": {"$ref": f"#/channels/{channel.name}"},
        "tags": [{"name": channel.sender}],
        "bindings": {"mqtt": bindings},
    }


# ------------------------------------------------------------------ comparing


def compare(old: Any, new: Any, path: str = "") -> Change:
    """Says whether messages of the old form and receivers of the old form go on working."""
    added: list[str] = []
    broken: list[str] = []
    _compare(old, new, path, added, broken)
    if broken:
        return Change("broken", tuple(broken))
    return Change("added", tuple(added)) if added else Change("same")


def _compare(old: Any, new: Any, path: str, added: list[str], broken: list[str]) -> None:
    if isinstance(old, dict) and isinstance(new, dict):
        for key in sorted(old.keys() | new.keys()):
            here = f"{path}/{key}"
            if key not in old:
                (added if _may_be_new(path, key) else broken).append(f"{here} is new")
            elif key not in new:
                (added if key in ("description", "title") else broken).append(f"{here} is gone")
            elif key == "required":
                _compare_required(old[key], new[key], here, broken)
            elif key in ("description", "title", "summary"):
                if old[key] != new[key]:
                    added.append(f"{here} says it in other words")
            else:
                _compare(old[key], new[key], here, added, broken)
    elif isinstance(old, list) and isinstance(new, list) and path.endswith(("/anyOf", "/enum")):
        if any(item not in new for item in old):
            broken.append(f"{path}: a choice is gone or changed")
        elif len(new) > len(old):
            added.append(f"{path}: a choice is new")
    elif old != new:
        broken.append(f"{path}: {_short(old)} became {_short(new)}")


def _may_be_new(path: str, key: str) -> bool:
    """New properties (unless required, which `required` tells), definitions and words harm nobody."""
    return path.endswith(("/properties", "/$defs", "/mapping")) or key in ("description", "title", "default")


def _compare_required(old: list[str], new: list[str], path: str, broken: list[str]) -> None:
    broken.extend(f"{path}: {name} is required now" for name in new if name not in old)
    broken.extend(f"{path}: {name} may be left out now" for name in old if name not in new)


def _short(value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return text if len(text) <= 60 else f"{text[:57]}..."


# ------------------------------------------------------------------ files


def documents() -> dict[str, Json]:
    """Every file's content by its path below `docs/schemas`."""
    found = {f"mqtt/{name}.json": schema for name, schema in payload_schemas().items()}
    found |= {f"{name}.json": schema for name, schema in engine_schemas().items()}
    found["asyncapi.json"] = asyncapi()
    plain: dict[str, Json] = json.loads(
        json.dumps(found)
    )  # tuples of the structs become lists, as in the files
    return plain


def changes(folder: Path = FOLDER) -> Iterator[tuple[str, Change]]:
    """Every file that is not as the programs' structs are now, and how it differs."""
    now = documents()
    there = {str(path.relative_to(folder)): path for path in sorted(folder.rglob("*.json"))}
    for name in sorted(now.keys() | there.keys()):
        if name not in there:
            yield name, Change("added", ("the whole form is new",))
        elif name not in now:
            yield name, Change("broken", ("the whole form is gone",))
        else:
            change = compare(json.loads(there[name].read_text(encoding="utf-8")), now[name])
            if change.kind != "same":
                yield name, change


def explain(found: list[tuple[str, Change]]) -> str:
    """Which of the two things happened, and what to do."""
    broken = [(name, change) for name, change in found if change.kind == "broken"]
    lines = [f"{name}: {detail}" for name, change in (broken or found) for detail in change.details]
    if broken:
        head = (
            "A form changed so that older programs and older messages no longer fit. Either take the change back (add an "
            "optional field instead), or, if it must be, raise MAJOR in table_controller/messages/vocabulary.py: "
            f"peers of another major version do not talk. Then run: {_COMMAND}"
        )
    else:
        head = (
            "Something optional was added or reworded: older programs go on working. If it was meant, raise SCHEMA_MINOR "
            f"in table_controller/messages/vocabulary.py when a field or type is new, and run: {_COMMAND}"
        )
    return "\n".join([head, *lines])


def write(folder: Path = FOLDER) -> list[str]:
    """Writes all files, removes those of forms that are gone, and names what changed."""
    now = documents()
    for old in folder.rglob("*.json"):
        if str(old.relative_to(folder)) not in now:
            old.unlink()
    written = []
    for name, content in now.items():
        path = folder / name
        text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            written.append(name)
    return written


def main() -> int:
    """Writes the schemas and says what kind of change it was."""
    found = list(changes()) if FOLDER.exists() else []
    written = write()
    if found:
        print(explain(found))
    print(
        f"{len(written)} of {len(documents())} files written below {FOLDER.relative_to(FOLDER.parent.parent)}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
