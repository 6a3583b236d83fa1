"""Staff addresses of this app, under `/manage/`."""

from django.urls import path

from swiss.views import apart, book, exchange, lateness, manage, people, reports, results, why

ROUNDS = "<slug:slug>/<slug:section>/rounds/"
ROUND = f"{ROUNDS}<int:number>/"

urlpatterns = [
    path("<slug:slug>/rounds/", manage.overview, name="manage_rounds_overview"),
    path("<slug:slug>/newcomers.csv", reports.newcomers_csv, name="manage_newcomers_csv"),
    path("<slug:slug>/<slug:section>/report.trf", reports.rating_report, name="manage_export_trf"),
    path("<slug:slug>/<slug:section>/trf/", exchange.exchange, name="manage_trf"),
    path("<slug:slug>/<slug:section>/trf/file/", exchange.download, name="manage_trf_file"),
    path(ROUNDS, manage.rounds, name="manage_rounds"),
    path(f"{ROUNDS}pair/", manage.pair, name="manage_pair"),
    path(f"{ROUNDS}bring-back/", manage.bring_back, name="manage_bring_back"),
    path(f"{ROUNDS}presence/", people.presence, name="manage_presence"),
    path(f"{ROUNDS}withdraw/", people.withdraw, name="manage_withdraw"),
    path(f"{ROUNDS}book/", book.book, name="manage_book"),
    path(f"{ROUNDS}forbidden/", apart.forbidden, name="manage_forbidden"),
    path(ROUND, manage.round_, name="manage_round"),
    path(f"{ROUND}why/<slug:key>/", why.manage_pair, name="manage_why"),
    path(f"{ROUND}results/", results.results, name="manage_results"),
    path(f"{ROUND}lateness/", lateness.lateness, name="manage_lateness"),
    path(f"{ROUND}slips/", lateness.slips, name="manage_slips"),
]
