"""Diplomas: words with blanks, pictures told by their content, PDF in the event's language, made by the queue."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

import pytest
from PIL import Image
from reportlab.pdfbase.pdfmetrics import stringWidth

from prizes import pictures
from prizes.diploma_pdf import BOLD, LEAST, draw_diplomas, fitted
from prizes.diploma_words import diplomas_of, sheet_of
from prizes.models import DiplomaDesign, DiplomaFile
from prizes.pictures import background
from prizes.selectors.awards import AwardStatus
from prizes.services import diplomas
from prizes.services.diplomas import KEPT, design_of, make_diplomas, one_diploma, request_diplomas, save_design
from prizes.services.placings import publish_placings
from prizes.tests import played
from tourney.kernel.errors import TourneyError
from tourney.models import Job, Section
from tourney.testing import builders

pytestmark = [pytest.mark.django_db, pytest.mark.clause("M9.1")]
WORDS = dict.fromkeys(diplomas.WORDS, "")


def published(players: int = 4, **event: Any) -> Section:
    section = played.group(builders.event("youth-championship", **event), "u11-boys", players=players)
    played.finished(section)
    publish_placings(section, actor=None)
    return section


def refused(call: Any, *args: Any, **values: Any) -> TourneyError:
    with pytest.raises(TourneyError) as caught:
        call(*args, **values)
    return caught.value


def picture(form: str = "PNG", size: tuple[int, int] = (60, 80), mode: str = "RGB") -> bytes:
    written = io.BytesIO()
    Image.new(mode, size).save(written, form)
    return written.getvalue()


def photograph(form: str, held: int) -> bytes:
    """Return a picture of 40 × 20 with a white corner, and 90 bytes of words of a camera held in some way."""
    taken, words = Image.new("RGB", (40, 20)), Image.Exif()
    taken.paste("white", (0, 0, 12, 12))
    words[0x0112], words[0x010E], words[0x011A] = held, "x" * 30, 72.0
    written = io.BytesIO()
    taken.save(written, form, exif=words)
    return written.getvalue()


def saved(section: Section, **values: Any) -> DiplomaDesign:
    values = {"words": WORDS, "shape": "portrait", "actor": None} | values
    return save_design(section.tournament, **values)


# -- words -----------------------------------------------------------------------------------------------------------


def test_usual_words_are_in_the_events_language() -> None:
    section = published()
    [first, *_] = diplomas_of(
        section.tournament, design_of(section.tournament), diplomas.with_diploma(section.tournament)
    )
    assert (first.heading, first.name, first.intro) == ("Диплом", "Антонюк", "награждается")
    assert first.body.startswith("за 1 место")


def test_titles_of_categories_are_asked_for_once(django_assert_num_queries: Any) -> None:
    section = published()
    event, design = section.tournament, design_of(section.tournament)
    award = section.awards.select_related("entry__player").first()
    award.section, award.source = section, "category"
    section.categories.create(code="girls", title={"uk": "Дівчата", "ru": "Девочки"}, rule={})
    award.subject = "girls:1"
    statuses = [AwardStatus(award)] * 5
    with django_assert_num_queries(1):
        made = diplomas_of(event, design, statuses)
    assert all("Девочки" in one.body for one in made)


def test_own_words_fill_their_blanks() -> None:
    section = published()
    words = WORDS | {"heading": "Грамота", "body": "{place} · {group} · {award}", "left_signer": "І. Петренко"}
    design = saved(section, words=words)
    [_first, second, _third] = diplomas_of(section.tournament, design, diplomas.with_diploma(section.tournament))
    assert second.heading == "Грамота"
    assert (second.body[:4], second.body.rpartition(" · ")[2]) == ("2 · ", "диплом, медаль")
    assert second.signers[0] == "І. Петренко"


def test_unknown_blanks_are_refused_and_nothing_saved() -> None:
    section = published()
    error = refused(saved, section, words=WORDS | {"body": "за {plaec} місце"})
    assert (error.code, error.values["blank"]) == ("diploma.unknown_blank", "plaec")
    assert refused(saved, section, words=WORDS | {"intro": "a { b"}).code == "diploma.lone_brace"
    assert not DiplomaDesign.objects.exists()


# -- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "mode"), [("PNG", "RGB"), ("PNG", "RGBA"), ("PNG", "P"), ("JPEG", "L"), ("JPEG", "CMYK")]
)
def test_pictures_are_written_anew_as_jpeg(form: str, mode: str) -> None:
    made = background(picture(form, mode=mode))
    with Image.open(io.BytesIO(made)) as opened:
        assert (opened.format, opened.mode, opened.size) == ("JPEG", "RGB", (60, 80))


def test_large_pictures_are_made_smaller() -> None:
    with Image.open(io.BytesIO(background(picture("JPEG", (4000, 3000))))) as opened:
        assert opened.size == (2480, 1860)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "diploma.not_a_picture"),
        (b"%PDF-1.7", "diploma.not_a_picture"),
        (picture("GIF"), "diploma.not_a_picture"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "diploma.not_a_picture"),
        (picture("PNG", (300, 300))[:120], "diploma.broken"),
        (picture("JPEG", (300, 300))[:700], "diploma.broken"),
        (b"\x89PNG" + b"0" * pictures.MOST_BYTES, "diploma.picture_too_large"),
    ],
)
def test_what_is_no_picture_by_its_content_is_refused(content: bytes, code: str) -> None:
    assert refused(background, content).code == code


@pytest.mark.parametrize(("held", "size"), [(1, (40, 20)), (3, (40, 20)), (6, (20, 40)), (8, (20, 40))])
def test_picture_stands_upright_as_the_camera_was_held(held: int, size: tuple[int, int]) -> None:
    with Image.open(io.BytesIO(background(photograph("JPEG", held)))) as opened:
        assert opened.size == size
        # The corner that was white, seen from the camera, comes to where a person expects it.
        white = {1: (2, 2), 3: (37, 17), 6: (17, 2), 8: (2, 37)}[held]
        assert opened.getpixel(white) > (200, 200, 200)


@pytest.mark.parametrize("form", ["PNG", "JPEG"])
def test_broken_words_of_the_camera_are_no_fault_of_the_program(form: str) -> None:
    whole = photograph(form, 6)
    start = whole.index(b"MM\x00\x2a")
    for at in range(start, start + 90):
        for value in (0, 2, 5, 7, 12, 255):
            damaged = bytearray(whole)
            damaged[at] = value
            if form == "PNG":  # a chunk says its own sum, which whoever means harm makes right
                damaged[start + 90 : start + 94] = struct.pack(">I", zlib.crc32(damaged[start - 4 : start + 90]))
            with Image.open(io.BytesIO(background(bytes(damaged)))) as opened:
                assert sorted(opened.size) == [20, 40]


def test_picture_with_more_pixels_than_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "MOST_PIXELS", 100)
    assert refused(background, picture()).code == "diploma.picture_too_large"


def test_refused_picture_leaves_the_design_as_it_was() -> None:
    section = published()
    saved(section, words=WORDS | {"heading": "Грамота"}, picture=picture(), picture_name="a.png")
    wrong = {"words": WORDS | {"heading": "Інша"}, "picture": b"text"}
    assert refused(saved, section, **wrong).code == "diploma.not_a_picture"
    design = DiplomaDesign.objects.get()
    assert (design.heading, design.picture_name) == ("Грамота", "a.png")
    saved(section, drop_picture=True)
    assert DiplomaDesign.objects.get().picture is None


# -- PDF -------------------------------------------------------------------------------------------------------------


def test_file_has_a_page_for_each_diploma_and_own_fonts() -> None:
    section = published()
    design = design_of(section.tournament)
    status = diplomas.with_diploma(section.tournament)
    content = draw_diplomas(sheet_of(section.tournament, design), diplomas_of(section.tournament, design, status))
    assert content.startswith(b"%PDF-")
    assert content.count(b"/Type /Page\n") == 3
    assert content.count(b"/FontFile2") >= 2
    assert b"/Lang (ru)" in content
    assert content == draw_diplomas(
        sheet_of(section.tournament, design), diplomas_of(section.tournament, design, status)
    )  # the same words give the same bytes


def test_picture_and_shape_reach_the_page() -> None:
    section = published()
    saved(section, shape="landscape", picture=picture(), picture_name="a.png")
    content, _status = one_diploma(section.tournament, diplomas.with_diploma(section.tournament)[0].award.pk)
    assert b"/MediaBox [ 0 0 841.8898 595.2756 ]" in content
    assert b"/Subtype /Image" in content


def test_long_names_are_set_smaller_and_then_in_lines() -> None:
    size, lines = fitted("Бондаренко Олександр", BOLD, 30, 400)
    assert lines == ["Бондаренко Олександр"]
    assert size < 30
    size, lines = fitted("Христорождественський-Перебийносенко Олександр-Володимир Костянтинович", BOLD, 30, 400)
    assert len(lines) in (2, 3)
    assert all(stringWidth(line, BOLD, size) <= 400 for line in lines)
    assert fitted("о" * 400, BOLD, 30, 400)[0] >= LEAST


# -- the queue -------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_worker_makes_the_file_and_says_how_far_it_is() -> None:
    section = published(players=12)
    made = request_diplomas(section.tournament, None, actor=None)
    made.refresh_from_db()
    assert made.job is not None
    job = Job.objects.get(pk=made.job_id)
    assert (job.state, job.progress_total) == ("done", 3)
    assert made.finished_at is not None
    assert bytes(made.content or b"").startswith(b"%PDF-")
    before = bytes(made.content or b"")
    make_diplomas(made.pk)  # a killed worker's job is run again
    made.refresh_from_db()
    assert bytes(made.content or b"") == before


def test_nobody_to_award_is_said_and_old_files_go() -> None:
    section = published()
    other = section.tournament.sections.exclude(pk=section.pk)[0]
    other.tournament = section.tournament
    assert refused(request_diplomas, section.tournament, other, actor=None).code == "diploma.nobody"
    for _ in range(KEPT + 2):
        request_diplomas(section.tournament, section, actor=None)
    assert DiplomaFile.objects.count() == KEPT
    assert refused(one_diploma, section.tournament, 0).code == "award.gone"
