"""Shows what an app adds to a core page (`tourney.panels.Panel`)."""

from __future__ import annotations

from typing import Any

from django import template
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from tourney.panels import Panel

register = template.Library()

# What every panel may rely on beside its own context.
AROUND = ("tournament", "section", "entry", "can", "is_staff")


@register.simple_tag(takes_context=True)
def panel(context: template.Context, shown: Panel) -> SafeString:
    """`{% panel shown %}`: the panel's template with its own context and the page's event."""
    around: dict[str, Any] = {key: context[key] for key in AROUND if key in context}
    return render_to_string(shown.template, {**around, **shown.context}, request=context.get("request"))
