"""The WSGI entry for gunicorn; threads serve database pages better than an event loop (see docs/adr/0005).

Two habits of Python suit a program that answers many at once badly (measured in docs/adr/0022):

* The collector of reference cycles looks through everything a page has just made, dozens of times while it is made: a
  page of 300 players cost half as much again, a result twice as much. What the program consists of is never garbage
  (`gc.freeze`), and of the rest it looks only when so much has been left behind.
* A thread that computes lets others go on every 5 ms only, and an answer out of the cache needs others to pause
  several times. They change places every millisecond.
"""

import gc
import os
import sys

from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

LEFT_BEHIND = 100_000  # objects; some 20 MB of a process
TURN_SECONDS = 0.001

application = get_wsgi_application()

get_resolver().url_patterns  # noqa: B018 -- loads every view before the first visitor comes
gc.collect()
gc.freeze()
gc.set_threshold(LEFT_BEHIND, 10, 10)
sys.setswitchinterval(TURN_SECONDS)
