"""An episode as plain numbers: the data of its drawing."""

from agbench.data.reading import Strict
from agbench.envs.curves import PanelData


class EpisodeRecord(Strict):
    """An episode simulated again from its recorded actions.

    `total` and `objective` are its return and objective as found here; `problem` says what kept it
    from being simulated to its end, if anything did.
    """

    first_day: str
    days: float
    total: float
    objective: float
    problem: str = ""
    panels: list[PanelData]
