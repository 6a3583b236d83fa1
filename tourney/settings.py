"""Django settings, read from the environment.

Two ways of running, told apart by what is set:

* nothing set: *laptop mode*. Everything is kept in one data folder (`TOURNEY_DATA`, else `var/` beside this project):
  an embedded PostgreSQL, the secret key (made once), the task messages, the collected static files.
* `DATABASE_URL` and `REDIS_URL` set: *server mode*. `SECRET_KEY` and `ALLOWED_HOSTS` must be set as well, and a
  missing one stops the start.

`SECRET_KEY`, `ALLOWED_HOSTS`, `DEBUG`, `HTTPS`, `PUBLIC_URL` and the `EMAIL_*` variables work in both.
"""

from __future__ import annotations

from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from tourney import environment as env
from tourney.laptop.folder import DataFolder

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_FOLDER = DataFolder(env.folder("TOURNEY_DATA", BASE_DIR / "var"))

# -- which way of running ------------------------------------------------------------------------------------------

DATABASE_URL = env.text("DATABASE_URL")
REDIS_URL = env.text("REDIS_URL")
if bool(DATABASE_URL) != bool(REDIS_URL):
    raise ImproperlyConfigured("Set both DATABASE_URL and REDIS_URL (server) or neither (laptop).")
LAPTOP_MODE = not DATABASE_URL

DEBUG = env.flag("DEBUG")
HTTPS = env.flag("HTTPS", default=not LAPTOP_MODE)  # pages are reached by https (a proxy in front ends it)

if LAPTOP_MODE:
    SECRET_KEY = env.text("SECRET_KEY") or DATA_FOLDER.secret_key()
    ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ("localhost", "127.0.0.1", "[::1]"))
else:
    SECRET_KEY = env.required("SECRET_KEY", "a server needs its own long random secret")
    ALLOWED_HOSTS = env.required("ALLOWED_HOSTS", "name the hosts this server answers for").replace(",", " ").split()

# Keys of before: what they signed or sealed is still read (`manage.py secret_key`).
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
# The address people reach the pages by, for links in mail and QR codes; empty: taken from the request.
PUBLIC_URL = env.text("PUBLIC_URL").rstrip("/")
# Where tablets of a hall learn to trust this machine's own authority; set by `serve --lan`.
TRUST_URL = env.text("TRUST_URL").rstrip("/")

# -- the applications ----------------------------------------------------------------------------------------------

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "crispy_forms",
    "crispy_bootstrap5",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
    "tourney.apps.TourneyConfig",
    "tourney.sign_in.apps.SignInConfig",
    "registration.apps.RegistrationConfig",
    "swiss.apps.SwissConfig",
    "brackets.apps.BracketsConfig",
    "prizes.apps.PrizesConfig",
]

MIDDLEWARE = [
    "tourney.upkeep.requests.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",  # adds random padding, so a compressed page does not betray its token
    "tourney.shared_cache.SharedMiddleware",
    "tourney.live.LiveMiddleware",  # after it, for kept pages are compressed already and hold no token
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "tourney.uploads.UploadMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "csp.middleware.CSPMiddleware",
    "tourney.sign_in.gate.GateMiddleware",  # those before it look at nothing yet
    "allauth.account.middleware.AccountMiddleware",
    "tourney.middleware.TourneyMiddleware",
]

ROOT_URLCONF = "tourney.urls"
WSGI_APPLICATION = "tourney.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]
CRISPY_ALLOWED_TEMPLATE_PACKS = "bootstrap5"
CRISPY_TEMPLATE_PACK = "bootstrap5"
CRISPY_FAIL_SILENTLY = False

DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# -- database, cache, tasks ----------------------------------------------------------------------------------------

DATABASES = {"default": env.database(DATABASE_URL) if DATABASE_URL else DATA_FOLDER.database_settings()}
DATABASES["default"] |= {
    "CONN_MAX_AGE": env.number("DATABASE_CONNECTION_AGE", 60),
    "CONN_HEALTH_CHECKS": True,
    "ATOMIC_REQUESTS": False,  # a service opens its own transaction; a view that only reads needs none
}

if not LAPTOP_MODE:
    # A host that is cut off hangs up on nobody: what it holds locked is free after a minute, not after hours.
    DATABASES["default"]["OPTIONS"].setdefault(
        "options",
        "-c idle_in_transaction_session_timeout=60s -c tcp_keepalives_idle=10"
        " -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3",
    )

# Public pages are kept in the cache and built once for everybody (tourney.live).
KEEP_PAGES = env.flag("KEEP_PAGES", default=True)
# Whether a cache that holds public pages stands in front (deploy/README.md): it answers polls, so pages ask more often.
SHARED_CACHE = env.flag("SHARED_CACHE")

if LAPTOP_MODE:
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
            "LOCATION": DATA_FOLDER.cache,
            "OPTIONS": {"MAX_ENTRIES": 1000},
        },
    }
    CELERY_BROKER_URL = "laptop://localhost"  # tourney.laptop.broker: message files in the data folder
    CELERY_BROKER_TRANSPORT_OPTIONS = DATA_FOLDER.broker_options()
else:
    CACHES = {
        "default": {
            "BACKEND": "tourney.cache.ForgivingRedisCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": "tourney",
            # A page waits for no cache: one that does not answer counts as empty.
            "OPTIONS": {"socket_connect_timeout": 0.5, "socket_timeout": 0.5},
        },
    }
    CELERY_BROKER_URL = REDIS_URL
    # Redis delivers a message again that was not acknowledged in this time, so no task may run longer.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 3600,
        "global_keyprefix": "tourney-",
        "socket_connect_timeout": 3,
        # A request that finds the broker down tries once more and goes on: the sweep sends the job later.
        "max_retries": 1,
        "interval_start": 0,
        "interval_step": 0.2,
    }

CELERY_TASK_IGNORE_RESULT = True  # facts live in rows (tourney.models.Job), never in task results
CELERY_TASK_SOFT_TIME_LIMIT = 9 * 60
CELERY_TASK_TIME_LIMIT = 10 * 60
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY = False  # a web request must not wait for a broker that is down
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULER = "tourney.ticking:Scheduler"  # goes on when the clock is put back, and keeps no file
CELERY_BEAT_SCHEDULE = {
    "sweep-jobs": {"task": "tourney.sweep_jobs", "schedule": 20.0, "options": {"expires": 15.0}},
    "backups": {"task": "tourney.back_up", "schedule": 60.0, "options": {"expires": 45.0}},
    "drop-archives": {"task": "tourney.drop_archives", "schedule": 600.0, "options": {"expires": 500.0}},
    "index-games": {"task": "tourney.index_games", "schedule": 30.0, "options": {"expires": 25.0}},
    "follow-boards": {"task": "tourney.follow_boards", "schedule": 5.0, "options": {"expires": 4.0}},
    "registration-deadlines": {"task": "registration.pass_deadlines", "schedule": 60.0, "options": {"expires": 45.0}},
    "registration-retention": {
        "task": "registration.keep_no_longer",
        "schedule": 6 * 3600.0,
        "options": {"expires": 3600.0},
    },
}

# -- people --------------------------------------------------------------------------------------------------------

PASSWORD_HASHERS = [
    "tourney.sign_in.hashing.Argon2Hasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "manage_events"
LOGOUT_REDIRECT_URL = "home"

# Whoever runs an event or its money signs in with more than a password. Without https (a laptop in its hall) a second
# factor guards little, and a passkey can't be made at all.
SECOND_FACTOR = env.flag("SECOND_FACTOR", default=not LAPTOP_MODE and HTTPS)
KNOCKS_URL = REDIS_URL  # where tries are counted; empty: in the database (tourney.sign_in.knocks)
# The library's own limits and letters are off: ours count before hashing and without a cache (tourney.sign_in.guard).
ACCOUNT_ADAPTER = "tourney.sign_in.adapters.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "tourney.sign_in.forms.SignInForm",
    "reset_password_from_key": "tourney.sign_in.forms.NewPasswordForm",
}
PASSWORD_RESET_TIMEOUT = 4 * 3600
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_AUTHENTICATED_LOGIN_REDIRECTS = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_RATE_LIMITS = False
ACCOUNT_REAUTHENTICATION_TIMEOUT = 15 * 60
MFA_ADAPTER = "tourney.sign_in.adapters.MfaAdapter"
MFA_FORMS = {
    "authenticate": "tourney.sign_in.forms.CodeForm",
    "reauthenticate": "tourney.sign_in.forms.CodeAgainForm",
    "authenticate_webauthn": "tourney.sign_in.forms.KeyForm",
    "reauthenticate_webauthn": "tourney.sign_in.forms.KeyAgainForm",
    "activate_totp": "tourney.sign_in.forms.AppForm",
}
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_ALLOW_UNVERIFIED_EMAIL = True  # accounts have a name, many have no address
MFA_TOTP_TOLERANCE = 1  # a telephone's clock may be half a minute off
MFA_RATE_LIMITS = False
# Messages travel in a cookie of their own while they fit, so a page that shows none opens no session.
MESSAGE_STORAGE = "django.contrib.messages.storage.fallback.FallbackStorage"

# -- languages, time -----------------------------------------------------------------------------------------------

LANGUAGE_CODE = "uk"
LANGUAGES = [("uk", "Українська"), ("ru", "Русский"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "tourney" / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "Europe/Kyiv"  # only where an event has not said its own

# -- static files --------------------------------------------------------------------------------------------------

STATIC_URL = "static/"
STATIC_ROOT = env.folder("STATIC_ROOT", DATA_FOLDER.static if LAPTOP_MODE else BASE_DIR / "staticfiles")
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# -- security ------------------------------------------------------------------------------------------------------

CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],  # Bootstrap's stylesheet draws its check marks and arrows with data: images
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
        "object-src": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SAMESITE = "Lax"
if HTTPS:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = env.number("HSTS_SECONDS", 30 * 24 * 3600)
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)/$"]
# Whether sub-domains and browsers' preload lists may be promised https is the domain owner's decision, not ours.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]

# Whom to tell of a weakness of this installation: a mail address or an https address (/.well-known/security.txt).
SECURITY_CONTACT = env.text("SECURITY_CONTACT")

# How many proxies of ours stand in front: the visitor's address is the one the last of them saw.
TRUSTED_PROXIES = env.number("TRUSTED_PROXIES", 0 if LAPTOP_MODE else 1)

DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
FILE_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 5000  # a results page of a large round, a prize table by places

# -- games -----------------------------------------------------------------------------------------------------------

GAME_FILE_MB = env.number("GAME_FILE_MB", 200)  # of game records handed in at once: some 200,000 games
ARCHIVE_MB = env.number("ARCHIVE_MB", 200)  # of an event's archive that comes by a browser
# Folders that boards write into lie below this one (`tourney.feeds`); empty: none is watched.
BOARD_FOLDERS = str(env.folder("BOARD_FOLDERS", DATA_FOLDER.boards)) if LAPTOP_MODE or env.text("BOARD_FOLDERS") else ""
# Whether boards may be asked at addresses of a private network (`tourney.outside`).
LIVE_PRIVATE_ADDRESSES = env.flag("LIVE_PRIVATE_ADDRESSES", default=LAPTOP_MODE)
GAME_IMPORT_WORKERS = env.number("GAME_IMPORT_WORKERS", 1 if LAPTOP_MODE else 2)  # that may read one file at a time

# -- mail ----------------------------------------------------------------------------------------------------------

EMAIL_HOST = env.text("EMAIL_HOST")
EMAIL_PORT = env.number("EMAIL_PORT", 587)
EMAIL_HOST_USER = env.text("EMAIL_HOST_USER")
EMAIL_HOST_PASSWORD = env.text("EMAIL_HOST_PASSWORD")
EMAIL_USE_TLS = env.flag("EMAIL_USE_TLS", default=True)
EMAIL_TIMEOUT = 20
DEFAULT_FROM_EMAIL = SERVER_EMAIL = env.text("DEFAULT_FROM_EMAIL", "tourney@localhost")
# Without a mail server letters are laid as files into the data folder, where a person can read them.
EMAIL_BACKEND = f"django.core.mail.backends.{'smtp' if EMAIL_HOST else 'filebased'}.EmailBackend"
EMAIL_FILE_PATH = DATA_FOLDER.mail

# -- Telegram --------------------------------------------------------------------------------------------------------

# A bot that tells people their pairings (registration.telling): its token, its name without the @. Empty: no bot.
TELEGRAM_BOT_TOKEN = env.text("TELEGRAM_BOT_TOKEN")
TELEGRAM_BOT_NAME = env.text("TELEGRAM_BOT_NAME").lstrip("@")
TELEGRAM_API_URL = env.text("TELEGRAM_API_URL", "https://api.telegram.org").rstrip("/")
if TELEGRAM_BOT_TOKEN:
    CELERY_BEAT_SCHEDULE["messages-to-the-bot"] = {
        "task": "registration.read_messages",
        "schedule": 5.0,
        "options": {"expires": 4.0},
    }

# -- privacy -------------------------------------------------------------------------------------------------------

# Days after an event's last day; `registration.privacy.erasing` says what goes then. Payments stay for the accounts.
KEEP_PAPERS_DAYS = env.number("KEEP_PAPERS_DAYS", 30)
KEEP_CONTACTS_DAYS = env.number("KEEP_CONTACTS_DAYS", 90)
KEEP_NAMES_DAYS = env.number("KEEP_NAMES_DAYS", 3 * 365)  # of children; then initials are shown
KEEP_PAYERS_DAYS = env.number("KEEP_PAYERS_DAYS", 5 * 365)  # payers' names and accounts, as long as books are kept
# Pages about children's events ask search engines to stay away, unless the owner of this installation says otherwise.
ALLOW_INDEXING = env.flag("ALLOW_INDEXING")

# -- backups -------------------------------------------------------------------------------------------------------

# Where the worker lays backups by itself (`tourney.backups.timer`), several folders if you like: a stick, another disk.
BACKUP_FOLDERS = env.folders("BACKUP_FOLDERS", (DATA_FOLDER.backups,) if LAPTOP_MODE else ())
BACKUP_MINUTES = env.number("BACKUP_MINUTES", 10)  # between two while something happens; a round's end does not wait
BACKUP_KEEP = env.number("BACKUP_KEEP", 48)
BACKUP_PASSPHRASE = env.text("BACKUP_PASSPHRASE")

# -- figures -------------------------------------------------------------------------------------------------------

# `/metrics/` answers who brings this token or comes from these networks (10.0.0.0/8); nobody where neither is set.
METRICS_TOKEN = env.text("METRICS_TOKEN")
METRICS_NETWORKS = env.networks("METRICS_NETWORKS")
# Where the processes of one machine add up how long pages took (in memory, emptied before a start).
METRICS_FOLDER = env.text("PROMETHEUS_MULTIPROC_DIR")

# -- demo ---------------------------------------------------------------------------------------------------------

# Named, not imported: the demo plays with every app, the core knows none of them.
DEMO_LOADER = "tourney.demo.loading.load"
DEMO_ACCOUNTS = "tourney.demo.accounts.make_accounts"

# -- log -----------------------------------------------------------------------------------------------------------

# "line" for people, "json" for programs that collect logs: one object a line, with the number of the request.
LOG_FORMAT = env.text("LOG_FORMAT", "line" if LAPTOP_MODE else "json")
LOG_REQUESTS = env.flag("LOG_REQUESTS", default=not LAPTOP_MODE)

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "number": {"()": "tourney.upkeep.numbers.WithNumber"},
        "private": {"()": "tourney.private_logs.WithoutPrivateData"},
    },
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {
            "()": "pythonjsonlogger.json.JsonFormatter",
            "format": "{asctime}{levelname}{name}{message}{request_id}",
            "style": "{",
            "rename_fields": {"asctime": "at", "levelname": "level", "name": "logger"},
            "json_ensure_ascii": False,
        },
    },
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["number", "private"]},
    },
    "root": {"handlers": ["stderr"], "level": env.text("LOG_LEVEL", "INFO" if not LAPTOP_MODE else "WARNING")},
    "loggers": {
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        "django.request": {"level": "ERROR"},
        "django.server": {"level": "INFO"},
    },
}
