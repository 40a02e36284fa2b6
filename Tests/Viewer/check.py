"""Presses keys in kvfsck view and compares its screen with dump --json: check.py KVFSCK SCRATCH."""

import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

KVFSCK, SCRATCH = sys.argv[1:3]
FIXTURES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Fixtures")
CLOCK = ["--now", "1750000000"]
UP, DOWN, RIGHT, ESCAPE = "\x1b[A", "\x1b[B", "\x1b[C", "\x1b"
checks = 0


def expect(condition, *what):
    global checks
    checks += 1
    if not condition:
        sys.exit("\n".join(str(part) for part in what))


class Session:
    """kvfsck view of a store, on a terminal of so many columns and lines."""

    def __init__(self, store, columns=80, lines=24, options=(), **environment):
        self.raw = b""
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.master, self.slave = pty.openpty()
        self.set_size(columns, lines)
        self.before = termios.tcgetattr(self.slave)
        variables = {**os.environ, "TERM": "linux", "LC_ALL": "C.UTF-8", **environment}
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            if name not in environment:
                variables.pop(name, None)
        self.process = subprocess.Popen(
            [KVFSCK, "view", *CLOCK, *options, store], env=variables, stdin=self.slave, stdout=self.slave,
            stderr=self.slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        self.settle(lambda: "? help" in self.text)

    def set_size(self, columns, lines):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def resize(self, columns, lines):
        self.screen.resize(lines, columns)
        self.set_size(columns, lines)

    def read(self, patience):
        while select.select([self.master], [], [], patience)[0]:
            data = os.read(self.master, 1 << 16)
            self.raw += data
            self.stream.feed(data)

    def settle(self, condition):
        """Waits until the screen is as it shall be."""
        for _ in range(200):
            self.read(0.05)
            if condition():
                return
        sys.exit("the screen never was as expected:\n" + self.text)

    def press(self, keys, text):
        """Presses `keys`, and waits until `text` is on the screen."""
        os.write(self.master, keys.encode())
        self.settle(lambda: text in self.text)

    def end(self, status):
        """Waits for the end, and checks that the terminal is as it was."""
        for _ in range(200):
            self.read(0.05)
            if self.process.poll() is not None:
                break
        expect(self.process.poll() == status, f"ended with {self.process.poll()}, not {status}", self.text)
        self.read(0.1)
        expect(termios.tcgetattr(self.slave) == self.before, "the modes of the terminal are others")
        expect(pyte.modes.DECTCEM in self.screen.mode, "the cursor is hidden")
        os.close(self.master)
        os.close(self.slave)

    @property
    def lines(self):
        return [line.rstrip() for line in self.screen.display]

    @property
    def text(self):
        return "\n".join(self.lines)


def entries(store):
    done = subprocess.run([KVFSCK, "dump", "--json", "--readings", "all", *CLOCK, store], stdout=subprocess.PIPE)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if line["type"] == "entry"], done.returncode


def fixture(name):
    return os.path.join(FIXTURES, "mmkv", name, "kv")


def the_list_is_that_of_dump(store):
    """Every entry, one by one."""
    known, status = entries(store)
    session = Session(store, 200, 12)
    for number, entry in enumerate(known):
        position = f"key {number + 1:,} of {len(known):,}"
        session.press("" if number == 0 else DOWN, position)
        row = next(line for line, cells in zip(session.lines, range(12)) if session.screen.buffer[cells][5].reverse)
        if entry["key"] is not None and entry["key"].isascii() and entry["key"].isprintable() and len(entry["key"]) < 40:
            expect(entry["key"] in row, row, entry)
        if entry["value"]:
            expect(f" {entry['value']['kind']} " in row, row, entry)
        expect(entry["evidence"] in session.lines[-1], session.lines[-1], entry)
        expect(f"0x{entry['offset']:06x}" in session.lines[-1], session.lines[-1], entry)
    os.write(session.master, b"q")
    session.end(status)


def pages():
    """All pages, the filter, and a terminal that changes its size."""
    store = fixture("damaged/flip_keylen_fwb")
    session = Session(store)
    expect(session.lines[0].startswith("repairable, 29 entries, 2 findings of damage, mmkv: "), session.text)
    session.press("s", "key 1 of 30: last full rewrite (confirmed)")
    session.press("s", "key 1 of 29: ")
    session.press("/locale_2", 'containing "locale_2"')
    session.press("\r", "key 1 of 1")
    session.press("r", "history of locale_27211: 1 record")
    session.press("\r", "all readings, likeliest first")
    session.press("x", "byte ")
    expect(session.lines[-1] == "0x000059: lengths of locale_27211, live put at 0x000059", session.text)
    session.press(RIGHT, "0x00005a: ")
    session.resize(40, 10)
    session.settle(lambda: len(session.lines) == 10 and "00000058" not in session.lines[1]
                   and any(line.startswith("0000005") for line in session.lines))
    session.resize(120, 30)
    session.settle(lambda: any(len(line) > 100 for line in session.lines))
    session.press("?", "keyboard shortcuts")
    session.press("q", "byte ")
    session.press("q", "value of locale_27211")
    session.press("q", "history of locale_27211")
    session.press("q", "key 1 of 1")
    session.press(ESCAPE, "key 1 of 29")
    session.press("G", "key 29 of 29")
    os.write(session.master, b"q")
    session.end(4)


def hostile_keys():
    """Nothing of a key or a value is obeyed by the terminal."""
    document, folder = os.path.join(SCRATCH, "hostile.json"), os.path.join(SCRATCH, "hostile")
    with open(document, "w") as file:
        json.dump({"\x1b[2J\x1b]0;title\x07": "\u202e\x9b31mred", "\u6f22\u5b57": "e\u0301"}, file)
    subprocess.run([KVFSCK, "convert", document, "--to", "mmkv", "--out", folder], check=True,
                   stdout=subprocess.DEVNULL)
    session = Session(folder, 100, 10)
    expect("\\u{1b}[2J\\u{1b}]0;title\\u{7}" in session.text, session.text)
    expect("\\u{202e}\\u{9b}31mred" in session.text, session.text)
    row = next(line for line in session.lines if "漢" in line)
    expect("string" in row and "é" in row.replace("e\u0301", "é"), row)
    for bad in (b"\x1b]0;", "\u202e".encode(), "\u009b".encode()):
        expect(bad not in session.raw, bad)
    os.write(session.master, b"q")
    session.end(0)


def signals():
    for number in (signal.SIGINT, signal.SIGTERM):
        session = Session(fixture("golden/all_types"))
        session.process.send_signal(number)
        session.end(32)
    session = Session(fixture("golden/all_types"))
    os.write(session.master, b"\x03")
    session.end(32)
    expect("kvfsck: error: cancelled; nothing was written" in session.text, session.text)


def colors():
    store = fixture("damaged/flip_keylen_fwb")
    for environment, options, is_colored in (
            ({}, [], True), ({"NO_COLOR": "1"}, [], False), ({}, ["--color", "never"], False),
            ({"NO_COLOR": "1"}, ["--color", "always"], True)):
        session = Session(store, options=options, **environment)
        cells = [cell for row in session.screen.buffer.values() for cell in row.values()]
        expect(any(cell.fg != "default" for cell in cells) == is_colored, environment, options)
        expect(all(cell.bg == "default" for cell in cells), "a background has a color")
        os.write(session.master, b"q")
        session.end(4)


def unmatched_types():
    path = os.path.join(SCRATCH, "types.json")
    with open(path, "w") as file:
        json.dump({"kvfsck": "types", "schema": 1, "types": [{"key": "tokn", "type": "bool"}]}, file)
    session = Session(fixture("golden/all_types"), options=["--types", path])
    expect(b'no key matched rule 1 ("tokn")' in session.raw, session.raw)
    os.write(session.master, b"q")
    session.end(0)


def no_terminal():
    store = fixture("golden/all_types")
    command = [KVFSCK, "view", *CLOCK, store]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(done.returncode == 16 and not done.stdout, done)
    expect(done.stderr.count(b"\n") == 1 and b"kvfsck dump" in done.stderr, done.stderr)
    for kind in (None, "", "dumb", "unknown", "no-such-terminal"):
        master, slave = pty.openpty()
        before = termios.tcgetattr(slave)
        variables = {**os.environ, "TERM": kind or ""}
        if kind is None:
            del variables["TERM"]
        done = subprocess.run(command, env=variables, stdin=slave, stdout=slave, stderr=subprocess.PIPE)
        expect(done.returncode == 16, kind, done)
        expect(done.stderr.count(b"\n") == 1 and b"kvfsck dump" in done.stderr, kind, done.stderr)
        expect(not select.select([master], [], [], 0.1)[0], kind, "something was written to the terminal")
        expect(termios.tcgetattr(slave) == before, kind, "the modes of the terminal are others")
        os.close(master)
        os.close(slave)


for name in ("golden/all_types", "damaged/flip_keylen_fwb", "golden/binary_keys"):
    the_list_is_that_of_dump(fixture(name))
pages()
hostile_keys()
signals()
colors()
unmatched_types()
no_terminal()
print(f"kvfsck view: {checks:,} checks passed")
