"""Forms of the page of report files: which letters the file has, and a file to look at."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from swiss.exchange import LATIN, OWN

MAX_BYTES = 2_000_000


class TakeOutForm(forms.Form):
    """How a stage is written."""

    letters = forms.ChoiceField(
        label=gettext_lazy("Names"),
        choices=[
            (LATIN, gettext_lazy("in Latin letters, for FIDE and other countries")),
            (OWN, gettext_lazy("as they are written, in Cyrillic letters")),
        ],
        widget=forms.RadioSelect,
        initial=LATIN,
    )
    national = forms.BooleanField(
        label=gettext_lazy("National lines: national rating and number, the name as it is written"),
        required=False,
        initial=True,
    )


class TrfFileForm(forms.Form):
    """A report file to check and, perhaps, to bring in."""

    file = forms.FileField(
        label=gettext_lazy("Report file"),
        max_length=200,
        widget=forms.ClearableFileInput(attrs={"accept": ".trf,.trfx,.txt,text/plain"}),
        help_text=gettext_lazy("TRF16, TRFx or TRF26, up to 2 MB, in UTF-8 or a Windows code page."),
        error_messages={
            "required": gettext_lazy("Choose a file."),
            "empty": gettext_lazy("The file is empty."),
        },
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(_("A file may have up to %(limit)s MB.") % {"limit": MAX_BYTES // 1_000_000})
        return file

    def content(self) -> bytes:
        """Return the bytes of the file."""
        return bytes(self.cleaned_data["file"].read())


def packed(content: bytes) -> str:
    """Return a file as text for a hidden field: what was looked at is what is brought in."""
    return base64.b64encode(content).decode()


def unpacked(text: str) -> bytes | None:
    """Return the file in a hidden field; None for what isn't one."""
    try:
        content = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    return content if 0 < len(content) <= MAX_BYTES else None


def player_lines(content: bytes) -> int:
    """Return about how many players a file has, without reading it."""
    return sum(
        1 for line in content.replace(b"\r", b"\n").split(b"\n") if line.startswith((b"001", b"\xef\xbb\xbf001"))
    )
