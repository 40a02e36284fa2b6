#!/usr/bin/env python3
"""Times whole commands that show values, in processor seconds, beside `walk.c`, which puts all records of a store into
a hash table.

usage: values.py KVFSCK FOLDER [--runs N]

The stores `distinct` and `churn` of processes.py are made in FOLDER, which keeps them for the next time. Each line of
the output is one of a table: the command, and for each store the seconds, how many times longer that is than the walk,
and the megabytes written. Least of N runs, in turn with the walk.
"""
import argparse
import os
import resource
import subprocess
import tempfile

import processes

STORES = {"distinct": "key_0500000", "churn": "key_0000042"}
COMMANDS = [
    "check", "get KEY", "dump", "dump --json", "dump --history --json", "dump --timeline", "convert --to jsonl",
    "convert --to csv", "convert --to sqlite", "report", "search zebra", "search --regex [0-9a-f]{12}z",
]


def seconds(command):
    """The processor seconds of a command, and the bytes that it printed."""
    with tempfile.TemporaryFile() as output:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, stdout=output, stderr=subprocess.DEVNULL, check=False)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, output.tell()


def measured(tool, command, store, key, folder):
    """The seconds of `command` for `store`, and the megabytes that it wrote."""
    verb, *options = command.replace("KEY", key).split()
    operands = options if verb == "get" else []
    line = [tool, verb, f"{store}/kv", *operands] if verb == "get" else [tool, verb, *options, f"{store}/kv"]
    result = os.path.join(folder, "result")
    if verb in ("convert", "report"):
        line += ["--out", result] + (["--accept-bytes"] if verb == "convert" else [])
    time, count = seconds(line)
    if os.path.exists(result):
        count = os.path.getsize(result)
        os.unlink(result)
    return time, count / 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kvfsck")
    parser.add_argument("folder")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        walk = os.path.join(folder, "walk")
        source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "walk.c")
        subprocess.run(["cc", "-O2", "-o", walk, source], check=True)
        stores = {name: processes.apart(processes.make, options.folder, name) for name in STORES}
        for command in COMMANDS:
            cells = []
            for name, store in stores.items():
                limit = best = float("inf")
                for _ in range(options.runs):
                    limit = min(limit, seconds([walk, f"{store}/kv"])[0])
                    time, written = measured(options.kvfsck, command, store, STORES[name], folder)
                    best = min(best, time)
                cells.append(f"{best:.2f} | {best / limit:.1f} | {written:.1f}")
            print(f"| `{command}` | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
