"""Chapters about conduct, appeals, prizes, draws, awards, the fund, the broadcast and the questions that were open."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tourney.formatting import money_text
from tourney.kernel.money import Money
from tourney.kernel.paths import value_at
from tourney.regulation_text.writer import Writer, either, listed, minutes


def conduct(w: Writer) -> None:
    block = w.block("conduct")
    if block.get("no_draw_offer_until_move"):
        w.say(
            _("During the game players may not talk about a draw up to and including move %(move)s.")
            % {"move": block["no_draw_offer_until_move"]},
            "conduct.no_draw_offer_until_move",
        )
    if block.get("scoresheet") == "required":
        w.say(_("Players must write down their moves."), "conduct.scoresheet")
    elif block.get("scoresheet") == "not_required":
        w.say(_("Players need not write down their moves."), "conduct.scoresheet")
    if block.get("rated_by"):
        w.say(_("The event is rated by: %(who)s.") % {"who": listed(block["rated_by"])}, "conduct.rated_by")
    if block.get("ids_for_newcomers"):
        w.say(
            _("Players without an ID get one from: %(who)s.") % {"who": listed(block["ids_for_newcomers"])},
            "conduct.ids_for_newcomers",
        )
    w.own_clauses("conduct")
    _sanctions(w, w.block("sanctions"))
    w.own_clauses("sanctions")


def _sanctions(w: Writer, block: Mapping[str, Any]) -> None:
    if not block:
        return
    w.say(
        _("For breaking the rules these sanctions are possible: %(kinds)s. Each is recorded with its reason.")
        % {"kinds": w.labels("sanctions.kinds", block.get("kinds"))},
        "sanctions.kinds",
        clause=block.get("clause"),
    )
    after = block.get("after_end")
    if not isinstance(after, Mapping):
        return
    if after.get("mode") == "hours":
        count = int(after.get("hours", 0))
        text = ngettext(
            "A player may still be disqualified up to %(count)s hour after the end of the event.",
            "A player may still be disqualified up to %(count)s hours after the end of the event.",
            count,
        )
    else:
        count = int(after.get("days", 0))
        text = ngettext(
            "A player may still be disqualified up to the end of day %(count)s after the last day of the event.",
            "A player may still be disqualified up to the end of day %(count)s after the last day of the event.",
            count,
        )
    again = _("Places and prizes are then worked out again, and the pages say so.")
    w.say(f"{text % {'count': count}} {again}", "sanctions.after_end", clause=after.get("clause"))


def appeals(w: Writer) -> None:
    block = w.block("appeals")
    if block.get("committee"):
        _committee(w, block)
    last = w.block("event").get("decisions")
    if last == "organizer_final":
        w.say(_("Disputes are settled by the organizer and the arbiters of the event."), "event.decisions")
        w.say(
            _("Decisions of the organizers are final and can't be appealed."),
            "appeals.committee" if block else "event.decisions",
            clause=block.get("clause"),
        )
    elif last == "arbiter_final":
        w.say(_("Disputes are settled by the arbiters; the chief arbiter's decision is final."), "event.decisions")
    elif last == "appeals_final":
        w.say(_("The decision of the appeals committee is final."), "event.decisions", clause=block.get("clause"))
    w.own_clauses("appeals")


def _committee(w: Writer, block: Mapping[str, Any]) -> None:
    clause = block.get("clause")
    main, reserve = int(block.get("main", 3)), int(block.get("reserve", 2))
    members = ngettext("%(count)s member", "%(count)s members", main) % {"count": main}
    reserves = ngettext("%(count)s reserve", "%(count)s reserves", reserve) % {"count": reserve}
    w.say(
        _("An appeals committee is formed: %(members)s and %(reserves)s. Nobody judges a case of his own.")
        % {"members": members, "reserves": reserves},
        "appeals.main",
        clause=clause,
    )
    who = either(w.label("appeals.by", code) for code in block.get("by") or ["participant", "representative"])
    window = minutes(block.get("window_minutes", 60))
    since = w.label("appeals.round_end", block.get("round_end", "last_game_of_group"))
    template = (
        _("An appeal is handed in in writing by %(who)s, no later than %(minutes)s after %(since)s.")
        if block.get("written", True)
        else _("An appeal is made by %(who)s, no later than %(minutes)s after %(since)s.")
    )
    w.say(template % {"who": who, "minutes": window, "since": since}, "appeals.window_minutes", clause=clause)
    if block.get("deposit"):
        w.say(
            _(
                "With it a deposit of %(amount)s is paid. It is returned if the appeal is upheld, "
                "and kept if it is refused."
            )
            % {"amount": w.money(block["deposit"])},
            "appeals.deposit",
            clause=clause,
        )
        for key, template in (
            ("partly_upheld", _("Deposit of an appeal upheld in part: %(fate)s.")),
            ("withdrawn", _("Deposit of an appeal taken back: %(fate)s.")),
        ):
            if block.get(key):
                w.say(template % {"fate": w.label(f"appeals.{key}", block[key])}, f"appeals.{key}")
    if block.get("never_about"):
        w.say(
            _("No appeal is possible about: %(what)s.")
            % {"what": w.labels("appeals.never_about", block["never_about"])},
            "appeals.never_about",
            clause=clause,
        )


# -- prizes ------------------------------------------------------------------------------------------------------------


def prizes(w: Writer) -> None:
    fund = w.block("fund")
    if fund:
        w.say(
            _("The prize fund comes from: %(sources)s.") % {"sources": w.labels("fund.sources", fund.get("sources"))},
            "fund.sources",
        )
    _categories(w)
    for index, prize in enumerate(w.rows("prizes")):
        _prize_list(w, prize, f"prizes[{index}]")
    w.own_clauses("prizes")
    _lotteries(w)
    w.own_clauses("lotteries")
    _awards(w)
    w.own_clauses("awards")
    w.own_clauses("fund")


def _categories(w: Writer) -> None:
    rows = w.rows("categories")
    if rows:
        lines = [_category(w, row, f"categories[{index}]") for index, row in enumerate(rows)]
        w.say(_("From the same games there are places of their own for:"), "categories", lines=lines)
    w.own_clauses("categories")


def _category(w: Writer, row: Mapping[str, Any], path: str) -> str:
    conditions = []
    if row.get("sex"):
        conditions.append(w.label(f"{path}.sex", row["sex"]))
    years = row.get("birth_years") or []
    if years:
        conditions.append(
            _("born %(first)s–%(last)s") % {"first": years[0], "last": years[-1]}
            if len(years) > 1 and years[0] != years[-1]
            else _("born %(year)s") % {"year": years[0]}
        )
    if row.get("district"):
        conditions.append(str(row["district"]))
    if row.get("level"):
        conditions.append(w.label(f"{path}.level", row["level"]))
    if row.get("rating_below"):
        conditions.append(_("rating below %(rating)s") % {"rating": row["rating_below"]})
    title = w.words(row.get("title")) or str(row.get("code", ""))
    groups = _in_groups(w, {"sections": row.get("sections")}, path)
    return f"{title} ({', '.join(conditions)}). {groups}".strip()


def _in_groups(w: Writer, row: Mapping[str, Any], path: str) -> str:
    words = ""
    if row.get("sections"):
        words = _("Only for: %(groups)s.") % {"groups": w.labels(f"{path}.sections", row["sections"])}
    if row.get("category"):
        category = _("Category: %(category)s.") % {"category": w.label(f"{path}.category", row["category"])}
        words = f"{words} {category}".strip()
    return words


def _prize_list(w: Writer, prize: Mapping[str, Any], path: str) -> None:
    places = prize.get("places")
    table = sorted(places.items(), key=lambda pair: int(pair[0])) if isinstance(places, Mapping) else []
    head = _("Money prizes go to these places:")
    limited = _in_groups(w, prize, path)
    lines = [_("place %(place)s – %(amount)s") % {"place": place, "amount": w.money(amount)} for place, amount in table]
    shares = prize.get("percent")
    if isinstance(shares, Mapping) and shares:
        base = w.label(f"{path}.percent_of", prize.get("percent_of", "fees"))
        head = _("Prizes are shares of the fund, in percent %(base)s:") % {"base": base}
        lines += [
            _("place %(place)s – %(percent)s %%") % {"place": place, "percent": percent}
            for place, percent in sorted(shares.items(), key=lambda pair: int(pair[0]))
        ]
    w.say(
        f"{head} {limited}" if limited else head,
        f"{path}.percent" if shares else f"{path}.places",
        lines=lines,
        clause=prize.get("clause"),
    )
    if shares:
        w.say(_("The amounts are fixed when the first places of the event are published."), f"{path}.percent_of")
    total = _total(w, [amount for _place, amount in table])
    if total:
        w.say(_("Together: %(amount)s.") % {"amount": total}, f"{path}.places")
    if prize.get("ties") in ("equal", "hort", "place"):
        w.say(
            {
                "equal": _("Players equal on points share their prizes evenly."),
                "hort": _("Players equal on points share by the Hort system: half by place, half shared evenly."),
                "place": _("Everybody gets the prize of his place."),
            }[str(prize["ties"])],
            f"{path}.ties",
        )
    several = prize.get("several") or ("earlier" if prize.get("cumulative") is False else "")
    if several in ("all", "earlier", "best"):
        w.say(
            {
                "all": _("A player may get several prizes."),
                "earlier": _("Who has a prize from an earlier list is passed over; the next player moves up."),
                "best": _(
                    "A player with a right to several prizes gets the most valuable one; for the others the next "
                    "player moves up."
                ),
            }[several],
            f"{path}.several",
        )
    if prize.get("whole_units"):
        w.say(_("Shared prizes are paid in whole units; what rounding leaves goes to the better place."), path)
    if prize.get("unplayed") == "moves":
        w.say(
            _("The prize of a place nobody holds goes to the nearest better place without a prize."),
            f"{path}.unplayed",
        )
    elif prize.get("unplayed") == "kept":
        w.say(_("The prize of a place nobody holds stays in the fund."), f"{path}.unplayed")


def _total(w: Writer, amounts: list[Any]) -> str:
    currency = str(w.data.get("currency", "UAH"))
    try:
        minor = sum(Money.parse(amount, currency).minor for amount in amounts)
    except ValueError:
        return ""
    return money_text(Money(minor, currency)) if minor else ""


def _lotteries(w: Writer) -> None:
    rows = w.rows("lotteries")
    if not rows:
        return
    lines, totals = [], []
    for lottery in rows:
        winners = int(lottery.get("winners", 1))
        places = listed(lottery.get("places") or [])
        lines.append(
            ngettext(
                "among places %(places)s: %(amount)s (%(count)s winner)",
                "among places %(places)s: %(amount)s each (%(count)s winners)",
                winners,
            )
            % {"places": places, "amount": w.money(lottery.get("amount", 0)), "count": winners}
        )
        totals += [lottery.get("amount", 0)] * winners
    w.say(
        _("Further prizes (%(total)s together) are drawn by lot:") % {"total": _total(w, totals)},
        "lotteries",
        lines=lines,
        clause=rows[0].get("clause"),
    )
    w.say(_("Everybody can check the draw afterwards on the event's page."), "lotteries")
    if any(lottery.get("withdrawn") == "lose" for lottery in rows):
        w.say(_("Who left the event doesn't take part in the draw."), "lotteries[0].withdrawn")
    elif any(lottery.get("withdrawn") == "keep" for lottery in rows):
        w.say(_("Who left the event keeps his part in the draw."), "lotteries[0].withdrawn")
    if all(lottery.get("disqualified", "lose") == "lose" for lottery in rows):
        w.say(_("A disqualified player doesn't take part in the draw."), "lotteries[0].disqualified")


def _awards(w: Writer) -> None:
    rows = w.rows("awards")
    if not rows:
        return
    lines = []
    for index, award in enumerate(rows):
        places = award.get("places") or ([award["place"]] if award.get("place") else [])
        what = w.labels(f"awards[{index}].things", award.get("things"))
        line = ngettext("place %(places)s: %(what)s", "places %(places)s: %(what)s", len(places)) % {
            "places": listed(places),
            "what": what,
        }
        lines.append(f"{line} {_in_groups(w, award, f'awards[{index}]')}".strip())
    w.say(_("Awards in every group:"), "awards", lines=lines, clause=rows[0].get("clause"))


# -- broadcast, open questions -----------------------------------------------------------------------------------------


def broadcast(w: Writer) -> None:
    block = w.block("broadcast")
    video, channel = block.get("video", "none"), block.get("channel", "")
    if video == "key_matches":
        w.say(
            _("Key matches are broadcast: %(where)s.") % {"where": channel}
            if channel
            else _("Key matches are broadcast on the internet."),
            "broadcast.video",
        )
    elif video == "all_games":
        w.say(
            _("All games are broadcast: %(where)s.") % {"where": channel}
            if channel
            else _("All games are broadcast on the internet."),
            "broadcast.video",
        )
    if block.get("games") == "recorded":
        w.say(_("Games are recorded; they can be searched and downloaded on the event's page."), "broadcast.games")
    w.own_clauses("broadcast")


def readings(w: Writer) -> None:
    """How questions the text could leave open are settled, with the clause each belongs to."""
    for index, reading in enumerate(w.rows("readings")):
        value = value_at(w.data, str(reading.get("path", "")))
        chosen = next(
            (
                option
                for option in reading.get("options") or []
                if isinstance(option, Mapping) and option.get("value") == value
            ),
            None,
        )
        if chosen is None:
            continue
        w.say(
            f"{w.words(reading.get('question'))} {w.words(chosen.get('label'))}.",
            f"readings[{index}]",
            clause=reading.get("clause"),
        )
