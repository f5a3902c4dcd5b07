"""`agbench challenge TASK...`: whether random calendars that observe nothing beat a task's references."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agbench.cli.options import (
    JsonOption,
    OnOption,
    ThreadsOption,
    WorkersOption,
    console,
    messages,
    print_json,
)

if TYPE_CHECKING:
    from agbench.running import Engine


def challenge(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="Ids of tasks with anchors.")],
    calendars: Annotated[int, typer.Option(min=1, help="Random blind calendars to play.")] = 1000,
    search: Annotated[
        int, typer.Option(min=0, metavar="ROUNDS", help="Rounds of a second search in each scenario.")
    ] = 0,
    again: Annotated[
        bool, typer.Option(help="Search as the oracle does, with other random numbers; no calendars.")
    ] = False,
    every: Annotated[
        int,
        typer.Option(min=1, metavar="N", help="With --again: every Nth scenario, without help of others."),
    ] = 1,
    keep: Annotated[
        bool, typer.Option(help="With --again: keep plans above the oracle in baselines/TASK/found.yaml.")
    ] = False,
    split: Annotated[str, typer.Option(help="A split with anchors.")] = "test",
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn.")] = 0,
    workers: WorkersOption = 1,
    on: OnOption = None,
    threads: ThreadsOption = 1,
    json: JsonOption = False,
) -> None:
    """Play random blind calendars, or another oracle's search, against floor, expert and oracle.

    Exit code 1 if something beats an oracle, in a scenario or in the mean, by more than 1 % of the mean of
    oracle less floor: such an oracle is no bound. Each task is a piece of work for --workers or --on; the
    seasons of one are split over --threads.

    What --again found above an oracle, the oracle begins from once --keep has kept it and its file names
    `known: found`.

    Example: `agbench challenge wheat-layered-v1 --calendars 1000 --search 20`

    Example: `agbench challenge wheat-planting-v1 --again --every 5`
    """
    from agbench.data import catalog
    from agbench.evaluation import another_search
    from agbench.running import engine_of

    _require_fitting(again, search, every, keep)
    for name in tasks if keep else []:  # before anything is searched
        another_search.require_keepable(catalog.task(name))
    more = {"every": every} if again else {"count": calendars, "rounds": search}
    options = {"split": split, "seed": seed, "threads": threads, **more}
    judging, results = _results(tasks, again, engine_of(on, workers), options)
    content = []
    for result in results:
        content.append(judging.content(result))
        if not json:
            for line in judging.lines(result):
                console.print(line, soft_wrap=True)
        if keep and (kept := another_search.keep(result)):
            hint = f"    kept        {kept[0]} has {kept[1]} plans now"
            (messages if json else console).print(hint, soft_wrap=True)
    if json:
        print_json(content)
    if not all(one["oracle_holds"] for one in content):
        raise typer.Exit(1)


def _results(
    tasks: list[str], again: bool, engine: "Engine", options: dict[str, Any]
) -> tuple[Any, Iterator[Any]]:
    """Return the module that puts results into words, and the results of tasks in order."""
    from agbench.evaluation import another_search, challenge

    if again:  # seed 0 is the oracle's own
        return another_search, another_search.others(
            tasks, engine, **{**options, "seed": options["seed"] + 1}
        )
    return challenge, challenge.challenges(tasks, engine, **options)


def _require_fitting(again: bool, search: int, every: int, keep: bool) -> None:
    """Raise for options that do not go together."""
    if again and search:
        raise typer.BadParameter("--again searches as the oracle does; leave --search out.")
    if not again and (every > 1 or keep):
        raise typer.BadParameter("--every and --keep are for --again.")
