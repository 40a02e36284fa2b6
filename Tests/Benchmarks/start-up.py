#!/usr/bin/env python3
"""Prints what `kvfsck check` of a store of one page costs the processor, beside /bin/true.

usage: start-up.py KVFSCK STORE [RUNS]      (300 runs if left out; exits with 1 above 8 ms)

The two are started in turn; a run's time is user and system time together, as wait4 gives it.
"""

import os
import statistics
import sys

LIMIT = 8.0


def milliseconds(arguments):
    silence = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(arguments[0], arguments, os.environ, file_actions=silence)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"{arguments[0]} ended with status {os.waitstatus_to_exitcode(status)}")
    return 1000 * (usage.ru_utime + usage.ru_stime)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    tool, store = sys.argv[1:3]
    runs = int(sys.argv[3]) if len(sys.argv) > 3 else 300
    commands = {"/bin/true": ["/bin/true"], "kvfsck check": [tool, "check", store]}
    times = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, arguments in commands.items():
            time = milliseconds(arguments)
            if run > 0:
                times[name].append(time)
    print(f"CPU time in ms, {runs} runs  minimum   median  maximum")
    for name, list_of in times.items():
        row = min(list_of), statistics.median(list_of), max(list_of)
        print(f"{name:24}" + "".join(f"{value:9.2f}" for value in row))
    sys.exit(statistics.median(times["kvfsck check"]) > LIMIT)


if __name__ == "__main__":
    main()
