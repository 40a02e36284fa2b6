"""What the tests share."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Fixtures"
CLEAN = FIXTURES / "mmkv/golden/all_types"
DAMAGED = FIXTURES / "mmkv/damaged/burst_fwb"
LOSSY = FIXTURES / "mmkv/damaged/head_zero_16_fwb"
ENCRYPTED = FIXTURES / "mmkv/golden/aes128_key16"
KEY = "0123456789abcdef"
TYPED = FIXTURES / "fastkv-apple/golden/all_types/store.fkv"
STORES = [path.parent for path in sorted(FIXTURES.glob("mmkv/golden/*/kv"))]
PROGRAM = os.environ["KVFSCK"]


class Case(unittest.TestCase):
    """A test with a folder of its own."""

    def setUp(self) -> None:
        """Make the folder."""
        self.folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def make(self, script: str, name: str = "store") -> Path:
        """Make a store by a script of Docs/FIXTURES.md, and return its folder."""
        (self.folder / "script").write_text(script)
        out = self.folder / name
        subprocess.run(
            [PROGRAM, "fixture", "make", self.folder / "script", "--out", out], check=True, capture_output=True
        )
        return out

    def copy(self, store: Path, name: str | bytes = "copy") -> Path:
        """Copy a store to a folder, whose name may be bytes."""
        out = self.folder / os.fsdecode(name)
        shutil.copytree(store, out, ignore=shutil.ignore_patterns("case.json"))
        return out

    def fake(self, body: str) -> str:
        """Return a program that is started as ``PROGRAM serve``, and does what a Python script says."""
        path = self.folder / "fake"
        start = "import json, os, signal, sys, time\nout = sys.stdout.buffer\n"
        read = "def request():\n    return json.loads(sys.stdin.readline())['id']\n"
        path.write_text(f"#!{sys.executable}\n{start}{read}{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)
