"""At the boards: who isn't there and what follows from it (M7.4), and slips to sign."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from swiss import boards as board_values
from swiss import services
from swiss.models import Pairing, Round
from swiss.plans import lateness_of
from swiss.selectors import scoring_of
from swiss.views.places import frame, staff_round
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.permissions import may
from tourney.views.stopping import stop_values


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def lateness(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """Boards without a result: who isn't there, when the time is over, and the forfeit that follows."""
    place, shown = staff_round(request, slug, section, number, "enter_results")
    tournament, one, stage = place
    if shown.state == Round.State.DRAFT:
        return redirect("manage_round", slug=slug, section=one.code, number=number)
    if request.method == "POST":
        _decide(request, shown)
        return redirect("manage_lateness", slug=slug, section=one.code, number=number)
    boards = [board for board in board_values.boards_of(shown, stage, staff=True) if board.open]
    deadline = services.deadline_of(shown, stage)
    rule = lateness_of(stage)
    over = deadline is not None and timezone.now() > deadline
    noted = [b for b in boards if b.pairing.absent_white or b.pairing.absent_black]
    context = frame(
        request,
        tournament,
        one,
        "round",
        stage=stage,
        round=shown,
        noted=noted,
        others=[board for board in boards if board not in noted],
        deadline=deadline,
        minutes=rule.minutes if rule else None,
        over=over,
        seconds_left=int((deadline - timezone.now()).total_seconds()) if deadline is not None else 0,
        paused=stage.pauses.filter(ended_at__isnull=True).first(),
        stop=stop_values(request, tournament),
        round_url=reverse("manage_round", args=[slug, one.code, number]),
        may_start=shown.started_at is None and may(request, tournament, "arbitrate"),
    )
    context["sub_nav"] = []
    return render(request, "swiss/manage_lateness.html", context)


def _decide(request: HttpRequest, shown: Round) -> None:
    text = request.POST.get("pairing", "")
    pairing = Pairing.objects.filter(round=shown, pk=int(text) if text.isdecimal() and len(text) < 18 else 0).first()
    if pairing is None:
        raise Http404
    act = request.POST.get("act", "")
    try:
        if act == "forfeit":
            services.forfeit_absent(pairing.pk, actor=request.user)
            messages.success(request, _("Board %(board)s is decided.") % {"board": pairing.board})
        elif act in ("white", "black", "both", "arrived"):
            services.note_absent(
                pairing.pk,
                white=act in ("white", "both"),
                black=act in ("black", "both"),
                actor=request.user,
            )
        else:
            raise Http404
    except TourneyError as refused:
        messages.error(request, sentence(refused))


@require_safe
def slips(request: HttpRequest, slug: str, section: str, number: int) -> HttpResponse:
    """Result slips of a round for both players to sign."""
    (tournament, one, stage), shown = staff_round(request, slug, section, number, "enter_results")
    boards = [board for board in board_values.boards_of(shown, stage, staff=True) if board.black is not None]
    return render(
        request,
        "swiss/print_slips.html",
        {
            "tournament": tournament,
            "section": one,
            "round": shown,
            "boards": boards,
            "back_url": reverse("manage_round", args=[slug, one.code, number]),
            "win": scoring_of(stage).win,
        },
    )
