"""The folder for LEAPP and LAVA, opened by Python's csv, json and SQLite."""

import csv
import datetime
import json
import re
import sqlite3
import sys

NAME = ENDING = "leapp"
csv.field_size_limit(sys.maxsize)


def same(what, found, expected):
    assert found == expected, f"{what}: it has {found!r}, kvfsck {expected!r}"


def unguarded(cell):
    """The text of a cell without the apostrophe that keeps a spreadsheet from executing it."""
    assert not re.match(r"\s*[=+@]|[\t\r\n]", cell), f"a spreadsheet would execute {cell!r}"
    return cell[1:] if re.match(r"'+(\s*[=+\-@]|[\t\r\n])", cell) else cell


def table(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, dialect="excel-tab", strict=True)
        return [{title: unguarded(cell) for title, cell in row.items()} for row in rows]


def check_record(row, line):
    same("key", row["Key"], line.get("key") or "")
    same("key bytes", row["Key Bytes (hex)"], line["key_hex"])
    same("state", row["State"], line.get("state", "live"))
    same("evidence", row["Evidence"], line["evidence"])
    same("cautions", row["Cautions"].split(), line.get("cautions", []))
    if "raw_hex" in line and line.get("operation", "put") == "put":
        same("bytes", row["Value Bytes (hex)"], line["raw_hex"])
    if "offset" in line:
        same("place", (row["Offset"], row["Length"]), (str(line["offset"]), str(line["length"])))
    assert row["Soundness"] in ("sound", "unverified", "may-be-damaged"), row["Soundness"]
    if line.get("readings"):
        value = line["readings"][0]["value"]
        same("type", row["Type"], value["kind"])
        if value["kind"] == "string" and "value" in value:
            same("value", row["Value"], value["value"])


def check_lava(out, records):
    """Goes from the manifest to the tables, as LAVA does."""
    manifest = json.loads((out / "_lava_data.lava").read_text())
    same("status", manifest["processing_status"], "Complete")
    database = sqlite3.connect(f"file:{out / manifest['lava_db_name']}?mode=ro", uri=True)
    same("integrity", database.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
    for artifact in [a for group in manifest["artifacts"].values() for a in group]:
        name = artifact["tablename"]
        columns = {row[1]: row[2] for row in database.execute(f'PRAGMA table_info("{name}")')}
        same(f"columns of {name}", list(columns), list(artifact["column_map"]))
        times = [column["name"] for column in artifact["object_columns"]]
        same(f"times of {name}", [c for c in columns if columns[c] == "INTEGER"], times)
        rows = database.execute(f'SELECT * FROM "{name}"').fetchall()
        same(f"rows of {name}", len(rows), artifact["record_count"])
        for time in times:
            for (cell,) in database.execute(f'SELECT "{time}" FROM "{name}"'):
                assert cell is None or isinstance(cell, int), cell
        if name == "kvfsck_records":
            titles = list(artifact["column_map"].values())
            for row, text in zip(rows, records):
                for title, cell in zip(titles, row):
                    if title not in ("Time", "Expires"):
                        same(title, cell or "", text[title])


def check_timeline(out, records):
    database = sqlite3.connect(f"file:{out}/_Timeline/tl.db?mode=ro", uri=True)
    found = database.execute("SELECT key, activity, datalist FROM data").fetchall()
    expected = [(r[c], f"Key-Value Records: {c}", r) for r in records for c in ("Time", "Expires") if r[c]]
    same("timeline", [(k, a, json.loads(d)) for k, a, d in found], expected)
    for key, _, _ in found:
        assert datetime.datetime.fromisoformat(key).tzinfo is not None, key


def check(out, case, history):
    records = table(out / "_TSV Exports/Key-Value Records.tsv")
    known = [row for row in records if row["State"] != "other log"]
    same("records", len(known), len(history))
    for row, line in zip(known, history):
        check_record(row, line)
    findings = table(out / "_TSV Exports/Key-Value Findings.tsv")
    checked = [line for line in case.lines("check") if line["type"] == "finding"]
    same(
        "findings",
        [(row["Code"], row["Severity"], row["Message"]) for row in findings],
        [(f["code"], f["severity"], f["message"]) for f in checked],
    )
    check_lava(out, records)
    check_timeline(out, records)
