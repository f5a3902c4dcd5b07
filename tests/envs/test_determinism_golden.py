"""Seasons as they were simulated once: a change of the physics must be meant, and noticed.

`python tests/envs/test_determinism_golden.py` writes the file anew; see tests/reference/lintul3/README.md.
"""

import json
from pathlib import Path

import pytest

import agbench

TASK = "wheat-nitrogen-v1"
FILE = Path(__file__).parents[1] / "reference" / "lintul3" / "golden.json"
SCENARIOS = ("wageningen/1976", "wageningen/1984", "wageningen/1997")
PATTERN = (0, 0, 0, 0, 0, 0, 2, 0, 1, 2, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0)
TOLERANCE = 1e-9  # relative, across platforms; equal bits on one


def season(scenario):
    """Return the return of a season and all its variables at the end."""
    env = agbench.make(TASK).unwrapped
    env.reset(options={"scenario": scenario})
    total, over, step = 0.0, False, 0
    while not over:
        action = PATTERN[step] if step < len(PATTERN) else 0
        _, reward, terminated, truncated, info = env.step(action)
        total += reward
        over = terminated or truncated
        step += 1
    simulator = env.core.simulator
    state = dict(zip(simulator.variables.names, simulator.state[0].tolist(), strict=True))
    return {"return": total, "elapsed": float(info["elapsed"]), **state}


@pytest.fixture(scope="module")
def golden():
    return json.loads(FILE.read_text())


def test_the_recording_is_of_this_pattern(golden):
    assert golden["task"] == TASK
    assert tuple(golden["pattern"]) == PATTERN
    assert tuple(golden["seasons"]) == SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_season_ends_as_it_was_recorded(golden, scenario):
    recorded = {k: float.fromhex(v) for k, v in golden["seasons"][scenario].items()}
    result = season(scenario)
    assert set(recorded) <= set(result)
    assert recorded["return"] != 0.0
    for name, value in recorded.items():
        assert result[name] == pytest.approx(value, rel=TOLERANCE, abs=1e-12), name


def record():
    """Write the seasons as they are simulated now."""
    seasons = {s: {k: float(v).hex() for k, v in season(s).items()} for s in SCENARIOS}
    content = {"task": TASK, "pattern": PATTERN, "seasons": seasons}
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(json.dumps(content, indent=1) + "\n")


if __name__ == "__main__":
    record()
