"""Staff addresses of this app."""

from django.urls import path

from registration.conduct import views as conduct
from registration.views import desk, entries, entry, ratings

urlpatterns = [
    path("ratings/", ratings.lists, name="manage_rating_lists"),
    path("<slug:slug>/entries/", entries.entries, name="manage_entries"),
    path("<slug:slug>/entries.csv", entries.export, name="manage_entries_csv"),
    path("<slug:slug>/entries/new/", entries.new, name="manage_entry_new"),
    path("<slug:slug>/entries/<int:pk>/", entry.entry, name="manage_entry"),
    path("<slug:slug>/entries/<int:pk>/edit/", entry.edit, name="manage_entry_edit"),
    path("<slug:slug>/ratings/", ratings.ratings, name="manage_ratings"),
    path("<slug:slug>/ratings/numbers.csv", ratings.number_request, name="manage_number_request"),
    path("<slug:slug>/claims/", entries.claims, name="manage_claims"),
    path("<slug:slug>/desk/", desk.desk, name="manage_desk"),
    path("<slug:slug>/cash/", desk.cash, name="manage_cash"),
    path("<slug:slug>/receipt/<int:number>/", desk.receipt, name="manage_receipt"),
    path("<slug:slug>/sanctions/", conduct.sanctions, name="manage_sanctions"),
    path("<slug:slug>/appeals/", conduct.appeals, name="manage_appeals"),
    path("<slug:slug>/appeals/<int:pk>/", conduct.appeal, name="manage_appeal"),
    path("<slug:slug>/committee/", conduct.committee, name="manage_committee"),
]
