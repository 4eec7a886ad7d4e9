"""The committed forms: they change only when somebody means it, and say what the programs do."""

from __future__ import annotations

import copy
import json
import math
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maldonne import schemas
from maldonne.schemas import (
    FOLDER,
    Change,
    asyncapi,
    changes,
    channels,
    compare,
    documents,
    explain,
    payload_schemas,
    write,
)
from table_controller import messages as m

GOLDEN = Path(__file__).parent.parent / "golden" / "schemas" / "payloads.jsonl"
PAYLOADS = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
DOCUMENTS = documents()


def test_the_committed_schemas_are_those_of_the_programs() -> None:
    found = list(changes())
    assert not found, explain(found)


def test_every_payload_has_a_schema_and_a_golden_example() -> None:
    assert {golden["kind"] for golden in PAYLOADS} == set(payload_schemas())
    assert {f"mqtt/{name}.json" for name in payload_schemas()} | {
        "events.json",
        "rulings.json",
        "asyncapi.json",
    } == set(DOCUMENTS)


# ------------------------------------------------------------------ a second reader of the schemas


def fits(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> bool:
    """Whether a value is of a schema: written from the standard, for the words that our schemas use."""
    unknown = schema.keys() - _WORDS
    assert not unknown, f"a word of JSON Schema that this reader does not know: {unknown}"
    if "$ref" in schema:
        return fits(value, root["$defs"][schema["$ref"].removeprefix("#/$defs/")], root)
    if "const" in schema and json.dumps(value) != json.dumps(schema["const"]):
        return False
    if "enum" in schema and json.dumps(value) not in map(json.dumps, schema["enum"]):
        return False
    if "anyOf" in schema and not any(fits(value, choice, root) for choice in schema["anyOf"]):
        return False
    if "type" in schema and not _TYPES[schema["type"]](value):
        return False
    if isinstance(value, str):
        return len(value) <= schema.get("maxLength", math.inf) and bool(
            re.search(schema.get("pattern", ""), value)
        )
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        low, high = schema.get("minimum", -math.inf), schema.get("maximum", math.inf)
        return bool(low <= value <= high and value > schema.get("exclusiveMinimum", -math.inf))
    if isinstance(value, list):
        return len(value) <= schema.get("maxItems", math.inf) and all(
            fits(item, schema.get("items", {}), root) for item in value
        )
    if isinstance(value, dict):
        known, rest = schema.get("properties", {}), schema.get("additionalProperties", {})
        names = schema.get("propertyNames", {})
        return all(name in value for name in schema.get("required", ())) and all(
            fits(name, names, root) and fits(inner, known.get(name, rest), root)
            for name, inner in value.items()
        )
    return True


_WORDS = frozenset(
    """$schema $id $defs $ref propertyNames title description default type properties required additionalProperties items anyOf enum
    const pattern minimum maximum exclusiveMinimum maxLength maxItems""".split()
)
_TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
}


@pytest.mark.parametrize("golden", PAYLOADS, ids=[golden["kind"] for golden in PAYLOADS])
def test_the_golden_payload_fits_its_schema(golden: dict[str, Any]) -> None:
    schema = DOCUMENTS[f"mqtt/{golden['kind']}.json"]
    assert fits(golden["payload"], schema, schema)


def _places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        found += _places(inner, (*path, key))
    return found


@settings(max_examples=400, deadline=None)
@given(golden=st.sampled_from(PAYLOADS), data=st.data())
def test_schema_and_program_refuse_the_same_payloads(golden: dict[str, Any], data: st.DataObject) -> None:
    """It should not matter whether a peer is written against the schemas or against the structs."""
    kind, value = golden["kind"], copy.deepcopy(golden["payload"])
    path = data.draw(st.sampled_from(_places(value)))
    holder = value
    for key in path[:-1]:
        holder = holder[key]
    if data.draw(st.booleans()):
        del holder[path[-1]]
    else:
        holder[path[-1]] = data.draw(
            st.sampled_from([None, True, -1, 0, 11, 1.5, "x", "Ah", "", [], {}, [1], 2**60])
        )
    schema = DOCUMENTS[f"mqtt/{kind}.json"]
    payload = json.dumps(value).encode()
    try:
        if kind.startswith("event_"):
            m.decode_event(payload)
        else:
            m.decode(payload, _form(kind))
        taken = True
    except m.MessageError:
        taken = False
    other_type = kind.startswith("event_") and value.get("type") != golden["payload"]["type"]
    assert taken == fits(value, schema, schema) or (other_type and taken), value


def _form(kind: str) -> Any:
    branch, _, leaf = kind.partition("_")
    table = {"command": m.COMMAND_FORMS, "tournament": m.TOURNAMENT_FORMS, "public": m.PUBLIC_FORMS}.get(
        branch
    )
    if table is not None:
        return table[leaf]
    names = {
        "hub_status": "HubStatus",
        "hub_ack": "HubAck",
        "table_status": "TableStatus",
        "state": "TableState",
    }
    return getattr(m, names.get(kind, kind.capitalize()))


# ------------------------------------------------------------------ AsyncAPI


def test_every_reference_of_the_asyncapi_document_leads_somewhere() -> None:
    document = asyncapi()
    assert document["asyncapi"] == "3.0.0"

    def walk(value: Any) -> None:
        if isinstance(value, dict):
            target = value.get("$ref")
            if isinstance(target, str) and target.startswith("#/"):
                found: Any = document
                for part in target[2:].split("/"):
                    found = found[part]
            elif isinstance(target, str):
                assert (FOLDER / target).is_file(), target
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    walk(document)
    for channel in document["channels"].values():
        assert set(re.findall(r"{(\w+)}", channel["address"])) == set(channel["parameters"])


def test_every_channel_is_a_topic_of_the_programs_and_travels_as_they_send_it() -> None:
    ids = {
        "club": "lyon",
        "table": "t1",
        "alert": "c-1",
        "kind": "floor",
        "verb": "replay",
        "tournament": "friday",
    }
    seen = set()
    for channel in channels():
        address = m.topics.parse(channel.address.format(**ids))
        seen.add(address.kind)
        if address.leaf.endswith("announce"):
            assert channel.delivery == m.topics.ANNOUNCE_DELIVERY
        else:
            assert channel.delivery == m.DELIVERY[address.kind]
        assert set(channel.payloads) <= set(payload_schemas())
    assert seen == set(m.DELIVERY)


# ------------------------------------------------------------------ which of two things happened

BASE = DOCUMENTS["mqtt/desired.json"]


def changed(edit: Any) -> dict[str, Any]:
    new = copy.deepcopy(BASE)
    edit(new)
    return new


@pytest.mark.parametrize(
    ("edit", "kind"),
    [
        (lambda s: None, "same"),
        (lambda s: s["properties"].update(bounty={"type": "integer"}), "added"),
        (lambda s: s["$defs"].update(Bounty={"type": "object"}), "added"),
        (lambda s: s.update(description="other words"), "added"),
        (lambda s: s["properties"]["limit"]["enum"].append("spread"), "added"),
        (lambda s: s["properties"]["level"]["anyOf"].append({"type": "string"}), "added"),
        (lambda s: s["properties"].pop("gate"), "broken"),
        (lambda s: s["properties"].update(gate={"type": "string"}), "broken"),
        (lambda s: s["required"].append("gate"), "broken"),
        (lambda s: s["required"].remove("epoch"), "broken"),
        (lambda s: s["properties"]["limit"]["enum"].remove("no_limit"), "broken"),
        (lambda s: s["properties"]["epoch"].update(maximum=5), "broken"),
        (lambda s: s["properties"]["rulebook"].update(pattern="^x$"), "broken"),
        (lambda s: s["$defs"].pop("Level"), "broken"),
    ],
)
def test_a_change_is_told_apart_as_harmless_or_not(edit: Any, kind: str) -> None:
    assert compare(BASE, changed(edit)).kind == kind


def test_the_failure_says_which_of_the_two_happened_and_what_to_type() -> None:
    harmless = explain([("mqtt/desired.json", Change("added", ("/properties/bounty is new",)))])
    assert "older programs go on working" in harmless
    assert "SCHEMA_MINOR" in harmless
    broken = explain([("mqtt/desired.json", Change("broken", ("/properties/gate is gone",)))])
    assert "no longer fit" in broken
    assert "raise MAJOR" in broken
    for text, detail in ((harmless, "/properties/bounty is new"), (broken, "/properties/gate is gone")):
        assert "make schemas" in text
        assert f"mqtt/desired.json: {detail}" in text


def test_writing_makes_the_folder_right_and_then_leaves_it_alone(tmp_path: Path) -> None:
    assert set(write(tmp_path)) == set(DOCUMENTS)
    assert list(changes(tmp_path)) == []
    assert write(tmp_path) == []
    (tmp_path / "mqtt" / "gone.json").write_text("{}", encoding="utf-8")
    (tmp_path / "mqtt" / "desired.json").unlink()
    assert [(name, change.kind) for name, change in changes(tmp_path)] == [
        ("mqtt/desired.json", "added"),
        ("mqtt/gone.json", "broken"),
    ]
    assert write(tmp_path) == ["mqtt/desired.json"]
    assert not (tmp_path / "mqtt" / "gone.json").exists()


def test_the_command_says_what_it_wrote(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "docs" / "schemas"
    monkeypatch.setattr(schemas, "FOLDER", folder)
    monkeypatch.setattr(schemas.write, "__defaults__", (folder,))
    monkeypatch.setattr(schemas.changes, "__defaults__", (folder,))
    assert schemas.main() == 0
    assert f"{len(DOCUMENTS)} of {len(DOCUMENTS)} files written below docs/schemas" in capsys.readouterr().out
