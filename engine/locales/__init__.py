"""The texts that dealers and players read: one gettext catalogue per language, compiled into ``catalogue``.

``<language>/LC_MESSAGES/maldonne.po`` is what translators edit; ``python -m maldonne.catalogues``
writes the modules of ``catalogue`` from it, because the engine reads no files.
"""
