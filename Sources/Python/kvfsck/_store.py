"""Stores, scans, and the session that runs the program."""

from __future__ import annotations

import dataclasses
import importlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Literal, Union

from ._errors import CannotRunError, CrashedError, error
from ._process import Answer, Argument, Line, PathArgument, Server, Stream, absolute
from ._records import (
    Decision,
    Entry,
    Finding,
    Gap,
    Moment,
    Prediction,
    Raw,
    Record,
    Result,
    State,
    StoreInfo,
    Summary,
    Written,
    path_of,
    paths_of,
)

Key = Union[str, bytes]
"""A key: its text or its bytes."""
Choice = Literal["recover", "discard"]
"""What the app answers when its engine asks."""

_HISTORY: dict[str, Callable[[Raw], Record | Gap | Entry]] = {
    "record": Record.of,
    "gap": Gap.of,
    "entry": Entry.of,
}
_KEY_LIMIT = 1 << 16
_STREAM_FROM = 8 << 20
"""The size, in bytes, from which a store gets a process of its own, which prints its entries as they are asked for."""


@dataclass(frozen=True)
class Report:
    """What ``check`` found."""

    store: StoreInfo
    findings: tuple[Finding, ...]
    states: tuple[State, ...]
    predictions: tuple[Prediction, ...]
    summary: Summary
    status: int
    messages: tuple[str, ...]
    lines: tuple[Raw, ...] = dataclasses.field(repr=False)
    """All lines."""

    @property
    def verdict(self) -> str:
        """``clean``, ``repairable``, ``damaged`` or ``unreadable``."""
        return self.summary.verdict

    @property
    def is_emptied(self) -> bool:
        """Whether a clean store was emptied, and its former contents can be recovered."""
        return any(finding.code == "store.emptied" for finding in self.findings)


@dataclass(frozen=True)
class Repair:
    """What a repair kept and wrote, or would."""

    status: int
    """0, or of 1 (damage was repaired) and 4 (something is missing) both or one."""
    decisions: tuple[Decision, ...]
    entries: tuple[Entry, ...]
    aside: tuple[Entry, ...]
    """What is more likely wrong than right, with the reason."""
    dropped: tuple[Entry, ...]
    written: tuple[Written, ...]
    """The new files; none with ``dry_run``, and for a clean store that was left alone."""
    backup: str | None
    """With ``in_place``: the folder with the old files."""
    summary: Summary | None
    messages: tuple[str, ...]
    lines: tuple[Raw, ...] = dataclasses.field(repr=False)
    """All lines."""


@dataclass(frozen=True)
class Conversion:
    """What a conversion wrote, and what was lost."""

    status: int
    format: str
    written: int
    left_out: int
    paths: tuple[str, ...]
    """The new files; none with ``dry_run``, and if ``strict`` stopped it."""
    findings: tuple[Finding, ...]
    """Those of the store, and those of entries, which have a key."""
    messages: tuple[str, ...]
    lines: tuple[Raw, ...] = dataclasses.field(repr=False)
    """All lines."""


def _of(lines: Iterable[Raw], kind: str) -> Iterator[Raw]:
    return (line for line in lines if line.get("type") == kind)


def _raise_if_failed(status: int, messages: Sequence[str], lines: Iterable[Raw] = ()) -> None:
    reasons = [f"kvfsck: error: {line['message']}" for line in _of(lines, "failure")]
    failure = error(status, [*messages, *(reason for reason in reasons if reason not in messages)])
    if failure:
        raise failure


def _bytes(key: Key) -> bytes:
    # Not bytes(key), which would take a number for that many zero bytes.
    data = key.encode() if isinstance(key, str) else bytes(memoryview(key))
    if len(data) > _KEY_LIMIT:
        raise ValueError(f"the key has more than {_KEY_LIMIT} bytes")
    return data


class Store:
    """A store, as :func:`kvfsck.open` returns it.

    Its files are read again by each method, and never changed but by ``repair(in_place=True)``. What an iterator
    returns is read before the first of it, in a store of 8 MiB or more piece by piece, from a process of its own.
    """

    def __init__(self, session: Kvfsck, path: bytes, options: Sequence[Argument], key: bytes | None) -> None:
        self._session = session
        self._path = path
        self._options = options
        self._key = key
        self._streams: list[Stream] = []
        self.report: Report = self._check()
        """What ``check`` says about the store."""

    def __repr__(self) -> str:
        return f"<kvfsck.Store {self.path!r}: {self.verdict}>"

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the streams that are not read to their end; reading on in one of them raises ``RuntimeError``."""
        while self._streams:
            self._streams.pop().close()

    # What it is

    @property
    def path(self) -> str:
        """The data file, or the meta file if there is no data file."""
        return self.report.store.path

    @property
    def format(self) -> str:
        """The name of the format."""
        return self.report.store.format

    @property
    def verdict(self) -> str:
        """``clean``, ``repairable``, ``damaged`` or ``unreadable``."""
        return self.report.verdict

    def findings(self) -> tuple[Finding, ...]:
        """Return what is wrong with the store."""
        return self.report.findings

    def states(self) -> tuple[State, ...]:
        """Return the states that can be recovered."""
        return self.report.states

    def predictions(self) -> tuple[Prediction, ...]:
        """Return what the app's engine will do at its next launch, for each answer of the app."""
        return self.report.predictions

    # What is in it

    def entries(self, *, state: str | None = None, all_readings: bool = False) -> Iterator[Entry]:
        """Return the live entries, or those of a state that is named by :meth:`states`.

        :raises CannotRunError: if no entries can be read.
        """
        options = [*_option("--state", state), *(("--readings", "all") if all_readings else ())]
        return map(Entry.of, _of(self._dump(options), "entry"))

    def history(self, *, state: str | None = None) -> Iterator[Record | Gap | Entry]:
        """Return every record in file order: live, superseded, removed, and those after the log; and the gaps.

        A format without a log has no history; its entries are returned.
        """
        lines = self._dump(["--history", *_option("--state", state)])
        return (_HISTORY[line["type"]](line) for line in lines if line.get("type") in _HISTORY)

    def timeline(self, *, state: str | None = None) -> Iterator[Moment]:
        """Return the times found in values and expiries, the earliest first, also those of removed entries."""
        return map(Moment.of, _of(self._dump(["--timeline", *_option("--state", state)]), "moment"))

    def get(self, key: Key) -> Entry | None:
        """Return the live entry with a key, or None if there is none."""
        data = _bytes(key)
        # In hexadecimal, which any key can be given in. As text, a key with 0x could be taken for another.
        answer = self._run("get", ["--json"], ["0x" + data.hex()])
        lines = list(answer.json())
        if answer.status & 8 and not lines and self.verdict != "unreadable":
            return None
        _raise_if_failed(answer.status, answer.messages, lines)
        found = next(map(Entry.of, _of(lines, "entry")), None)
        if found is None or found.key_bytes == data:
            return found
        # That entry's key is what was sent, as text, which the program prefers. No other form is safe from that.
        same = [entry for entry in self.entries() if entry.key_bytes == data]
        return same[-1] if same else None

    def to_pandas(self, *, history: bool = False) -> Any:
        """Return a ``pandas.DataFrame`` with a row for each entry, or for each record and gap of the history.

        :raises ImportError: if pandas is not installed.
        """
        return to_pandas(self.history() if history else self.entries())

    # What it becomes

    def repair(
        self,
        out: PathArgument | None = None,
        *,
        in_place: bool = False,
        dry_run: bool = False,
        on_crc_fail: Choice | None = None,
        on_length_error: Choice | None = None,
        recover: bool = False,
        proven: bool = False,
        state: str | None = None,
        drop_expired: bool = False,
        min_confidence: float | None = None,
        options: Sequence[Argument] = (),
    ) -> Repair:
        """Write a clean store into the folder ``out``, or with ``in_place`` instead of the old files.

        A damaged store needs a choice: ``recover`` answers whatever is asked with it, ``proven`` takes what a checksum
        verifies, and ``on_crc_fail`` and ``on_length_error`` are answers to single questions.

        :raises UsageError: if a choice is needed and not given; the message says which one is recommended.
        """
        words: list[Argument] = ["--json", *_option("--on-crc-fail", on_crc_fail)]
        words += _option("--on-length-error", on_length_error)
        words += _option("--state", state)
        words += _option("--min-confidence", min_confidence)
        for flag, given in (
            ("-y", recover),
            ("-p", proven),
            ("--in-place", in_place),
            ("--dry-run", dry_run),
            ("--drop-expired", drop_expired),
        ):
            words += [flag] if given else []
        if out is not None:
            words += ["--out", absolute(out)]
        answer = self._run("repair", [*words, *options])
        lines = tuple(answer.json())
        _raise_if_failed(answer.status, answer.messages, lines)

        def entries(kind: str) -> tuple[Entry, ...]:
            return tuple(map(Entry.of, _of(lines, kind)))

        return Repair(
            status=answer.status,
            decisions=tuple(map(Decision.of, _of(lines, "decision"))),
            entries=entries("entry"),
            aside=entries("aside"),
            dropped=entries("dropped"),
            written=tuple(map(Written.of, _of(lines, "written"))),
            backup=next(map(path_of, _of(lines, "backup")), None),
            summary=next(map(Summary.of, _of(lines, "summary")), None),
            messages=answer.messages,
            lines=lines,
        )

    def convert(
        self,
        to: str | None = None,
        *,
        out: PathArgument | None = None,
        dry_run: bool = False,
        strict: bool = False,
        options: Sequence[Argument] = (),
    ) -> Conversion:
        """Write the contents in another format, and say what that loses.

        Without ``to``, the ending of ``out`` decides. With ``strict``, nothing is written if anything is lost.
        """
        words: list[Argument] = ["--json", *_option("--to", to)]
        words += ["--dry-run"] if dry_run else []
        words += ["--strict"] if strict else []
        if out is not None:
            words += ["--out", absolute(out)]
        answer = self._run("convert", [*words, *options])
        lines = tuple(answer.json())
        _raise_if_failed(answer.status, answer.messages, lines)
        last = next(_of(lines, "conversion"), {})
        return Conversion(
            status=answer.status,
            format=last.get("to", to or ""),
            written=last.get("written", 0),
            left_out=last.get("left_out", 0),
            paths=paths_of(last),
            findings=tuple(map(Finding.of, _of(lines, "finding"))),
            messages=answer.messages,
            lines=lines,
        )

    # How it is done

    def _check(self) -> Report:
        answer = self._run("check", ["--json"])
        lines = tuple(answer.json())
        store = next(map(StoreInfo.of, _of(lines, "store")), None)
        summary = next(map(Summary.of, _of(lines, "summary")), None)
        if not store or not summary:
            if any(_of(lines, "totals")):
                name = os.fsdecode(self._path)
                raise CannotRunError(8, [f"kvfsck: error: {name} has several stores; kvfsck.scan lists them"])
            _raise_if_failed(answer.status, answer.messages, lines)
            raise CannotRunError(8, [*answer.messages, "kvfsck: error: there is no store"])
        return Report(
            store=store,
            findings=tuple(map(Finding.of, _of(lines, "finding"))),
            states=tuple(map(State.of, _of(lines, "state"))),
            predictions=tuple(map(Prediction.of, _of(lines, "prediction"))),
            summary=summary,
            status=answer.status,
            messages=answer.messages,
            lines=lines,
        )

    def _arguments(self, command: str, words: Sequence[Argument], more: Sequence[Argument]) -> list[Argument]:
        return [command, *words, *self._options, *(["--"] if more else []), self._path, *more]

    def _run(self, command: str, words: Sequence[Argument], more: Sequence[Argument] = ()) -> Answer:
        # After 0x, an empty key is a value, too.
        key: list[Argument] = [] if self._key is None else ["--key-hex=0x" + self._key.hex()]
        return self._session.run(*self._arguments(command, [*words, *key], more))

    def _dump(self, words: Sequence[Argument]) -> Iterator[Line]:
        words = ["--json", "--full", *words]
        if sum(file.size for file in self.report.store.files) < _STREAM_FROM:
            answer = self._run("dump", words)
            _raise_if_failed(answer.status, answer.messages, answer.json())
            return answer.json()
        return self._stream(words)

    def _stream(self, words: Sequence[Argument]) -> Iterator[Line]:
        stream = Stream(self._session.program, self._arguments("dump", words, ()), key=self._key)
        self._streams.append(stream)
        try:
            yield from stream
            _raise_if_failed(stream.status or 0, stream.messages)
        finally:
            stream.close()
            if stream in self._streams:
                self._streams.remove(stream)


def _option(name: str, value: str | float | None) -> list[Argument]:
    if value is None:
        return []
    # A value that begins with a dash needs the form with =, which an empty one cannot have.
    return [f"{name}={value}"] if value != "" else [name, ""]


class Scan(Iterator[Result]):
    """The stores below some paths, as they are found.

    An iterator and a context manager. If it is closed before its end, or left to the garbage collector, the process
    that scans is ended. Reading on in a closed one raises ``RuntimeError``.
    """

    totals: Raw | None = None
    """The line of totals, once all results have been read."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._lines = iter(stream)

    def __iter__(self) -> Scan:
        return self

    def __next__(self) -> Result:
        try:
            for line in self._lines:
                if line.get("type") == "result":
                    return Result.of(line)
                if line.get("type") == "totals":
                    self.totals = line
        except RuntimeError:
            # An iterator that has failed is at its end; the next one fails again.
            self._lines = iter(self._stream)
            raise
        # A path that cannot be read is a result with an error; without the totals, the scan did not come to its end.
        if self.totals is None:
            status = self._stream.status
            _raise_if_failed(status or 0, self._stream.messages)
            raise CrashedError(status, [*self._stream.messages, "kvfsck: error: the scan did not come to its end"])
        raise StopIteration

    def __enter__(self) -> Scan:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __del__(self) -> None:
        if hasattr(self, "_stream"):
            self.close()

    def close(self) -> None:
        """End the scan."""
        self._stream.close()


class Kvfsck:
    """A session: one process of the program that answers all requests, from any thread.

    The process is started by the first request, and again after it has crashed. The functions of the module use a
    session of their own.
    """

    def __init__(self, program: PathArgument | None = None, *, timeout: float | None = None) -> None:
        """Create a session.

        :param program: The program; by default what KVFSCK names, or else the one that was installed with this package,
            or else that in PATH.
        :param timeout: How many seconds an answer may take before its process is killed.
        """
        self._server = Server(None if program is None else os.fsdecode(program), timeout)

    def __enter__(self) -> Kvfsck:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exception: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the process; another request would start a new one."""
        self._server.close()

    @property
    def program(self) -> str:
        """The path of the program."""
        return self._server.path

    def run(self, *arguments: Argument) -> Answer:
        """Run any command that needs no terminal and no standard input.

        Relative paths count from the folder in which the process was started.

        :raises CrashedError: if the program ends before the answer is complete.
        """
        return self._server.run(arguments)

    def open(
        self,
        path: PathArgument,
        *,
        key: Key | None = None,
        key_file: PathArgument | None = None,
        aes256: bool = False,
        format: str | None = None,
        now: int | None = None,
        options: Sequence[Argument] = (),
    ) -> Store:
        """Check the store at a path, and return it.

        :param path: The store: a file of it, its folder, or ARCHIVE!MEMBER.
        :param key: The key of an encrypted store, which other users cannot see.
        :param key_file: A file whose whole content is the key.
        :param aes256: Whether the key is one for AES-256.
        :param format: The name of the format, if it is not to be recognized.
        :param now: The time by which expiry is judged, in seconds since 1970.
        :param options: Further options of the program's commands for stores, such as ``["--id", "user"]``.
        :raises CannotRunError: if there is no store, or its records cannot be read, as with a wrong key.
        """
        store = self._store(path, key, key_file, aes256, format, now, options)
        report = store.report
        reasons = [finding.message for finding in report.findings if finding.severity == "damage"]
        errors = [f"kvfsck: error: {report.store.path}: {reason}" for reason in reasons]
        _raise_if_failed(report.status, [*report.messages, *errors], report.lines)
        return store

    def check(
        self,
        path: PathArgument,
        *,
        key: Key | None = None,
        key_file: PathArgument | None = None,
        aes256: bool = False,
        format: str | None = None,
        now: int | None = None,
        options: Sequence[Argument] = (),
    ) -> Report:
        """Check the store at a path; the parameters are those of :meth:`open`.

        :raises CannotRunError: if there is no store. One whose records cannot be read has the verdict ``unreadable``.
        """
        return self._store(path, key, key_file, aes256, format, now, options).report

    def scan(
        self,
        paths: PathArgument | Iterable[PathArgument],
        *,
        key: Key | None = None,
        keys: PathArgument | None = None,
        jobs: int | None = None,
        options: Sequence[Argument] = (),
    ) -> Scan:
        """Find every store in folders and archives.

        :param paths: The folders and files.
        :param key: A key that is tried with every store.
        :param keys: A file with the keys of many stores, see Docs/CLI.md.
        :param jobs: How many stores are read at once; by default one for each processor.
        :param options: Further options of ``kvfsck scan``.
        """
        every = [paths] if isinstance(paths, (str, bytes, os.PathLike)) else paths
        data = b"".join(absolute(path) + b"\0" for path in every)
        words: list[Argument] = ["--json", "--files0-from", "-", *_option("--jobs", jobs), *options]
        if keys is not None:
            words += ["--keys", absolute(keys)]
        return Scan(Stream(self.program, ["scan", *words], key=None if key is None else _bytes(key), data=data))

    def _store(
        self,
        path: PathArgument,
        key: Key | None,
        key_file: PathArgument | None,
        aes256: bool,
        format: str | None,
        now: int | None,
        options: Sequence[Argument],
    ) -> Store:
        words: list[Argument] = [*options, *_option("--format", format), *_option("--now", now)]
        words += ["--aes256"] if aes256 else []
        if key_file is not None:
            if key is not None:
                raise ValueError("give a key or a key_file")
            words += ["--key-file", absolute(key_file)]
        return Store(self, absolute(path), words, None if key is None else _bytes(key))


def to_pandas(items: Iterable[Any]) -> Any:
    """Return a ``pandas.DataFrame`` with a row for each item, such as the results of a scan.

    The columns are the fields, without ``raw``. Records and gaps can be mixed.

    :raises ImportError: if pandas is not installed.
    """
    pandas = importlib.import_module("pandas")
    rows = [
        {"type": type(item).__name__.lower()}
        | {field.name: getattr(item, field.name) for field in dataclasses.fields(item) if field.name != "raw"}
        for item in items
    ]
    # Values of many types share a column.
    frame = pandas.DataFrame(rows)
    return frame.astype({"value": object}) if "value" in frame else frame
