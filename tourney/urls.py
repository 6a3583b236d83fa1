"""Every address. The apps come first: the core's section page (`/t/<slug>/<section>/`) would catch their words."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path
from django.views.decorators.csrf import csrf_exempt
from django.views.i18n import set_language

from tourney.upkeep import health
from tourney.upkeep.metrics import metrics
from tourney.views.design import design
from tourney.views.security import security_txt

APPS = ("registration", "swiss", "brackets", "prizes")

urlpatterns = [
    path("healthz/", health.alive, name="healthz"),
    path("readyz/", health.ready, name="readyz"),
    path("metrics/", metrics, name="metrics"),
    # Without a token: a public page is cached for everybody, and all it sets is the reader's own language.
    path("i18n/setlang/", csrf_exempt(set_language), name="set_language"),
    path("_design/", design, name="design"),
    path("_design/<slug:layout>/", design, name="design_layout"),
    path(".well-known/security.txt", security_txt, name="security_txt"),
    path("", include("tourney.sign_in.urls")),
    *[path("", include(f"{app}.urls_public")) for app in APPS],
    *[path("manage/", include(f"{app}.urls_manage")) for app in APPS],
    path("manage/", include("tourney.urls_manage")),
    path("", include("tourney.urls_public")),
]

if settings.DEBUG or getattr(settings, "SHOW_ADMIN", False):
    urlpatterns.insert(0, path("admin/", admin.site.urls))
