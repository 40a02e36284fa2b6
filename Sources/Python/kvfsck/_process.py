"""The processes of the program: one that answers many requests, and one for each stream."""

from __future__ import annotations

import atexit
import io
import json
import os
import secrets
import subprocess
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any, Union, cast

from ._errors import CrashedError, KvfsckError, cannot_run
from ._program import program

PathArgument = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]
"""A path, as the functions of ``os`` take it."""

Argument = PathArgument
"""An argument of the program: text, bytes or a path."""

Line = dict[str, Any]
"""A JSON line of the program, see Docs/JSON.md."""

_REQUEST_LIMIT = 1 << 20


@dataclass(frozen=True)
class Answer:
    """What a command printed."""

    status: int
    """The exit status."""
    output: bytes
    """What it wrote to stdout."""
    messages: tuple[str, ...]
    """What it wrote to stderr, line by line."""

    @property
    def lines(self) -> list[bytes]:
        """The lines of the output."""
        lines = self.output.split(b"\n")
        return lines if lines[-1] else lines[:-1]

    def json(self) -> Iterator[Line]:
        """Yield the lines of a command that was given ``--json``."""
        return map(parsed, self.lines)


def parsed(line: bytes) -> Line:
    """Return a JSON line as an object."""
    found: Line = _DECODER.decode(line.decode())
    return found


def _integer(text: str) -> float:
    # A number of a store may be this one, which is no integer of Python.
    return -0.0 if text == "-0" else int(text)


_DECODER = json.JSONDecoder(parse_int=_integer)


def absolute(path: PathArgument) -> bytes:
    """Return the bytes of a path from the root: the program may have been started in another folder."""
    data = os.fsencode(path)
    if not data or b"\0" in data:
        raise ValueError("a path is empty or has a zero byte")
    # Not abspath: a/../b is not b if a is a link.
    return data if os.path.isabs(data) else os.path.join(os.getcwdb(), data)


class _Messages:
    """What a process writes to stderr: a file, so that it never waits for a reader.

    A thread that reads a pipe would do, but Python warns of forks in a process with threads.
    """

    LIMIT = 1 << 16

    def __init__(self) -> None:
        self._file: IO[bytes] | None = None
        try:
            self._file = tempfile.TemporaryFile(buffering=0)
        except OSError:
            # There is no place for it.
            pass

    @property
    def target(self) -> IO[bytes] | int:
        """What the process writes to."""
        return self._file or subprocess.DEVNULL

    def lines(self) -> list[str]:
        """Return the last lines, once the process has ended."""
        if not self._file or self._file.closed:
            return []
        self._file.seek(max(0, self._file.seek(0, os.SEEK_END) - self.LIMIT))
        return self._file.read(self.LIMIT).decode(errors="replace").splitlines()

    def close(self) -> None:
        """Remove the file."""
        if self._file:
            self._file.close()


class _Process:
    """A process of the program, with pipes."""

    def __init__(
        self, path: str, arguments: Sequence[str | bytes], source: IO[bytes] | int, files: Sequence[int] = ()
    ) -> None:
        self.messages = _Messages()
        try:
            self.popen = subprocess.Popen(
                [path, *arguments],
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=self.messages.target,
                pass_fds=files,
                # Ctrl-C is for this process, which then ends that one.
                start_new_session=True,
            )
        except OSError as error:
            self.messages.close()
            raise cannot_run(path, error) from error
        assert self.popen.stdout
        self.output = self.popen.stdout
        self.owner = os.getpid()

    def end(self) -> None:
        """End the process by ending its input, or kill it if that does not suffice."""
        try:
            if self.popen.stdin:
                self.popen.stdin.close()
        except OSError:
            pass
        try:
            self.popen.wait(5)
        except subprocess.TimeoutExpired:
            pass
        self.kill()

    def kill(self) -> None:
        """Kill the process, if it is still there, and close the pipes."""
        if self.popen.poll() is None:
            self.popen.kill()
        self.popen.wait()
        for pipe in (self.popen.stdin, self.popen.stdout):
            try:
                if pipe:
                    pipe.close()
            except OSError:
                pass
        self.messages.close()

    def forget(self) -> None:
        """Drop the process, in a child process that inherited it."""
        self.popen.returncode = 0
        self.messages.close()
        for pipe in (self.popen.stdin, self.popen.stdout):
            # What is closed is the file below the stream: a thread of the parent may have held the stream's lock. For
            # the same reason, the stream is kept: its end would wait for that thread.
            if pipe:
                cast(io.BufferedReader, pipe).raw.close()
        _inherited.append(self)

    def crash(self, reason: str | None = None) -> CrashedError:
        """Return the error for a process whose output has ended too early; the process is then gone."""
        status = self.popen.wait()
        messages = self.messages.lines()
        self.kill()
        end = f"signal {-status}" if status < 0 else f"status {status}"
        last = f"kvfsck: error: {reason or f'the program ended in the middle of its answer, with {end}'}"
        return CrashedError(status, [*messages, last])


class Server:
    """A process that answers one request after another, started with the first and shared by threads."""

    def __init__(self, path: str | None, timeout: float | None) -> None:
        self._path = path
        self._timeout = timeout
        self._process: _Process | None = None
        self._reset()
        _servers.add(self)

    def __del__(self) -> None:
        # Nobody can ask it any more.
        process = self.__dict__.get("_process")
        if process and process.owner == os.getpid():
            process.kill()

    def _reset(self) -> None:
        # Reentrant, so that a signal handler gets an error and does not wait for what it interrupts.
        self._lock = threading.RLock()
        self._is_busy = False

    @property
    def path(self) -> str:
        """The path of the program."""
        return self._path or program()

    def close(self) -> None:
        """End the process, after the request that it answers if that does not take long."""
        is_idle = self._lock.acquire(timeout=5)
        try:
            process, self._process = self._process, None
            if process and is_idle:
                process.end()
            elif process:
                process.kill()
        finally:
            if is_idle:
                self._lock.release()

    def forget(self) -> None:
        """Leave the process to the parent, from which this process was forked."""
        process, self._process = self._process, None
        self._reset()
        if process:
            process.forget()

    def run(self, arguments: Sequence[Argument]) -> Answer:
        """Run a command.

        :raises CrashedError: if the program ends, or the time runs out, before the answer is complete.
        """
        # The id cannot be guessed by who wrote the files that are read: a value in them never ends an answer.
        identifier = secrets.token_hex(16)
        request = {"id": identifier, "arguments": [_encoded(argument) for argument in arguments]}
        line = json.dumps(request, ensure_ascii=False).encode()
        if len(line) > _REQUEST_LIMIT:
            # The answer to it would have no id.
            return Answer(16, b"", (f"kvfsck: error: the arguments have more than {_REQUEST_LIMIT} bytes",))
        with self._lock:
            if self._is_busy:
                raise KvfsckError(None, ["kvfsck: error: a request was interrupted by another in the same thread"])
            process = self._running()
            self._is_busy = True
            try:
                return self._answer(process, line + b"\n", identifier)
            except BaseException:
                # What is left of the answer is not for the next request.
                self._process = None
                process.kill()
                raise
            finally:
                self._is_busy = False

    def _running(self) -> _Process:
        process = self._process
        if process and process.owner != os.getpid():
            self._process = None
        elif process and process.popen.poll() is not None:
            self._process = None
            process.kill()
        if not self._process:
            self._process = _Process(self.path, ["serve"], subprocess.PIPE)
        return self._process

    def _answer(self, process: _Process, request: bytes, identifier: str) -> Answer:
        watch: threading.Timer | None = None
        turn = threading.Lock()
        is_over, timed_out = False, False
        if self._timeout is not None:

            def stop() -> None:
                nonlocal timed_out
                with turn:
                    # What runs then may be the next request.
                    if not is_over:
                        timed_out = True
                        process.popen.kill()

            watch = threading.Timer(self._timeout, stop)
            watch.daemon = True
            watch.start()
        try:
            assert process.popen.stdin
            try:
                process.popen.stdin.write(request)
                process.popen.stdin.flush()
            except OSError:
                raise process.crash() from None
            lines: list[bytes] = []
            mark = identifier.encode()
            for line in process.output:
                if mark in line and line.startswith(b'{"bytes":'):
                    end = json.loads(line)
                    if end["id"] == identifier:
                        return Answer(end["status"], _counted(lines, end["bytes"]), tuple(end["messages"]))
                lines.append(line)
            raise process.crash(f"the answer took longer than {self._timeout} s" if timed_out else None)
        finally:
            if watch:
                watch.cancel()
            with turn:
                is_over = True
            if timed_out:
                self._process = None
                process.kill()


def _counted(lines: list[bytes], count: int) -> bytes:
    """Return the output that the lines are, and check that it has the stated number of bytes."""
    output = b"".join(lines)
    # A line feed is added to output that ends within a line.
    if len(output) - count not in (0, 1):
        raise CrashedError(None, [f"kvfsck: error: an answer of {count} bytes is not complete"])
    return output[:count]


def _encoded(argument: Argument) -> str | Line:
    data = argument if isinstance(argument, bytes) else os.fsencode(argument)
    if b"\0" in data:
        raise ValueError("an argument has a zero byte")
    try:
        return data.decode()
    except UnicodeDecodeError:
        return {"hex": data.hex()}


def _file(data: bytes) -> IO[bytes]:
    """Return a nameless file with data, at its start."""
    # In memory, where that can be.
    file = os.fdopen(os.memfd_create("kvfsck"), "w+b") if hasattr(os, "memfd_create") else tempfile.TemporaryFile()
    file.write(data)
    file.seek(0)
    return file


class Stream:
    """The JSON lines of a command in a process of its own, as they come.

    Closing it before its end ends the process; who reads on then gets an error, and does not take a part for all.
    """

    def __init__(
        self, path: str, arguments: Sequence[Argument], key: bytes | None = None, data: bytes | None = None
    ) -> None:
        words = [argument if isinstance(argument, bytes) else os.fsencode(argument) for argument in arguments]
        files: list[int] = []
        source = None if data is None else _file(data)
        try:
            if key is not None:
                # Other users can see arguments.
                reader, writer = os.pipe()
                files.append(reader)
                with open(writer, "wb") as pipe:
                    pipe.write(key)
                words[1:1] = [b"--key-file", b"/dev/fd/%d" % reader]
            self._process = _Process(path, words, source or subprocess.DEVNULL, files)
        finally:
            if source:
                source.close()
            for file in files:
                os.close(file)
        self._is_closed = False
        self.status: int | None = None
        self.messages: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[Line]:
        self._check_usable()
        try:
            while (line := self._process.output.readline()).endswith(b"\n"):
                yield parsed(line)
                # The process may have been forked, or the stream closed, in between.
                self._check_usable()
            status = self._process.popen.wait()
            if status < 0:
                raise self._process.crash()
            self.status = status
            self.messages = tuple(self._process.messages.lines())
        finally:
            self.close()

    def _check_usable(self) -> None:
        if self._process.owner != os.getpid():
            raise RuntimeError("the stream belongs to the parent process")
        if self._is_closed:
            raise RuntimeError("the stream was closed before its end")

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        if self._process.owner == os.getpid():
            self._process.kill()


_inherited: list[_Process] = []
_servers: weakref.WeakSet[Server] = weakref.WeakSet()


def _forget_all() -> None:
    for server in tuple(_servers):
        server.forget()


def _close_all() -> None:
    for server in tuple(_servers):
        server.close()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
