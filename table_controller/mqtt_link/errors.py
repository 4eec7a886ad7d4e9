"""What the link itself cannot do. What comes in wrong is no error but a `LinkAlarm` on the table's queue."""

from __future__ import annotations

from table_controller.errors import TableError


class LinkError(TableError):
    """The link cannot be made or ended."""

    code = "link_error"
    default_hint = "check [mqtt] in table.toml with `maldonne doctor`"


class LinkMisconfigured(LinkError):
    """Certificates, account or address cannot be used."""

    code = "link_misconfigured"


class LinkStuck(LinkError):
    """The link's thread did not end in time."""

    code = "link_stuck"
    default_hint = "end the program; nothing is lost, the outbox is in the journal"
