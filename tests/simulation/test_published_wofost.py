"""The numbers of the original: greatest WSO without action, and potential.

Name the folder of NASA POWER's weather (see `docs/studies/published.py`) in AGBENCH_POWER to run
this.
"""

import os
from pathlib import Path

import pytest
from published import SEASONS, greatest_weights, weather

FOLDER = Path(os.environ.get("AGBENCH_POWER", "."))


@pytest.mark.parametrize("season", SEASONS, ids=lambda season: season.crop)
def test_the_published_setting_gives_the_original_s_numbers(season):
    if not (FOLDER / season.file).is_file():
        pytest.skip(f"no {season.file}; its folder is named by AGBENCH_POWER")
    result = greatest_weights(season, weather(FOLDER, season), "published")
    assert [round(value) for value in result] == [season.no_action, season.potential]
