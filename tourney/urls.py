"""Every address. The apps come first: the core's section page (`/t/<slug>/<section>/`) would catch their words."""

from django.conf import settings
from django.contrib import admin
from django.urls import include, path

APPS = ("registration", "swiss", "brackets", "prizes")

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    *[path("", include(f"{app}.urls_public")) for app in APPS],
    *[path("manage/", include(f"{app}.urls_manage")) for app in APPS],
    path("manage/", include("tourney.urls_manage")),
    path("", include("tourney.urls_public")),
]

if settings.DEBUG or getattr(settings, "SHOW_ADMIN", False):
    urlpatterns.insert(0, path("admin/", admin.site.urls))
