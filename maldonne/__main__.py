"""``python -m maldonne`` is the program too."""

from maldonne.cli import main

raise SystemExit(main())
