"""Staff addresses of this app."""

from django.urls import path

from registration.conduct import views as conduct
from registration.views import bank, cash, desk, entries, entry, fees, finding, letters, ratings, treasury

urlpatterns = [
    path("ratings/", ratings.lists, name="manage_rating_lists"),
    path("<slug:slug>/entries/", entries.entries, name="manage_entries"),
    path("<slug:slug>/entries.csv", entries.export, name="manage_entries_csv"),
    path("<slug:slug>/entries/new/", entries.new, name="manage_entry_new"),
    path("<slug:slug>/entries/find/", finding.find_at_desk, name="manage_entry_find"),
    path("<slug:slug>/entries/<int:pk>/", entry.entry, name="manage_entry"),
    path("<slug:slug>/entries/<int:pk>/edit/", entry.edit, name="manage_entry_edit"),
    path("<slug:slug>/ratings/", ratings.ratings, name="manage_ratings"),
    path("<slug:slug>/ratings/numbers.csv", ratings.number_request, name="manage_number_request"),
    path("<slug:slug>/letters/", letters.letters, name="manage_letters"),
    path("<slug:slug>/documents/<int:pk>/", letters.document, name="manage_document"),
    path("<slug:slug>/claims/", entries.claims, name="manage_claims"),
    path("<slug:slug>/desk/", desk.desk, name="manage_desk"),
    path("<slug:slug>/cash/", cash.cash, name="manage_cash"),
    path("<slug:slug>/drawer/", cash.drawer, name="manage_drawer"),
    path("<slug:slug>/receipt/<int:number>/", cash.receipt, name="manage_receipt"),
    path("<slug:slug>/bank/", bank.bank, name="manage_bank"),
    path("<slug:slug>/bank/<int:pk>/", bank.bank_row, name="manage_bank_row"),
    path("<slug:slug>/bank/statement/<int:pk>/", bank.bank_retry, name="manage_bank_retry"),
    path("<slug:slug>/money/", treasury.treasury, name="manage_treasury"),
    path("<slug:slug>/money/fees/", fees.fees, name="manage_fees"),
    path("<slug:slug>/money/list/", treasury.printed, name="manage_treasury_list"),
    path("<slug:slug>/money.xlsx", treasury.workbook, name="manage_treasury_xlsx"),
    path("<slug:slug>/sanctions/", conduct.sanctions, name="manage_sanctions"),
    path("<slug:slug>/appeals/", conduct.appeals, name="manage_appeals"),
    path("<slug:slug>/appeals/<int:pk>/", conduct.appeal, name="manage_appeal"),
    path("<slug:slug>/committee/", conduct.committee, name="manage_committee"),
]
