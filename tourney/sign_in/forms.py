"""Forms of signing in: the library's, with our limits, our words and the names our pages use."""

from __future__ import annotations

from typing import Any

from allauth.account.forms import LoginForm
from allauth.mfa.base.forms import AuthenticateForm, ReauthenticateForm
from allauth.mfa.totp.forms import ActivateTOTPForm
from allauth.mfa.webauthn.forms import AuthenticateWebAuthnForm, ReauthenticateWebAuthnForm
from django import forms
from django.contrib.auth import get_user_model, password_validation
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from tourney.models import StaffRole
from tourney.sign_in import guard
from tourney.sign_in.adapters import too_often


class SignInForm(LoginForm):  # type: ignore[misc]
    """Name and password."""

    @property
    def username(self) -> str:
        """What was typed, for the page that comes back."""
        return str(self.data.get("login", ""))


class _Limited:
    """Counts a try before the code is looked at; a right one is taken back."""

    user: Any

    def _limited(self, clean: Any) -> Any:
        try:
            attempt = guard.begin_code(self.user.pk)
        except guard.TooOften as error:
            raise too_often(error) from None
        found = clean()
        attempt.succeeded()
        return found


def _say(form: forms.Form) -> None:
    field = form.fields["code"]
    field.label = _("Code")
    field.help_text = _("Six digits from the app, or one of your recovery codes.")
    field.widget.attrs = {"autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True}


class CodeForm(_Limited, AuthenticateForm):  # type: ignore[misc]
    """The second factor's code at sign-in."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _say(self)

    def clean_code(self) -> Any:
        return self._limited(super().clean_code)


class CodeAgainForm(_Limited, ReauthenticateForm):  # type: ignore[misc]
    """The code once more, before something of the account is changed."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        _say(self)

    def clean_code(self) -> Any:
        return self._limited(super().clean_code)


class KeyForm(_Limited, AuthenticateWebAuthnForm):  # type: ignore[misc]
    def clean_credential(self) -> Any:
        return self._limited(super().clean_credential)


class KeyAgainForm(_Limited, ReauthenticateWebAuthnForm):  # type: ignore[misc]
    def clean_credential(self) -> Any:
        return self._limited(super().clean_credential)


class AppForm(ActivateTOTPForm):  # type: ignore[misc]
    """The first code of an app that has just read the QR code."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        field = self.fields["code"]
        field.label = _("The code your app shows now")
        field.widget.attrs = {"autocomplete": "one-time-code", "inputmode": "numeric"}


# -- passwords and invitations ---------------------------------------------------------------------------------------


def check_password(form: forms.Form, user: Any) -> None:
    """Add to a form what is wrong with a new password typed twice (fields `password` and `again`)."""
    password, again = form.cleaned_data.get("password"), form.cleaned_data.get("again")
    if password and again and password != again:
        form.add_error("again", _("The two passwords differ."))
    if password:
        try:
            password_validation.validate_password(password, user)
        except ValidationError as refused:
            form.add_error("password", refused)


def _new_password(label: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        strip=False,
        max_length=200,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class PasswordForm(forms.Form):
    """A new password for whoever is signed in and has just proven to be that person."""

    password = _new_password(_("New password"))
    again = _new_password(_("Password once more"))

    def __init__(self, *args: Any, user: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.user = user
        self.fields["password"].help_text = _("At least 8 characters; a few unrelated words are best.")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        check_password(self, self.user)
        return data


class NewPasswordForm(PasswordForm):
    """The new password of somebody who came by the link of a letter."""

    def __init__(self, *args: Any, user: Any, temp_key: str, **options: Any) -> None:
        super().__init__(*args, user=user, **options)

    def save(self) -> None:
        self.user.set_password(self.cleaned_data["password"])
        self.user.save(update_fields=["password"])


class AddressForm(forms.Form):
    """An e-mail address of somebody with an account."""

    address = forms.EmailField(
        label=_("E-mail"), max_length=254, widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )


class InviteForm(forms.Form):
    """Whom the organizer invites, and to what."""

    prefix = "invite"  # beside the form that gives a role at once

    label = forms.CharField(label=_("Who it is for"), max_length=80, help_text=_("A name that tells you who it is."))
    role = forms.ChoiceField(label=_("Role"), choices=StaffRole.Role.choices, initial=StaffRole.Role.ARBITER)


class JoinForm(forms.Form):
    """The account of somebody who follows an invitation and has none yet."""

    username = forms.CharField(
        label=_("Sign-in name"),
        min_length=3,
        max_length=150,
        validators=[UnicodeUsernameValidator()],
        widget=forms.TextInput(attrs={"autocomplete": "username", "autocapitalize": "none"}),
    )
    password = _new_password(_("Password"))
    again = _new_password(_("Password once more"))

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fields["password"].help_text = _("At least 8 characters; a few unrelated words are best.")

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        check_password(self, get_user_model()(username=data.get("username", "")))
        return data
