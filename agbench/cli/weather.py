"""`agbench weather`: list the weather of sites; fit, check and draw generators; download."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, get_args

import typer
from rich.table import Table

from agbench.cli.options import JsonOption, console, print_json
from agbench.errors import unknown

if TYPE_CHECKING:
    from agbench.weather.generator import of_site
    from agbench.weather.readers.observations import Repair

weather = typer.Typer(
    name="weather",
    help="Weather of sites: measured, downloaded, generated.\n\n"
    "Example: `agbench weather show wageningen 1984`",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

SiteArgument = Annotated[str, typer.Argument(metavar="SITE", help="Id of a site; see `weather list`.")]
ObservationsOption = Annotated[
    Path | None,
    typer.Option(
        "--observations",
        "-o",
        metavar="FILE",
        help="Observed days (.csv, .parquet, .npz, .xlsx, .json, .txt); default: those of the site.",
    ),
]
RepairOption = Annotated[
    str, typer.Option(metavar="REPAIR", help="A named repair: none, exchange-temperatures, drop-implausible.")
]


@weather.command("list")
def list_sites(json: JsonOption = False) -> None:
    """List the sites and their weather.

    Example: `agbench weather list`
    """
    from agbench.data import catalog
    from agbench.weather.generator import of_site

    result = [of_site.overview(name) for name in catalog.readable("site")]
    if json:
        print_json([asdict(site) for site in result])
        return
    table = Table("site", "place", "measured", "generated", box=None)
    table.columns[2].no_wrap = True
    for site in result:
        table.add_row(site.site, _place(site), site.measured, "yes" if site.generated else "no")
    console.print(table)


@weather.command()
def show(
    site: SiteArgument,
    year: Annotated[int | None, typer.Argument(metavar="[YEAR]", help="A measured year.")] = None,
    season: Annotated[int, typer.Option(help="Number of the generated season.")] = 0,
    json: JsonOption = False,
) -> None:
    """Show a site and monthly values of a generated season or a measured year.

    Example: `agbench weather show wageningen 1984`, `agbench weather show wageningen --season 17`
    """
    from agbench.weather.generator import of_site

    result = of_site.overview(site)
    months = of_site.months(site, year, season)
    shown_as = {"season": season} if year is None else {"year": year}
    if json:
        print_json({**asdict(result), **shown_as, "months": months.to_dict("list")})
        return
    console.print(f"{site}  {result.summary}")
    console.print(f"    {_place(result)}; soils: {', '.join(result.soils) or 'none'}")
    scenario = f"{site}/generated/{season}" if year is None else f"{site}/{year}"
    console.print(f"    measured: {result.measured}; scenario {scenario}:")
    units = ("IRRAD MJ m-2 d-1", "TMIN degC", "TMAX degC", "VAP hPa", "WIND m s-1", "RAIN mm d-1")
    table = Table("month", *units, box=None)
    for day, row in zip(months.index, months.to_dict("records"), strict=True):
        shown = (row["IRRAD"] / 1e6, row["TMIN"], row["TMAX"], row["VAP"], row["WIND"], row["RAIN"] * 10.0)
        table.add_row(f"{day:%b}", *(f"{value:.1f}" for value in shown))
    console.print(table)


@weather.command("soils")
def list_soils(json: JsonOption = False) -> None:
    """List the soils and the water that they hold; a soil with contradictory values is an error.

    Limits of a layered soil are means over its rootable depth.

    Example: `agbench weather soils`
    """
    from agbench.data import catalog, soil_report

    result = [soil_report.overview(name) for name in catalog.readable("soil")]
    if json:
        print_json([asdict(soil) for soil in result])
        return
    titles = ("layers", "wilting", "field capacity", "saturation", "rootable depth", "available water")
    table = Table("soil", *titles, box=None)
    for soil in result:
        limits = (soil.wilting, soil.capacity, soil.saturation)
        lengths = ("-" if x is None else f"{x:.0f} cm" for x in (soil.depth, soil.available))
        table.add_row(soil.soil, str(soil.layers), *(f"{limit:.3f}" for limit in limits), *lengths)
    console.print(table)
    for soil in (soil for soil in result if soil.remark):
        console.print(f"    {soil.soil}: {soil.remark}")


@weather.command()
def plot(
    site: SiteArgument,
    observations: ObservationsOption = None,
    repair: RepairOption = "none",
    picture: Annotated[Path | None, typer.Option("--picture", "-p", help="File to write.")] = None,
) -> None:
    """Draw generated seasons and observed years.

    Example: `agbench weather plot wageningen`
    """
    from agbench.plotting import require_place
    from agbench.weather.generator import of_site

    target = picture or Path("runs") / f"weather-{site}.png"
    require_place(target)
    path = of_site.draw_site(site, target, observations, as_repair(repair))
    console.print(f"wrote {path}", soft_wrap=True)


@weather.command()
def check(
    site: SiteArgument,
    observations: ObservationsOption = None,
    repair: RepairOption = "none",
    seasons: Annotated[int, typer.Option(help="Generated seasons to compare, at least 2.")] = 8000,
    json: JsonOption = False,
) -> None:
    """Compare generated seasons with observed years; exit code 1 if a criterion fails.

    Example: `agbench weather check wageningen`
    """
    from agbench.weather.generator import of_site
    from agbench.weather.generator.check import share_passed

    result = of_site.check_site(site, observations, as_repair(repair), seasons)
    if json:
        print_json([{**asdict(finding), "passed": finding.passed} for finding in result])
    else:
        for criterion, (passed, total) in share_passed(result).items():
            console.print(f"{criterion:24}{passed:4} of {total:3} pass")
        for f in (finding for finding in result if not finding.passed):
            console.print(
                f"    {f.criterion}, {f.what}: observed {f.observed:.3g}, generated {f.generated:.3g},"
                f" off by {f.off:.3g}, allowed {f.allowed:.3g}"
            )
    if not all(finding.passed for finding in result):
        raise typer.Exit(1)


@weather.command()
def fit(site: SiteArgument, observations: ObservationsOption = None, repair: RepairOption = "none") -> None:
    """Fit the generator of a site to observed days and write its parameters to the site file.

    Example: `agbench weather fit wageningen`
    """
    from agbench.weather.generator import of_site

    path = of_site.fit_site(site, observations, as_repair(repair))
    console.print(f"wrote {path}", soft_wrap=True)


@weather.command()
def fetch(site: SiteArgument) -> None:
    """Download the measured weather of a site to the cache folder, once.

    Example: `agbench weather fetch MY-SITE`
    """
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from agbench.weather.generator import of_site

    label = TextColumn("{task.description}", markup=False)
    columns = (label, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"fetching {site}", total=None)

        def report(size: int, total: int | None) -> None:
            bar.update(task, completed=size, total=total)

        path = of_site.fetch_site(site, report)
    console.print(f"wrote {path}", soft_wrap=True)


@weather.command()
def yields(
    site: SiteArgument,
    crop: Annotated[str, typer.Option(help="wheat (LINTUL-3) or maize (WOFOST).")] = "wheat",
    observations: ObservationsOption = None,
    repair: RepairOption = "none",
    json: JsonOption = False,
) -> None:
    """Compare water-limited yields on generated and on observed seasons; exit code 1 if they differ.

    Example: `agbench weather yields wageningen`
    """
    from agbench.simulation.generated_yields import MEAN_LIMIT, SPREAD_LIMIT, compare_yields
    from agbench.weather.generator import of_site

    series = of_site.observations(site, observations, as_repair(repair))
    result = compare_yields(site, series, crop)
    rows = {"observed": result.observed, "generated": result.generated}
    if json:
        print_json({name: values.tolist() for name, values in rows.items()} | {"passed": result.passed})
    else:
        for name, values in rows.items():
            spread = values.std(ddof=1)
            console.print(
                f"{name:10}{values.size:5} seasons  mean {values.mean():.2f}  sd {spread:.2f} t ha-1"
            )
        console.print(f"mean off by {result.mean_off:.1%} (allowed {MEAN_LIMIT:.0%}),", end=" ")
        console.print(f"standard deviation by {result.spread_off:.1%} (allowed {SPREAD_LIMIT:.0%})")
    if not result.passed:
        raise typer.Exit(1)


def _place(site: "of_site.SiteWeather") -> str:
    """Return a place as text, such as `44.00 N 99.00 W, 488 m`."""
    north = f"{abs(site.latitude):.2f} {'N' if site.latitude >= 0 else 'S'}"
    east = f"{abs(site.longitude):.2f} {'E' if site.longitude >= 0 else 'W'}"
    return f"{north} {east}, {site.elevation:.0f} m"


def as_repair(text: str) -> "Repair":
    """Return a named repair; raises an error for other names."""
    from agbench.weather.readers.observations import Repair

    for way in get_args(Repair):
        if text == way:
            result: Repair = way
            return result
    raise unknown("repair", text, get_args(Repair), where="--repair")
