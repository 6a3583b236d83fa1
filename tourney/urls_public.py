"""Public addresses of the core."""

from django.urls import path

from tourney.views import devices, follow, games, live, lots, news, public, regulation, replay, screens, trust

urlpatterns = [
    path("", public.home, name="home"),
    path("device/<str:token>/", devices.join, name="device_join"),
    path("h/<str:code>/", screens.screen, name="screen"),
    path("h/<str:code>/_live/", screens.screen_live, name="screen_live"),
    path("trust/", trust.trust, name="trust"),
    path("trust/certificate.crt", trust.certificate, name="trust_certificate"),
    path("lot/<int:pk>/", lots.lot, name="lot"),
    path("lot/<int:pk>/hall/", lots.hall, name="lot_hall"),
    path("lot/<int:pk>/transcript.json", lots.transcript, name="lot_transcript"),
    path("lot/check.py", lots.checker, name="lot_checker"),
    path("t/<slug:slug>/", public.event, name="event"),
    path("t/<slug:slug>/regulation/", regulation.regulation, name="regulation"),
    path("t/<slug:slug>/regulation/<int:number>/", regulation.regulation, name="regulation_version"),
    path("t/<slug:slug>/calendar.ics", public.calendar, name="calendar"),
    path("t/<slug:slug>/mine/", follow.mine, name="mine"),
    path("t/<slug:slug>/follow/", follow.follow, name="follow"),
    path("t/<slug:slug>/news/", news.news, name="news"),
    path("t/<slug:slug>/news.atom", news.feed, name="news_feed"),
    path("t/<slug:slug>/lots/", lots.lots, name="lots"),
    path("t/<slug:slug>/live/", live.boards, name="live_boards"),
    path("t/<slug:slug>/live/_live/", live.boards_live, name="live_boards_live"),
    path("t/<slug:slug>/live/games.pgn", live.live_pgn, name="live_pgn"),
    path("t/<slug:slug>/live/<slug:section>/round-<int:number>.pgn", live.round_pgn, name="round_pgn"),
    path("t/<slug:slug>/games/", games.games, name="games"),
    path("t/<slug:slug>/games.pgn", games.games_pgn, name="games_pgn"),
    path("t/<slug:slug>/games/<int:pk>/", replay.game, name="game"),
    path("t/<slug:slug>/games/<int:pk>/board/", replay.game_embed, name="game_embed"),
    path("t/<slug:slug>/games/<int:pk>.pgn", replay.game_pgn, name="game_pgn"),
    path("t/<slug:slug>/games/<int:pk>.svg", replay.game_svg, name="game_svg"),
    path("t/<slug:slug>/games/<int:pk>.png", replay.game_png, name="game_png"),
    path("t/<slug:slug>/<slug:section>/", public.section, name="section"),
    path("t/<slug:slug>/<slug:section>/player/<int:pk>/", public.player, name="player"),
]
