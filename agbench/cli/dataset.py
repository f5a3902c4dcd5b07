"""`agbench dataset`: make offline datasets, list their recipes, verify them."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from typer.core import TyperGroup

from agbench.cli.options import (
    JsonOption,
    OnOption,
    OtherTaskOption,
    SetOption,
    SplitOption,
    WorkersOption,
    console,
    counted,
    print_json,
    read_overrides,
    titled,
)
from agbench.errors import ConfigError

if TYPE_CHECKING:
    from agbench.datasets.plan import Plan


class _NameFirst(TyperGroup):
    """A group whose command `make` needs no name: what follows is then a dataset's or a task's."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that is named first, else `make` with all arguments."""
        if args and args[0] not in self.commands:
            args = ["make", *args]
        return super().resolve_command(ctx, args)


dataset = typer.Typer(
    name="dataset",
    cls=_NameFirst,
    help="Offline datasets: make a named one, or one of any policies; list recipes; verify.\n\n"
    "`agbench dataset NAME` is short for `agbench dataset make NAME`.\n\n"
    "Example: `agbench dataset wheat-nitrogen/medium-v1`",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

FolderArgument = Annotated[Path, typer.Argument(metavar="DIR", help="Folder of a dataset.")]


@dataset.command()
def make(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="A recipe, see `dataset list`; or the id of a task.")
    ],
    policy: Annotated[
        list[str] | None,
        typer.Option(
            "--policy", "-p", metavar="POLICY", help="For a task: name, file or module:Name; repeatable."
        ),
    ] = None,
    share: Annotated[
        list[float] | None, typer.Option(metavar="NUMBER", help="Weight of each policy, in their order.")
    ] = None,
    epsilon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NUMBER",
            help="Probability that an action is drawn from the action space; 1..0.1 for a line from the "
            "first episode to the last. One for all policies, or one each.",
        ),
    ] = None,
    noise: Annotated[
        list[str] | None,
        typer.Option(metavar="NUMBER", help="Standard deviation of noise on amounts; as --epsilon."),
    ] = None,
    mix: Annotated[
        str, typer.Option(metavar="MIX", help="Policies are drawn for each episode or step, or in order.")
    ] = "episode",
    episodes: Annotated[int | None, typer.Option(min=1, help="How many; of a recipe its own.")] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", metavar="DIR", help="Default: runs/datasets/NAME.")
    ] = None,
    format: Annotated[str, typer.Option(metavar="FORMAT", help="minari, parquet or npz.")] = "minari",
    workers: WorkersOption = 1,
    on: OnOption = None,
    split: SplitOption = "train",
    scenarios: Annotated[
        str,
        typer.Option(
            metavar="WHICH",
            help="drawn, as environments draw them; split, for those of the split in turn; or keys, "
            "separated by commas.",
        ),
    ] = "drawn",
    years: Annotated[
        str | None, typer.Option(metavar="YEARS", help="Years that replace the split's: 1984,1985.")
    ] = None,
    other_task: OtherTaskOption = False,
    seed: Annotated[int, typer.Option(min=0, help="What all else follows from.")] = 0,
    state: Annotated[bool, typer.Option("--state", help="Keep the simulator's whole state too.")] = False,
    set_: SetOption = None,
    json: JsonOption = False,
) -> None:
    """Make a dataset, or go on with one that was cut off.

    Example: `agbench dataset wheat-nitrogen-v1 --policy advisor --epsilon 0.2 --episodes 1000 -o runs/mine`
    """
    from agbench.datasets import collecting, description
    from agbench.datasets.plan import plan_of

    options = {
        "--policy": policy, "--share": share, "--epsilon": epsilon, "--noise": noise, "--set": set_,
        "--years": years, "--mix": mix != "episode", "--split": split != "train",
        "--scenarios": scenarios != "drawn", "--seed": seed, "--state": state, "--other-task": other_task,
    }  # fmt: skip
    if "/" not in name:
        chosen = years and [_year(text) for text in years.split(",")]
        plan = plan_of(
            name,
            _behaviours(name, policy, share, epsilon, noise),
            _required(episodes),
            split=split,
            scenarios=scenarios if scenarios in ("drawn", "split") else _keys(scenarios),
            mix=mix,  # type: ignore[arg-type]
            seed=seed,
            state=state,
            years=chosen or None,
            overrides=read_overrides(set_),
            other_task=other_task,
        )
        folder = out or collecting.FOLDER / description.made_up(plan)
    else:
        _refuse_beside_recipe(name, [option for option, value in options.items() if value], policy)
        plan = collecting.plan_of_recipe(name, episodes)
        folder = out or collecting.FOLDER / (plan.name or description.made_up(plan))
    _make(plan, folder, format, workers, on, json)


def _refuse_beside_recipe(name: str, given: list[str], policies: list[str] | None) -> None:
    """Raise `ConfigError` for options that a recipe says itself, and what to type instead."""
    from agbench.data.dataset import recipe

    task, own = recipe(name)
    if not given:
        return
    usual = [one.policy for one in own.behaviour]
    named = " ".join(f"--policy {policy}" for policy in policies or usual)
    raise ConfigError(
        f"{name} is a recipe, which has its own policy ({', '.join(usual)}) and "
        "says all but --episodes, --out, --format, --workers and --on. Leave out "
        f"{', '.join(given)}, or make a dataset of your own: agbench dataset {task} {named} --episodes "
        f"{own.episodes}."
    )


def _make(plan: "Plan", folder: Path, format: str, workers: int, on: str | None, json: bool) -> None:
    """Make the dataset of a plan and print what it is."""
    import time

    from agbench.datasets import collecting, description

    began = time.perf_counter()
    shown = False if json else None
    path = collecting.make(plan, folder, format, workers, shown, on)  # type: ignore[arg-type]
    seconds = time.perf_counter() - began
    told = description.read(path)
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    if json:
        keys = ("id", "task", "format", "episodes", "transitions", "returns", "content", "files", "command")
        print_json(
            {**{key: told[key] for key in keys}, "bytes": size, "seconds": seconds, "folder": str(folder)}
        )
        return
    counts = f"{counted(told['episodes'], 'episode')}, {counted(told['transitions'], 'transition')}"
    console.print(titled(told["id"], f"{counts}, {size / 1e6:.1f} MB, {seconds:.1f} s"))
    returns = told["returns"]
    console.print(
        f"    return     {returns['mean']:.1f} [{returns['tenth']:.1f}, {returns['ninetieth']:.1f}: 80 %]"
    )
    console.print(f"    content    {told['content']}")
    console.print(f"    wrote {folder}/", soft_wrap=True)


@dataset.command("list")
def list_recipes(json: JsonOption = False) -> None:
    """List the recipes.

    Example: `agbench dataset list`
    """
    from agbench.data import dataset as recipes

    named = {name: recipes.recipe(name) for name in recipes.names()}
    if json:
        print_json(
            {name: {"task": task, **one.model_dump(mode="json")} for name, (task, one) in named.items()}
        )
        return
    table = Table("name", "task", "episodes", "summary", box=None)
    table.columns[0].no_wrap = True
    for name, (task, one) in named.items():
        table.add_row(name, task, f"{one.episodes:,}", one.summary)
    console.print(table)


@dataset.command()
def check(
    folder: FolderArgument,
    episodes: Annotated[
        int, typer.Option(min=1, help="How many episodes to simulate again, evenly spread.")
    ] = 32,
    all_: Annotated[bool, typer.Option("--all", help="Simulate all episodes again.")] = False,
    json: JsonOption = False,
) -> None:
    """Verify a dataset: hashes of files and content, recipe, physics, episodes simulated again.

    Exits with 1 where something is wrong.

    Example: `agbench dataset check runs/datasets/wheat-nitrogen/medium-v1`
    """
    from agbench.datasets import checking

    findings = checking.check(folder, None if all_ else episodes)
    if json:
        print_json([{"what": one.what, "problem": one.problem} for one in findings])
    else:
        for one in findings:
            style = "green" if one.problem is None else "red"
            console.print(titled(one.what, one.problem or "equal", style), soft_wrap=True)
    if any(one.problem is not None for one in findings):
        raise typer.Exit(1)


def _required(episodes: int | None) -> int:
    if episodes is None:
        raise ConfigError("say how many episodes: --episodes 1000. (Or name a recipe: agbench dataset list.)")
    return episodes


def _keys(text: str) -> list[str]:
    """Return the keys of scenarios in a text; a comma before a change, as in `+2,rain-20`, is part of one."""
    return re.split(r",(?=[^,/]*/)", text)


def _year(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ConfigError(f"--years: {text!r} is no year; write 1984,1985.") from None


def _behaviours(
    task: str,
    policies: list[str] | None,
    shares: list[float] | None,
    epsilons: list[str] | None,
    noises: list[str] | None,
) -> list[dict[str, Any]]:
    """Return the behaviours that options name; raises `ConfigError` where their numbers do not fit."""
    if not policies:
        raise ConfigError(f"name a policy: agbench dataset {task} --policy NAME; see agbench show {task}.")
    given: dict[str, list[Any]] = {
        "share": list(shares or []),
        "epsilon": [_number("--epsilon", text) for text in epsilons or []],
        "noise": [_number("--noise", text) for text in noises or []],
    }
    result: list[dict[str, Any]] = [{"policy": policy} for policy in policies]
    for key, values in given.items():
        if not values:
            continue
        if len(values) not in (1, len(policies)) or (key == "share" and len(values) != len(policies)):
            of = counted(len(policies), "policy", "policies")
            raise ConfigError(f"--{key}: {counted(len(values), 'value')} for {of}.")
        for entry, value in zip(result, values * (len(policies) if len(values) == 1 else 1), strict=False):
            entry[key] = value
    return result


def _number(option: str, text: str) -> float | dict[str, float]:
    """Return a number, or the ends of a line that are written START..END."""
    start, dots, end = text.partition("..")
    try:
        return {"start": float(start), "end": float(end)} if dots else float(text)
    except ValueError:
        raise ConfigError(f"{option} {text!r} is neither a number nor a line such as 1..0.1.") from None
