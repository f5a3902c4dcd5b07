"""Cut the compact reference data of this folder out of the full reference data.

Run as `python make.py FOLDER` with the folder of the full data (see README.md).
"""

import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent
POINTS = {
    "gym": ("ref_rhs_points_glgym2.npz", ("X", "U", "D", "p", "dx", "J")),
    "katzin_2020": ("ref_rhs_points_greenlight205_katzin2020.npz", ("X", "U", "D", "dx")),
    "katzin_2021": ("ref_rhs_points_greenlight205_katzin2021.npz", ("X", "U", "D", "dx")),
}
TRAJECTORIES = {"bang": ("ref_amst_mar_bang_300.npz", 288), "walk": ("ref_amst_mar_walk_900.npz", 96)}


def main(source: Path) -> None:
    """Write every ninth point and the first day of two trajectories."""
    for name, (file, keys) in POINTS.items():
        full = np.load(source / file)
        np.savez_compressed(HERE / f"points_{name}.npz", **{key: full[key][::9] for key in keys})
    for name, (file, steps) in TRAJECTORIES.items():
        full = np.load(source / file)
        np.savez_compressed(
            HERE / f"trajectory_{name}.npz",
            X=full["X"][: steps + 1],
            U=full["U"][:steps],
            D=full["D"][:steps],
            p=full["p"],
            dt=full["dt"],
        )
    np.savez_compressed(HERE / "rules_gym.npz", **rules(source))


def rules(source: Path) -> dict[str, np.ndarray]:
    """Return every thirteenth step of the scenarios under the gym's own rule-based controller."""
    result = {}
    for scenario in ("amst_mar", "amst_jul", "bleiswijk2009"):
        full = np.load(source / f"ref_{scenario}_rule_300.npz")
        parts = {
            "states": full["X"][:-1],
            "weather": full["D"],
            "clock": full["doy_hour"],
            "controls": full["U"],
        }
        result |= {f"{scenario}_{part}": values[::13] for part, values in parts.items()}
    return result


if __name__ == "__main__":
    main(Path(sys.argv[1]))
