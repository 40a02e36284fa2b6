"""The database, opened by Python's SQLite."""

import sqlite3

from values import is_same

NAME = ENDING = "sqlite"


def rows(database, query, *parameters):
    database.row_factory = sqlite3.Row
    return database.execute(query, parameters).fetchall()


def same(what, found, expected):
    assert found == expected, f"{what}: it has {found!r}, kvfsck {expected!r}"


def check_value(database, row, line):
    readings = line.get("readings") or ([{"value": line["value"]}] if line.get("value") else [])
    others = rows(database, "SELECT * FROM readings WHERE record = ? ORDER BY ordinal", row["id"])
    found = ([row] if row["type"] is not None else []) + others
    same("types", [r["type"] for r in found], [r["value"]["kind"] for r in readings])
    for cell, reading in zip(found, readings):
        value = reading["value"]
        assert is_same(cell["value"], value), f"{cell['value']!r} is not {value}"
        same("count", cell["value_count"], value.get("count"))
        same("reason", cell["type_reason"], reading.get("reason", "the format stores types"))


def check_record(database, row, line):
    same("key", row["key"], line.get("key"))
    same("key bytes", row["key_bytes"].hex(), line["key_hex"])
    same("place", (row["offset"], row["length"]), (line.get("offset"), line.get("length")))
    if row["type"] is not None:
        same("bytes", row["value_bytes"] and row["value_bytes"].hex(), line.get("raw_hex") or row["value_bytes"])
    same("operation", row["operation"], line.get("operation", "put"))
    same("state", row["state"], line.get("state", "live"))
    same("evidence", row["evidence"], line["evidence"])
    same("cautions", (row["cautions"] or "").split(), line["cautions"] if "cautions" in line else [])
    same("rules", (row["rules"] or "").split(), line.get("rules", []))
    same("expiry", row["expires_unix"], line.get("expires_at"))
    check_value(database, row, line)


def check_remains(database, case, history):
    """Records that are not live are counted, and what is in no record is in the database."""
    if case.lines("check")[0]["format"] not in ("mmkv", "fastkv-apple", "fastkv-android"):
        return
    store = rows(database, "SELECT * FROM stores")[0]
    for name, state in [("superseded", "superseded"), ("removed", "removed"), ("residual", "slack")]:
        same(name, store[name], sum(line.get("state") == state for line in history))
    gaps = [line for line in case.lines("dump", "--history") if line["type"] == "gap"]
    found = rows(database, 'SELECT "offset", length, bytes, text FROM gaps')
    same(
        "gaps",
        [(row["offset"], row["length"], row["bytes"] and row["bytes"].hex(), row["text"]) for row in found],
        [(gap["offset"], gap["length"], gap.get("raw_hex"), gap.get("text")) for gap in gaps],
    )
    for gap in gaps:
        if "raw_hex" in gap:
            query = "SELECT count(*) FROM remains WHERE instr(bytes, ?) > 0"
            assert rows(database, query, bytes.fromhex(gap["raw_hex"]))[0][0] > 0, gap


def check(out, case, history):
    database = sqlite3.connect(f"file:{out}?mode=ro", uri=True)
    same("integrity", [tuple(row) for row in rows(database, "PRAGMA integrity_check")], [("ok",)])
    same("foreign keys", rows(database, "PRAGMA foreign_key_check"), [])
    records = rows(database, "SELECT * FROM records WHERE state <> 'other log' ORDER BY id")
    same("records", len(records), len(history))
    for row, line in zip(records, history):
        check_record(database, row, line)
    checked = case.lines("check")
    findings = rows(database, "SELECT * FROM findings ORDER BY id")
    same(
        "findings",
        [(row["code"], row["severity"], row["message"], row["offset"]) for row in findings],
        [(f["code"], f["severity"], f["message"], f.get("offset")) for f in checked if f["type"] == "finding"],
    )
    states = rows(database, "SELECT name, entries, guesses, evidence FROM states ORDER BY id")
    same(
        "states",
        [tuple(row) for row in states],
        [
            (s["name"], s["entries"], s.get("guesses", 0), s["evidence"])
            for s in checked
            if s["type"] == "state"
        ],
    )
    for name, entries, guesses, _ in states:
        query = "SELECT count(*) FROM records WHERE ' ' || in_states || ' ' LIKE ?"
        same(f"entries of {name}", rows(database, query, f"% {name} %")[0][0], entries + guesses)
    for number, lost in rows(database, "SELECT id, lost FROM predictions"):
        keys = {row[0] for row in rows(database, "SELECT key_bytes FROM losses WHERE prediction = ?", number)}
        same("lost keys", len(keys), lost)
    query = "SELECT key FROM losses WHERE key_bytes NOT IN (SELECT key_bytes FROM records WHERE in_states IS NOT NULL)"
    same("keys that are lost and were in no state", rows(database, query), [])
    files = rows(database, "SELECT role, path, size, sha256 FROM files ORDER BY id")
    stated = [f for line in checked if line["type"] == "store" for f in line["files"]]
    same(
        "files",
        [tuple(row) for row in files],
        [(f["file"], f["path"], f["size"], f.get("sha256")) for f in stated],
    )
    summary = next(line for line in checked if line["type"] == "summary")
    numbers = ["entries", "guesses", "recoverable", "recoverable_guesses", "superseded", "removed", "residual"]
    store = rows(database, "SELECT * FROM stores")[0]
    same("verdict", store["verdict"], summary["verdict"])
    for name in numbers:
        expected = summary.get(name, 0 if name.endswith("guesses") else None)
        same(name, store[name], expected)
    is_emptied = any(f["code"] == "store.emptied" for f in checked if f["type"] == "finding")
    same("condition", store["condition"], "emptied" if is_emptied and store["verdict"] == "clean" else store["verdict"])
    entries = rows(database, "SELECT count(*) FROM entries")[0][0]
    same("entries", entries, summary["entries"] + summary.get("guesses", 0))
    check_remains(database, case, history)
    for row in rows(database, "SELECT * FROM timeline"):
        assert row["iso8601"].endswith("Z") and row["unix"] is not None, tuple(row)
