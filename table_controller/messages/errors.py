"""What can be wrong with a message, as one tree of errors.

Every error carries `code` (a stable slug), `what` is wrong, `where` it is wrong and a `hint`: the next step.
"""

from __future__ import annotations

from table_controller.errors import TableError


class MessageError(TableError, ValueError):
    """A message that must not be sent or believed; `where` is its topic, its kind or the path inside it."""

    code = "message_bad"
    default_hint = "compare the payload with its JSON Schema in docs/schemas"


class MessageMalformed(MessageError):
    """Not JSON, or not of the form that its topic demands."""

    code = "message_malformed"


class MessageTooLarge(MessageError):
    """More than 16 KiB: the broker would refuse it too."""

    code = "message_too_large"
    default_hint = "send less: page the list, or leave optional fields out"


class MessageTooDeep(MessageError):
    """Nested deeper than 8: nothing of ours is, so it is not ours."""

    code = "message_too_deep"


class DuplicateKey(MessageError):
    """One object names a key twice: two readers would read two messages."""

    code = "message_duplicate_key"


class NotFinite(MessageError):
    """NaN or an infinity where a number is due."""

    code = "message_not_finite"
    default_hint = "send null where the value is not known"


class UnknownField(MessageError):
    """A sender put in a field that the form does not have; receivers would drop it silently."""

    code = "message_unknown_field"
    default_hint = "add the field to table_controller.messages, then run `make schemas`"


class WrongVersion(MessageError):
    """The peer speaks another major version of the protocol."""

    code = "message_version"
    default_hint = "update the older of the two programs; peers of another major version do not talk"


class BadTopic(MessageError):
    """A topic that is not one of ours, or an id that may not stand in one."""

    code = "message_topic"
    default_hint = "ids are 1 to 32 of a-z, 0-9, '_' and '-', beginning with a letter or digit"
