"""The ``code-judge`` command: the roof over all wings. Nothing imports it."""
