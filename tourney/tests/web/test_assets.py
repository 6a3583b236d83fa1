"""Third-party files: what setup lays out for the browser."""

from __future__ import annotations

from pathlib import Path

import pytest

from tourney import assets


@pytest.fixture
def node_modules(tmp_path: Path) -> Path:
    root = tmp_path / "node_modules"
    for source in assets.FILES:
        path = root / source
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("body{}\n/*# sourceMappingURL=bootstrap.min.css.map */\n", encoding="utf-8")
    icons = root / "bootstrap-icons" / "icons"
    icons.mkdir(parents=True)
    (root / "bootstrap-icons" / "LICENSE").write_text("MIT", encoding="utf-8")
    for drawing in assets.ICONS.values():
        (icons / f"{drawing}.svg").write_text(
            '<svg xmlns="http://www.w3.org/2000/svg" width="16" viewBox="0 0 16 16">\n  <path d="M0 0"/>\n</svg>',
            "utf-8",
        )
    return root


def test_files_are_laid_out_without_source_maps_and_with_licences(node_modules: Path, tmp_path: Path) -> None:
    target = tmp_path / "vendor"
    assert assets.main([str(node_modules), str(target)]) == 0
    laid = sorted(str(path.relative_to(target)) for path in target.rglob("*") if path.is_file())
    assert laid == sorted([*assets.FILES.values(), assets.SPRITE, "licences/bootstrap-icons.txt"])
    assert (target / "bootstrap/bootstrap.min.css").read_text(encoding="utf-8") == "body{}\n"


def test_the_sprite_has_one_symbol_for_each_name(node_modules: Path) -> None:
    sprite = assets.sprite(node_modules / "bootstrap-icons" / "icons")
    assert sprite.count("<symbol ") == len(assets.ICONS)
    assert '<symbol id="print" viewBox="0 0 16 16"><path d="M0 0"/></symbol>' in sprite


def test_a_file_that_is_no_drawing_stops_the_build(node_modules: Path) -> None:
    (node_modules / "bootstrap-icons" / "icons" / "printer.svg").write_text("not a drawing", encoding="utf-8")
    with pytest.raises(ValueError, match=r"not an icon: printer\.svg"):
        assets.sprite(node_modules / "bootstrap-icons" / "icons")


def test_wrong_arguments_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    assert assets.main([]) == 2
    assert "usage:" in capsys.readouterr().err
