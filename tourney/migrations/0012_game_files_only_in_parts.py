from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tourney", "0011_cut_game_files"),
    ]

    operations = [
        # The way back needs something to put into the column before the parts are joined again.
        migrations.AlterField(
            model_name="gameimport",
            name="content",
            field=models.BinaryField(default=b""),
        ),
        migrations.RemoveField(
            model_name="gameimport",
            name="content",
        ),
    ]
