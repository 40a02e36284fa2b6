"""Stores of MMKV and FastKV, read by the Python package kvfsck: artifacts for ALEAPP and iLEAPP.

Put this file into a folder, install the package for the same Python (pip install kvfsck), and name the folder:

    python aleapp.py -t fs -i EXTRACTION -o REPORTS --custom_artifacts_path FOLDER

For encrypted stores, the environment variable KVFSCK_KEYS names a file with their keys, as of kvfsck --keys. Without the
package, or for a store that it cannot read, the log says so. Follows the interface of ALEAPP and iLEAPP 2026.3.
"""

import datetime
import glob
import json
import os

from scripts.ilapfuncs import artifact_processor, logfunc

try:
    import kvfsck
except ImportError:
    kvfsck = None

_PATHS = ("*/mmkv/*", "*/MMKV/*", "*.crc", "*/fastkv/*", "*.fkv", "*.kva", "*.kvb", "*.kvc")
_COMMON = {
    "author": "kvfsck",
    "creation_date": "2026-11-29",
    "last_update_date": "2026-11-29",
    "requirements": "the Python package kvfsck",
    "category": "Key-Value Stores",
    "paths": _PATHS,
    "artifact_icon": "database",
}

__artifacts_v2__ = {
    "kvfsck_stores": {
        **_COMMON,
        "name": "Key-Value Stores",
        "description": "Every store of MMKV and FastKV, its condition, and what its app will do at the next launch",
        "notes": "Entries are those of the best state that can be recovered.",
        "output_types": ["html", "tsv", "lava"],
    },
    "kvfsck_records": {
        **_COMMON,
        "name": "Key-Value Store Records",
        "description": "Every record of the stores: live, superseded, removed and residual ones, and bytes between them",
        "notes": "MMKV stores no types: a value is its likeliest reading. A value is a date only if it is stored as one.",
        "output_types": ["html", "tsv", "lava"],
    },
    "kvfsck_timeline": {
        **_COMMON,
        "name": "Key-Value Store Times",
        "description": "Times in values and expiries of the stores, also of removed and residual records",
        "notes": "A number is taken for a time because of its size; Unit says what it would count.",
        "output_types": ["html", "tsv", "timeline", "lava"],
    },
}

_STATES = {"slack": "residual"}
# As much as a cell of a spreadsheet holds.
_CELL = 32_000


def _results(context):
    """Yield what kvfsck says about each store that was found."""
    if kvfsck is None:
        logfunc("kvfsck: the Python package is not installed: pip install kvfsck")
        return
    seeker = context.get_seeker()
    folders = set()
    for path in map(str, context.get_files_found()):
        if os.path.isdir(path):
            continue
        folders.add(os.path.dirname(path))
        # A log of MMKV can have any name; that of the file beside it ends in .crc.
        if path.endswith(".crc"):
            seeker.search("*/" + glob.escape(context.get_relative_path(path).replace("\\", "/")[:-4]))
    # A folder is scanned with those in it.
    tops = []
    for folder in sorted(folders):
        if not any(folder.startswith(top + os.sep) for top in tops):
            tops.append(folder)
    seen = set()
    try:
        with kvfsck.scan(tops, keys=os.environ.get("KVFSCK_KEYS") or None) as results:
            for result in results:
                has_log = result.format is None or result.format.startswith(("mmkv", "fastkv"))
                if has_log and result.path not in seen:
                    seen.add(result.path)
                    yield result
    except kvfsck.KvfsckError as error:
        logfunc(f"kvfsck: {error}")


def _stores(context):
    """Yield each store whose records can be read."""
    keys = os.environ.get("KVFSCK_KEYS")
    for result in _results(context):
        try:
            with kvfsck.open(result.path, options=["--keys", os.path.abspath(keys)] if keys else []) as store:
                yield store
        except kvfsck.KvfsckError as error:
            logfunc(f"kvfsck: {error}")


def _text(value):
    """Return a value as the text of a cell."""
    if isinstance(value, str):
        text = value
    elif isinstance(value, bytes):
        text = value.hex()
    elif value is None or isinstance(value, (bool, int, float)):
        text = json.dumps(value)
    elif isinstance(value, datetime.datetime):
        text = value.isoformat()
    else:
        text = json.dumps(sorted(value, key=str) if isinstance(value, set) else value, default=_text, ensure_ascii=False)
    return text if len(text) <= _CELL else text[:_CELL] + "…"


def _path(context, path):
    """Return a path in the extraction as text."""
    return context.get_relative_path(path).encode("utf-8", "backslashreplace").decode()


def _key(item):
    """Return a key as text; one that is not, in hexadecimal."""
    return item.key if item.key is not None else "0x" + item.key_bytes.hex()


@artifact_processor
def kvfsck_stores(context):
    """List the stores."""
    headers = (
        "Store", "Format", "Verdict", "Entries", "Superseded", "Removed", "Residual", "Lost at Next Launch",
        "Recoverable", "Emptied", "Findings", "Error",
    )  # fmt: skip
    rows, paths = [], []
    for result in _results(context):
        paths.append(result.path)
        rows.append(
            (
                _path(context, result.path), result.format or "", result.verdict or "", result.entries,
                result.superseded, result.removed, result.residual, result.lost_at_next_launch,
                result.recoverable, "yes" if result.emptied else "", ", ".join(result.findings),
                _path(context, result.error or ""),
            )
        )  # fmt: skip
    return headers, rows, "\n".join(paths)


@artifact_processor
def kvfsck_records(context):
    """List the records, and the bytes in which there is none."""
    headers = (
        ("Date in Value", "datetime"), ("Expires", "datetime"), "State", "Operation", "Key", "Value", "Type",
        "Other Readings", "Evidence", "Probability", "Cautions", "File", "Offset", "Length", "Store",
    )  # fmt: skip
    rows, paths = [], []
    for store in _stores(context):
        paths.append(store.path)
        path = _path(context, store.path)
        for item in store.history():
            if isinstance(item, kvfsck.Gap):
                content = item.text or (item.bytes or b"").hex()
                rows.append(
                    (
                        "", "", "unreadable", "", "", _text(content), "", "", item.cause, "", "",
                        item.file, item.offset, item.length, path,
                    )
                )  # fmt: skip
                continue
            state = getattr(item, "state", "live")
            others = [f"{reading.kind} {_text(reading.value)}" for reading in item.readings[1:]]
            rows.append(
                (
                    item.value if isinstance(item.value, datetime.datetime) else "", item.expires_at or "",
                    _STATES.get(state, state), getattr(item, "operation", "put"), _key(item),
                    "" if item.kind is None else _text(item.value), item.kind or "", "; ".join(others),
                    item.evidence, "" if item.probability is None else item.probability, ", ".join(item.cautions),
                    item.file or "data", item.offset, item.length, path,
                )
            )  # fmt: skip
    return headers, rows, "\n".join(paths)


@artifact_processor
def kvfsck_timeline(context):
    """List the times, the earliest first."""
    headers = (("Time", "datetime"), "Source", "Key", "Value", "Unit", "State", "File", "Offset", "Store")
    rows, paths = [], []
    for store in _stores(context):
        paths.append(store.path)
        path = _path(context, store.path)
        for moment in store.timeline():
            if moment.time is not None:
                value = _text(moment.value.value) if moment.value else ""
                state = _STATES.get(moment.state, moment.state or "live")
                rows.append(
                    (
                        moment.time, moment.source, _key(moment), value, moment.unit, state, moment.file or "data",
                        moment.offset, path,
                    )
                )  # fmt: skip
    rows.sort(key=lambda row: row[0])
    return headers, rows, "\n".join(paths)
