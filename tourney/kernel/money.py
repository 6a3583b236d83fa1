"""Money: whole minor units (kopiykas, kopecks, cents) and a currency. Two currencies never mix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation

MINOR_UNITS = 100  # every currency we sell in has two decimals


@dataclass(frozen=True, slots=True, order=True)
class Money:
    """An amount in minor units; `Money(50_000, "UAH")` is 500 hryvnias."""

    minor: int
    currency: str

    @classmethod
    def parse(cls, text: str | int, currency: str) -> Money:
        """Return the amount written in major units (``"600"``, ``"600.50"``, ``"1 200,50"``); ValueError otherwise."""
        cleaned = str(text).replace("\u00a0", "").replace("\u202f", "").replace(" ", "").replace(",", ".")
        try:
            minor = Decimal(cleaned) * MINOR_UNITS
        except InvalidOperation as error:
            raise ValueError(f"not an amount: {text!r}") from error
        if not minor.is_finite() or minor != minor.to_integral_value():
            raise ValueError(f"not a whole number of minor units: {text!r}")
        return cls(int(minor), currency)

    @property
    def major(self) -> Decimal:
        """The amount in major units, exact, with two decimals."""
        return Decimal(self.minor).scaleb(-2)

    def __str__(self) -> str:
        return f"{self.major:.2f} {self.currency}"

    def __add__(self, other: Money) -> Money:
        return Money(self.minor + self._same(other).minor, self.currency)

    def __sub__(self, other: Money) -> Money:
        return Money(self.minor - self._same(other).minor, self.currency)

    def __neg__(self) -> Money:
        return Money(-self.minor, self.currency)

    def __bool__(self) -> bool:
        return self.minor != 0

    def times(self, factor: Decimal) -> Money:
        """Return the amount times a factor, rounded half up to the minor unit (the rule for percentages of a fee)."""
        return Money(int((Decimal(self.minor) * factor).quantize(Decimal(1), ROUND_HALF_UP)), self.currency)

    def _same(self, other: Money) -> Money:
        if other.currency != self.currency:
            raise ValueError(f"two currencies: {self.currency} and {other.currency}")
        return other


def total(amounts: Iterable[Money], currency: str) -> Money:
    """Return the sum of amounts of one currency (zero for none)."""
    result = Money(0, currency)
    for amount in amounts:
        result = result + amount
    return result
