"""Third-party files for the browser: copies them out of `node_modules` and builds one sprite of the icons in use.

`python -m tourney.assets NODE_MODULES TARGET` is the step of `make setup` that fills `static/vendor`. It uses the
standard library only, because it runs before anything else stands.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

# What is served, by its path in node_modules and its path under static/vendor.
FILES = {
    "dejavu-fonts-ttf/ttf/DejaVuSerif.ttf": "dejavu/DejaVuSerif.ttf",  # of diplomas: has Cyrillic letters
    "dejavu-fonts-ttf/ttf/DejaVuSerif-Bold.ttf": "dejavu/DejaVuSerif-Bold.ttf",
    "bootstrap/dist/css/bootstrap.min.css": "bootstrap/bootstrap.min.css",
    "htmx.org/dist/htmx.min.js": "htmx/htmx.min.js",
    "qr/index.js": "qr/index.js",  # draws the codes by which a tablet hands its entries over
    "qr/decode.js": "qr/decode.js",  # reads them, where the browser itself can't
}

# Our name -> the name of the drawing in bootstrap-icons. The icon tag refuses any other name.
ICONS = {
    "add": "plus-lg",
    "arrow-left": "arrow-left",
    "arrow-right": "arrow-right",
    "bell": "bell",
    "board": "grid-3x3-gap",
    "bracket": "diagram-2",
    "calendar": "calendar3",
    "call": "megaphone",
    "chart": "graph-up",
    "check": "check-lg",
    "clock": "clock",
    "close": "x-lg",
    "copy": "copy",
    "danger": "exclamation-octagon",
    "delete": "trash3",
    "done": "check-circle",
    "download": "download",
    "edit": "pencil",
    "history": "clock-history",
    "info": "info-circle",
    "inbox": "inbox",
    "key": "key",
    "link": "link-45deg",
    "list": "list-ol",
    "lock": "lock",
    "mail": "envelope",
    "menu": "list",
    "minus": "dash-lg",
    "money": "cash-coin",
    "need": "exclamation-triangle",
    "person": "person",
    "people": "people",
    "phone": "telephone",
    "pin": "geo-alt",
    "play": "play-fill",
    "prize": "trophy",
    "print": "printer",
    "publish": "broadcast",
    "qr": "qr-code",
    "rules": "journal-text",
    "screen": "display",
    "search": "search",
    "settings": "sliders",
    "shuffle": "shuffle",
    "swap": "arrow-left-right",
    "theme-auto": "circle-half",
    "theme-dark": "moon-stars",
    "theme-light": "sun",
    "ticket": "ticket-perforated",
    "undo": "arrow-counterclockwise",
    "upload": "upload",
    "why": "question-circle",
}

SPRITE = "icons.svg"
_SVG = re.compile(r"<svg[^>]*viewBox=\"([^\"]+)\"[^>]*>(.*)</svg>", re.DOTALL)
_BETWEEN_TAGS = re.compile(r">\s+<")
_SOURCE_MAP = re.compile(rb"\s*(?:/\*# sourceMappingURL=[^*]*\*/|//# sourceMappingURL=\S+)\s*$")


def copy_files(node_modules: Path, target: Path) -> None:
    """Copy the served files. Their source-map lines go: the maps are not served and a manifest would miss them."""
    for source, destination in FILES.items():
        copied = target / destination
        copied.parent.mkdir(parents=True, exist_ok=True)
        copied.write_bytes(_SOURCE_MAP.sub(b"\n", (node_modules / source).read_bytes()))
    for package in sorted({source.split("/")[0] for source in FILES} | {"bootstrap-icons"}):
        licence = node_modules / package / "LICENSE"
        if licence.is_file():
            (target / "licences").mkdir(parents=True, exist_ok=True)
            shutil.copyfile(licence, target / "licences" / f"{package}.txt")


def sprite(folder: Path) -> str:
    """Return one SVG file with a symbol for every icon in `ICONS`, drawn from the folder of single icons."""
    symbols = []
    for name, drawing in sorted(ICONS.items()):
        match = _SVG.search((folder / f"{drawing}.svg").read_text(encoding="utf-8"))
        if match is None:
            raise ValueError(f"not an icon: {drawing}.svg")
        view_box, content = match.groups()
        content = _BETWEEN_TAGS.sub("><", content.strip())
        symbols.append(f'<symbol id="{name}" viewBox="{view_box}">{content}</symbol>')
    return f'<svg xmlns="http://www.w3.org/2000/svg">{"".join(symbols)}</svg>\n'


def build(node_modules: Path, target: Path) -> None:
    """Fill the folder of third-party files."""
    copy_files(node_modules, target)
    (target / SPRITE).write_text(sprite(node_modules / "bootstrap-icons" / "icons"), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run as `python -m tourney.assets NODE_MODULES TARGET`."""
    if len(arguments) != 2:
        print("usage: python -m tourney.assets NODE_MODULES TARGET", file=sys.stderr)
        return 2
    build(Path(arguments[0]), Path(arguments[1]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
