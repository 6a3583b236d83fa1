"""Videos of other sites: which addresses get a player of their own."""

from __future__ import annotations

import pytest

from tourney.videos import Video, video_of

ID = "dQw4w9WgXcQ"
PLAYER = f"https://www.youtube-nocookie.com/embed/{ID}"


@pytest.mark.parametrize(
    ("url", "frame"),
    [
        (f"https://www.youtube.com/watch?v={ID}", PLAYER),
        (f"https://youtu.be/{ID}?t=1h2m3s", f"{PLAYER}?start=3723"),
        (f"https://m.youtube.com/watch?feature=x&v={ID}&t=95", f"{PLAYER}?start=95"),
        (f"https://youtube.com/live/{ID}", PLAYER),
        (f"https://www.youtube.com/embed/{ID}", PLAYER),
        ("https://www.youtube.com/watch?v=short", ""),
        ("https://www.youtube.com/@channel", ""),
        (f"https://youtube.com.example.org/watch?v={ID}", ""),
        (f'https://youtu.be/{ID}"onload=x', ""),
        ("https://www.twitch.tv/chess", ""),
    ],
)
def test_only_known_players_get_a_frame(url: str, frame: str) -> None:
    assert video_of(url) == Video(url, frame)


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "http://[", "data:text/html,x"])
def test_what_is_no_address_is_not_shown(url: str) -> None:
    assert video_of(url) is None
