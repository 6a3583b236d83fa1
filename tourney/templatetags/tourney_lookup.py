"""One filter: a value of a mapping by a key that is itself a variable."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def item(mapping: Mapping[Any, Any], key: Any) -> Any:
    """`{{ roles|item:event.pk }}`: the value under a key, None when there is none."""
    return mapping.get(key)
