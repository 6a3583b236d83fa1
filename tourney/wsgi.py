"""The WSGI entry for gunicorn; threads serve database pages better than an event loop (see docs/adr)."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

application = get_wsgi_application()
