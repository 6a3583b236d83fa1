"""Pages for who forgot a password: ask for a link, set a new one; and the account's address the link is sent to."""

from __future__ import annotations

from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.account.views import PasswordResetFromKeyView
from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils.decorators import method_decorator
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tourney.kernel.errors import TourneyError
from tourney.labels import sentence
from tourney.permissions import LoginNeeded
from tourney.sign_in import letters
from tourney.sign_in.adapters import too_often
from tourney.sign_in.forms import AddressForm
from tourney.sign_in.guard import TooOften


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for a link by mail. The answer is the same for every address, known or not."""
    form = AddressForm(request.POST or None)
    base = letters.base_of(request)
    context: dict[str, Any] = {"form": form, "possible": bool(base), "hours": settings.PASSWORD_RESET_TIMEOUT // 3600}
    status = 200
    if request.method == "POST" and base:
        status = 422
        if form.is_valid():
            try:
                letters.count_letter(request, form.cleaned_data["address"])
            except TooOften as error:
                return _wait(request, "sign_in/forgotten.html", context, error)
            letters.ask_for_link(form.cleaned_data["address"], base=base)
            return render(request, "sign_in/forgotten.html", context | {"asked": True})
    return render(request, "sign_in/forgotten.html", context, status=status)


def _wait(request: HttpRequest, template: str, context: dict[str, Any], error: TooOften) -> HttpResponse:
    words = too_often(error).message
    answer = render(request, template, context | {"too_often": words}, status=429)
    answer["Retry-After"] = str(error.seconds)
    return answer


@method_decorator(never_cache, name="dispatch")
class NewPasswordView(PasswordResetFromKeyView):  # type: ignore[misc]
    """Set a new password by the link of a letter. Nobody is signed in by it: a second factor is still asked for."""

    template_name = "sign_in/new_password.html"
    success_url = reverse_lazy("login")

    def form_valid(self, form: Any) -> HttpResponse:
        answer: HttpResponse = super().form_valid(form)
        messages.success(self.request, _("The password is changed. Sign in with it now."))
        return answer

    def form_invalid(self, form: Any) -> HttpResponse:
        return self.render_to_response(self.get_context_data(form=form), status=422)  # type: ignore[no-any-return]


new_password = NewPasswordView.as_view()


# -- the address of an account ---------------------------------------------------------------------------------------


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def address(request: HttpRequest) -> HttpResponse:
    """The address that brings a password back: asked for here, taken once its owner opens the letter to it."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    return _address(request)


@reauthentication_required
def _address(request: HttpRequest) -> HttpResponse:
    known = letters.address_of_account(request.user)
    if request.method == "POST" and request.POST.get("act") == "remove":
        letters.forget_address(request.user)
        messages.success(request, _("The address is taken away."))
        return redirect("account")
    proposed = {"address": "" if known else request.user.email}
    form, base = AddressForm(request.POST or None, initial=proposed), letters.base_of(request)
    context: dict[str, Any] = {"form": form, "known": known, "possible": bool(base)}
    if request.method == "POST" and base and form.is_valid():
        try:
            letters.count_letter(request, form.cleaned_data["address"])
        except TooOften as error:
            return _wait(request, "sign_in/address.html", context, error)
        letters.ask_for_proof(request.user, form.cleaned_data["address"], base=base)
        messages.success(request, _("A letter with a link is on its way. The address counts once you open it."))
        return redirect("account")
    return render(request, "sign_in/address.html", context, status=422 if form.is_bound else 200)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def proof(request: HttpRequest, token: str) -> HttpResponse:
    """The link of that letter. Programs that look at links only look: the button takes the address."""
    if not request.user.is_authenticated:
        raise LoginNeeded(request.get_full_path())
    try:
        if request.method == "POST":
            letters.prove(token, request.user)
            messages.success(request, _("The address is yours. A forgotten password can be brought back by it."))
            return redirect("account")
        asked = letters.asked_by(token, request.user)
    except TourneyError as refused:
        return render(request, "refused.html", {"sentence": sentence(refused)}, status=404)
    return render(request, "sign_in/address_proof.html", {"address": asked.email})
