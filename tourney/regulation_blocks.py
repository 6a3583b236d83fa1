"""The blocks of a regulation that the core reads itself, and what no block can see alone.

Own blocks: ``event``, ``conduct``, ``broadcast``, ``clauses``, ``readings``. Together: every head-count has a system,
the rounds fit into the days.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tourney import regulation_checks
from tourney.kernel.errors import RuleError
from tourney.kernel.node import Node
from tourney.kernel.paths import has_path
from tourney.kernel.regulation import BLOCKS
from tourney.kernel.systems import option_for
from tourney.regulation_checks import Problem, Proposal, error, warning

CHAMPIONSHIPS = ("individual", "team")
PLAY = ("over_the_board", "online")
CHANGES = ("organizer_with_reason",)
DECISIONS = ("organizer_final", "arbiter_final", "appeals_final")
PUBLISHED = ("start_list", "pairings", "results", "standings")
SCORESHEETS = ("required", "not_required")
VIDEO = ("none", "key_matches", "all_games")
GAMES = ("none", "recorded")
DEFAULT_FIELD = 200  # head-counts looked at when a section has no limit


def read_event(proposal: Proposal) -> None:
    """Read how long, what kind and by whom; the last word on disputes needs rules on appeals."""
    node = Node(proposal.block("event"), "event")
    node.integer("days", 1, low=1, high=60)
    node.time_of_day("start_time", "10:00")
    node.flag("start_time_approximate", False)
    node.choice("championship", CHAMPIONSHIPS, "individual")
    node.choice("play", PLAY, "over_the_board")
    node.choice("changes", CHANGES, "organizer_with_reason")
    node.choice("decisions", DECISIONS, "organizer_final")
    node.choices("publishes", PUBLISHED, ())
    for key in ("venue", "address", "venue_note", "organizer", "information"):
        node.words(key, {})
    node.finish()
    if node.value.get("decisions") == "appeals_final" and not proposal.block("appeals"):
        raise RuleError("event.decisions", "rule.no_appeals")


def read_conduct(proposal: Proposal) -> None:
    """Read how one behaves at the board and what is rated."""
    node = Node(proposal.block("conduct"), "conduct")
    node.optional_integer("no_draw_offer_until_move", low=1, high=200)
    node.choice("scoresheet", SCORESHEETS, "not_required")
    node.texts("rated_by", ())
    node.texts("ids_for_newcomers", ())
    node.finish()


def read_broadcast(proposal: Proposal) -> None:
    """Read what is shown of the games."""
    node = Node(proposal.block("broadcast"), "broadcast")
    node.choice("video", VIDEO, "none")
    node.text("channel", "")
    node.choice("games", GAMES, "none")
    node.finish()


def read_clauses(proposal: Proposal) -> None:
    """Read the organizer's own clauses; every one says something."""
    for node in Node({"clauses": proposal.block("clauses") or []}).nodes("clauses"):
        node.text("id", "")
        node.choice("block", [*BLOCKS, "general"], "general")
        if not any(node.words("text").values()):
            raise node.fail("text", "rule.missing")
        node.finish()


def read_readings(proposal: Proposal) -> Iterator[Problem]:
    """A reading is a question the text leaves open: its answer is what stands at `path`, and it must be an option."""
    for node in Node({"readings": proposal.block("readings") or []}).nodes("readings"):
        path = node.text("path")
        node.text("clause", "")
        node.words("question")
        node.words("note", {})
        values = []
        for option in node.nodes("options"):
            values.append(option.raw("value"))
            option.words("label")
            option.words("note", {})
            for also in option.nodes("also"):
                also.text("path")
                also.raw("value")
                also.finish()
            option.finish()
        default = node.raw("default")
        node.finish()
        if len(values) < 2:
            raise node.fail("options", "rule.missing")
        if default not in values:
            raise node.fail(
                "default",
                "rule.not_an_option",
                got=default,
                options=[str(value) for value in values],
            )
        if not has_path(proposal.spec.blocks, path):
            yield warning(node.at("path"), "reading.nothing_there", got=path)


# -- together ----------------------------------------------------------------------------------------------------------


def read_stages(proposal: Proposal) -> Iterator[Problem]:
    """Every head-count must have exactly one system that is played: the first that fits."""
    field = proposal.capacity or DEFAULT_FIELD
    for stage in proposal.spec.stages():
        used: set[int] = set()
        missing: list[int] = []
        for players in range(2, field + 1):
            found = option_for(stage.options, players, f"{stage.path}.options")
            if found is None:
                missing.append(players)
            else:
                used.add(found)
        if missing and proposal.capacity is not None:
            yield error(f"{stage.path}.options", "stages.no_system", players=spans(missing))
        elif missing:
            yield warning(f"{stage.path}.options", "stages.no_system", players=f"{missing[0]}–…")
        for index in range(len(stage.options)):
            if index not in used:
                yield error(f"{stage.path}.options[{index}].when", "rule.never_applies")


def spans(numbers: Sequence[int]) -> str:
    """Return ``9–12, 40`` for a sorted list of numbers."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(f"{low}–{high}" if low != high else str(low) for low, high in runs)


def read_time(proposal: Proposal) -> Iterator[Problem]:
    """The rounds of the longest Swiss must fit into the days."""
    schedule = proposal.block("schedule")
    per_day = schedule.get("rounds_per_day") if isinstance(schedule, Mapping) else None
    if not isinstance(per_day, int) or per_day < 1:
        return
    days = (proposal.ends_on - proposal.starts_on).days + 1
    for path, option in proposal.options():
        rounds = option.get("rounds")
        if isinstance(rounds, int) and -(-rounds // per_day) > days:
            yield warning(
                f"{path}.rounds",
                "schedule.too_few_days",
                rounds=rounds,
                days=days,
                needed=-(-rounds // per_day),
            )


def register() -> None:
    """Register the core's readers."""
    for block, reader in (
        ("event", read_event),
        ("stages", read_stages),
        ("conduct", read_conduct),
        ("broadcast", read_broadcast),
        ("clauses", read_clauses),
        ("readings", read_readings),
        ("schedule", read_time),
    ):
        regulation_checks.register(block, reader)
