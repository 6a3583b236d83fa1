"""The ASGI entry, for hosts that offer nothing else. WSGI with threads is what we run and measure."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tourney.settings")

application = get_asgi_application()
