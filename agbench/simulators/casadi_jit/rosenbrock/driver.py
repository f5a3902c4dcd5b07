"""The adaptive stepper: rows in lanes, driven by Numba around compiled programs.

Every row has its own time, step size and inputs; lanes share only the instructions, and a lane
whose row is done takes the next one. What a row does is therefore equal to the last bit for any
batch and any position in it.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from agbench.compiled import entry, kernel
from agbench.simulators.casadi_jit.calling import call, load
from agbench.variables import Floats

Integers = NDArray[np.int64]

PREPARE, JACOBIAN, RATES, FACTOR, SOLVE, FINISH, INTEGRATE, COMBINE = range(8)
"""Places in the table of addresses; stage i is combined by place COMBINE + i - 1."""
LEAST_STEP = 1e-9  # of the interval: a shorter step counts as failed


class Method(NamedTuple):
    """What does not change from call to call."""

    addresses: Integers
    fresh: NDArray[np.bool_]
    """(stages,): whether a stage evaluates the equations."""
    gamma: float
    lanes: int
    held: int
    jacobian: int
    factors: int
    integrals: int
    """How many rates beside the equations are integrated."""


class Control(NamedTuple):
    """Interval over which inputs are held [s], first step in it [s], tolerance (relative)."""

    interval: float
    first_step: float
    tolerance: float


class Batch(NamedTuple):
    """Rows to advance; all arrays but `rows` are those of the whole simulator."""

    rows: Integers
    state: Floats
    """(n, states)."""
    controls: Floats
    """(n, controls), held over all intervals."""
    parameters: Floats
    """(n, parameters)."""
    weather: Integers
    """(n,): address of each row's weather from its start, of `width` columns."""
    width: int
    elapsed: Integers
    """(n,): intervals since each row's start; gains those advanced."""
    horizon: Integers
    """(n,): the last interval of each row, beyond which it does not go."""
    steps: int
    """How many intervals to advance."""
    attempts: Integers
    """(n, 2): gains the steps accepted and refused."""
    integrals: Floats
    """(n, integrals): becomes what rates summed up to over the call; 0 if a row does not move."""
    failed: NDArray[np.bool_]
    """(n,): becomes true where the step size went to zero; the row's state stays."""


class Lanes(NamedTuple):
    """What the lanes hold; arrays are (width, lanes)."""

    x: Floats
    u: Floats
    d: Floats
    p: Floats
    held: Floats
    row: Integers
    """(lanes,): the row in each lane, -1 for none."""
    number: Integers
    """(lanes,): which of its intervals the row is in, since its start."""
    last: Integers
    """(lanes,): the interval at which the row stops."""
    elapsed: Floats
    """(lanes,): time in the interval [s]."""
    step: Floats
    """(lanes,): size of the next step [s]."""
    gained: Floats
    """(integrals, lanes): what was integrated since the row was taken."""
    taken: Integers
    """(lanes,): the first is how many of the batch's rows have been taken."""


class Scratch(NamedTuple):
    """Results of the programs of one step, (width, lanes); `k` has the stages one below the other."""

    rates: Floats
    jacobian: Floats
    factors: Floats
    k: Floats
    at: Floats
    mix: Floats
    stage: Floats
    after: Floats
    error: Floats
    change: Floats
    shift: Floats
    inverse: Floats
    tolerance: Floats
    gain: Floats


class Workspace(NamedTuple):
    """Memory to work in; what it contains before a call has no influence."""

    values: Floats
    """(rows, lanes): the floating-point arrays of `Lanes` and `Scratch`, one below the other."""
    numbers: Integers
    """(5, lanes): row, number, last, taken, and how much of `values` is laid out."""


_METHOD = len(Method._fields)
_CONTROL = _METHOD + len(Control._fields)
_WORKSPACE = _CONTROL + len(Workspace._fields)


def make_workspace(method: Method, states: int, inputs: int) -> Workspace:
    """Return memory for a model of so many states and inputs: controls, weather and parameters."""
    programs = method.held + method.jacobian + method.factors
    rows = inputs + programs + (len(method.fresh) + 6) * states + 7 + 2 * method.integrals
    return Workspace(np.zeros((rows, method.lanes)), np.zeros((5, method.lanes), dtype=np.int64))


def advance(method: Method, control: Control, memory: Workspace, batch: Batch) -> bool:
    """Advance the chosen rows of a batch by `batch.steps` intervals, fewer where a row ends.

    Return whether all succeeded; `batch.failed` marks the rows that did not.
    """
    # To take a named tuple apart costs Numba microseconds a call; its members one by one cost little.
    return bool(_advance(*method, *control, *memory, *batch))


@entry
def _advance(*members: Any) -> bool:
    method, control = Method(*members[:_METHOD]), Control(*members[_METHOD:_CONTROL])
    batch = Batch(*members[_WORKSPACE:])
    hold, scratch = workspace(method, Workspace(*members[_CONTROL:_WORKSPACE]), batch)
    for lane in range(method.lanes):
        scratch.tolerance[lane] = control.tolerance
        take(hold, batch, lane, control)
    for row in batch.rows:
        for i in range(method.integrals):
            batch.integrals[row, i] = 0.0
    prepare, moved, good = True, True, True
    while busy(hold):
        if prepare:
            call(method.addresses[PREPARE], (hold.u, hold.d, hold.p, hold.held))
        if moved or prepare:
            call(method.addresses[JACOBIAN], (hold.x, hold.held, scratch.rates, scratch.jacobian))
        attempt(method, hold, scratch)
        prepare, moved = False, False
        for lane in range(method.lanes):
            if hold.row[lane] < 0:
                continue
            if accept(hold, scratch, batch, lane, control):
                moved = True
            if hold.step[lane] < LEAST_STEP * control.interval:
                batch.failed[hold.row[lane]] = True
                good = False
                take(hold, batch, lane, control)
                prepare = True
            elif hold.elapsed[lane] >= control.interval:
                finish_interval(hold, batch, lane, control)
                prepare = True
    return good


@kernel
def workspace(method: Method, memory: Workspace, batch: Batch) -> tuple[Lanes, Scratch]:
    """Return empty lanes and the scratch of a step, laid out in memory."""
    values, numbers = memory
    n, used = batch.state.shape[1], numbers[4]
    for lane in range(method.lanes):
        numbers[0, lane] = -1
        for i in range(1, len(numbers)):
            numbers[i, lane] = 0
    lanes = Lanes(
        x=part(values, used, n),
        u=part(values, used, batch.controls.shape[1]),
        d=part(values, used, batch.width),
        p=part(values, used, batch.parameters.shape[1]),
        held=part(values, used, method.held),
        row=numbers[0],
        number=numbers[1],
        last=numbers[2],
        elapsed=part(values, used, 1)[0],
        step=part(values, used, 1)[0],
        gained=part(values, used, method.integrals),
        taken=numbers[3],
    )
    return lanes, Scratch(
        rates=part(values, used, n),
        jacobian=part(values, used, method.jacobian),
        factors=part(values, used, method.factors),
        k=part(values, used, len(method.fresh) * n),
        at=part(values, used, n),
        mix=part(values, used, n),
        stage=part(values, used, n),
        after=part(values, used, n),
        error=part(values, used, 1)[0],
        change=part(values, used, 1)[0],
        shift=part(values, used, 1)[0],
        inverse=part(values, used, 1)[0],
        tolerance=part(values, used, 1)[0],
        gain=part(values, used, method.integrals),
    )


@kernel
def part(values: Floats, used: Integers, size: int) -> Floats:
    """Return the next `size` rows of the memory."""
    used[0] += size
    return values[used[0] - size : used[0]]


@kernel
def busy(hold: Lanes) -> bool:
    """Return whether any lane holds a row."""
    greatest = -1
    for row in hold.row:
        greatest = max(greatest, row)
    return greatest >= 0


@kernel
def take(hold: Lanes, batch: Batch, lane: int, control: Control) -> None:
    """Put the next waiting row into a lane.

    A lane that finds none waiting goes on computing what it holds, at first a copy of a row.
    """
    hold.row[lane] = -1
    while hold.taken[0] < len(batch.rows) and stop(batch, hold.taken[0]) == 0:
        hold.taken[0] += 1
    idle = hold.taken[0] == len(batch.rows)
    if idle and (hold.last[lane] > 0 or len(batch.rows) == 0):
        return
    row = batch.rows[0 if idle else hold.taken[0]]
    put(batch.state, row, hold.x, lane)
    put(batch.controls, row, hold.u, lane)
    put(batch.parameters, row, hold.p, lane)
    if idle:
        return
    hold.row[lane] = row
    hold.number[lane] = batch.elapsed[row]
    hold.last[lane] = stop(batch, hold.taken[0])
    hold.taken[0] += 1
    for i in range(len(hold.gained)):
        hold.gained[i, lane] = 0.0
    start_interval(hold, batch, lane, row, control)


@kernel
def stop(batch: Batch, place: int) -> int:
    """Return the interval at which the row in a place of `rows` stops, 0 if it does not move."""
    row = batch.rows[place]
    last = min(batch.elapsed[row] + batch.steps, batch.horizon[row])
    return last if last > batch.elapsed[row] else 0


@kernel
def put(source: Floats, row: int, target: Floats, lane: int) -> None:
    """Copy a row of a batch's array into a lane."""
    for i in range(len(target)):
        target[i, lane] = source[row, i]


@kernel
def start_interval(hold: Lanes, batch: Batch, lane: int, row: int, control: Control) -> None:
    """Read the weather of a row's interval and set its clock to the start."""
    for i in range(batch.width):
        place = hold.number[lane] * batch.width + i
        hold.d[i, lane] = load(batch.weather[row], place)
    hold.elapsed[lane] = 0.0
    hold.step[lane] = min(control.first_step, control.interval)


@kernel
def finish_interval(hold: Lanes, batch: Batch, lane: int, control: Control) -> None:
    """Go on to the row's next interval, or hand its state back and take another row."""
    row = hold.row[lane]
    hold.number[lane] += 1
    if hold.number[lane] < hold.last[lane]:
        start_interval(hold, batch, lane, row, control)
        return
    batch.elapsed[row] = hold.last[lane]
    for i in range(len(hold.x)):
        batch.state[row, i] = hold.x[i, lane]
    for i in range(len(hold.gained)):
        batch.integrals[row, i] = hold.gained[i, lane]
    take(hold, batch, lane, control)


@kernel
def attempt(method: Method, hold: Lanes, scratch: Scratch) -> None:
    """Compute one step of each lane from the rates and the Jacobian at its state."""
    s, addresses, n = scratch, method.addresses, len(hold.x)
    for lane in range(method.lanes):
        s.inverse[lane] = 1.0 / hold.step[lane]
        s.shift[lane] = s.inverse[lane] / method.gamma
    call(addresses[FACTOR], (s.jacobian, s.shift, s.factors))
    for i in range(n):
        for lane in range(method.lanes):
            s.stage[i, lane] = s.rates[i, lane]
            s.mix[i, lane] = 0.0
    for i in range(len(method.fresh)):
        if i > 0:
            call(addresses[COMBINE + i - 1], (hold.x, s.k, s.at, s.mix))
        if method.fresh[i]:
            call(addresses[RATES], (s.at, hold.held, s.stage))
        k = s.k[i * n : (i + 1) * n]
        call(addresses[SOLVE], (s.factors, s.stage, s.mix, s.inverse, k))
    call(addresses[FINISH], (hold.x, s.k, s.tolerance, s.after, s.error, s.change))
    if method.integrals > 0:
        call(addresses[INTEGRATE], (hold.x, hold.u, hold.d, hold.p, s.k, s.inverse, s.gain))


@kernel
def accept(hold: Lanes, scratch: Scratch, batch: Batch, lane: int, control: Control) -> bool:
    """Move a lane on if the error of its step allows, choose its next step; return whether."""
    error, row = scratch.error[lane], hold.row[lane]
    good = error <= 1.0
    if not good:
        batch.attempts[row, 1] += 1
        hold.step[lane] *= min(0.9, scratch.change[lane]) if math.isfinite(error) else 0.2
        return False
    for i in range(len(hold.x)):
        hold.x[i, lane] = scratch.after[i, lane]
    for i in range(len(hold.gained)):
        hold.gained[i, lane] += scratch.gain[i, lane]
    left = control.interval - hold.elapsed[lane]
    full = hold.step[lane] >= left
    hold.elapsed[lane] = control.interval if full else hold.elapsed[lane] + hold.step[lane]
    batch.attempts[row, 0] += 1
    next_step = hold.step[lane] * scratch.change[lane]
    hold.step[lane] = fitting_step(next_step, control.interval - hold.elapsed[lane])
    return True


@kernel
def fitting_step(step: float, left: float) -> float:
    """Return a step [s] near `step` that fits into the time left, with no tiny one after it."""
    if left <= 0.0:
        return step
    if step >= 0.9 * left:
        return left
    return 0.5 * left if step > 0.5 * left else step
