"""Public addresses of this app."""

from django.urls import path

from prizes.views import playoffs, public

urlpatterns = [
    path("t/<slug:slug>/prizes/", public.prizes, name="prizes"),
    path("t/<slug:slug>/<slug:section>/places/", public.placings, name="placings"),
    path("t/<slug:slug>/<slug:section>/playoff/", playoffs.public_playoff, name="playoff"),
    path("t/<slug:slug>/<slug:section>/playoff/_live/", playoffs.playoff_live, name="playoff_live"),
]
