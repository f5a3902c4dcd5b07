"""A public beacon: random values that nobody, the maintainers included, can know before their time.

The drand network (https://drand.love) signs the number of a pulse every three seconds; the SHA-256 of the
signature is the pulse's random value, and all pulses stay to be read. A round can take its salt from a pulse
after its last day: then there is no secret that someone must keep. Source of the chain's hash, start and
period: the network's announcement of `quicknet`, https://docs.drand.love/blog/quicknet-live-on-loe-mainnet.
"""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Annotated, Final

from pydantic import Field, model_validator

from agbench.data.reading import Strict, read_data
from agbench.data.submission import Hash
from agbench.errors import ConfigError

NETWORK: Final = "drand quicknet"
_CHAIN: Final = "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971"
_START: Final = 1692803367  # s, Unix time of pulse 1
_PERIOD: Final = 3  # s
_MOST_BYTES: Final = 10_000

Signature = Annotated[str, Field(pattern=r"^[0-9a-f]{96}$")]
"""A point of 48 bytes in hexadecimal digits."""


class Pulse(Strict):
    """A pulse as the network's servers give it; the random value follows from the signature."""

    round: int = Field(ge=1)
    signature: Signature
    randomness: Hash | None = None

    @model_validator(mode="after")
    def _follows(self) -> "Pulse":
        if self.randomness not in (None, randomness(self.signature).hex()):
            raise ValueError("'randomness' is not the SHA-256 of 'signature'.")
        return self


def first_after(day: str) -> int:
    """Return the number of the first pulse that begins when a day (ISO 8601, UTC) has ended, or later."""
    end = datetime.fromisoformat(day).replace(tzinfo=UTC) + timedelta(days=1)
    return 1 - (_START - int(end.timestamp())) // _PERIOD


def address(number: int) -> str:
    """Return where a pulse can be read."""
    return f"https://api.drand.sh/{_CHAIN}/public/{number}"


def randomness(signature: str) -> bytes:
    """Return the random value of a pulse."""
    return hashlib.sha256(bytes.fromhex(signature)).digest()


def read(path: Path, number: int) -> Pulse:
    """Return the pulse that a file holds; raises `ConfigError` for another one, and for what is none.

    The signature itself is not checked: whoever doubts it compares it with what the network says.
    """
    try:
        with path.open("rb") as file:
            content = json.loads(file.read(_MOST_BYTES))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror or error}.") from None
    except ValueError:
        raise ConfigError(f"{path} is no pulse. Save it from {address(number)}") from None
    result = read_data(Pulse, content, str(path))
    if result.round != number:
        raise ConfigError(f"{path} is pulse {result.round}; wanted is {number}, from {address(number)}")
    return result
