"""Adam over all parameters of a policy at once (Kingma, Ba 2015), with the norm of the gradient limited.

A policy of thirteen small tensors costs an optimiser thirteen times its overhead. Here they lie side by side
in one array, and so do their gradients and the two moments; the policy and its optimiser keep views of them,
so that they are saved and loaded as ever.
"""

from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray

_ALIGNED: Final = 16
"""Every tensor begins at a multiple of so many numbers, 64 bytes: products of aligned ones are the same."""
_SMALL: Final = 1e-6  # beside the norm, as torch has it
_PLAIN: Final = {"weight_decay": 0, "amsgrad": False, "maximize": False, "decoupled_weight_decay": False}


def fits(optimiser: Any) -> bool:
    """Return whether an optimiser of torch is Adam without its variants, all parameters in one group."""
    if type(optimiser) is not torch.optim.Adam or len(optimiser.param_groups) != 1:
        return False
    group = optimiser.param_groups[0]
    single = all(p.dtype == torch.float32 and p.requires_grad for p in group["params"])
    return single and all(group.get(key, value) == value for key, value in _PLAIN.items())


class Adam:
    """Steps a `torch.optim.Adam`, whose parameters, their `grad` and state it makes views of one array."""

    def __init__(self, optimiser: Any) -> None:
        self._optimiser = optimiser
        self._group = optimiser.param_groups[0]
        parameters = self._group["params"]
        sizes = [-(-p.numel() // _ALIGNED) * _ALIGNED for p in parameters]
        self._whole = [torch.zeros(sum(sizes)) for _ in range(4)]
        self._values, self._gradients, self._first, self._second = (one.numpy() for one in self._whole)
        self._room: NDArray[np.float32] = np.empty_like(self._values)
        state = optimiser.state
        self._counts = torch.zeros(len(parameters))
        begin = 0
        for parameter, size, count in zip(parameters, sizes, self._counts, strict=True):
            parts = [one[begin : begin + parameter.numel()].view(parameter.shape) for one in self._whole]
            begin += size
            values, parameter.grad, first, second = parts
            values.copy_(parameter.data)
            if parameter in state:
                count.copy_(state[parameter]["step"])
                first.copy_(state[parameter]["exp_avg"])
                second.copy_(state[parameter]["exp_avg_sq"])
            parameter.data = values
            state[parameter] = {"step": count, "exp_avg": first, "exp_avg_sq": second}

    @property
    def current(self) -> bool:
        """Whether the optimiser still uses this memory: not if a state was loaded into it."""
        state, places = self._optimiser.state, zip(self._group["params"], self._counts, strict=True)
        same = (state[p]["step"].data_ptr() == count.data_ptr() for p, count in places)
        return self._optimiser.param_groups[0] is self._group and all(same)

    def step(self, most: float) -> None:
        """Take a step along the gradients, whose norm is limited to `most`."""
        gradients, first, second, room = self._gradients, self._first, self._second, self._room
        norm = float(np.dot(gradients, gradients)) ** 0.5
        if norm + _SMALL > most:
            np.multiply(gradients, most / (norm + _SMALL), out=gradients)
        self._counts += 1
        count = float(self._counts[0])
        keep, keep_squares = self._group["betas"]
        first *= keep
        np.multiply(gradients, 1.0 - keep, out=room)
        first += room
        second *= keep_squares
        np.multiply(gradients, gradients, out=room)
        room *= 1.0 - keep_squares
        second += room
        np.sqrt(second, out=room)
        room *= (1.0 - keep_squares**count) ** -0.5
        room += self._group["eps"]
        np.divide(first, room, out=room)
        room *= self._group["lr"] / (1.0 - keep**count)
        self._values -= room
