"""The artifacts for ALEAPP and iLEAPP, run by a small double of their interface."""

from __future__ import annotations

import datetime
import fnmatch
import importlib.util
import os
import shutil
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import kvfsck
from common import CLEAN, DAMAGED, ENCRYPTED, FIXTURES, KEY, ROOT, TYPED, Case

VERSION = "2026.3.2"
"""The version of ALEAPP and iLEAPP whose interface this follows (commits 075122c and 423798f of August 2026)."""

Table = tuple[tuple[Any, ...], list[tuple[Any, ...]], str]


class Seeker:
    """Finds files by patterns, and copies them to the data folder."""

    def __init__(self, source: Path, data: Path) -> None:
        self.source, self.data = source, data
        self.files = [path for path in source.rglob("*") if path.is_file()]

    def search(self, pattern: str) -> list[str]:
        """Return the copies of the files whose path matches."""
        found = []
        for path in self.files:
            if fnmatch.fnmatchcase(f"root/{path}", pattern):
                copy = self.data / path.relative_to(self.source)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(path, copy)
                found.append(str(copy))
        return found


class Context:
    """What an artifact is told."""

    def __init__(self, seeker: Seeker, found: list[str]) -> None:
        self.seeker, self.found = seeker, found

    def get_seeker(self) -> Seeker:
        """Return what finds more files."""
        return self.seeker

    def get_files_found(self) -> list[str]:
        """Return the copies of the files that match the paths of the artifact."""
        return self.found

    def get_relative_path(self, path: str) -> str:
        """Return a path in the extraction."""
        return path.replace(f"{self.seeker.data}/", "")


class Artifacts(Case):
    """The artifacts with an extraction."""

    def setUp(self) -> None:
        """Make an extraction with stores of three apps, of which one encrypts."""
        super().setUp()
        self.logged: list[str] = []
        self.source = self.folder / "extraction"
        for store, path in (
            (DAMAGED, "data/com.a/files/mmkv/user"),
            (FIXTURES / "mmkv/golden/expire_mixed", "data/com.a/files/mmkv/other"),
            (CLEAN, "data/com.b/any[1]/name*"),
            (ENCRYPTED, "data/com.c/files/mmkv/secret"),
        ):
            target = self.source / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(store / "kv", target)
            shutil.copy(store / "kv.crc", f"{target}.crc")
        (self.source / "data/com.d").mkdir()
        shutil.copy(TYPED, self.source / "data/com.d/x.fkv")
        (self.source / "data/com.d/y.crc").write_text("no store")

    def run_artifact(self, name: str, keys: str | None = None) -> Table:
        """Run an artifact as ALEAPP does."""
        functions: Any = types.ModuleType("scripts.ilapfuncs")
        functions.logfunc = self.logged.append
        functions.artifact_processor = lambda function: function
        path = ROOT / "Docs/examples/leapp/kvfsck_stores.py"
        with mock.patch.dict(sys.modules, {"scripts": types.ModuleType("scripts"), "scripts.ilapfuncs": functions}):
            spec = importlib.util.spec_from_file_location("kvfsck_stores", path)
            assert spec and spec.loader
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
        info = module.__artifacts_v2__[name]
        for field in ("name", "description", "author", "category", "notes", "paths", "output_types", "artifact_icon"):
            self.assertIn(field, info)
        seeker = Seeker(self.source, self.folder / "data")
        found = [path for pattern in info["paths"] for path in seeker.search(pattern)]
        environment = {key: value for key, value in os.environ.items() if key != "KVFSCK_KEYS"}
        with mock.patch.dict(os.environ, environment | ({"KVFSCK_KEYS": keys} if keys else {}), clear=True):
            function: Callable[[Context], Table] = getattr(module, name)
            headers, rows, source = function(Context(seeker, found))
        for row in rows:
            self.assertEqual(len(row), len(headers))
            for header, cell in zip(headers, row):
                if isinstance(header, tuple) and cell != "":
                    self.assertEqual(header[1], "datetime")
                    self.assertIsInstance(cell, datetime.datetime)
                    self.assertIsNotNone(cell.tzinfo)
                else:
                    self.assertIsInstance(cell, (str, int, float, type(None)))
        self.assertFalse(any(str(self.folder) in str(cell) for row in rows for cell in row))
        self.assertTrue(all(os.path.exists(path) for path in source.splitlines()))
        return headers, rows, source

    def test_every_store_is_found(self) -> None:
        stores = {row[0]: row[1:4] for row in self.run_artifact("kvfsck_stores")[1]}
        self.assertEqual(
            stores,
            {
                "data/com.a/files/mmkv/user": ("mmkv", "damaged", 27),
                "data/com.a/files/mmkv/other": ("mmkv", "clean", 14),
                "data/com.b/any[1]/name*": ("mmkv", "clean", 45),
                "data/com.c/files/mmkv/secret": ("mmkv", "unreadable", 0),
                "data/com.d/x.fkv": ("fastkv-apple", "clean", 17),
            },
        )

    def test_records_are_those_of_the_history(self) -> None:
        headers, rows, source = self.run_artifact("kvfsck_records")
        names = [header[0] if isinstance(header, tuple) else header for header in headers]
        records = [dict(zip(names, row)) for row in rows]
        self.assertEqual(len(source.splitlines()), 4)
        self.assertTrue(any("secret" in line and "key" in line for line in self.logged), self.logged)
        states = {"slack": "residual"}
        for store in (DAMAGED, CLEAN, TYPED):
            path = {DAMAGED: "com.a/files/mmkv/user", CLEAN: "com.b/any[1]/name*", TYPED: "com.d/x.fkv"}[store]
            wanted = []
            for item in kvfsck.open(store).history():
                if isinstance(item, kvfsck.Record):
                    wanted.append((item.offset, states.get(item.state, item.state), item.operation))
                else:
                    wanted.append((item.offset, "unreadable", ""))
            found = [
                (record["Offset"], record["State"], record["Operation"])
                for record in records
                if record["Store"] == f"data/{path}"
            ]
            self.assertEqual(found, wanted)
        self.assertLess(
            {"live", "superseded", "removed", "residual", "unreadable"}, {r["State"] for r in records} | {""}
        )
        dates = [record for record in records if record["Date in Value"] != ""]
        self.assertEqual([(record["Key"], record["Type"]) for record in dates], [("installed", "date")])
        values = {record["Key"]: record["Value"] for record in records if record["Store"] == "data/com.d/x.fkv"}
        self.assertEqual(
            (values["flag_true"], values["blob"], values["name"]), ("true", "00ff10deadbeef", "Ada Lovelace")
        )

    def test_times_are_sorted(self) -> None:
        _, rows, _ = self.run_artifact("kvfsck_timeline")
        times = [row[0] for row in rows]
        self.assertEqual(times, sorted(times))
        self.assertGreater(len(times), 10)

    def test_keys(self) -> None:
        keys = self.folder / "keys"
        keys.write_text(f"secret = {KEY}\n")
        stores = {row[0]: row[2] for row in self.run_artifact("kvfsck_stores", str(keys))[1]}
        self.assertEqual(stores["data/com.c/files/mmkv/secret"], "clean")
        self.assertEqual(len(self.run_artifact("kvfsck_records", str(keys))[2].splitlines()), 5)
        self.assertEqual(self.logged, [])
        self.run_artifact("kvfsck_stores", str(self.folder / "missing"))
        self.assertIn("missing", self.logged[0])

    def test_without_the_package_or_the_program(self) -> None:
        with mock.patch.dict(sys.modules, {"kvfsck": None}):
            self.assertEqual(self.run_artifact("kvfsck_records")[1:], ([], ""))
        self.assertIn("pip install kvfsck", self.logged[0])
        with mock.patch.dict(os.environ, {"KVFSCK": "/nothing"}):
            self.assertEqual(self.run_artifact("kvfsck_stores")[1:], ([], ""))
        self.assertIn("cannot be run", self.logged[1])
