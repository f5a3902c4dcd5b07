from weather_policies import TASK, Comparison, compare, with_both

from agbench.data import catalog
from agbench.evaluation.statistics import Interval


def test_all_measured_years_are_set_beside_generated_seasons():
    task = with_both(catalog.task(TASK), 5)
    assert len(task.scenarios("observed")) == 40
    assert task.scenarios("generated") == [f"netherlands/generated/{i}" for i in range(5)]


def test_medians_must_lie_in_each_other_s_intervals():
    wide, narrow = Interval(5.0, 0.0, 10.0), Interval(4.0, 3.9, 4.1)
    assert Comparison("p", wide, wide).agrees
    assert not Comparison("p", wide, narrow).agrees
    assert not Comparison("p", narrow, wide).agrees


def test_standard_practice_earns_alike_on_generated_seasons():
    (result,) = compare(TASK, ["standard-practice"])
    assert result.agrees
