"""Public addresses of this app."""

from django.urls import path

from swiss.views import compare, public, share, tablet, why

SECTION = "t/<slug:slug>/<slug:section>/"

urlpatterns = [
    path("tablet/worker.js", tablet.worker, name="tablet_worker"),
    path("tablet/<int:pk>/", tablet.tablet, name="tablet"),
    path(f"{SECTION}pairings/", public.pairings, name="pairings"),
    path(f"{SECTION}pairings/_live/", public.pairings_live, name="pairings_live"),
    path(f"{SECTION}round/<int:number>/", public.round_, name="round"),
    path(f"{SECTION}round/<int:number>/_live/", public.round_live, name="round_live"),
    path(f"{SECTION}round/<int:number>/print/", public.round_print, name="round_print"),
    path(f"{SECTION}round/<int:number>/why/<slug:key>/", why.pair, name="why_pair"),
    path(f"{SECTION}standings/", public.standings, name="standings"),
    path(f"{SECTION}standings/_live/", public.standings_live, name="standings_live"),
    path(f"{SECTION}standings.png", share.standings_picture, name="standings_picture"),
    path(f"{SECTION}standings/why/<int:pk>/", public.standings_why, name="standings_why"),
    path(f"{SECTION}standings/compare/", compare.compare, name="standings_compare"),
    path(f"{SECTION}standings/print/", public.standings_print, name="standings_print"),
    path(f"{SECTION}crosstable/", public.crosstable, name="crosstable"),
    path(f"{SECTION}crosstable/_live/", public.crosstable_live, name="crosstable_live"),
    path(f"{SECTION}crosstable/print/", public.crosstable_print, name="crosstable_print"),
]
