"""The hash of what runs: it moves with every definition that can take part, and with nothing else."""

import shutil
import sys

import pytest

from agbench.compiled.closure import BOUNDARY, PACKAGE, Sources, closure_hash
from agbench.data import catalog
from agbench.data.overrides import override
from agbench.envs import AgBenchEnv
from agbench.envs.family import build, entry_points
from agbench.errors import ConfigError
from agbench.evaluation.protocol import episodes
from agbench.evaluation.provenance import simulator_hash
from agbench.evaluation.rollout import roll_out
from agbench.policies.registry import load_policy
from agbench.simulators import models

PHYSICS = {"a": "from .b import rate\n\ndef run(x):\n    return rate(x)\n"}


def package(folder, **modules):
    """Write a package of modules, return its sources."""
    root = folder / "farm"
    root.mkdir(exist_ok=True)
    for name, text in {"__init__": "", **modules}.items():
        (root / f"{name}.py").write_text(text)
    return Sources(root, boundary={"farm.messages"})


def hashes(folder, *texts, root="farm.a:run", **others):
    """Return the hash of `run` for each text of the module b."""
    return [package(folder, a=PHYSICS["a"], b=text, **others).hash([root]) for text in texts]


@pytest.mark.parametrize(
    "changed",
    [
        "K = 2.0\n\n\ndef rate(x):\n    return K * x\n",
        "K = 1.0\n\n\ndef rate(x):\n    return K * x + 1.0\n",
        "K = 1.0\nK += 1.0\n\n\ndef rate(x):\n    return K * x\n",
        "if True:\n    K = 1.0\n\n\ndef rate(x):\n    return K * x\n",
        "K = 1.0\n\n\ndef rate(x, factor=1.0):\n    return K * x\n",
        "def wrap(f):\n    return f\n\n\nK = 1.0\n\n\n@wrap\ndef rate(x):\n    return K * x\n",
        "K = 1.0\nprint(K)\n\n\ndef rate(x):\n    return K * x\n",
        "K = 1.0\n\n\ndef rate(x):\n    '''A value.'''; y = K\n    return y * x\n",
        "K = float('''1.0\n''')\n\n\ndef rate(x):\n    return K * x\n",
    ],
)
def test_a_change_of_what_takes_part_moves_the_hash(tmp_path, changed):
    before, after = hashes(tmp_path, "K = 1.0\n\n\ndef rate(x):\n    return K * x\n", changed)
    assert before != after


@pytest.mark.parametrize(
    "changed",
    [
        '"""A module."""\n\nK = 1.0  # kg\n"""A constant."""\n\ndef rate(x):\n    # why\n    return K * x\n',
        'K = 1.0\n\ndef rate(x):\n    """Multiply\n\n    # by K.\n    """\n\n    return K * x  # "kg"\n',
        'K = 1.0\n\ndef rate(x):\n    """Multiply\n    x by\n    K."""\n    return K * x\n',
        "K = 1.0\nOTHER = 3.0\n\n\ndef rate(x):\n    return K * x\n\n\ndef other(x):\n    return OTHER\n",
        "from farm.c import thing\n\nK = 1.0\n\ndef rate(x):\n    return K * x\n\ndef use():\n    thing()\n",
    ],
)
def test_prose_and_neighbours_do_not_move_it(tmp_path, changed):
    first = "K = 1.0\n\n\ndef rate(x):\n    return K * x\n"
    before, after = hashes(tmp_path, first, changed, c="def thing():\n    return 1\n")
    assert before == after


def test_a_hash_sign_within_a_text_is_no_comment(tmp_path):
    one, two = (f"def rate(x):\n    return len('{mark}{x}') * x\n" for mark, x in (("#", "a"), ("#", "bb")))
    before, after = hashes(tmp_path, one, two)
    assert before != after


@pytest.mark.parametrize(
    "text",
    [
        "from farm import c\n\ndef rate(x):\n    return c.factor(x)\n",
        "import farm.c\n\ndef rate(x):\n    return farm.c.factor(x)\n",
        "import farm.c as physics\n\ndef rate(x):\n    return physics.factor(x)\n",
        "from .c import factor as f\n\ndef rate(x):\n    return f(x)\n",
        "from . import c\n\ndef rate(x):\n    return c.factor(x)\n",
        "def rate(x):\n    from farm.c import factor\n\n    return factor(x)\n",
        "from farm.d import factor\n\ndef rate(x):\n    return factor(x)\n",
        "from farm import c\n\nTABLE = {'c': c}\n\ndef rate(x):\n    return TABLE['c'].factor(x)\n",
        "try:\n    from farm.c import factor\nexcept OSError: pass\n\ndef rate(x):\n    return factor(x)\n",
        "from farm.c import Plant\n\nclass Tree(Plant): pass\n\ndef rate(x):\n    return Tree().grow(x)\n",
        "from farm.c import factor\n\ndef rate(x, f=factor):\n    return f(x)\n",
        "from farm.c import factor\n\ndef rate(x):\n    return (lambda y: [factor(z) for z in [y]])(x)\n",
    ],
)
def test_code_is_followed_however_it_is_imported(tmp_path, text):
    c = "FACTOR = {}\n\ndef factor(x):\n    return FACTOR * x\n\nclass Plant:\n    grow = factor\n"
    d = "from farm.c import factor\n"
    before = package(tmp_path, a=PHYSICS["a"], b=text, c=c.format(1.0), d=d).hash(["farm.a:run"])
    after = package(tmp_path, a=PHYSICS["a"], b=text, c=c.format(2.0), d=d).hash(["farm.a:run"])
    assert before != after


@pytest.mark.parametrize(
    ("b", "others"),
    [
        ("T = {{}}\nfor k in ('a',):\n    T[k] = {0}\n\ndef rate(x):\n    return x\n", {}),
        ("import farm.c\n\ndef rate(x):\n    return x\n", {"c": "print({0})\n"}),
        ("from farm import c\n\ndef rate(x):\n    return x\n", {"c": "import farm.d\n", "d": "print({0})\n"}),
        ("def rate(x):\n    return x\n", {"__init__": "print({0})\n"}),
        ("def rate(x):\n    import farm.c\n\n    return farm.c.K\n", {"c": "K = {0}\n"}),
        ("from farm.c import *\n\ndef rate(x):\n    return K\n", {"c": "K = {0}\n"}),
        ("if TYPE_CHECKING:\n    K = 1\nelse:\n    K = {0}\n\ndef rate(x):\n    return K\n", {}),
        ("# \x0c \u2028\ndef rate(x):\n    y = x\n    return {0} * y\n", {}),
    ],
)
def test_what_modules_do_when_they_are_imported_takes_part(tmp_path, b, others):
    before = package(
        tmp_path, a=PHYSICS["a"], b=b.format(1.0), **{n: t.format(1.0) for n, t in others.items()}
    )
    first = before.hash(["farm.a:run"])
    after = package(
        tmp_path, a=PHYSICS["a"], b=b.format(2.0), **{n: t.format(2.0) for n, t in others.items()}
    )
    assert first != after.hash(["farm.a:run"])


def test_a_file_that_the_text_names_takes_part(tmp_path):
    sources = package(tmp_path, a=PHYSICS["a"], b="def rate(x):\n    return open('rates.conf')\n")
    conf = tmp_path / "farm" / "rates.conf"
    hashes = set()
    for text in ("one", "two"):
        conf.write_text(text)
        hashes.add(sources.hash(["farm.a:run"]))
    assert len(hashes) == 2


def test_types_alone_and_messages_are_not_followed(tmp_path):
    b = (
        "from typing import TYPE_CHECKING\nfrom farm.messages import wrong\nfrom farm.c import Kind\n"
        "if TYPE_CHECKING:\n    from farm.d import Other\n\n"
        "def rate(x: Kind) -> 'Other':\n    if x < 0:\n        raise wrong(x)\n    return x\n"
    )
    places = package(
        tmp_path,
        a=PHYSICS["a"],
        b=b,
        c="class Kind: pass\n",
        d="class Other: pass\n",
        messages="def wrong(x): ...\n",
    ).closure(["farm.a:run"])
    assert places == {("farm.a", "run"), ("farm.b", "rate")}


def test_a_missing_start_is_an_error(tmp_path):
    with pytest.raises(KeyError, match=r"farm\.a:walk"):
        package(tmp_path, **PHYSICS, b="def rate(x):\n    return x\n").hash(["farm.a:walk"])


TASKS = {
    "lintul3": "wheat-nitrogen-v1",
    "npk": "wofostgym-wheat-v1",
    "layered": "wheat-layered-v1",
    "greenhouse": "greenhouse-tomato-v1",
}
FIELDS = {"lintul3", "npk", "layered"}
NPK = {"npk", "layered"}
CHANGES = [
    ("simulators/lintul3/growth.py", "PAR_FRACTION = 0.5", "PAR_FRACTION = 0.48", {"lintul3"}),
    ("simulators/wofost/respiration.py", "PMRES = at_25 *", "PMRES = 2.0 * at_25 *", NPK),
    ("simulators/wofost/soil_nutrients.py", "max(0.0", "max(0.1", NPK),
    ("simulators/wofost/layered_water.py", "_TINY_FLOW = 0.001", "_TINY_FLOW = 0.002", {"layered"}),
    ("simulators/wofost/wofost72.py", "stem_rates(s, tables, 0.0)", "stem_rates(s, tables, 0.1)", set()),
    ("simulators/wofost/soil_nitrogen.py", "_PLENTY = 100.0", "_PLENTY = 90.0", set()),
    ("simulators/wofost/weather.py", "0.1127017", "0.1127", NPK),
    ("simulators/field/afgen.py", "x[-1] == 0.0", "x[-1] == 1.0", FIELDS),
    ("simulators/greenlight/crop/photosynthesis.py", "8.3144598", "8.31446", {"greenhouse"}),
    ("simulators/casadi_jit/rosenbrock/driver.py", "LEAST_STEP = 1e-9", "LEAST_STEP = 1e-8", {"greenhouse"}),
    ("weather/astronomy.py", "= 0.3979486313076104", "= 0.3978", set(TASKS)),
    ("weather/evapotranspiration.py", "SOIL_ALBEDO = 0.15", "SOIL_ALBEDO = 0.2", set(TASKS)),
    ("weather/generator/kernel.py", "MOST_RAIN = 20.0", "MOST_RAIN = 19.0", set(TASKS)),
    ("weather/change.py", "percent / 100.0", "percent / 10.0", set(TASKS)),
    ("weather/greenhouse/disaggregation.py", "CLEAR = 0.75", "CLEAR = 0.7", {"greenhouse"}),
    ("envs/rewards.py", "product_price: float = 1.0", "product_price: float = 2.0", FIELDS),
    ("envs/constraints.py", "_NOTICED = 1e-9", "_NOTICED = 1e-3", FIELDS),
    ("envs/greenhouse/rewards.py", "3600.0", "3000.0", {"greenhouse"}),
    ("envs/greenhouse/constraints.py", "min(outside, 1.0)", "min(outside, 2.0)", {"greenhouse"}),
    ("envs/greenhouse/noise.py", "0.0 if over", "0.1 if over", {"greenhouse"}),
    ("envs/field/response.py", "_OFTEN = 7", "_OFTEN = 8", set()),
    ("envs/field/family.py", "2005)", "2006)", set()),
    ("envs/core.py", "applied[rows] = 0.0", "applied[rows] = 1.0", set(TASKS)),
    ("envs/field/randomisation.py", "_LEAST: Final = 0.1", "_LEAST: Final = 0.2", FIELDS),
    ("data/field_task.py", "default=0.7", "default=0.6", FIELDS),
    ("data/greenhouse_task.py", "INTERVAL = 300", "INTERVAL = 600", {"greenhouse"}),
    ("compiled/__init__.py", "nogil=True", "nogil=False", set(TASKS)),
    ("compiled/elementary/calling.py", "module, name, 1)", "module, name, 2)", set(TASKS)),
    ("compiled/elementary/power.py", "y * 0.5", "y * 0.25", set(TASKS)),
    ("compiled/code_cache.py", '".kernel"', '".code"', set()),
    ("weather/draws.py", "_DIGITS = 9", "_DIGITS = 8", set(TASKS)),
    ("compiled/arithmetic.py", '"fastmath": False', '"fastmath": True', set(TASKS)),
    ("leaderboard/scoring.py", "RESAMPLES: Final = 20_000", "RESAMPLES: Final = 20", set()),
    ("policies/field/ceres.py", "default=1000.0", "default=2000.0", set()),
]


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package, its sources, read once, and the starts of a task of each model."""
    root = tmp_path_factory.mktemp("copy") / "agbench"
    shutil.copytree(PACKAGE, root, ignore=shutil.ignore_patterns("__pycache__", "static", "_data"))
    return root, Sources(root), {kind: entry_points(catalog.task(name)) for kind, name in TASKS.items()}


@pytest.mark.slow_except(
    "simulators/*/*.py",
    "simulators/*/*/*.py",
    "weather/draw*",
    "envs/core.py",
    "data/field_task.py",
    "compiled/__init__.py",
)
@pytest.mark.parametrize(("file", "old", "new", "moved"), CHANGES, ids=[change[0] for change in CHANGES])
def test_a_constant_moves_the_hashes_of_its_models_alone(copied, file, old, new, moved):
    root, sources, starts = copied
    path = root / file
    text = path.read_text()
    assert old in text
    before = {kind: simulator_hash(catalog.task(name)) for kind, name in TASKS.items()}
    try:
        path.write_text(text.replace(old, new, 1))
        after = _hashes(sources, starts, path)
    finally:
        path.write_text(text)
        _forget(sources, path)
    assert {kind for kind in TASKS if after[kind] != before[kind]} == moved


def test_comments_in_these_files_move_none(copied):
    root, sources, starts = copied
    texts = {root / file: (root / file).read_text() for file, *_ in CHANGES}
    before = {kind: simulator_hash(catalog.task(name)) for kind, name in TASKS.items()}
    try:
        for path, text in texts.items():
            path.write_text("# A comment.\n" + text.replace('."""\n', '. And more."""  # so\n'))
        assert _hashes(sources, starts, *texts) == before
    finally:
        for path, text in texts.items():
            path.write_text(text)
            _forget(sources, path)


def _hashes(sources, starts, *changed):
    """Return the hash of each model, once more after a change of some files."""
    for path in changed:
        _forget(sources, path)
    return {kind: sources.hash(roots) for kind, roots in starts.items()}


def _forget(sources, changed):
    """Let a file be read again: to read all of them takes longer than all else."""
    (module,) = (name for name, path in sources.files.items() if path == changed)
    sources._modules.pop(module, None)


EPISODES = ("wheat-nitrogen-v1", "wheat-layered-v1", "cassava-inputs-v1", "greenhouse-setpoint-v1")
BESIDE = {
    ("agbench.envs.family", "build"),
    ("agbench.policies.simple", "Zero"),
    ("agbench.registration", "_Finder"),
    ("agbench.weather.greenhouse.sun", "top_of_atmosphere"),
    ("agbench.weather.greenhouse.sun", "_write_days"),
}
"""What runs too, but belongs to no model: the look-up of families, the policy, Python's imports, and what
checks of weather hold radiation against."""


@pytest.mark.parametrize("name", EPISODES)
def test_whatever_python_runs_in_an_episode_is_in_the_closure(name):
    task = catalog.task(name)
    short = {"episode__length": "2 d"} if task.family == "greenhouse" else {}
    assert missed(override(task, short), Sources()) == set()


def missed(task, sources):
    """Return the places that Python runs in an episode of a task and that are not in its closure."""
    models.parameter_names()  # of all models: they tell another model's names from misspelt ones, no more
    policy, seen = load_policy("zero", task), set()
    modules = {str(path): module for module, path in sources.files.items()}

    def note(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename in modules and not code.co_qualname.startswith("<"):
            seen.add((modules[code.co_filename], code.co_qualname.partition(".")[0]))

    sys.setprofile(note)
    try:
        parts = build(task, "test")
        rollout = roll_out(AgBenchEnv(parts), policy, episodes(task, parts.scenarios)[0])
    finally:
        sys.setprofile(None)
    assert not rollout.row["failed"]
    assert len(seen) > 20
    left = seen - sources.closure(entry_points(task)) - BESIDE
    return {place for place in left if place[0] not in BOUNDARY}


def test_noise_is_in_the_closure_of_greenhouses_alone():
    noise = ("agbench.envs.greenhouse.noise", "ParameterNoise")
    assert noise in Sources().closure(entry_points(catalog.task("greenhouse-tomato-uncertain-v1")))
    assert noise not in Sources().closure(entry_points(catalog.task("wheat-nitrogen-v1")))


def test_a_root_in_another_package_is_followed_there_and_back(tmp_path, monkeypatch):
    farm = tmp_path / "toy_farm"
    farm.mkdir()
    (farm / "__init__.py").write_text("")
    (farm / "physics.py").write_text(
        "from agbench.variables import VariableTable\nfrom toy_farm.soil import K\n\n"
        "def rate(x):\n    return K * len(VariableTable(x))\n"
    )
    (farm / "soil.py").write_text("K = 1.0\nOTHER = 2.0\n")
    alone = tmp_path / "toy_alone.py"
    alone.write_text("def rate(x):\n    return x\n")

    def hash_of(*roots):
        return Sources(others=[farm, alone]).hash(roots)

    before = hash_of("toy_farm.physics:rate"), hash_of("toy_alone:rate")
    assert ("agbench.variables", "VariableTable") in Sources(others=[farm]).closure(["toy_farm.physics:rate"])
    (farm / "soil.py").write_text("K = 1.0\nOTHER = 3.0\n")
    assert (hash_of("toy_farm.physics:rate"), hash_of("toy_alone:rate")) == before
    (farm / "soil.py").write_text("K = 1.5\nOTHER = 3.0\n")
    assert hash_of("toy_farm.physics:rate") != before[0]
    monkeypatch.syspath_prepend(tmp_path)
    assert closure_hash("toy_farm.physics:rate") == hash_of("toy_farm.physics:rate")
    assert closure_hash("toy_alone:rate") == before[1]
    with pytest.raises(ConfigError, match="'__main__' has no source to hash"):
        closure_hash("__main__:rate")
