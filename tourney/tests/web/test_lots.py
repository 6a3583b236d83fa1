"""Public pages of draws: the chain, one draw before and after its result, transcript, checker, steps."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tourney.draw_steps import steps_of
from tourney.kept_rows import loading
from tourney.kernel import chance
from tourney.models import Lot, Tournament
from tourney.services.lots import commit_lot, draw_now, reveal_lot, void_lot
from tourney.services.stages import close_entries
from tourney.testing import builders
from tourney.views import lots as views

pytestmark = pytest.mark.django_db

NUMBERS = [{"who": "Бондар Іван", "number": "17"}, {"who": "Ґалаґан «Тест»", "number": "170000000000000017"}]
KINDS: dict[str, dict[str, Any]] = {
    "pick": {"kind": "pick", "entrants": ["Бондар (11)", "Ґалаґан «Тест» (15)", "Øster & Co (19)"], "k": 2},
    "pots": {"kind": "pots", "pots": [["КМС 1", "КМС 2", "КМС 3"], ["Перший"], ["б", "а", "😀"]]},
    "coin": {"kind": "coin", "entrants": ["Бондар", "Ґалаґан"]},
}


def visitor() -> Client:
    return Client(headers={"accept-language": "en"})


def drawn(event: Tournament, kind: str, subject: str = "x") -> Lot:
    lot = commit_lot(event, purpose="lottery", subject=subject, **KINDS[kind])
    reveal_lot(lot, entropy=NUMBERS)
    return lot


def text_of(answer: Any) -> str:
    return answer.content.decode()


@pytest.mark.clause("K7.3")
def test_announced_draw_shows_commitment_and_hides_the_secret() -> None:
    lot = commit_lot(builders.event(), purpose="lottery", subject="main:1", **KINDS["pick"])
    answer = visitor().get(reverse("lot", args=[lot.pk]))
    assert answer.status_code == 200
    assert lot.commitment in text_of(answer)
    assert lot.secret not in text_of(answer)
    assert "<svg" in text_of(answer)  # the QR code for the hall
    transcript = visitor().get(reverse("lot_transcript", args=[lot.pk])).json()
    assert transcript == {"manifest": lot.manifest, "commitment": lot.commitment}


@pytest.mark.clause("K6.4", "K7.3")
@pytest.mark.parametrize("kind", KINDS)
def test_decided_draw_shows_every_step_and_a_transcript_that_checks(kind: str) -> None:
    lot = drawn(builders.event(), kind)
    answer = visitor().get(reverse("lot", args=[lot.pk]))
    assert answer.context["verdict"] is None
    assert answer.context["steps"].result == lot.outcome.result
    assert answer.context["numbers"] == [{**one, "source": ""} for one in NUMBERS]
    text = text_of(answer)
    for shown in (lot.secret, answer.context["steps"].seed, answer.context["steps"].choices[0].words[0]):
        assert shown in text
    transcript = visitor().get(reverse("lot_transcript", args=[lot.pk])).json()
    assert chance.verify(transcript) is None
    assert chance.sha256_hex(chance.canonical(transcript)) == lot.outcome.transcript_hash


def test_list_of_entry_numbers_is_shown_with_names() -> None:
    event = builders.event()
    section = event.sections.get()
    first, second = builders.entry(section, "Бондар"), builders.entry(section, "Ґалаґан")
    lot = commit_lot(event, purpose="initial_draw", kind="pots", pots=[[str(first.pk), str(second.pk)], ["999999999"]])
    reveal_lot(lot, entropy=[17])
    answer = visitor().get(reverse("lot", args=[lot.pk]))
    assert [[(one.name, one.number) for one in pot] for pot in answer.context["pots"]] == [
        [("Бондар", str(first.pk)), ("Ґалаґан", str(second.pk))],
        [("999999999", "")],
    ]
    assert sorted(one.name for one in answer.context["result_pots"][0]) == ["Бондар", "Ґалаґан"]
    assert answer.context["numbers"] == [{"who": "", "number": "17", "source": ""}]
    assert "Бондар" in text_of(visitor().get(reverse("lots", args=[event.slug])))


@pytest.mark.parametrize("kind", KINDS)
def test_steps_are_the_draw_itself(kind: str) -> None:
    manifest = {"v": chance.PROTOCOL, **KINDS[kind]}
    for number in range(50):
        secret = f"{number:064x}"
        steps = steps_of(manifest, secret, NUMBERS)
        assert steps.result == chance.draw(manifest, secret, NUMBERS)
        assert all(int(choice.words[-1], 16) % choice.limit == choice.number for choice in steps.choices)


@pytest.mark.clause("K7.3")
def test_downloaded_checker_judges_alone(tmp_path: Path) -> None:
    checker = tmp_path / "check_draw.py"
    checker.write_bytes(visitor().get(reverse("lot_checker")).content)

    def judged(transcript: dict[str, Any]) -> tuple[int, str]:
        file = tmp_path / "transcript.json"
        file.write_text(json.dumps(transcript, ensure_ascii=False), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-I", "-X", "utf8", str(checker), str(file)], capture_output=True, text=True, check=False
        )
        return done.returncode, done.stdout + done.stderr

    event = builders.event()
    for kind in KINDS:
        lot = drawn(event, kind)
        honest = json.loads(visitor().get(reverse("lot_transcript", args=[lot.pk])).content)
        code, said = judged(honest)
        assert (code, said.startswith("honest:")) == (0, True)
        forged = honest | {"entropy": [*honest["entropy"][:-1], {"who": "Ґалаґан «Тест»", "number": "18"}]}
        if chance.verify(forged) is not None:
            assert judged(forged)[0] == 1
        assert "secret does not match" in judged(honest | {"secret": "0" * 64})[1]


def test_checker_is_the_23_lines_the_page_promises() -> None:
    lines = text_of(visitor().get(reverse("lot_checker"))).splitlines()
    start = lines.index(next(line for line in lines if line.startswith("def canon")))
    end = lines.index("    return got")
    assert len([line for line in lines[start : end + 1] if line.strip()]) == 21
    assert sum(1 for line in lines if line.startswith("import")) == 1


def test_second_draw_of_the_same_thing_stands_out() -> None:
    event = builders.event()
    first = commit_lot(event, purpose="lottery", subject="main:1", **KINDS["pick"])
    void_lot(first, reason="power cut")
    second = drawn(event, "pick", "main:1")
    drawn(event, "coin", "main:2")
    answer = visitor().get(reverse("lots", args=[event.slug]))
    assert [(one.lot.number, one.state, one.repeated, one.chained) for one in answer.context["shown"]] == [
        (1, "cancelled", False, True),
        (2, "done", True, True),
        (3, "done", False, True),
    ]
    assert "Something was drawn more than once" in text_of(answer)
    page = text_of(visitor().get(reverse("lot", args=[second.pk])))
    assert "This was drawn before" in page
    assert "power cut" in page
    dropped = visitor().get(reverse("lot_transcript", args=[first.pk])).json()
    assert dropped == {"manifest": first.manifest, "commitment": first.commitment, "void": "power cut"}


def test_exchanged_draw_breaks_the_chain_for_everybody_to_see() -> None:
    event = builders.event()
    first = drawn(event, "pick")
    drawn(event, "coin", "y")
    with loading():  # a forger who gets past the database's own guard
        Lot.objects.filter(pk=first.pk).update(manifest={**first.manifest, "entrants": ["a", "b", "c"]})
        type(first.outcome).objects.filter(lot=first).update(transcript_hash="0" * 64)
    answer = visitor().get(reverse("lots", args=[event.slug]))
    assert [one.chained for one in answer.context["shown"]] == [True, False]
    assert "The chain does not hold" in text_of(answer)
    page = visitor().get(reverse("lot", args=[first.pk]))
    assert page.context["verdict"] == "draw.commitment_differs"


def test_small_draw_says_what_it_cannot_prove() -> None:
    outcome = draw_now(builders.event(), purpose="game_color", subject="U1.3", **KINDS["coin"])
    text = text_of(visitor().get(reverse("lot", args=[outcome.lot_id])))
    assert "not that the secret was the first one tried" in text


def test_draws_of_a_hidden_event_are_not_found() -> None:
    event = builders.event(public=False)
    lot = drawn(event, "pick")
    for url in (
        reverse("lots", args=[event.slug]),
        reverse("lot", args=[lot.pk]),
        reverse("lot_transcript", args=[lot.pk]),
        reverse("lot", args=[lot.pk + 1000]),
    ):
        assert visitor().get(url).status_code == 404


def test_event_without_draws_says_so() -> None:
    assert "Nothing has been drawn yet" in text_of(visitor().get(reverse("lots", args=[builders.event().slug])))


def test_draw_pages_take_the_same_number_of_queries() -> None:
    counts = []
    for number in (2, 25):
        event = builders.event()
        for index in range(number):
            lot = drawn(event, "pick", f"main:{index}")
        for url in (reverse("lots", args=[event.slug]), reverse("lot", args=[lot.pk])):
            with CaptureQueriesContext(connection) as queries:
                assert visitor().get(url).status_code == 200
            counts.append(len(queries))
    assert counts[:2] == counts[2:]


@pytest.mark.clause("K7.3")
@pytest.mark.django_db(transaction=True)
def test_browser_works_out_the_same_result_as_the_server(page: Any) -> None:
    event = builders.event()
    for kind in KINDS:
        lot = drawn(event, kind, kind)
        page.goto(reverse("lot", args=[lot.pk]))
        box = page.locator("[data-lot-check]")
        page.wait_for_selector("[data-lot-check][data-state]")
        assert box.get_attribute("data-state") == "honest"
        found = page.evaluate(
            """async (url) => {
                const lot = await import(document.querySelector('script[src*="lot"]').src);
                const transcript = await (await fetch(url)).json();
                const found = await lot.recompute(transcript);
                const data = new TextEncoder().encode("абв".repeat(77));
                const plain = Array.from(lot.plainSha256(data)).join();
                const native = Array.from(await lot.sha256(data)).join();
                transcript.entropy = [{ who: "x", number: "1" }, { who: "y", number: "2" }];
                const named = async (source) => {
                    const told = { ...transcript, manifest: { ...transcript.manifest, entropy: { source } } };
                    const sums = [told, { ...told, entropy: [{ who: "x", number: "1" }] }].map(lot.recompute);
                    return (await Promise.all(sums)).map((one) => one.sourceHolds);
                };
                const sources = [...(await named("x")), ...(await named("y"))];
                transcript.secret = "0".repeat(64);
                const forged = await lot.recompute(transcript);
                return { ...found, plainIsNative: plain === native, forgedHolds: forged.commitmentHolds, sources };
            }""",
            reverse("lot_transcript", args=[lot.pk]),
        )
        steps = steps_of(lot.manifest, lot.secret, NUMBERS)
        assert found == {
            "list": steps.manifest_sha256,
            "commitment": lot.commitment,
            "seed": steps.seed,
            "result": lot.outcome.result,
            "commitmentHolds": True,
            "sourceHolds": True,
            "resultHolds": True,
            "plainIsNative": True,
            "forgedHolds": False,
            "sources": [False, True, False, False],
        }


@pytest.mark.django_db(transaction=True)
def test_browser_tells_a_forged_transcript(page: Any) -> None:
    lot = drawn(builders.event(), "pick")
    forged = dict(visitor().get(reverse("lot_transcript", args=[lot.pk])).json())
    forged["result"] = list(reversed(forged["result"]))
    page.route("**/transcript.json", lambda route: route.fulfill(json=forged))
    page.goto(reverse("lot", args=[lot.pk]))
    page.wait_for_selector("[data-lot-check][data-state]")
    assert page.locator("[data-lot-check]").get_attribute("data-state") == "forged"


@pytest.mark.django_db(transaction=True)
def test_draw_page_reads_without_scripts(browser: Any, live_server: Any) -> None:
    lot = drawn(builders.event(), "pick")
    context = browser.new_context(base_url=live_server.url, java_script_enabled=False, locale="en-GB")
    opened = context.new_page()
    opened.goto(reverse("lot", args=[lot.pk]))
    assert opened.locator("[data-lot-check]").is_hidden()
    assert opened.get_by_text("Step by step").is_visible()
    opened.get_by_text("The seed gives one number after another").click()
    first = steps_of(lot.manifest, lot.secret, NUMBERS).choices[0]
    assert opened.get_by_text(first.words[-1]).is_visible()
    context.close()


def test_draw_of_colours_is_in_the_readers_words_and_names_the_group_alone() -> None:
    event = builders.event("open-swiss")
    section = event.sections.get()
    builders.entries(section, 4)
    stage = close_entries(section, actor=None)[0]
    outcome = draw_now(
        event, purpose="first_color", subject=f"{section.code}:{stage.code}", kind="coin", entrants=["white", "black"]
    )
    reader = Client(headers={"accept-language": "uk"})
    page = reader.get(reverse("lot", args=[outcome.lot_id]))
    assert [one.name for pot in page.context["pots"] for one in pot] == ["Білі", "Чорні"]
    assert "<td>white</td>" not in text_of(page)
    assert "<td>black</td>" not in text_of(page)
    assert page.context["shown"].winners in (["Білі"], ["Чорні"])
    assert page.context["shown"].subject == section.title_text


@pytest.mark.clause("K7.1", "K7.3", "K8.3")
@pytest.mark.parametrize("purpose", Lot.Purpose.values)
def test_every_kind_of_lot_has_its_page_for_everybody_and_for_the_hall(purpose: str) -> None:
    event = builders.event()
    kind = "pots" if purpose in ("initial_draw", "tie") else "coin" if "color" in purpose else "pick"
    lot = commit_lot(event, purpose=purpose, subject=f"{event.sections.get().code}:playoff:1", **KINDS[kind])
    for name in ("lot", "lot_hall"):
        assert lot.secret not in text_of(visitor().get(reverse(name, args=[lot.pk])))
    outcome = reveal_lot(lot, entropy=NUMBERS)
    page = visitor().get(reverse("lot", args=[lot.pk]))
    assert page.context["verdict"] is None
    assert "play-off for first place" in text_of(page)
    hall = visitor().get(reverse("lot_hall", args=[lot.pk]))
    first = outcome.result[0] if kind == "pick" else outcome.result[0][0] if kind == "pots" else outcome.result
    assert str(first).partition("»")[0].partition(" &")[0] in text_of(hall)


@pytest.mark.clause("K7.3")
def test_code_of_a_draw_holds_its_commitment(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    monkeypatch.setattr(views, "qr_code", lambda text: written.append(text) or "")
    lot = commit_lot(builders.event(), purpose="lottery", subject="main:1", **KINDS["pick"])
    visitor().get(reverse("lot", args=[lot.pk]))
    assert written == [f"http://testserver/lot/{lot.pk}/#{lot.commitment}"]


def test_hall_page_is_asked_again_without_a_body_until_the_draw_is_decided() -> None:
    lot = commit_lot(builders.event(), purpose="lottery", subject="main:1", **KINDS["pick"])
    address = f"{reverse('lot_hall', args=[lot.pk])}?part=live"
    first = visitor().get(address)
    same = visitor().get(address, headers={"if-none-match": first["ETag"]})
    reveal_lot(lot, entropy=NUMBERS)
    after = visitor().get(address, headers={"if-none-match": first["ETag"]})
    assert (first.status_code, same.status_code, after.status_code) == (200, 304, 200)
    assert 'data-drum="done"' in text_of(after)


def test_page_of_a_draw_at_a_moment_names_moment_and_beacon() -> None:
    plan = {"at": "2031-01-25T14:00:00Z", "by": "drand", "round": 78_000_000}
    lot = commit_lot(builders.event(), purpose="lottery", subject="main:1", entropy=plan, **KINDS["pick"])
    text = text_of(visitor().get(reverse("lot", args=[lot.pk])))
    assert "round 78000000 of the public beacon" in text
    assert "Will be decided" in text
    assert "A public value that nobody knows yet decides, and nothing else" in text
    assert "numbers that people give" not in text
    beacon = [{"who": "drand quicknet, 78000000", "number": "ab" * 32, "source": "https://api.drand.sh/x"}]
    reveal_lot(lot, entropy=beacon)
    answer = visitor().get(reverse("lot", args=[lot.pk]))
    assert answer.context["verdict"] is None
    assert "https://api.drand.sh/x" in text_of(answer)
