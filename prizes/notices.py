"""The letter to a winner: what was won, where and when it is handed over, and what if nobody comes (M9.2, M9.3).

The job carries the number of the event row only; address and words are read when the letter is written.
"""

from __future__ import annotations

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.translation import gettext as _

from prizes.models import AwardEvent
from prizes.selectors.awards import awards_of
from prizes.services.awards import addresses_of
from prizes.words import award_words
from tourney import queue


def send_notice(event_id: int) -> bool:
    """Send one letter in the event's language; False when there is nobody to write to or nothing is due any more."""
    event = AwardEvent.objects.select_related("section__tournament", "entry__player").filter(pk=event_id).first()
    if event is None:
        return False
    tournament = event.section.tournament
    queue.wait_if_moved(tournament)
    address = addresses_of([event.entry_id]).get(event.entry_id)
    due = [one for one in awards_of(tournament, event.section, event.entry).statuses if one.state == "due"]
    if not address or not due:
        return False
    with translation.override(tournament.language):
        subject = _("Your award: %(event)s") % {"event": tournament.title_text}
        body = render_to_string(
            "prizes/mail/notice.txt",
            {
                "tournament": tournament,
                "section": event.section,
                "entry": event.entry,
                "awards": [award_words(one) for one in due],
                "place_and_time": event.note,
            },
        )
        EmailMessage(
            subject=" ".join(subject.split()),
            body=body,
            to=[address],
            reply_to=[tournament.contact_email] if tournament.contact_email else None,
            from_email=settings.DEFAULT_FROM_EMAIL,
        ).send()
    return True
