"""Where the broker is, who we are to it, and the link's deadlines."""

from __future__ import annotations

import ssl
from dataclasses import dataclass, field
from pathlib import Path

from table_controller.messages import HEARTBEAT_S
from table_controller.mqtt_link.errors import LinkMisconfigured


@dataclass(frozen=True, kw_only=True)
class TlsFiles:
    """Certificate of the club's own authority, and the table's own pair where the broker asks for one."""

    ca: Path
    certificate: Path | None = None
    key: Path | None = None

    def context(self) -> ssl.SSLContext:
        """What checks the broker's certificate and shows ours.

        Raises:
            LinkMisconfigured: A file is missing or is not what it should be.
        """
        try:
            context = ssl.create_default_context(cafile=str(self.ca))
            if self.certificate is not None:
                context.load_cert_chain(self.certificate, self.key)
        except (OSError, ssl.SSLError) as error:
            raise LinkMisconfigured(f"a certificate cannot be read: {error}", where=str(self.ca)) from error
        return context


@dataclass(frozen=True, kw_only=True)
class LinkSettings:
    """The link's side of `table.toml`. All times are seconds of real time.

    Attributes:
        host, port: The broker.
        club, table: Whose topics.
        username: The account, which is the table's id on a club's broker; None for a broker without accounts.
        password: Its password; never shown.
        keepalive_s: A dead line is noticed within twice this.
        retry_min_s, retry_max_s: Pause between attempts, doubling from the first to the second.
        connect_timeout_s: For the connection, and again for the broker's answer.
        stall_s: Without progress of an online hub for this long, events are sent again.
        request_deadline_s: An unanswered request is given up.
        close_s: For the good-bye at the end.
    """

    host: str
    port: int
    club: str
    table: str
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    tls: TlsFiles | None = None
    keepalive_s: int = 10
    heartbeat_s: float = HEARTBEAT_S
    retry_min_s: float = 0.25
    retry_max_s: float = 2.0
    connect_timeout_s: float = 4.0
    stall_s: float = 10.0
    request_deadline_s: float = 10.0
    close_s: float = 2.0
    window: int = 16
    buffer: int = 64
