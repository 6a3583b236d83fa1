"""Settings for tests: the product's own, with what is slow or outside made quick and inside.

The database is `DATABASE_URL` when that is set, else an embedded server that `conftest.py` starts for the first test
that needs one, so tests of the rules start nothing at all.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from pathlib import Path

# pytest's first process makes the folder; its workers inherit the name. Other tools (mypy) get one nobody writes to.
_FOLDER = Path(os.environ.setdefault("TOURNEY_TEST_FOLDER", tempfile.gettempdir() + f"/tourney-test-{os.getpid()}"))
TEST_CLUSTER = _FOLDER / "postgres"
TEST_SOCKET = _FOLDER / "socket"
TEST_DATABASE_URL = os.environ.get("TEST_DATABASE_URL") or os.environ.get("DATABASE_URL", "")

for _name in ("DATABASE_URL", "REDIS_URL", "ALLOWED_HOSTS", "DEBUG", "HTTPS", "EMAIL_HOST", "PUBLIC_URL"):
    os.environ.pop(_name, None)  # what the shell happens to have must not change a test
for _name in ("BACKUP_FOLDERS", "BACKUP_PASSPHRASE", "METRICS_TOKEN", "METRICS_NETWORKS", "PROMETHEUS_MULTIPROC_DIR"):
    os.environ.pop(_name, None)
for _name in ("TELEGRAM_BOT_TOKEN", "TELEGRAM_BOT_NAME", "TELEGRAM_API_URL"):
    os.environ.pop(_name, None)
os.environ["SECRET_KEY"] = "only-for-tests-" + "0" * 50
os.environ["TOURNEY_DATA"] = str(_FOLDER / "data")
os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright runs an event loop in the thread that also asks the database

from tourney import environment as env  # noqa: E402 -- the environment above must be in place first
from tourney.settings import *  # noqa: E402, F403

EMBEDDED_DATABASE = not TEST_DATABASE_URL
DATABASES = {
    "default": env.database(TEST_DATABASE_URL)
    if TEST_DATABASE_URL
    else {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "tourney",
        "USER": "postgres",
        "HOST": str(TEST_SOCKET),
        "PORT": "5432",
    },
}
DATABASES["default"] |= {"CONN_MAX_AGE": 0, "ATOMIC_REQUESTS": False}

ALLOWED_HOSTS = ["testserver", "localhost", "127.0.0.1"]
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]  # quick; nothing here is secret
CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
KEEP_PAGES = False  # most tests roll their transaction back, and nothing tells a kept page then; its own tests set it
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_AUTOREFRESH = True  # serves from the source folders: nothing is collected for tests
WHITENOISE_USE_FINDERS = True
KNOCKS_URL = ""
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True

warnings.filterwarnings("ignore", message="No directory at", module="whitenoise")
