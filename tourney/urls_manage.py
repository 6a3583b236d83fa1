"""Staff addresses of the core, under `/manage/`."""

from django.contrib.auth import views as auth
from django.urls import path

from tourney.sign_in.views import sign_in
from tourney.views import (
    archives,
    demo,
    devices,
    game_imports,
    games,
    live,
    manage,
    news,
    paper,
    records,
    regulation,
    rehearsal,
    score_sheets,
    screens,
    sections,
    stopping,
    wizard,
)

urlpatterns = [
    path("", manage.events, name="manage_events"),
    path("sign-in/", sign_in, name="login"),
    path("sign-in/", sign_in, name="account_login"),  # the library's name for it
    path("sign-out/", auth.LogoutView.as_view(), name="logout"),
    path("sign-out/", auth.LogoutView.as_view(), name="account_logout"),
    path("new/", wizard.choose_preset, name="event_new"),
    path("new/<slug:preset>/", wizard.questions, name="event_new_from"),
    path("bring/", archives.bring, name="event_bring"),
    path("demo/", demo.load_demo, name="load_demo"),
    path("<slug:slug>/", manage.event, name="manage_event"),
    path("<slug:slug>/settings/", manage.settings, name="manage_settings"),
    path("<slug:slug>/state/", manage.state, name="manage_state"),
    path("<slug:slug>/staff/", manage.staff, name="manage_staff"),
    path("<slug:slug>/stop/", stopping.stop, name="manage_stop"),
    path("<slug:slug>/devices/", devices.devices, name="manage_devices"),
    path("<slug:slug>/news/", news.manage, name="manage_news"),
    path("<slug:slug>/paper/", paper.paper, name="manage_paper"),
    path("<slug:slug>/screens/", screens.screens, name="manage_screens"),
    path("<slug:slug>/screens/<int:pk>/", screens.edit, name="manage_screen"),
    path("<slug:slug>/screens/<int:pk>/remote/", screens.remote, name="manage_screen_remote"),
    path("<slug:slug>/archive/", archives.archive, name="manage_archive"),
    path("<slug:slug>/log/", records.log, name="manage_log"),
    path("<slug:slug>/report/", records.report, name="manage_report"),
    path("<slug:slug>/regulation/", regulation.manage, name="manage_regulation"),
    path("<slug:slug>/regulation/edit/<slug:block>/", regulation.edit, name="manage_regulation_edit"),
    path("<slug:slug>/regulation/publish/", regulation.publish, name="manage_regulation_publish"),
    path("<slug:slug>/rehearsal/", rehearsal.rehearsal, name="manage_rehearsal"),
    path("<slug:slug>/sections/", sections.sections, name="manage_sections"),
    path("<slug:slug>/sections/<slug:section>/", sections.section, name="manage_section"),
    path("<slug:slug>/games/", games.manage, name="manage_games"),
    path("<slug:slug>/games/players/", score_sheets.players_enter, name="manage_games_players"),
    path("<slug:slug>/games/boards/", live.manage, name="manage_boards"),
    path("<slug:slug>/games/import-<int:pk>.csv", game_imports.report_file, name="manage_games_report"),
]
