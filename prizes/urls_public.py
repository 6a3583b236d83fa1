"""Public addresses of this app."""

from django.urls import path

from prizes.views import public

urlpatterns = [
    path("t/<slug:slug>/prizes/", public.prizes, name="prizes"),
    path("t/<slug:slug>/<slug:section>/places/", public.placings, name="placings"),
]
