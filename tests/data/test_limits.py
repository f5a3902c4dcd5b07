"""What lies exactly on a limit that a file's schema sets is in order, and what lies beyond it is not."""

from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from agbench.data.calibration import CalibrationSpec
from agbench.data.dataset import Recipe
from agbench.data.field_observation import ForecastSpec
from agbench.data.prices import LARGEST_OF_ENERGY, PriceModel
from agbench.data.suites import Suite, Views
from agbench.policies.field.solver import SolverSettings

ROOT = Path(__file__).parents[2]
WHEAT = yaml.safe_load((ROOT / "docs/studies/calibration/wheat.yaml").read_text("utf-8"))
PRICES = yaml.safe_load((ROOT / "prices/day-ahead-nl.yaml").read_text("utf-8"))
RAIN = {"days": 1, "variables": ["RAIN"]}
RECIPE = {"summary": "s", "behaviour": [{"policy": "random"}], "episodes": 1}


@pytest.mark.parametrize(
    ("schema", "content", "beyond"),
    [
        (CalibrationSpec, WHEAT | {"budget": 32, "population": 32}, {"budget": 31}),
        (Recipe, RECIPE, {"episodes": 0}),
        (Recipe, RECIPE, {"summary": ""}),
        (Recipe, RECIPE, {"behaviour": []}),
        (ForecastSpec, {"days": 0}, {"days": -1}),
        (ForecastSpec, RAIN | {"days": 30}, {"days": 31}),
        (
            ForecastSpec,
            {"days": 1, "variables": ["RAIN"], "error": {"RAIN": 0.0}},
            {"error": {"RAIN": -1e-9}},
        ),
        (
            PriceModel,
            PRICES | {"limits": [-LARGEST_OF_ENERGY, LARGEST_OF_ENERGY]},
            {"limits": [-LARGEST_OF_ENERGY - 1e-9, LARGEST_OF_ENERGY]},
        ),
        (
            PriceModel,
            PRICES | {"limits": [-LARGEST_OF_ENERGY, LARGEST_OF_ENERGY]},
            {"limits": [-LARGEST_OF_ENERGY, LARGEST_OF_ENERGY + 1e-9]},
        ),
        (Views, {"task": "rice-inputs-v1", "views": ["rice-views-v1"]}, {"views": []}),
        (Suite, {"title": "t", "summary": "s", "tasks": ["rice-inputs-v1"]}, {"tasks": []}),
        (SolverSettings, {"searches": 1}, {"searches": 0}),
    ],
)
def test_a_limit_belongs_to_what_is_allowed(schema, content, beyond):
    schema.model_validate(content)
    with pytest.raises(ValidationError):
        schema.model_validate(content | beyond)
