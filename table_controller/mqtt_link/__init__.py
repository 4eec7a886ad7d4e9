"""The table's link to hub and displays over MQTT 5: what happened goes out once and in order, whatever breaks.

link = MqttLink(LinkSettings(host=..., port=..., club="lyon", table="t1"),
                life=journal.life, boot=journal.boot, incoming=queue,
                acked=journal.hub_ack, head=journal.head_seq, desired_version=journal.desired_version)
link.set_birth(birth); link.set_status("ready"); link.set_state(state)
link.start()
...
journal.commit(batch); hand_over(link, journal)         # after each commit, and on OutboxWanted
case HubAcked(upto): journal.ack(upto)
case HeartbeatDue(): link.beat(heartbeat)
...
link.close()
"""

from __future__ import annotations

from table_controller.mqtt_link.errors import LinkError, LinkMisconfigured, LinkStuck
from table_controller.mqtt_link.link import MqttLink
from table_controller.mqtt_link.news import (
    CommandArrived,
    Connected,
    DesiredArrived,
    Disconnected,
    HeartbeatDue,
    HubAcked,
    HubSeen,
    LinkAlarm,
    LinkHealth,
    LinkNews,
    News,
    OutboxWanted,
    RequestExpired,
    ResponseArrived,
    TournamentSaid,
)
from table_controller.mqtt_link.settings import LinkSettings, TlsFiles
from table_controller.mqtt_link.table_side import hand_over
from table_controller.mqtt_link.window import SendWindow, Want

__all__ = [
    "CommandArrived",
    "Connected",
    "DesiredArrived",
    "Disconnected",
    "HeartbeatDue",
    "HubAcked",
    "HubSeen",
    "LinkAlarm",
    "LinkError",
    "LinkHealth",
    "LinkMisconfigured",
    "LinkNews",
    "LinkSettings",
    "LinkStuck",
    "MqttLink",
    "News",
    "OutboxWanted",
    "RequestExpired",
    "ResponseArrived",
    "SendWindow",
    "TlsFiles",
    "TournamentSaid",
    "Want",
    "hand_over",
]
