"""What a store, a scan and their parts are in Python."""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
from datetime import datetime, timezone

import kvfsck
import kvfsck._store
from common import CLEAN, DAMAGED, ENCRYPTED, FIXTURES, KEY, LOSSY, PROGRAM, STORES, TYPED, Case


def lines(*arguments: str | pathlib.Path) -> list[dict[str, object]]:
    """Return the JSON lines of a process."""
    run = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


class Stores(Case):
    """Reading and writing stores."""

    def test_a_path_is_not_empty_and_has_no_zero_byte(self) -> None:
        for path in ("", b"", "a\0b"):
            with self.assertRaises(ValueError):
                kvfsck.open(path)
            with self.assertRaises(ValueError):
                kvfsck.scan([CLEAN, path])

    def test_a_store_has_what_check_and_dump_print(self) -> None:
        damaged = sorted(FIXTURES.glob("*/damaged/*"))
        for path in [TYPED, *STORES[::10], *damaged[::17]]:
            report = kvfsck.check(path, now=1760000000)
            printed = lines("check", "--json", "--now", "1760000000", path)
            self.assertEqual([dict(line) for line in report.lines], printed)
            counts = (len(report.findings), len(report.states), len(report.predictions))
            kinds = [line["type"] for line in printed]
            self.assertEqual(counts, (kinds.count("finding"), kinds.count("state"), kinds.count("prediction")))
            if report.verdict == "unreadable":
                with self.assertRaises(kvfsck.CannotRunError):
                    kvfsck.open(path)
                continue
            with kvfsck.open(path, now=1760000000) as store:
                self.assertEqual(store.verdict, report.verdict)
                for items, option in ((store.entries(), "--full"), (store.history(), "--history")):
                    printed = lines("dump", "--json", "--full", "--now", "1760000000", option, path)
                    wanted = [line for line in printed if line["type"] in ("entry", "record", "gap")]
                    self.assertEqual([item.raw for item in items], wanted, path)

    def test_values_have_the_types_of_python(self) -> None:
        with kvfsck.open(TYPED) as store:
            entries = {entry.key: entry for entry in store.entries()}
        values = {key: entry.value for key, entry in entries.items()}
        self.assertEqual(store.format, "fastkv-apple")
        self.assertIs(values["flag_true"], True)
        self.assertEqual((values["neg"], values["ratio"], values["name"]), (-123456, 0.75, "Ada Lovelace"))
        self.assertEqual(values["blob"], bytes.fromhex("00ff10deadbeef"))
        self.assertEqual(values["installed"], datetime(2023, 11, 14, 22, 13, 20, tzinfo=timezone.utc))
        self.assertIsNone(values["nothing"])
        self.assertEqual((entries["nothing"].kind, entries["launches"].bytes), ("null", b"\x11\0\0\0"))
        with kvfsck.open(CLEAN) as store:
            entries = {entry.key: entry for entry in store.entries()}
        values = {key: entry.value for key, entry in entries.items()}
        self.assertEqual(values["flag_187.v"][:3], ["alpha", "", "βeta"])
        self.assertEqual(values["flag_187.f.4"], float("inf"))
        self.assertEqual(str(values["flag_187.f.1"]), "-0.0")
        # What may be a date is a number.
        second = entries["flag_187.i64.2"]
        self.assertEqual((second.value, second.kind, second.is_certain), (2147483648, "int64", False))
        self.assertEqual([(reading.kind, reading.value) for reading in second.readings][1], ("date", 2147483648.0))
        hash(second)

    def test_all_readings_and_whole_values(self) -> None:
        store = kvfsck.open(self.make("string long random:5000\nint32 n 1"))
        long, number = store.entries(all_readings=True)
        self.assertEqual(len(long.value), 5000)
        self.assertTrue(long.readings[0].is_complete)
        self.assertEqual({reading.kind for reading in number.readings} & {"bool", "int32"}, {"bool", "int32"})

    def test_a_key_is_found_by_text_and_bytes(self) -> None:
        with kvfsck.open(self.make("string -x a\nstring 0x61 b\nstring ü c\nbytes hex:00ff d")) as store:
            for key, value in (("-x", "a"), ("0x61", "b"), ("ü", "c"), (b"\xc3\xbc", "c")):
                entry = store.get(key)
                assert entry is not None
                self.assertEqual((entry.value, entry.key), (value, key if isinstance(key, str) else key.decode()))
            for key in ("nothing", b"\xff", "a\0b", "--json", ""):
                self.assertIsNone(store.get(key))
        with kvfsck.open(FIXTURES / "mmkv/golden/binary_keys") as store:
            for each in store.entries():
                same = store.get(each.key_bytes)
                self.assertEqual(same and (same.key_bytes, same.bytes), (each.key_bytes, each.bytes))

    def test_a_key_is_not_taken_for_another(self) -> None:
        # The program reads 0x6b as the key k, unless an entry has the key 0x6b.
        keys = ["k", "a\0b", "0x610062", "0x30", "", "0x", "x\ny", "0x0x", r"\xff.json"]
        log = "".join(f"string hex:{key.encode().hex()} v\n" for key in keys if key)
        # What the program calls the part of this name after the = is also a key.
        table = self.folder / os.fsdecode(b"a=\xff.json")
        table.write_text(json.dumps(dict.fromkeys(keys, "v")))
        asked: list[str | bytes] = [*keys, "0x6b", b"0x6b", "0x6B", "0", "0x3078", "a", "0x6", "0x780a79", b"\xff"]
        for path in (self.make(log), table):
            with kvfsck.open(path) as store:
                entries = {entry.key_bytes: entry for entry in store.entries()}
                self.assertGreaterEqual(len(entries), 8)
                for key in asked:
                    data = key.encode() if isinstance(key, str) else key
                    self.assertEqual(store.get(key), entries.get(data), key)

    def test_a_key_is_text_or_bytes(self) -> None:
        with kvfsck.open(CLEAN) as store:
            for wrong in (5, None, [107]):
                with self.assertRaises(TypeError):
                    store.get(wrong)  # type: ignore[arg-type]
        for wrong in (5, [107]):
            with self.assertRaises(TypeError):
                kvfsck.open(ENCRYPTED, key=wrong)  # type: ignore[arg-type]
            with self.assertRaises(TypeError):
                kvfsck.scan(ENCRYPTED, key=wrong)  # type: ignore[arg-type]

    def test_expiry(self) -> None:
        with kvfsck.open(FIXTURES / "mmkv/golden/expire_mixed", now=1760000060) as store:
            expired = [entry for entry in store.entries() if entry.expired]
        self.assertEqual([entry.expires_at.year if entry.expires_at else 0 for entry in expired], [2025])

    def test_timeline(self) -> None:
        with kvfsck.open(FIXTURES / "mmkv/golden/expire_mixed") as store:
            first = next(store.timeline())
        self.assertEqual((first.time, first.source), (datetime(2025, 10, 9, 8, 53, 25, tzinfo=timezone.utc), "expiry"))
        self.assertEqual((first.key, first.value, first.state), ("short", None, "live"))
        with kvfsck.open(self.make("int64 updatedAt 1760000000123\nremove updatedAt")) as store:
            moments = list(store.timeline())
        self.assertEqual(
            [(moment.state, moment.time and moment.time.microsecond) for moment in moments], [("removed", 123000)]
        )

    def test_encrypted_stores(self) -> None:
        for key in (KEY, KEY.encode()):
            with kvfsck.open(ENCRYPTED, key=key) as store:
                self.assertTrue(store.report.store.encrypted)
                self.assertEqual(len(list(store.entries())), 45)
                self.assertFalse(any("key" in message for message in store.report.messages))
        (self.folder / "key").write_text(KEY)
        self.assertEqual(kvfsck.check(ENCRYPTED, key_file=self.folder / "key").verdict, "clean")
        for wrong in (None, "x" * 16):
            self.assertEqual(kvfsck.check(ENCRYPTED, key=wrong).verdict, "unreadable")
            with self.assertRaises(kvfsck.CannotRunError) as raised:
                kvfsck.open(ENCRYPTED, key=wrong)
            self.assertTrue((raised.exception.status or 0) & 8)
            self.assertIn("key", str(raised.exception))
        # As on the command line, an empty key opens what is not encrypted.
        for empty in ("", b""):
            self.assertEqual(kvfsck.open(CLEAN, key=empty).verdict, "clean")
            with self.assertRaisesRegex(kvfsck.CannotRunError, "the store is encrypted"):
                kvfsck.open(ENCRYPTED, key=empty)
        with self.assertRaises(ValueError):
            kvfsck.open(ENCRYPTED, key=KEY, key_file="key")
        with self.assertRaises(ValueError):
            kvfsck.open(ENCRYPTED, key="k" * 65537)

    def test_streams_give_the_same(self) -> None:
        stores = [(CLEAN, None), (DAMAGED, None), (ENCRYPTED, KEY), (TYPED, None)]
        whole = [list(kvfsck.open(path, key=key).history()) for path, key in stores]
        size, kvfsck._store._STREAM_FROM = kvfsck._store._STREAM_FROM, 0
        try:
            for (path, key), wanted in zip(stores, whole):
                with kvfsck.open(path, key=key) as store:
                    self.assertEqual(list(store.history()), wanted)
                    # Two at a time, each closed early.
                    first, second = store.entries(), store.entries()
                    self.assertEqual(next(first), next(second))
                # What is left of them was not read, and a loop must not look complete.
                for half in (first, second):
                    with self.assertRaisesRegex(RuntimeError, "closed"):
                        list(half)
            path = self.copy(CLEAN)
            store = kvfsck.open(path)
            (path / "kv").unlink()
            (path / "kv.crc").unlink()
            with self.assertRaisesRegex(kvfsck.CannotRunError, "copy"):
                list(store.entries())
        finally:
            kvfsck._store._STREAM_FROM = size

    def test_repair(self) -> None:
        store = kvfsck.open(DAMAGED)
        with self.assertRaisesRegex(kvfsck.UsageError, "Recommended: -y"):
            store.repair(self.folder / "new")
        planned = store.repair(dry_run=True, recover=True)
        self.assertEqual((planned.written, os.listdir(self.folder)), ((), []))
        repair = store.repair(self.folder / "new", recover=True)
        self.assertEqual(repair.status, 5)
        self.assertEqual(len(repair.entries), len(planned.entries))
        self.assertEqual([aside.reason is not None for aside in repair.aside], [False])
        self.assertEqual(repair.decisions[0].question, "onMMKVCRCCheckFail")
        self.assertEqual({os.path.basename(file.path)[:2] for file in repair.written}, {"kv"})
        self.assertEqual(kvfsck.check(self.folder / "new").verdict, "clean")
        discarded = store.repair(self.folder / "other", on_crc_fail="discard", on_length_error="discard")
        self.assertEqual(len(discarded.entries), 30)
        with self.assertRaises(kvfsck.CannotRunError):
            store.repair(self.folder / "new", recover=True)
        copy = self.copy(LOSSY)
        done = kvfsck.open(copy).repair(in_place=True, recover=True)
        assert done.backup is not None
        self.assertTrue(os.path.isdir(done.backup))
        self.assertEqual(kvfsck.open(copy).repair(in_place=True, recover=True).written, ())

    def test_a_backup_whose_name_is_not_text(self) -> None:
        backup = b"/a\xff.backup"
        line = json.dumps({"type": "backup", "path": r"/a\xff.backup", "path_hex": backup.hex()})
        body = (
            f"i = request(); out.write({line!r}.encode() + b'\\n' + json.dumps(dict(bytes={len(line)}, id=i,"
            " messages=[], status=0), separators=(',', ':')).encode() + b'\\n'); out.flush(); sys.stdin.read()"
        )
        store = kvfsck.open(DAMAGED)
        with kvfsck.Kvfsck(self.fake(body)) as session:
            store._session = session
            self.assertEqual(store.repair(in_place=True).backup, os.fsdecode(backup))

    def test_conversion(self) -> None:
        out = self.folder / "new.json"
        done = kvfsck.open(CLEAN).convert(out=out, options=["--assume-likeliest"])
        self.assertEqual((done.format, done.written, done.paths), ("json", 45, (str(out),)))
        strict = kvfsck.open(LOSSY).convert("sqlite", out=self.folder / "x", strict=True)
        self.assertEqual((strict.status & 4, strict.paths), (4, ()))
        self.assertTrue(any(finding.code.startswith("convert.") and finding.key for finding in done.findings))
        with self.assertRaises(kvfsck.UsageError):
            kvfsck.open(CLEAN).convert("nothing", out=out)

    def test_what_is_no_store_is_an_error(self) -> None:
        for path, message in (
            (FIXTURES / "README.md", "not recognized"),
            (FIXTURES / "nothing", "no such file"),
            (FIXTURES / "mmkv/golden", "kvfsck.scan"),
        ):
            for call in (kvfsck.open, kvfsck.check):
                with self.assertRaisesRegex(kvfsck.CannotRunError, message) as raised:
                    call(path)
                self.assertEqual(raised.exception.status, 8)
        with self.assertRaises(kvfsck.UsageError):
            kvfsck.open(CLEAN, options=["--nothing"])
        with self.assertRaisesRegex(kvfsck.UsageError, "'-5' is not between"):
            kvfsck.open(CLEAN, now=-5)
        # A value, even an empty one, is no other word.
        for wrong in ("-x", ""):
            with self.assertRaisesRegex(kvfsck.UsageError, f"The value '{wrong}' is invalid"):
                kvfsck.open(CLEAN, format=wrong)
        with self.assertRaises(ValueError):
            kvfsck.open("a\0b")

    def test_names_that_are_not_text(self) -> None:
        copy = self.copy(CLEAN, b"k\xff\\x")
        escaped = str(copy)
        for path in (copy, escaped, os.fsencode(escaped)):
            report = kvfsck.check(path)
            self.assertEqual(report.store.path, os.path.join(escaped, "kv"))
            self.assertEqual(os.path.getsize(report.store.files[1].path), 4096)
        out = self.folder / os.fsdecode(b"out\xfe")
        kvfsck.open(copy).repair(os.fsencode(out), recover=True)
        self.assertEqual(sorted(os.listdir(out)), ["kv", "kv.crc"])
        for name in (b"\xfe.json", b"a.json"):
            file = os.path.join(os.fsencode(self.folder), name)
            done = kvfsck.open(copy).convert("json", out=file, options=["--assume-likeliest"])
            self.assertEqual(done.paths, (os.fsdecode(file),))
        results = list(kvfsck.scan([copy, os.fsencode(out)]))
        self.assertEqual([result.path for result in results], [os.path.join(escaped, "kv"), str(out / "kv")])
        # A name that reads like the escaped one is another.
        with self.assertRaises(kvfsck.CannotRunError):
            kvfsck.check(self.folder / r"k\xff\x5cx")

    def test_paths_count_from_the_folder_of_the_caller(self) -> None:
        self.copy(CLEAN, "-")
        self.copy(CLEAN, "a")
        before = os.getcwd()
        try:
            for folder in (tempfile.gettempdir(), str(self.folder)):
                os.chdir(folder)
                found = os.path.relpath(self.folder / "-")
                self.assertEqual(kvfsck.check(found).verdict, "clean")
                self.assertEqual(len(list(kvfsck.scan([found]))), 1)
        finally:
            os.chdir(before)


class Scans(Case):
    """Finding stores."""

    def test_results_and_totals(self) -> None:
        golden = FIXTURES / "fastkv-apple/golden"
        with kvfsck.scan(golden) as scan:
            self.assertIsNone(scan.totals)
            results = list(scan)
        assert scan.totals is not None
        printed = lines("scan", golden)
        self.assertEqual([result.raw for result in results], printed[:-1])
        self.assertEqual(scan.totals, printed[-1])
        self.assertEqual(list(scan), [])

    def test_a_path_that_cannot_be_read_is_a_result(self) -> None:
        results = list(kvfsck.scan([self.folder / "nothing", CLEAN]))
        self.assertIn("no such file", results[0].error or "")
        self.assertEqual((results[1].verdict, results[1].entries), ("clean", 45))
        self.assertEqual(list(kvfsck.scan([])), [])

    def test_keys(self) -> None:
        self.assertEqual([result.verdict for result in kvfsck.scan(ENCRYPTED)], ["unreadable"])
        self.assertEqual([result.verdict for result in kvfsck.scan(ENCRYPTED, key=KEY)], ["clean"])
        keys = self.folder / "keys"
        keys.write_text(f"aes128_key16/** = {KEY}\n")
        self.assertEqual([result.verdict for result in kvfsck.scan(ENCRYPTED, keys=keys)], ["clean"])

    def test_wrong_options_are_an_error(self) -> None:
        for jobs in (0, -1):
            with self.assertRaisesRegex(kvfsck.UsageError, "--jobs takes"):
                list(kvfsck.scan(CLEAN, jobs=jobs))

    def test_many_paths(self) -> None:
        results = list(kvfsck.scan([CLEAN / "kv"] + [self.folder / ("x" * 200 + str(n)) for n in range(20_000)]))
        self.assertEqual(len(results), 20_001)

    def test_left_early(self) -> None:
        for _ in range(3):
            scan = kvfsck.scan(FIXTURES)
            next(scan)
            process = scan._stream._process.popen
            scan.close()
            self.assertIsNotNone(process.returncode)
            with self.assertRaisesRegex(RuntimeError, "closed"):
                list(scan)
            # Nor is it complete for who tries again.
            with self.assertRaisesRegex(RuntimeError, "closed"):
                list(scan)
        for result in kvfsck.scan(FIXTURES):
            break
        self.assertIsNotNone(result.path)
        self.assertEqual(kvfsck.check(CLEAN).verdict, "clean")


class Tables(Case):
    """Data frames."""

    def test_pandas(self) -> None:
        if importlib.util.find_spec("pandas") is None:
            with self.assertRaises(ImportError):
                kvfsck.open(CLEAN).to_pandas()
            return
        frame = kvfsck.open(CLEAN).to_pandas()
        self.assertEqual((len(frame), frame["value"][2], frame["kind"][2]), (45, 127, "int32"))
        history = kvfsck.open(DAMAGED).to_pandas(history=True)
        self.assertEqual(set(history["type"]), {"record", "gap"})
        self.assertEqual(len(kvfsck.to_pandas(kvfsck.scan(CLEAN))), 1)
        self.assertEqual(len(kvfsck.to_pandas([])), 0)
