"""Tags of pages for everybody: plain text with links."""

from __future__ import annotations

from django import template
from django.utils.html import linebreaks, urlize
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def linked(text: str) -> SafeString:
    """`{{ item.body_text|linked }}`: paragraphs of plain text in which web and mail addresses can be followed.

    Everything is escaped; only http, https and mailto addresses become links, and those carry `rel="nofollow"`.
    """
    # `linebreaks` escapes first: what `urlize` sees then holds no tags, and it leaves entities alone.
    return mark_safe(urlize(mark_safe(linebreaks(text, autoescape=True)), nofollow=True))  # noqa: S308
