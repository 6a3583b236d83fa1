"""Public addresses of this app."""

from django.urls import path

from registration.telling import views as telling
from registration.views import entrant, finding, group, moves, private, public

urlpatterns = [
    path("t/<slug:slug>/register/", public.register, name="register"),
    path("t/<slug:slug>/register/fee/", public.register_fee, name="register_fee"),
    path("t/<slug:slug>/register/find/", finding.find, name="register_find"),
    path("t/<slug:slug>/register/group/", group.group, name="register_group"),
    path("t/<slug:slug>/register/group/children.csv", group.group_file, name="register_group_file"),
    path("e/<str:token>/", entrant.entrant, name="entrant"),
    path("e/<str:token>/slip.pdf", entrant.slip, name="entrant_slip"),
    path("e/<str:token>/edit/", entrant.edit, name="entrant_edit"),
    path("e/<str:token>/withdraw/", entrant.withdraw, name="entrant_withdraw"),
    path("e/<str:token>/answer/", entrant.answer, name="entrant_answer"),
    path("e/<str:token>/pairings/", telling.pairings, name="entrant_pairings"),
    path("e/<str:token>/moves/", moves.moves, name="entrant_moves"),
    path("e/<str:token>/papers/", private.papers, name="entrant_papers"),
    path("e/<str:token>/data.json", private.my_data, name="entrant_data"),
    path("e/<str:token>/data/", private.my_data_in_words, name="entrant_data_in_words"),
    path("e/<str:token>/erase/", private.erase, name="entrant_erase"),
    path("e/<str:token>/erase/now/", private.erase_now, name="entrant_erase_now"),
]
