"""Pages of an account: signing in, its second factors, its devices, its password, and taking an invitation."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.views import LoginView
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, update_session_auth_hash
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tourney.devices import short_name
from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.permissions import LoginNeeded
from tourney.sign_in import guard
from tourney.sign_in.adapters import TOO_OFTEN
from tourney.sign_in.forms import JoinForm, PasswordForm
from tourney.sign_in.invitations import accept, invitation_of, join
from tourney.sign_in.letters import address_of_account
from tourney.sign_in.needs import ROLES, has_second_factor

BACKEND = "django.contrib.auth.backends.ModelBackend"


class SignInView(LoginView):  # type: ignore[misc]
    """Name and password. Too many tries are 429 and cost no hashing."""

    template_name = "tourney/sign_in.html"

    def get_form_kwargs(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_form_kwargs()
        if "data" in found:
            # Password managers know this page's field by the name it always had.
            sent: QueryDict = found["data"].copy()
            sent["login"] = sent.get("username", "")[:150]
            found["data"] = sent
        return found

    def form_invalid(self, form: Any) -> HttpResponse:
        tries = [error for error in form.non_field_errors().as_data() if error.code == TOO_OFTEN]
        context = self.get_context_data(form=form, too_often=tries[0].message if tries else "")
        answer = self.render_to_response(context)
        if tries:
            answer.status_code = 429
            answer["Retry-After"] = str(tries[0].params["seconds"])
        return answer

    def get_context_data(self, **more: Any) -> dict[str, Any]:
        found: dict[str, Any] = super().get_context_data(**more)
        found["next"] = self.request.POST.get("next") or self.request.GET.get("next", "")
        return found


sign_in = SignInView.as_view()


def _signed_in(request: HttpRequest) -> None:
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())


@never_cache
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Everything about one's own sign-in: second factors, recovery codes, devices, password."""
    _signed_in(request)
    found = list(Authenticator.objects.filter(user=request.user.pk).order_by("pk"))
    codes = next((one.wrap() for one in found if one.type == Authenticator.Type.RECOVERY_CODES), None)
    sessions = UserSession.objects.purge_and_list(request.user)
    for one in sessions:
        one.device = short_name(one.user_agent)  # type: ignore[attr-defined]
    runs_something = request.user.is_superuser or request.user.staff_roles.filter(role__in=ROLES).exists()
    return render(
        request,
        "sign_in/account.html",
        {
            "app": next((one for one in found if one.type == Authenticator.Type.TOTP), None),
            "keys": [one for one in found if one.type == Authenticator.Type.WEBAUTHN],
            "codes_left": len(codes.get_unused_codes()) if codes else 0,
            "has_codes": codes is not None,
            "sessions": sorted(sessions, key=lambda one: (not one.is_current(), -one.created_at.timestamp())),
            "needed": settings.SECOND_FACTOR and runs_something and not has_second_factor(request.user),
            "back": _safe_next(request),
            "address": address_of_account(request.user),
        },
    )


def _safe_next(request: HttpRequest) -> str:
    """Return where to go on, if that is a page of ours."""
    wanted = request.GET.get("next", "")
    mine = url_has_allowed_host_and_scheme(
        wanted, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return wanted if mine else ""


@require_POST
def end_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out everywhere but here."""
    _signed_in(request)
    others = [one for one in UserSession.objects.filter(user=request.user) if not one.is_current()]
    for one in others:
        one.end()
    messages.success(request, _("You are signed out everywhere else."))
    return redirect("account")


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def password(request: HttpRequest) -> HttpResponse:
    """A new password. It ends every other session: Django ties them to the password."""
    _signed_in(request)
    return _new_password(request)


@reauthentication_required
def _new_password(request: HttpRequest) -> HttpResponse:
    form = PasswordForm(request.POST or None, user=request.user)
    if request.method == "POST" and form.is_valid():
        request.user.set_password(form.cleaned_data["password"])
        request.user.save(update_fields=["password"])
        update_session_auth_hash(request, request.user)
        UserSession.objects.create_from_request(request)
        messages.success(request, _("The password is changed. You are signed out everywhere else."))
        return redirect("account")
    return render(request, "sign_in/password.html", {"form": form}, status=422 if form.is_bound else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Take a role in an event: with the account one is signed in with, or with a new one."""
    try:
        found = invitation_of(token)
    except TourneyError as refused:
        return render(request, "refused.html", {"sentence": sentence(refused)}, status=404)
    form = JoinForm(request.POST if request.method == "POST" and not request.user.is_authenticated else None)
    problem = ""
    if request.method == "POST":
        try:
            if request.user.is_authenticated:
                accept(token, request.user)
                return redirect("manage_event", slug=found.tournament.slug)
            if form.is_valid():
                name = form.cleaned_data["username"]
                _made, user = join(token, username=name, password=form.cleaned_data["password"])
                login(request, user, backend=BACKEND)
                UserSession.objects.create_from_request(request)
                answer = redirect("manage_event", slug=found.tournament.slug)
                guard.remember_browser(answer, name, secure=bool(settings.SESSION_COOKIE_SECURE))
                return answer
        except TourneyError as refused:
            if refused.code == "invitation.name_taken":
                form.add_error("username", sentence(refused))
            else:
                problem = sentence(refused)
    context = {"invitation": found, "tournament": found.tournament, "form": form, "problem": problem}
    status = 422 if form.is_bound else 409 if problem else 200
    return render(request, "sign_in/invitation.html", context, status=status)
