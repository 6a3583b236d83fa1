"""What tests do with a tablet's page in a browser: reading the codes on its screen."""

from __future__ import annotations

import re
from typing import Any

# The picture on the screen, read by the library that reads what a camera sees.
_READ = """async (library) => {
  const { BarcodeDetector } = await import(library);
  const canvas = document.querySelector("#codes-shown canvas");
  const seen = document.createElement("canvas");
  seen.width = seen.height = canvas.width * 5;  // as large as on the screen
  const pen = seen.getContext("2d");
  pen.imageSmoothingEnabled = false;
  pen.drawImage(canvas, 0, 0, seen.width, seen.height);
  return (await new BarcodeDetector({ formats: ["qr_code"] }).detect(seen))[0]?.rawValue ?? "";
}"""


def network_lost(page: Any) -> None:
    """Cut a tablet off once it can draw codes: it fetches what draws them a moment after its page is usable."""
    library = page.locator("#codes-shown").get_attribute("data-library")
    page.wait_for_function(
        "(library) => performance.getEntriesByType('resource').some((one) => one.name.endsWith(library))", arg=library
    )
    page.context.set_offline(True)


def codes_shown(page: Any) -> set[str]:
    """Return the text of every code a tablet shows, and close them."""
    (number,) = re.findall(r"of (\d+)", page.locator("#codes-which").inner_text())
    library = page.locator("#codes-read").get_attribute("data-library")
    texts = set()
    for _ in range(int(number)):
        texts.add(page.evaluate(_READ, library))
        if int(number) > 1:
            page.locator("[data-turn='1']").tap()
    page.keyboard.press("Escape")
    assert len(texts) == int(number)
    return texts
