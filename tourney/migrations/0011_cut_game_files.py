"""Files handed in before become imports of one part: they had two megabytes at most."""

from django.db import migrations

from tourney.kernel.trf.decoding import decode


def cut(apps, _schema_editor):
    GameImport = apps.get_model("tourney", "GameImport")
    GameImportPart = apps.get_model("tourney", "GameImportPart")
    for known in GameImport.objects.iterator(chunk_size=20):
        content = decode(bytes(known.content))[0].encode(errors="replace")
        report = dict(known.report)
        lines = report.pop("problems", [])
        GameImportPart.objects.create(
            game_import=known,
            number=0,
            line=1,
            size=len(content),
            content=content,
            games=report.pop("games", None),
            done_at=known.finished_at,
            counts={key: value for key, value in report.items() if key != "lines"},
            lines=[line for line in lines if line.get("number")],
        )
        known.size = len(content)
        known.save(update_fields=["size"])


def join(apps, _schema_editor):
    GameImport = apps.get_model("tourney", "GameImport")
    for known in GameImport.objects.iterator(chunk_size=20):
        known.content = b"".join(bytes(part.content) for part in known.parts.order_by("number"))
        known.save(update_fields=["content"])


class Migration(migrations.Migration):
    dependencies = [
        ("tourney", "0010_game_files_in_parts"),
    ]

    operations = [migrations.RunPython(cut, join)]
