"""`agbench challenge TASK...`: whether random calendars that observe nothing beat a task's references."""

from typing import Annotated

import typer

from agbench.cli.options import JsonOption, OnOption, ThreadsOption, WorkersOption, console, print_json


def challenge(
    tasks: Annotated[list[str], typer.Argument(metavar="TASK...", help="Ids of tasks with anchors.")],
    calendars: Annotated[int, typer.Option(min=1, help="Random blind calendars to play.")] = 1000,
    search: Annotated[
        int, typer.Option(min=0, metavar="ROUNDS", help="Rounds of a second search in each scenario.")
    ] = 0,
    split: Annotated[str, typer.Option(help="A split with anchors.")] = "test",
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn.")] = 0,
    workers: WorkersOption = 1,
    on: OnOption = None,
    threads: ThreadsOption = 1,
    json: JsonOption = False,
) -> None:
    """Play random blind calendars, and a second oracle's search, against floor, expert and oracle.

    Exit code 1 if something beats an oracle, in a scenario or in the mean, by more than 1 % of the mean of
    oracle less floor: such an oracle is no bound. Each task is a piece of work for --workers or --on; the
    seasons of one are split over --threads.

    Example: `agbench challenge wheat-layered-v1 --calendars 1000 --search 20`
    """
    from agbench.evaluation import challenge as library
    from agbench.running import engine_of

    beaten = False
    content = []
    options = {"split": split, "count": calendars, "seed": seed, "rounds": search, "threads": threads}
    for result in library.challenges(tasks, engine_of(on, workers), **options):
        beaten |= not result.oracle_holds
        content.append(library.content(result))
        if not json:
            for line in library.lines(result):
                console.print(line, soft_wrap=True)
    if json:
        print_json(content)
    if beaten:
        raise typer.Exit(1)
