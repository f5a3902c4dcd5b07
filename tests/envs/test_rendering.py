"""Pictures of a season: right size, right numbers, no future, no effect on the simulation."""

import warnings
from datetime import date
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import agbench
from agbench import plotting
from agbench.envs.field.drawing import FieldPlot
from agbench.envs.field.season_figure import STATE_PANELS, _months
from agbench.envs.field.season_marks import input_colours
from agbench.envs.field.season_panels import _readable
from agbench.errors import SimulationError

TASK = "wheat-nitrogen-v1"
SHAPE = (900, 1000, 3)
SCENARIO = {"scenario": "wageningen/1984"}


@pytest.fixture
def no_windows():
    """Pyplot told to draw without windows, as it does where there is no display."""
    before = pyplot.get_backend()
    pyplot.switch_backend("agg")
    yield pyplot
    pyplot.switch_backend(before)


def make(**settings):
    env = agbench.make(TASK, **{"render_mode": "rgb_array", **settings})
    env.reset(seed=1, options=SCENARIO)
    return env


def latest_day(figure: Figure) -> float:
    """The last day that any artist holds data of, apart from lines across the whole panel."""
    result = [-1.0]
    for axes in figure.axes:
        for line in axes.lines:
            x = np.asarray(line.get_xdata(), dtype=float)
            if line.get_transform() == axes.transData and len(x):
                result.append(x.max())
        for collection in axes.collections:
            result += [path.vertices[:, 0].max() for path in collection.get_paths() if len(path)]
        result += [text.xy[0] for text in axes.texts if hasattr(text, "xy")]
    return max(result)


def figure_of(env) -> Figure:
    """The season so far as artists, whose texts need no pixels, which take longer."""
    return env.unwrapped._plot._drawn()


def texts(figure: Figure) -> list[str]:
    return [t.get_text() for t in figure.texts]


def axes_titled(figure: Figure, title: str) -> Axes:
    return next(axes for axes in figure.axes if axes.get_title(loc="left") == title)


def test_frames_have_one_shape_and_change_as_the_season_goes_on():
    env = make()
    frames = [env.render()]
    while not env.unwrapped.core.over[0]:
        for week in range(16):
            if not env.unwrapped.core.over[0]:
                env.step(1 if (len(frames), week) == (1, 3) else 0)
        frames.append(env.render())
    for before, after in pairwise(frames):
        assert after.shape == SHAPE
        assert after.dtype == np.uint8
        assert not np.array_equal(before, after)


def test_a_second_episode_shows_nothing_of_the_first():
    env = make()
    fresh = env.render()
    for _ in range(5):
        env.step(2)
    env.render()
    env.reset(options=SCENARIO)
    assert np.array_equal(env.render(), fresh)


@pytest.mark.parametrize("step", ["7 d", "1 d"])
def test_no_artist_knows_a_day_after_today(step):
    env = make(step=step)
    plot = FieldPlot(env.unwrapped.core)
    for k in range(13):
        _, reward, *_, info = env.step(2)
        plot.add(env.unwrapped.core, 2, reward)
        if k == 12:
            assert latest_day(plot._drawn()) == info["elapsed"]


def test_the_picture_does_not_depend_on_the_weather_to_come():
    env, other = make(), make()
    other.unwrapped.core.simulator._pool["weather"]["RAIN"][:, 60:] += 1.0
    for _ in range(6):
        env.step(0)
        other.step(0)
    assert np.array_equal(env.render(), other.render())
    for _ in range(2):
        env.step(0)
        other.step(0)
    assert not np.array_equal(env.render(), other.render())


def test_drawing_does_not_change_the_simulation():
    drawn, plain = make(), make(render_mode=None)
    for action in (0, 2):
        seen, reward, *_ = drawn.step(action)
        drawn.render()
        unseen, same, *_ = plain.step(action)
        assert reward == same
        assert np.array_equal(seen, unseen)


def test_continuous_actions_are_drawn_as_doses_in_physical_units():
    env = make(action__kind="continuous", action__doses={"N": [0, 40], "IRRIG": [0, 2]})
    plot = FieldPlot(env.unwrapped.core)
    for action in ([0.0, -1.0], [-1.0, 0.0], [-1.0, -1.0]):
        _, reward, *_ = env.step(np.array(action, dtype=np.float32))
        plot.add(env.unwrapped.core, np.array(action, dtype=np.float32), reward)
    shown = [t.get_text() for t in axes_titled(plot._drawn(), "Applied").texts]
    assert shown == ["IRRIG (cm)", "N (kg ha⁻¹)", "20", "1"]


def test_the_header_shows_task_scenario_date_metrics_and_return():
    env = make()
    total = sum(env.step(action)[1] for action in (2, 0, 1))
    title, status, summary = texts(figure_of(env))
    assert title == "wheat-nitrogen-v1 · wageningen/1984"
    assert status == "29 January 1984"
    assert "nitrogen 60.0 kg ha⁻¹" in summary
    assert f"return {total:.1f} g m⁻²".replace("-", "−") in summary


def test_the_header_shows_when_the_season_is_over():
    env = make()
    while not env.unwrapped.core.over[0]:
        env.step(0)
    assert texts(figure_of(env))[1].endswith("season over")


def test_scales_carry_units_from_the_variable_tables():
    env = make()
    labels = {axes.get_ylabel() for axes in figure_of(env).axes}
    assert {"TNSOIL, NUPTT (g m⁻²)", "RAIN (mm d⁻¹)", "IRRAD (MJ m⁻² d⁻¹)"} <= labels


def test_a_restored_episode_is_drawn_without_what_was_undone():
    env = make()
    env.step(0)
    saved = env.unwrapped.save_state()
    expected = env.render()
    env.step(2)
    env.step(2)
    env.unwrapped.load_state(saved)
    assert np.array_equal(env.render(), expected)


def test_an_episode_that_was_loaded_into_another_environment_can_be_drawn():
    env, other = make(), make()
    for _ in range(8):
        env.step(1)
    other.reset(options={"scenario": "wageningen/1985"})
    other.unwrapped.load_state(env.unwrapped.save_state())
    other.step(0)
    figure = figure_of(other)
    assert texts(figure)[0].endswith("wageningen/1984")
    assert latest_day(figure) == 70


def test_gymnasium_accepts_every_render_mode_without_a_warning(no_windows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(agbench.make(TASK, render_mode="rgb_array").unwrapped)
    assert no_windows.get_fignums() == []  # pictures leave no figure with pyplot


def test_human_mode_without_a_display_warns_once_and_goes_on(no_windows):
    env = make(render_mode="human")
    with pytest.warns(UserWarning, match="no display"):
        env.step(0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env.step(0)
    assert env.render() is None
    assert no_windows.get_fignums() == []
    env.close()


def test_human_mode_updates_one_window_and_lets_go_of_it_once_closed(no_windows):
    no_windows.switch_backend("module://matplotlib.backends.backend_template")
    env = make(render_mode="human")
    env.step(0)
    (number,) = no_windows.get_fignums()
    figure = no_windows.figure(number)
    env.step(1)
    assert no_windows.get_fignums() == [number]
    assert texts(figure)[1] == "22 January 1984"
    no_windows.close(number)
    env.step(0)
    assert no_windows.get_fignums() == []
    env.close()


def test_closing_the_environment_closes_its_window(no_windows):
    no_windows.switch_backend("module://matplotlib.backends.backend_template")
    env = make(render_mode="human")
    env.step(0)
    assert len(no_windows.get_fignums()) == 1
    env.close()
    assert no_windows.get_fignums() == []


def test_rendering_before_the_first_reset_is_refused():
    env = agbench.make(TASK, render_mode="rgb_array")
    with pytest.raises(SimulationError, match="reset"):
        env.unwrapped.render()


@pytest.mark.slow_except("svg")
@pytest.mark.parametrize("suffix", ["png", "pdf", "svg"])
def test_the_picture_can_be_saved_in_the_format_of_its_suffix(tmp_path, suffix):
    env = make()
    env.step(1)
    path = FieldPlot(env.unwrapped.core).save(tmp_path / "new" / f"season.{suffix}")
    assert path.stat().st_size > 1000
    assert [p.name for p in path.parent.iterdir()] == [path.name]


def test_a_picture_of_an_unknown_format_leaves_no_file(tmp_path):
    with pytest.raises(ValueError, match="xyz"):
        FieldPlot(make().unwrapped.core).save(tmp_path / "season.xyz")
    assert list(tmp_path.iterdir()) == []


def test_closing_twice_is_harmless_and_drawing_goes_on_after():
    env = make()
    plot = FieldPlot(env.unwrapped.core)
    before = plot.draw(show=False)
    plot.close()
    plot.close()
    assert np.array_equal(plot.draw(show=False), before)


def test_the_reference_engine_is_drawn_too():
    assert make(engine="pcse", season__end="02-15").render().shape == SHAPE


def test_labels_of_doses_never_touch():
    x, amounts = np.array([0.0, 5.0, 30.0, 36.0]), np.array([10.0, 40.0, 20.0, 20.0])
    assert sorted(_readable(x, amounts, [12.0] * 4)) == [1, 2]


def test_months_are_thinned_in_seasons_of_several_years():
    ticks, labels = _months(date(1984, 1, 1), 243)
    assert labels[:2] == ["Jan\n1984", "Feb"]
    assert ticks[:3] == [0, 31, 60]
    ticks, labels = _months(date(1984, 10, 15), 1100)
    assert len(ticks) <= 14
    assert labels[0] == "Jan\n1985"


@pytest.mark.parametrize(
    ("unit", "shown"),
    [
        ("kg ha-1", "kg ha⁻¹"),
        ("m3 m-3", "m³ m⁻³"),
        ("J m-2 d-1", "J m⁻² d⁻¹"),
        ("degC d", "°C d"),
        ("g CO2 m-2", "g CO2 m⁻²"),
        ("-", "–"),
    ],
)
def test_units_are_printed_with_superscripts(unit, shown):
    assert plotting.printed(unit) == shown


def test_minus_signs_are_true_ones_and_hyphens_stay():
    assert plotting.signed("return -3.5 of wheat-nitrogen-v1") == "return −3.5 of wheat-nitrogen-v1"


@cache
def season_plot(task):
    """The plot of a whole season without inputs, and its core."""
    env = agbench.make(task).unwrapped
    env.reset(seed=0)
    plot, over = FieldPlot(env.core), False
    action = np.zeros(env.action_space.shape, env.action_space.dtype)
    while not over:
        _, reward, ended, cut, _ = env.step(action)
        plot.add(env.core, action, float(reward))
        over = ended or cut
    return plot, env.core


def test_stress_has_gaps_where_no_crop_grows():
    """Before emergence and on the day of maturity the model has no stress; it writes 0."""
    plot, core = season_plot("wofostgym-wheat-v1")
    curves = {curve.name: curve for panel in plot.panels() for curve in panel.curves}
    emerged = next(x for x, y in zip(curves["DVS"].x, curves["DVS"].y, strict=True) if y >= 0.0)
    last = float(core.simulator.elapsed[0])
    assert core.simulator.finished[0]
    assert core.simulator.state[0, core.simulator.variables.column("NNI")] == 0.0
    for name in ("NNI", "PNI", "KNI", "RFTRA"):
        assert min(curves[name].x) >= emerged > 5.0
        assert max(curves[name].x) < last == max(curves["LAI"].x)
    assert min(curves["RFTRA"].y) > 0.0


def test_stress_of_an_orchard_has_gaps_in_winter():
    plot, _ = season_plot("pear-orchard-v1")
    season = plot._season()
    resting = season.states["DVS"] < 0.0
    assert resting.sum() > 20
    for name in ("NNI", "PNI", "KNI", "RFTRA"):
        assert np.isnan(season.states[name][resting]).all()
        assert np.isfinite(season.states[name][~resting]).mean() > 0.9


def test_the_last_day_of_lintul_has_stress():
    plot, core = season_plot("wheat-nitrogen-v1")
    curves = {curve.name: curve for panel in plot.panels() for curve in panel.curves}
    assert max(curves["NNI"].x) == core.simulator.elapsed[0]


def test_a_nutrient_has_one_colour_everywhere():
    usual = input_colours(["N", "P", "K", "IRRIG"])
    assert len(set(usual)) == 4
    assert input_colours(["N"]) == usual[:1]
    assert input_colours(["HARVEST", "PRUNE", "K", "P", "N", "IRRIG"])[2:] == [*usual[2::-1], usual[3]]
    assert input_colours(["north.N", "south.N", "south.P"]) == [usual[0], usual[0], usual[1]]
    assert len(set(input_colours(["PLANT", "HARVEST", "PRUNE", *"NPK", "IRRIG"]))) == 7
    lines = {curve.names: curve.colour for _, left, right in STATE_PANELS for curve in (*left, *right)}
    assert [lines[("NNI",)], lines[("PNI",)], lines[("KNI",)], lines[("TRANRF", "RFTRA")]] == usual
    assert [lines[("TNSOIL", "NAVAIL")], lines[("PAVAIL",)], lines[("KAVAIL",)]] == usual[:3]


def test_the_panel_of_stress_ends_at_one():
    plot, _ = season_plot("wofostgym-wheat-v1")
    figure = Figure(figsize=(10, 9), dpi=100)
    plot._draw(figure)
    stress = next(axes for axes in figure.axes if "RFTRA" in axes.get_ylabel())
    assert stress.get_ylim() == (0.0, 1.08)
    assert [text.get_text() for text in stress.get_legend().get_texts()] == ["NNI", "PNI", "KNI", "RFTRA"]


def test_numbers_are_put_into_words():
    assert plotting.valued("water", 12.44, 1, "cm") == "water 12.4 cm"
    assert plotting.valued("yield", 2.5, 2, "t ha-1") == "yield 2.50 t ha⁻¹"
    assert plotting.valued("wheat_sown", 2.0, 0, "-") == "wheat sown 2"
