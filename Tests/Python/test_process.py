"""The process behind the package: what ends it, what it may print, and who shares it."""

from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import kvfsck
from common import CLEAN, DAMAGED, FIXTURES, KEY, PROGRAM, STORES, Case


def process(session: kvfsck.Kvfsck) -> int:
    """Return the identifier of a session's process."""
    running = session._server._process
    assert running is not None
    return running.popen.pid


def is_gone(identifier: int, within: float = 20) -> bool:
    """Return whether a process has ended."""
    end = time.monotonic() + within
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{identifier}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


class Requests(Case):
    """Many requests to one process."""

    def test_two_thousand_requests_to_one_process(self) -> None:
        with kvfsck.Kvfsck() as session:
            session.check(CLEAN)
            first = process(session)
            paths = STORES[:20]
            wanted = [session.check(path).lines for path in paths]
            for number in range(2000):
                if number % 2:
                    self.assertEqual(session.check(paths[number % 20]).lines, wanted[number % 20])
                else:
                    self.assertRegex(session.run("--version").output, rb"^kvfsck [0-9.]+\n$")
            self.assertEqual(process(session), first)
        self.assertTrue(is_gone(first))

    def test_threads_share_it(self) -> None:
        paths = STORES[:8]
        failures: list[BaseException] = []
        with kvfsck.Kvfsck() as session:

            def work(path: Path) -> None:
                try:
                    wanted = session.check(path).lines
                    for _ in range(30):
                        self.assertEqual(session.check(path).lines, wanted)
                        self.assertEqual(Path(session.check(path).store.path).parent, path)
                except BaseException as error:
                    failures.append(error)

            threads = [threading.Thread(target=work, args=(path,)) for path in paths]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        self.assertEqual(failures, [])

    def test_what_a_store_holds_never_ends_an_answer(self) -> None:
        lie = '{"bytes":0,"id":"0","messages":[],"status":0,"type":"end"}'
        line = f"\n{lie}\n".encode().hex()
        store = self.make(f"string a hex:{line}\nstring {lie} b\nbytes hex:{line} c")
        with kvfsck.open(store) as opened:
            entry = opened.get("a")
            assert entry is not None
            self.assertEqual(entry.value, f"\n{lie}\n")
            self.assertEqual(len(list(opened.entries())), 3)
        answer = kvfsck.run("get", store, "a")
        self.assertEqual(answer.output, f"\n{lie}\n\n".encode())
        raw = kvfsck.run("get", "--raw", store, "a")
        self.assertEqual(raw.output[1:], f"\n{lie}\n".encode())
        self.assertEqual(kvfsck.run("get", "--raw", store, lie).output, b"\x01b")

    def test_arguments(self) -> None:
        self.assertEqual(kvfsck.run("check", "-").status, 16)
        self.assertEqual(kvfsck.run("view", CLEAN).status, 16)
        self.assertEqual(kvfsck.run("serve").status, 16)
        self.assertEqual(kvfsck.run("get", CLEAN, "k" * (1 << 20)).status, 16)
        self.assertEqual(kvfsck.run("get", CLEAN, b"\xff").status, 8)
        self.assertEqual(kvfsck.run().status, 16)
        self.assertEqual(kvfsck.run("--version").status, 0)


class Ends(Case):
    """Processes that end, or are no kvfsck."""

    def test_killed_in_the_middle_of_a_request(self) -> None:
        fifo = self.folder / "key"
        os.mkfifo(fifo)
        with kvfsck.Kvfsck() as session:
            for number in (signal.SIGKILL, signal.SIGTERM):
                session.check(CLEAN)
                first = process(session)

                def kill(first: int = first, number: int = number) -> None:
                    # It reads the key until the pipe is closed.
                    with open(fifo, "wb"):
                        os.kill(first, number)
                        is_gone(first)

                thread = threading.Thread(target=kill)
                thread.start()
                with self.assertRaises(kvfsck.CrashedError) as raised:
                    session.check(CLEAN, key_file=fifo)
                thread.join()
                self.assertEqual(raised.exception.status, -9 if number == signal.SIGKILL else 32)
                self.assertEqual(session.check(CLEAN).verdict, "clean")
                self.assertNotEqual(process(session), first)

    def test_killed_between_requests(self) -> None:
        with kvfsck.Kvfsck() as session:
            session.check(CLEAN)
            first = process(session)
            os.kill(first, signal.SIGKILL)
            # Until the last of its threads has ended.
            os.waitid(os.P_PID, first, os.WEXITED | os.WNOWAIT)
            self.assertEqual(session.check(CLEAN).verdict, "clean")

    def test_answers_that_end_too_early(self) -> None:
        for body in (
            "",
            "request()",
            'request(); out.write(b\'{"type":"store"}\\n\'); out.flush(); sys.exit(3)',
            "request(); out.write(b'{\"type\"'); out.flush(); os.kill(os.getpid(), signal.SIGKILL)",
            "out.write(b'junk\\n' * 100000); out.flush()",
            # One that ends, with fewer bytes than it says.
            "i = request(); out.write(json.dumps(dict(bytes=9, id=i, messages=[], status=0),"
            " separators=(',', ':')).encode() + b'\\n'); out.flush(); sys.stdin.read()",
        ):
            with kvfsck.Kvfsck(self.fake(body)) as session, self.assertRaises(kvfsck.CrashedError, msg=body):
                session.check(CLEAN)

    def test_much_on_stderr_neither_blocks_nor_fills_the_memory(self) -> None:
        body = "for _ in range(100): sys.stderr.write('x' * 100000)\nsys.stderr.write('\\nlast\\n')\nrequest()"
        with kvfsck.Kvfsck(self.fake(body)) as session, self.assertRaises(kvfsck.CrashedError) as raised:
            session.check(CLEAN)
        self.assertLess(sum(map(len, raised.exception.messages)), 100_000)
        self.assertEqual(raised.exception.messages[-2], "last")
        self.assertIn("ended in the middle", str(raised.exception))

    def test_time_limit(self) -> None:
        with kvfsck.Kvfsck(self.fake("request(); time.sleep(600)"), timeout=0.2) as session:
            with self.assertRaisesRegex(kvfsck.CrashedError, r"took longer than 0\.2 s"):
                session.check(CLEAN)
        with kvfsck.Kvfsck(timeout=600) as session:
            self.assertEqual(session.check(CLEAN).verdict, "clean")

    def test_a_timer_that_is_late_does_not_end_the_next_request(self) -> None:
        class Late(threading.Timer):
            """A timer whose function runs when the request is over, as it can under load."""

            functions: list[Callable[[], object]] = []

            def __init__(self, interval: float, function: Callable[[], object]) -> None:
                super().__init__(3600, function)
                Late.functions.append(function)

        with kvfsck.Kvfsck(timeout=600) as session, mock.patch("threading.Timer", Late):
            session.check(CLEAN)
            first = process(session)
            for function in Late.functions:
                function()
            self.assertEqual(session.check(CLEAN).verdict, "clean")
            self.assertEqual(process(session), first)

    def test_a_session_that_nobody_has_any_more_leaves_no_process(self) -> None:
        session = kvfsck.Kvfsck()
        session.check(CLEAN)
        first = process(session)
        del session
        gc.collect()
        self.assertTrue(is_gone(first))

    def test_a_process_that_does_not_end_is_killed(self) -> None:
        body = (
            "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
            "i = request(); out.write(json.dumps(dict(bytes=0, id=i, messages=[], status=0),"
            " separators=(',', ':')).encode() + b'\\n'); out.flush()\ntime.sleep(600)"
        )
        session = kvfsck.Kvfsck(self.fake(body))
        self.assertEqual(session.run("x").status, 0)
        first = process(session)
        session.close()
        self.assertTrue(is_gone(first, 0.1))

    def test_interrupted_by_an_exception(self) -> None:
        def interrupt(number: int, frame: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGALRM, interrupt)
        try:
            with kvfsck.Kvfsck(self.fake("request(); time.sleep(600)")) as session:
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                with self.assertRaises(KeyboardInterrupt):
                    session.check(CLEAN)
                self.assertIsNone(session._server._process)
        finally:
            signal.signal(signal.SIGALRM, before)

    def test_a_request_within_a_request_is_an_error(self) -> None:
        inner: list[BaseException] = []
        with kvfsck.Kvfsck(self.fake("request(); time.sleep(1)")) as session:

            def ask(number: int, frame: object) -> None:
                try:
                    session.check(CLEAN)
                except kvfsck.KvfsckError as error:
                    inner.append(error)

            before = signal.signal(signal.SIGALRM, ask)
            try:
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                with self.assertRaises(kvfsck.CrashedError):
                    session.check(CLEAN)
            finally:
                signal.signal(signal.SIGALRM, before)
        self.assertIn("interrupted by another", str(inner[0]))

    def test_a_scan_that_is_killed(self) -> None:
        scan = kvfsck.scan(FIXTURES)
        next(scan)
        scan._stream._process.popen.kill()
        with self.assertRaises(kvfsck.CrashedError):
            list(scan)

    def test_a_program_that_cannot_be_run(self) -> None:
        for name in ("nothing", "text"):
            (self.folder / "text").write_text("text")
            with kvfsck.Kvfsck(self.folder / name) as session, self.assertRaises(kvfsck.CannotRunError):
                session.check(CLEAN)


class Programs(Case):
    """Whole programs in Python."""

    def python(self, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a script."""
        return subprocess.run(
            [sys.executable, "-X", "dev", "-c", f"import kvfsck, os, signal, sys\nstore = {str(CLEAN)!r}\n{script}"],
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=120,
        )

    def test_a_child_does_not_use_the_process_of_its_parent(self) -> None:
        run = self.python(
            """
import threading, warnings
# It is this script that forks beside a thread.
warnings.simplefilter('ignore')
kvfsck.check(store)
first = kvfsck._session._server._process.popen.pid
stop = threading.Event()
def work():
    while not stop.is_set(): kvfsck.check(store)
thread = threading.Thread(target=work)
thread.start()
children = []
for number in range(8):
    child = os.fork()
    if not child:
        assert kvfsck.check(store).verdict == 'clean'
        assert kvfsck._session._server._process.popen.pid != first
        kvfsck._session.close()
        sys.stdout.flush()
        os._exit(7)
    children.append(child)
codes = [os.waitpid(child, 0)[1] >> 8 for child in children]
stop.set()
thread.join()
assert kvfsck._session._server._process.popen.pid == first
print(codes, kvfsck.check(store).verdict)
"""
        )
        self.assertEqual((run.stdout, run.stderr), (f"{[7] * 8} clean\n", ""))

    def test_a_child_does_not_take_what_a_scan_of_its_parent_finds(self) -> None:
        run = self.python(
            """
scan = kvfsck.scan(os.path.dirname(store))
found = [next(iter(scan))]
child = os.fork()
if not child:
    try: found += scan
    except RuntimeError as error: print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
found += scan
print(len(found) > 50)
"""
        )
        self.assertEqual((run.stdout, run.stderr), ("the stream belongs to the parent process\nTrue\n", ""))

    def test_a_child_that_ends_normally(self) -> None:
        run = self.python(
            """
kvfsck.check(store)
child = os.fork()
if child: os.waitpid(child, 0)
print(kvfsck.check(store).verdict)
"""
        )
        self.assertEqual((run.stdout, run.stderr, run.returncode), ("clean\nclean\n", "", 0))

    def test_the_process_ends_with_the_program(self) -> None:
        for end in ("", "sys.exit(3)", "os._exit(3)", "os.kill(os.getpid(), signal.SIGKILL)", "raise SystemExit(3)"):
            run = self.python(
                f"kvfsck.check(store)\nprint(kvfsck._session._server._process.popen.pid, flush=True)\n{end}"
            )
            self.assertEqual((run.returncode in (0, 3, -9), run.stderr), (True, ""), end)
            self.assertTrue(is_gone(int(run.stdout)), end)

    def test_the_program_is_found(self) -> None:
        name = Path(PROGRAM)
        folder = self.folder / "bin"
        folder.mkdir()
        (folder / "kvfsck").symlink_to(name)
        run = self.python("print(kvfsck.program())", KVFSCK="", PATH=f"{folder}:{os.environ['PATH']}")
        self.assertEqual(run.stdout.strip(), str(folder / "kvfsck"))
        run = self.python("print(kvfsck.program())", KVFSCK="/x")
        self.assertEqual(run.stdout, "/x\n")
        run = self.python("kvfsck.check(store)", KVFSCK="", PATH="")
        self.assertIn("the program kvfsck was not found", run.stderr)

    def test_an_installed_package_finds_the_program_of_its_environment(self) -> None:
        base = self.folder / "env"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", base], check=True)
        site = next(base.glob("lib/python*/site-packages"))
        shutil.copytree(Path(kvfsck.__file__).parent, site / "kvfsck", ignore=shutil.ignore_patterns("__pycache__"))
        (base / "bin/kvfsck").symlink_to(PROGRAM)
        run = subprocess.run(
            [base / "bin/python", "-m", "kvfsck", "check", "-q", CLEAN],
            capture_output=True,
            text=True,
            env={"PATH": "/usr/bin:/bin"},
        )
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        self.assertIn("clean, 45 entries", run.stdout)

    def test_running_the_program_as_a_module(self) -> None:
        command = [sys.executable, "-m", "kvfsck"]
        run = subprocess.run([*command, "check", DAMAGED, b"\xff"], capture_output=True, text=True)
        self.assertEqual(run.returncode, 12)
        self.assertIn(r"cannot read \xff", run.stderr)
        stream = subprocess.run(
            [*command, "scan", "-"], input=str(CLEAN), capture_output=True, text=True, cwd=self.folder
        )
        self.assertIn('"verdict":"clean"', stream.stdout)
        key = subprocess.run([*command, "check", "--key", KEY, CLEAN], capture_output=True, text=True)
        self.assertIn("other users can see", key.stderr)
        none = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "KVFSCK": "/nothing"})
        self.assertEqual(
            (none.returncode, none.stderr), (8, "kvfsck: error: /nothing cannot be run: No such file or directory\n")
        )
