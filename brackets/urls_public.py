"""Public addresses of this app."""

from django.urls import path

from brackets.views import hall, public, share, tablet

SECTION = "t/<slug:slug>/<slug:section>/"

urlpatterns = [
    path("tablet/<int:pk>/matches/", tablet.matches, name="tablet_matches"),
    path(f"{SECTION}bracket/", public.bracket, name="bracket"),
    path(f"{SECTION}bracket.png", share.bracket_picture, name="bracket_picture"),
    path(f"{SECTION}bracket/_live/", public.bracket_live, name="bracket_live"),
    path(f"{SECTION}bracket/hall/", hall.hall, name="bracket_hall"),
    path(f"{SECTION}bracket/hall/_live/", hall.hall_live, name="bracket_hall_live"),
    path(f"{SECTION}bracket/places/", public.bracket_places, name="bracket_places"),
    path(f"{SECTION}bracket/print/", public.bracket_print, name="bracket_print"),
    path(f"{SECTION}matches/", public.matches, name="matches"),
    path(f"{SECTION}matches/_live/", public.matches_live, name="matches_live"),
    path(f"{SECTION}match/<str:key>/", public.match, name="match"),
    path(f"{SECTION}match/<str:key>/_live/", public.match_live, name="match_live"),
]
