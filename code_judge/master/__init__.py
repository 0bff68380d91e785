"""The master: takes submissions over HTTP, puts them into the queue and answers with their results.

A request's way, and the file that each step lives in::

    body.py ─▶ intake.py ─▶ master.py ─▶ queue ─▶ (a node) ─▶ collector.py ─▶ batch.py ─▶ answer.py
    bytes      submissions  chunks                 sweeper.py:  results by     bursts      JSON, NDJSON
               checked      submitted              what got     work id
                                                   lost?
"""

from .app import create_app
from .master import Master

__all__ = ["Master", "create_app"]
