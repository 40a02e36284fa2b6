"""Opens the exports of kvfsck report with other people's code: check.py KVFSCK SCRATCH."""

import pathlib
import sys

import cases
import caseuco
import dfxml
import leapp
import sqlite

KVFSCK = sys.argv[1]
SCRATCH = pathlib.Path(sys.argv[2])

for number, case in enumerate(cases.make(KVFSCK, SCRATCH)):
    history = case.history
    for form in (sqlite, leapp, caseuco, dfxml):
        out = case.report(form.NAME, SCRATCH / f"{number}.{form.ENDING}")
        try:
            form.check(out, case, history)
        except AssertionError as error:
            sys.exit(f"{form.NAME} of {case.path}: {error}")
caseuco.finish()
print(f"{number + 1} stores are the same in each form")
