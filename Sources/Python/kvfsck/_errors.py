"""What is raised."""

from __future__ import annotations

from collections.abc import Sequence

_PREFIX = "kvfsck: error: "


class KvfsckError(Exception):
    """A command that did not give a result.

    A damaged store is a result, and raises nothing.
    """

    status: int | None
    """The exit status, as in Docs/CLI.md; None if the program did not end by itself."""
    messages: tuple[str, ...]
    """What the program wrote to stderr, one string a line."""

    def __init__(self, status: int | None, messages: Sequence[str]) -> None:
        self.status = status
        self.messages = tuple(messages)
        super().__init__(status, self.messages)

    def __str__(self) -> str:
        errors = [m[len(_PREFIX) :] for m in self.messages if m.startswith(_PREFIX)]
        return "\n".join(errors or self.messages) or f"status {self.status}"


class UsageError(KvfsckError):
    """The arguments are wrong, or a repair needs a choice (status 16)."""


class CannotRunError(KvfsckError):
    """A file cannot be read or written, is no store, or needs another key (status 8)."""


class CancelledError(KvfsckError):
    """The program was asked to stop (status 32)."""


class CrashedError(KvfsckError):
    """The program ended, or was killed, before its answer was complete."""


def cannot_run(path: str, reason: OSError) -> CannotRunError:
    """Return the error for a program that the system did not start."""
    return CannotRunError(None, [f"{_PREFIX}{path} cannot be run: {reason.strerror}"])


def error(status: int, messages: Sequence[str]) -> KvfsckError | None:
    """Return what is to be raised for an exit status, if anything."""
    if status & 32:
        return CancelledError(status, messages)
    if status & 16:
        return UsageError(status, messages)
    if status & 8:
        return CannotRunError(status, messages)
    return None
