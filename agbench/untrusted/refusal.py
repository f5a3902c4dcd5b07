"""The error that refuses an untrusted file."""

from agbench.errors import AgBenchError


class RefusedError(AgBenchError, ValueError):
    """An untrusted file was refused; says which file, which field of it, and why."""

    def __init__(self, file: str, field: str, reason: str) -> None:
        self.file, self.field, self.reason = shown(file), shown(field), shown(reason, 400)
        place = f"{self.file}: {self.field}" if self.field else self.file
        super().__init__(f"{place}: {self.reason}")


def shown(text: str, most: int = 120) -> str:
    """Return an untrusted text as it may be printed: one line, no control characters, not long."""
    plain = "".join(c if c.isprintable() else "?" for c in str(text))
    return plain if len(plain) <= most else plain[: most - 3] + "..."
