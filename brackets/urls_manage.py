"""Staff addresses of this app, under `/manage/`."""

from django.urls import path

from brackets.views import cut, day, draw, match

SECTION = "<slug:slug>/<slug:section>/"

urlpatterns = [
    path(f"{SECTION}draw/", draw.draw, name="manage_draw"),
    path(f"{SECTION}bracket/", day.bracket, name="manage_bracket"),
    path(f"{SECTION}bracket/undo/", day.undo, name="manage_bracket_undo"),
    path(f"{SECTION}bracket/cut/", cut.cut, name="manage_bracket_cut"),
    path(f"{SECTION}bracket/player/<int:pk>/", day.player, name="manage_bracket_player"),
    path(f"{SECTION}match/<str:key>/", match.match, name="manage_match"),
    path(f"{SECTION}match/<str:key>/correct/", match.correct, name="manage_match_correct"),
]
