"""The lines that the program prints, as objects.

Each has the fields of Docs/JSON.md, in Python's types, and the line itself in ``raw``. What a later version of the
program adds is in ``raw`` only.
"""

from __future__ import annotations

import builtins
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any, TypeVar

Raw = Mapping[str, Any]
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_T = TypeVar("_T")


def _raw() -> Any:
    return field(repr=False, compare=False, hash=False, default_factory=dict)


def path_of(line: Raw) -> str | None:
    """Return a path as ``open`` takes it; bytes that are not UTF-8 are escaped as by ``os.fsdecode``."""
    return _named(line.get("path"), line.get("path_hex"))


def paths_of(line: Raw) -> tuple[str, ...]:
    """Return the paths of a list, each as :func:`path_of` does."""
    paths = line.get("paths") or ()
    # Without a path that is not UTF-8, there is no list of their bytes.
    return tuple(map(_named, paths, line.get("paths_hex") or [None] * len(paths)))


def _named(path: _T, data: str | None) -> _T | str:
    return path if data is None else os.fsdecode(bytes.fromhex(data))


def _time(seconds: float | None) -> datetime | None:
    """Return a time in UTC; None without one, and for one that Python has no date for."""
    if seconds is None:
        return None
    try:
        return _EPOCH + timedelta(seconds=seconds)
    except (OverflowError, ValueError):
        return None


def _iso(text: str) -> datetime | None:
    """Return the time that the program prints; None if Python has no date for it."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?Z", text)
    if not found:
        return None
    fraction = (found[2] or "").ljust(6, "0")[:6]
    try:
        return datetime.fromisoformat(f"{found[1]}.{fraction}+00:00")
    except ValueError:
        return None


def _if_given(line: Raw, name: str, make: Callable[[Any], _T]) -> _T | None:
    found = line.get(name)
    return None if found is None else make(found)


def _texts(line: Raw, name: str) -> tuple[str, ...]:
    return tuple(line.get(name) or ())


def natural(line: Raw, dates: bool = True) -> Any:
    """Return the content of a value as the nearest type of Python.

    ========================================================== ==================
    ``kind``                                                   type
    ========================================================== ==================
    ``bool``                                                   bool
    ``int32``, ``uint32``, ``int64``, ``uint64``               int
    ``float``, ``double``                                      float
    ``string``, ``json`` (the text)                            str
    ``date``                                                   datetime in UTC
    ``bytes``, ``raw``, ``object``, ``keyed-archive``          bytes
    ``list<KIND>``, ``array``                                  list
    ``string-set``                                             set
    ``dictionary``                                             dict
    ``null``                                                   None
    ========================================================== ==================

    Without ``dates``, a date is a float, the seconds since 1970; so is one that ``datetime`` has no room for. A value
    that is only shown in part is None.
    """
    kind = line.get("kind")
    if "hex" in line:
        return bytes.fromhex(line["hex"])
    value = line.get("value")
    if value is None:
        return None
    if kind in ("float", "double"):
        return float(value)
    if kind == "date":
        seconds = float(value)
        return (_time(seconds) if dates else None) or seconds
    if kind == "string-set":
        return set(value)
    if kind == "dictionary":
        return {member["name"]: natural(member["value"], dates) for member in value}
    if isinstance(value, list):
        return [natural(element, dates) for element in value]
    return value


@dataclass(frozen=True)
class Value:
    """A reading of a value: its kind and its content."""

    kind: str
    value: Any = field(hash=False)
    """The content, see :func:`natural`."""
    is_complete: bool = True
    """Whether all of it is there; otherwise ``value`` is None, and ``raw`` has ``count`` and the beginning."""
    class_name: str | None = None
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw, dates: bool = True) -> Value:
        """Create the object for a part of a line."""
        return cls(
            kind=line.get("kind", ""),
            value=natural(line, dates),
            is_complete="value" in line or "hex" in line,
            class_name=line.get("class"),
            raw=line,
        )


@dataclass(frozen=True)
class File:
    """A file of a store."""

    file: str
    path: str
    size: int
    sha256: str | None
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> File:
        """Create the object for a part of a line."""
        return cls(line.get("file", ""), path_of(line) or "", line.get("size", 0), line.get("sha256"), line)


@dataclass(frozen=True)
class StoreInfo:
    """What a store is."""

    path: str
    format: str
    files: tuple[File, ...]
    encrypted: bool
    version: int
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> StoreInfo:
        """Create the object for a line."""
        files = tuple(File.of(file) for file in line.get("files", ()))
        return cls(
            path=files[0].path if files else path_of(line) or "",
            format=line.get("format", ""),
            files=files,
            encrypted=line.get("encrypted", False),
            version=line.get("version", 0),
            raw=line,
        )


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a store, or worth knowing; with a conversion, what an entry loses."""

    code: str
    severity: str
    message: str
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    rules: tuple[str, ...] = ()
    odds_bits: int | None = None
    key: str | None = None
    key_bytes: bytes | None = None
    path: str | None = None
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Finding:
        """Create the object for a line."""
        return cls(
            code=line.get("code", ""),
            severity=line.get("severity", ""),
            message=line.get("message", ""),
            file=line.get("file"),
            offset=line.get("offset"),
            length=line.get("length"),
            rules=_texts(line, "rules"),
            odds_bits=line.get("odds_bits"),
            key=line.get("key"),
            key_bytes=_if_given(line, "key_hex", bytes.fromhex),
            path=path_of(line),
            raw=line,
        )


@dataclass(frozen=True)
class State:
    """A state of the store that can be recovered."""

    name: str
    entries: int
    guesses: int
    evidence: str
    message: str
    rules: tuple[str, ...] = ()
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> State:
        """Create the object for a line."""
        return cls(
            name=line.get("name", ""),
            entries=line.get("entries", 0),
            guesses=line.get("guesses", 0),
            evidence=line.get("evidence", ""),
            message=line.get("message", ""),
            rules=_texts(line, "rules"),
            raw=line,
        )


@dataclass(frozen=True)
class Prediction:
    """What the app's engine will do at its next launch, for one answer of the app."""

    strategy: str
    outcome: str
    callbacks: tuple[str, ...]
    keys: int
    lost: int
    lost_guesses: int
    lost_keys: tuple[bytes, ...]
    expired: int
    unsupported: int
    writes: tuple[str, ...]
    message: str
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Prediction:
        """Create the object for a line."""
        return cls(
            strategy=line.get("strategy", ""),
            outcome=line.get("outcome", ""),
            callbacks=_texts(line, "callbacks"),
            keys=line.get("keys", 0),
            lost=line.get("lost", 0),
            lost_guesses=line.get("lost_guesses", 0),
            lost_keys=tuple(map(bytes.fromhex, line.get("lost_keys_hex", ()))),
            expired=line.get("expired", 0),
            unsupported=line.get("unsupported", 0),
            writes=_texts(line, "writes"),
            message=line.get("message", ""),
            raw=line,
        )


@dataclass(frozen=True)
class Summary:
    """The last line about a store."""

    verdict: str
    entries: int
    guesses: int
    findings: int
    recoverable: int
    exit: int
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Summary:
        """Create the object for a line."""
        return cls(
            verdict=line.get("verdict", ""),
            entries=line.get("entries", 0),
            guesses=line.get("guesses", 0),
            findings=line.get("findings", 0),
            recoverable=line.get("recoverable", 0),
            exit=line.get("exit", 0),
            raw=line,
        )


@dataclass(frozen=True)
class Entry:
    """An entry of a store.

    MMKV stores no types. ``value`` is then the likeliest of the readings that fit the bytes, and ``is_certain`` is
    False if there are others.
    """

    key: str | None
    """The key as text; None if it is not UTF-8."""
    key_bytes: builtins.bytes
    value: Any = field(hash=False)
    """The value, see :func:`natural`; a date only if no other reading fits, otherwise the seconds since 1970."""
    kind: str | None
    """The kind of ``value``; None if there is no value, as in a removal."""
    is_certain: bool
    """Whether only this reading fits the bytes."""
    readings: tuple[Value, ...]
    """The readings that fit, as far as they were asked for, the likeliest first."""
    bytes: builtins.bytes | None
    """The bytes of the value as the record stores them; None in a format that stores no bytes."""
    evidence: str
    cautions: tuple[str, ...] = ()
    probability: float | None = None
    rules: tuple[str, ...] = ()
    expires_at: datetime | None = None
    expired: bool = False
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    content: Raw | None = field(default=None, compare=False, hash=False)
    reason: str | None = None
    """Why it was set aside or dropped."""
    path: str | None = None
    raw: Raw = _raw()

    @classmethod
    def _fields(cls, line: Raw) -> dict[str, Any]:
        certain = line.get("value")
        if certain is not None:
            readings = [Value.of(certain)]
        else:
            likely = line.get("likely") or [reading.get("value", {}) for reading in line.get("readings") or ()]
            readings = [Value.of(reading, dates=False) for reading in likely]
        return {
            "key": line.get("key"),
            "key_bytes": builtins.bytes.fromhex(line.get("key_hex", "")),
            "value": readings[0].value if readings else None,
            "kind": readings[0].kind if readings else None,
            "is_certain": certain is not None,
            "readings": tuple(readings),
            "bytes": _if_given(line, "raw_hex", builtins.bytes.fromhex),
            "evidence": line.get("evidence", ""),
            "cautions": _texts(line, "cautions"),
            "probability": line.get("probability"),
            "rules": _texts(line, "rules"),
            "expires_at": _time(line.get("expires_at")),
            "expired": line.get("expired", False),
            "file": line.get("file"),
            "offset": line.get("offset"),
            "length": line.get("length"),
            "content": line.get("content"),
            "reason": line.get("reason"),
            "path": path_of(line),
            "raw": line,
        }

    @classmethod
    def of(cls, line: Raw) -> Entry:
        """Create the object for a line."""
        return cls(**cls._fields(line))


@dataclass(frozen=True)
class Record(Entry):
    """A record of a store's history, in file order."""

    operation: str = "put"
    """``put`` or ``remove``."""
    state: str = "live"
    """``live``, ``superseded``, ``removed`` or ``slack``, which is after the log."""

    @classmethod
    def of(cls, line: Raw) -> Record:
        """Create the object for a line."""
        return cls(**cls._fields(line), operation=line.get("operation", "put"), state=line.get("state", "live"))


@dataclass(frozen=True)
class Gap:
    """Bytes in which no record could be read."""

    file: str
    offset: int
    length: int
    cause: str
    bytes: builtins.bytes | None = None
    text: str | None = None
    left_out: int = 0
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Gap:
        """Create the object for a line."""
        return cls(
            file=line.get("file", ""),
            offset=line.get("offset", 0),
            length=line.get("length", 0),
            cause=line.get("cause", ""),
            bytes=_if_given(line, "raw_hex", builtins.bytes.fromhex),
            text=line.get("text"),
            left_out=line.get("left_out", 0),
            raw=line,
        )


@dataclass(frozen=True)
class Moment:
    """A time found in the contents of a store."""

    time: datetime | None
    """The time in UTC; None for one that Python has no date for."""
    source: str
    """``value``, if it is a date or a number whose size suggests a time; ``expiry``, if the entry expires then."""
    unit: str
    """What the number counts, such as ``milliseconds since 1970``."""
    key: str | None
    key_bytes: bytes
    value: Value | None
    state: str | None
    """The fate of the record, as of :class:`Record`; None in a format without a log."""
    file: str | None = None
    offset: int | None = None
    length: int | None = None
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Moment:
        """Create the object for a line."""
        return cls(
            time=_iso(line.get("time", "")),
            source=line.get("source", ""),
            unit=line.get("unit", ""),
            key=line.get("key"),
            key_bytes=bytes.fromhex(line.get("key_hex", "")),
            value=_if_given(line, "value", Value.of),
            state=line.get("state"),
            file=line.get("file"),
            offset=line.get("offset"),
            length=line.get("length"),
            raw=line,
        )


@dataclass(frozen=True)
class Result:
    """The condition of one store, found by a scan."""

    path: str
    format: str | None
    verdict: str | None
    """As of :class:`Summary`; None if nothing could be read."""
    entries: int
    guesses: int
    lost_at_next_launch: int | None
    recoverable: int
    emptied: bool
    superseded: int | None
    removed: int | None
    residual: int | None
    findings: tuple[str, ...]
    """The codes of all findings, the most severe first."""
    error: str | None
    """Why nothing could be read."""
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Result:
        """Create the object for a line."""
        return cls(
            path=path_of(line) or "",
            format=line.get("format"),
            verdict=line.get("verdict"),
            entries=line.get("entries", 0),
            guesses=line.get("guesses", 0),
            lost_at_next_launch=line.get("lost_at_next_launch"),
            recoverable=line.get("recoverable", 0),
            emptied=line.get("emptied", False),
            superseded=line.get("superseded"),
            removed=line.get("removed"),
            residual=line.get("residual"),
            findings=_texts(line, "findings"),
            error=line.get("error"),
            raw=line,
        )


@dataclass(frozen=True)
class Decision:
    """A question that the damage raises, and its answer."""

    question: str
    answer: str
    reason: str
    state: str
    origin: str
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Decision:
        """Create the object for a line."""
        return cls(
            question=line.get("question", ""),
            answer=line.get("answer", ""),
            reason=line.get("reason", ""),
            state=line.get("state", ""),
            origin=line.get("origin", ""),
            raw=line,
        )


@dataclass(frozen=True)
class Written:
    """A file that was written."""

    path: str
    size: int
    sha256: str | None
    raw: Raw = _raw()

    @classmethod
    def of(cls, line: Raw) -> Written:
        """Create the object for a line."""
        return cls(path_of(line) or "", line.get("size", 0), line.get("sha256"), line)
