"""The finder over an event's games: which game a record or a live board belongs to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tourney.game_matching import Candidate, Finder
from tourney.game_records import PLAYED, pgn_result, time_control
from tourney.models import Entry, Game, Player, Tournament


def finder_of(tournament: Tournament, before: Mapping[int, Player] | None = None) -> Finder:
    """Return the finder over an event's games; `before`: entries known by what they were called. Two queries."""
    return finder_over(tournament, candidates_of(tournament), before)


def candidates_of(tournament: Tournament) -> list[Candidate]:
    """Return an event's games as a record can mean them. One query."""
    columns = (
        "pk",
        "white_id",
        "black_id",
        "stage__section__code",
        "round_number",
        "board",
        "match_key",
        "game_number",
        "outcome",
        "scheduled_at",
        "finished_at",
        "time_control",
    )
    rows = Game.objects.filter(stage__section__tournament=tournament).order_by("pk").values_list(*columns)
    zone = tournament.zone
    candidates = []
    for pk, white, black, section, round_, board, match, number, outcome, scheduled, finished, clock in rows:
        when = scheduled or finished
        candidates.append(
            Candidate(
                pk,
                white,
                black,
                section,
                round_,
                board,
                match,
                number,
                pgn_result(outcome) if outcome in PLAYED else "",
                when.astimezone(zone).date() if when else None,
                (time_control(clock) or "?") if clock else "",
            )
        )
    return candidates


def finder_over(
    tournament: Tournament, candidates: Sequence[Candidate], before: Mapping[int, Player] | None = None
) -> Finder:
    """Return the finder over some games by the names of the event's players. One query."""
    entries = list(Entry.objects.filter(tournament=tournament, start_number__isnull=False).select_related("player"))
    ids = {entry.shown.fide_id: entry.pk for entry in entries if entry.shown.fide_id}
    for entry in entries:
        if before and entry.pk in before:
            entry.player = before[entry.pk]
            ids |= {entry.player.fide_id: entry.pk} if entry.player.fide_id else {}
    # The staff's own files call people by name whether or not the public sees it.
    return Finder(
        candidates,
        {entry.pk: [entry.player.name, entry.player.latin_name, str(entry.name)] for entry in entries},
        ids,
    )
