"""Staff pages about people in a stage: the roll-call before a round, leaving and coming back."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from swiss import services
from swiss.forms import ReasonForm, WithdrawForm
from swiss.models import Round
from swiss.selectors import PUBLIC_STATES, entries_of
from swiss.services import WithdrawalEffect
from swiss.views.places import frame, staff_stage
from tourney.kernel.by_the_book import AskFirst
from tourney.kernel.errors import TourneyError
from tourney.kernel.outcomes import ByeKind
from tourney.labels import sentence
from tourney.models import Entry, Stage
from tourney.views.asking import ask_first, knowing

KINDS = ("", ByeKind.HALF.value, ByeKind.ZERO.value, ByeKind.FULL.value)


# -- roll-call -------------------------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def presence(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Who plays the next round. Everybody does, unless marked otherwise; `?from=desk` proposes who has not arrived."""
    tournament, one, stage = staff_stage(request, slug, section)
    newest = stage.rounds.order_by("-number").first()
    number = (newest.number if newest else 0) + 1
    entries = services.entries_for_round(entries_of(stage), number)
    byes = dict(stage.bye_requests.filter(round_number=number).values_list("entry_id", "kind"))
    blocked = _roll_blocked(stage, newest, number)
    chosen, refusal, status, limit = byes, "", 200, False
    if request.method == "POST":
        if blocked:
            messages.error(request, blocked)
            return redirect("manage_presence", slug=slug, section=one.code)
        chosen = _chosen(request, entries)
        try:
            absent = services.call_roll(
                stage.pk,
                round_number=number,
                absences=chosen,
                actor=request.user,
                reason=request.POST.get("reason", ""),
                confirmed=bool(request.POST.get("confirmed")),
                knowing=knowing(request),
            )
        except AskFirst as question:
            return ask_first(request, question, partial(frame, request, tournament, one, "presence"), request.path)
        except TourneyError as refused:
            refusal, status = sentence(refused), 422
            limit = refused.code in ("bye.half_limit", "bye.half_late")
        else:
            words = ngettext("%(n)d player misses round %(round)s.", "%(n)d players miss round %(round)s.", absent)
            text = words % {"n": absent, "round": number} if absent else _("Everybody plays round %(round)s.")
            messages.success(request, text % {"round": number} if not absent else text)
            return redirect("manage_rounds", slug=slug, section=one.code)
    elif request.GET.get("from") == "desk":
        chosen = byes | {
            entry.pk: ByeKind.ZERO.value for entry in entries if not entry.present and entry.pk not in byes
        }
    rows = [
        {"entry": entry, "kind": chosen.get(entry.pk, "")}
        for entry in sorted(entries, key=lambda entry: entry.player.name.casefold())
    ]
    context = frame(
        request,
        tournament,
        one,
        "presence",
        stage=stage,
        number=number,
        rows=rows,
        blocked=blocked,
        refusal=refusal,
        asks=limit or any(row["kind"] == ByeKind.FULL.value for row in rows) or bool(refusal),
        limit=limit,
        reason=request.POST.get("reason", ""),
        absent=sum(1 for row in rows if row["kind"]),
        not_arrived=sum(1 for entry in entries if not entry.present),
        arrived=sum(1 for entry in entries if entry.present),
    )
    return render(request, "swiss/manage_presence.html", context, status=status)


def _roll_blocked(stage: Stage, newest: Round | None, number: int) -> str:
    """Return why there is no roll-call now, or nothing."""
    if stage.kind != Stage.Kind.SWISS:
        return _("A round robin has no byes: the table says who plays whom, and who does not come loses by forfeit.")
    if newest is not None and newest.state == Round.State.DRAFT:
        return _("Round %(round)s is a draft; discard it to call the roll again.") % {"round": newest.number}
    if stage.rounds_total and number > stage.rounds_total:
        return _("All %(rounds)s rounds are paired.") % {"rounds": stage.rounds_total}
    return ""


def _chosen(request: HttpRequest, entries: list[Entry]) -> dict[int, str]:
    """Return the marks of the form; an unknown mark is a 404, a missing one means "plays"."""
    chosen = {}
    for entry in entries:
        kind = request.POST.get(f"e{entry.pk}", "")
        if kind not in KINDS:
            raise Http404
        if kind:
            chosen[entry.pk] = kind
    return chosen


# -- leaving and coming back -----------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, slug: str, section: str) -> HttpResponse:
    """Take a player out, after the consequences are said; or let one come back."""
    tournament, one, stage = staff_stage(request, slug, section)
    entries = entries_of(stage)
    playing = [entry for entry in entries.values() if entry.is_active and entry.left_after_round is None]
    left = [entry for entry in entries.values() if not (entry.is_active and entry.left_after_round is None)]
    last = stage.rounds.filter(state__in=PUBLIC_STATES).count()
    form = WithdrawForm(entries=playing, last=last, initial={"after_round": last})
    back = ReasonForm(auto_id="back_%s")
    effect: list[str] = []
    status, ready, returning = 200, False, 0
    if request.method == "POST" and request.POST.get("act") == "return":
        back = ReasonForm(request.POST, auto_id="back_%s")
        text = request.POST.get("entry", "")
        returning = int(text) if text.isdecimal() and len(text) < 18 else 0
        if returning not in entries:
            raise Http404
        if back.is_valid():
            try:
                first = services.return_player(
                    stage.pk, entry_id=returning, actor=request.user, reason=back.cleaned_data["reason"]
                )
            except TourneyError as refused:
                back.add_error(None, sentence(refused))
            else:
                messages.success(
                    request,
                    _("%(name)s plays again from round %(round)s.")
                    % {"name": entries[returning].player.name, "round": first},
                )
                return redirect("manage_withdraw", slug=slug, section=one.code)
        status = 422
    elif request.method == "POST":
        form = WithdrawForm(request.POST, entries=playing, last=last)
        if form.is_valid():
            data = form.cleaned_data
            entry = entries[data["entry"]]
            try:
                if request.POST.get("confirmed"):
                    services.withdraw_player(
                        stage.pk,
                        entry_id=entry.pk,
                        after_round=data["after_round"],
                        actor=request.user,
                        reason=data["reason"],
                    )
                    messages.success(request, _("%(name)s has left.") % {"name": entry.player.name})
                    return redirect("manage_withdraw", slug=slug, section=one.code)
                effect = effect_lines(stage, services.withdrawal_effect(stage, entry, data["after_round"]))
                ready = True
            except TourneyError as refused:
                form.add_error(None, sentence(refused))
        status = 200 if ready else 422
    context = frame(
        request,
        tournament,
        one,
        "withdraw",
        stage=stage,
        form=form,
        back=back,
        left=left,
        returning=returning,
        effect=effect,
        ready=ready,
        over=stage.state in (Stage.State.FINISHED, Stage.State.CLOSED),
        chosen=entries.get(form.cleaned_data["entry"]) if ready else None,
    )
    return render(request, "swiss/manage_withdraw.html", context, status=status)


def effect_lines(stage: Stage, effect: WithdrawalEffect) -> list[str]:
    """Say what leaving will do, before it is done."""
    lines = []
    if effect.open_board is not None:
        lines.append(
            _("The game of round %(round)s on board %(board)s is lost by forfeit.")
            % {"round": effect.open_round, "board": effect.open_board}
        )
    if stage.kind == Stage.Kind.ROUND_ROBIN:
        games = {"played": effect.games_played, "planned": effect.games_planned}
        lines.append(_("Games played: %(played)s of %(planned)s.") % games)
        if effect.counts:
            lines.append(_("That is half or more: these results stay, all other games are lost by forfeit."))
        else:
            lines.append(
                _("That is less than half: the results stay in the crosstable, but count for nobody in the standings.")
            )
    elif effect.rounds_left:
        lines.append(_("What was played stays. In the rounds to come the player is not paired and gets no points."))
    lines.append(_("The player stays in the start list and in the standings, marked as withdrawn."))
    return lines
