"""Staff addresses of this app, under `/manage/`."""

from django.urls import path

from prizes.views import awards, diplomas, draws, fund, placings, playoffs

urlpatterns = [
    path("<slug:slug>/placings/", placings.overview, name="manage_placings"),
    path("<slug:slug>/placings/<slug:section>/", placings.group, name="manage_placings_of"),
    path("<slug:slug>/placings/<slug:section>/playoff/", playoffs.begin, name="begin_playoff"),
    path("<slug:slug>/playoff/<int:pk>/", playoffs.playoff, name="manage_playoff"),
    path("<slug:slug>/prizes/", awards.awards, name="manage_prizes"),
    path("<slug:slug>/prizes/tell/", awards.tell, name="manage_prizes_tell"),
    path("<slug:slug>/prizes/list/", awards.print_list, name="print_awards"),
    path("<slug:slug>/prizes/diplomas/", awards.print_diplomas, name="print_diplomas"),
    path("<slug:slug>/diplomas/", diplomas.diplomas, name="manage_diplomas"),
    path("<slug:slug>/diplomas/picture/", diplomas.picture, name="diploma_picture"),
    path("<slug:slug>/diplomas/<int:pk>.pdf", diplomas.diploma_file, name="diploma_file"),
    path("<slug:slug>/prizes/<int:pk>/diploma.pdf", diplomas.diploma, name="diploma"),
    path("<slug:slug>/draws/", draws.draws, name="manage_draws"),
    path("<slug:slug>/draws/<int:pk>/", draws.draw, name="manage_draw"),
    path("<slug:slug>/fund/", fund.fund, name="manage_fund"),
]
