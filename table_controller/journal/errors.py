"""What can go wrong with a table's journal, and what the person in front of it does next."""

from __future__ import annotations

from table_controller.errors import TableError


class JournalError(TableError):
    """The journal cannot do what was asked."""

    code = "journal_error"
    default_hint = "check the file with `maldonne journal verify FILE`"


class JournalFailed(JournalError):
    """The disk did not keep its word: the journal has closed itself and takes nothing more.

    Whether the batch in hand is on the disk is not known. Open the journal again, verify, recover: what is in
    it then is what happened. Never send the same batch again without that.
    """

    code = "journal_failed"
    default_hint = (
        "replace the card or disk if it happens again; start the table again, it recovers by itself"
    )


class JournalIO(JournalFailed):
    """A read, a write or a sync failed."""

    code = "journal_io"


class JournalReadOnly(JournalFailed):
    """The file, its directory or the whole disk may not be written."""

    code = "journal_read_only"
    default_hint = "check the owner of the file and whether the disk went read-only (dmesg)"


class JournalLocked(JournalFailed):
    """Another program holds a lock inside the file."""

    code = "journal_locked"
    default_hint = "close the other program that has the file open (a database browser?)"


class JournalCorrupt(JournalFailed):
    """The file is not what was written: a row was changed, lost or moved, or a page is damaged."""

    code = "journal_corrupt"
    default_hint = (
        "run `maldonne journal verify FILE`, move the file away and start with a new one: "
        "the hub holds every event that it has acknowledged"
    )


class JournalFull(JournalError):
    """No space left on the disk (ENOSPC). Nothing of the batch was written; the journal stays open.

    The same batch may be committed again when there is space.
    """

    code = "journal_disk_full"
    default_hint = "free space on the disk of the journal; the table goes on without a restart"


class JournalBusy(JournalError):
    """A second controller on one journal: it is refused, the first goes on."""

    code = "journal_busy"
    default_hint = "one table, one program: stop the other one, or give this table a journal of its own"


class JournalMismatch(JournalError):
    """The file belongs to another club or table, or is no journal at all."""

    code = "journal_mismatch"
    default_hint = "give this table its own file; never copy a journal from one table to another"


class JournalTooNew(JournalError):
    """A later version of the program wrote this file."""

    code = "journal_too_new"
    default_hint = "update this program, or go back to the one that wrote the file"


class JournalRefused(JournalError):
    """A batch that cannot be true: time ran backwards, a body is no JSON, a seq that was never given."""

    code = "journal_refused"
    default_hint = "this is a fault of the program: report it with the journal's last lines"


class JournalBehindHub(JournalError):
    """The hub has events of this journal that the journal does not have: an old copy was restored."""

    code = "journal_behind_hub"
    default_hint = (
        "move this file away and start a new journal (a new life); the hub keeps the old one's events"
    )


class JournalClosed(JournalError):
    """The journal is closed."""

    code = "journal_closed"
    default_hint = "open it again; after a failure it recovers what was kept"
