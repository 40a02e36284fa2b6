"""Checks, reads and repairs the key-value files of mobile apps: MMKV, FastKV, preferences, databases.

    import kvfsck

    with kvfsck.open("files/mmkv/user") as store:
        print(store.verdict)
        for entry in store.entries():
            print(entry.key, entry.value, entry.evidence)

The work is done by the program ``kvfsck``, of which one process answers all calls; see :class:`Kvfsck`.
"""

from __future__ import annotations

from ._errors import CancelledError, CannotRunError, CrashedError, KvfsckError, UsageError
from ._process import Answer, Argument, PathArgument
from ._program import program
from ._records import (
    Decision,
    Entry,
    File,
    Finding,
    Gap,
    Moment,
    Prediction,
    Record,
    Result,
    State,
    StoreInfo,
    Summary,
    Value,
    Written,
)
from ._store import Choice, Conversion, Key, Kvfsck, Repair, Report, Scan, Store, to_pandas

__all__ = [
    "Answer",
    "Argument",
    "CancelledError",
    "CannotRunError",
    "Choice",
    "Conversion",
    "CrashedError",
    "Decision",
    "Entry",
    "File",
    "Finding",
    "Gap",
    "Key",
    "Kvfsck",
    "KvfsckError",
    "Moment",
    "PathArgument",
    "Prediction",
    "Record",
    "Repair",
    "Report",
    "Result",
    "Scan",
    "State",
    "Store",
    "StoreInfo",
    "Summary",
    "UsageError",
    "Value",
    "Written",
    "check",
    "open",
    "program",
    "run",
    "scan",
    "to_pandas",
]

_session = Kvfsck()

open = _session.open
check = _session.check
scan = _session.scan
run = _session.run
