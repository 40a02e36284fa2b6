#!/usr/bin/env python3
"""Counts the instructions of eight whole commands, and compares them with those in instructions.tsv.

usage: instructions.py KVFSCK [--record]      (exits with 1 where a count is more than 10 % higher)

Counts, by callgrind of valgrind, are nearly the same each run, whatever else the machine does; times are not.
The stores are made with KVFSCK itself, from fixed seeds. --record writes the counts into instructions.tsv.
"""

import os
import random
import re
import subprocess
import sys
import tempfile

import processes

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "..", "..", "Fixtures")
RECORDED = os.path.join(HERE, "instructions.tsv")
LIMIT = 1.10
# Makes the iteration order of Swift's hash tables and the current time the same in each run.
ENVIRONMENT = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
CLOCK = ["--now", "1750000000"]


def run(*command, statuses=(0,), **streams):
    done = subprocess.run(command, env=ENVIRONMENT, **streams)
    if done.returncode not in statuses:
        sys.exit(f"{' '.join(command)} ended with status {done.returncode}")
    return done


def made_store(tool, folder, operations, keys):
    """A healthy store of MMKV after so many texts were set, of so many keys."""
    choice = random.Random(7)
    script, store = os.path.join(folder, "script"), os.path.join(folder, "store")
    os.mkdir(folder)
    with open(script, "w") as file:
        for _ in range(operations):
            text = "".join(choice.choices("abcdefghijklmnop", k=choice.randrange(8, 80)))
            file.write(f"string key_{choice.randrange(keys)} {text}\n")
    run(tool, "fixture", "make", script, "--out", store, "--seed", "7", stdout=subprocess.DEVNULL)
    return os.path.join(store, "kv")


def commands(tool, folder):
    """The commands by their names, as they are in the pages."""
    healthy = made_store(tool, os.path.join(folder, "healthy"), 50_000, 5_000)
    damaged = os.path.join(folder, "damaged")
    run(tool, "fixture", "damage", "--operator", "flip-value", "--seed", "7", "--out", damaged, healthy,
        stdout=subprocess.DEVNULL)
    page = os.path.join(FIXTURES, "mmkv", "golden", "all_types", "kv")
    return {
        "check of one page": ["check", page, *CLOCK],
        "check of 50,000 operations": ["check", healthy, *CLOCK],
        "check of the same, one bit flipped": ["check", os.path.join(damaged, "store", "kv"), *CLOCK],
        "get of one of its 5,000 keys": ["get", healthy, "key_7", *CLOCK],
        "convert of the same to jsonl": ["convert", "--accept-bytes", "--to", "jsonl", "--out",
                                         os.path.join(folder, "out.jsonl"), healthy, *CLOCK],
        "search of the same by an expression": ["search", "--json", "--jobs", "1", "--regex",
                                                "[a-h]{6}x|\\bkey_[0-9]+z", healthy, *CLOCK],
        "scan of all damaged fixtures": ["scan", "--json", "--jobs", "1", *CLOCK,
                                         os.path.join(FIXTURES, "mmkv", "damaged")],
        "scan of 500 small stores": ["scan", "--json", "--jobs", "1", *CLOCK,
                                     processes.make_fleet(folder, 500)],
    }


def stripped(tool, folder):
    """A copy of the tool without debug information, as valgrind 3.19 cannot read that which Swift writes."""
    copy = os.path.join(folder, "kvfsck")
    run("strip", "-o", copy, os.path.abspath(tool))
    return copy


def instructions(tool, arguments):
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    # Statuses 0 to 7 say whether there is something to report, and what.
    done = run(*valgrind, tool, *arguments, statuses=range(8), stdout=subprocess.DEVNULL,
               stderr=subprocess.PIPE)
    return int(re.search(rb"Collected : (\d+)", done.stderr)[1])


def recorded():
    with open(RECORDED) as file:
        return {name: int(count) for name, count in (line.rstrip("\n").split("\t") for line in file)}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--record"]):
        sys.exit(__doc__)
    tool = os.path.abspath(sys.argv[1])
    before = {} if sys.argv[2:] else recorded()
    counts, rose = {}, False
    with tempfile.TemporaryDirectory() as folder:
        tool = stripped(tool, folder)
        for name, arguments in commands(tool, folder).items():
            count = counts[name] = instructions(tool, arguments)
            ratio = count / before[name] if name in before else 1
            rose = rose or ratio > LIMIT
            print(f"{name:36}{count / 1e6:10.1f} million{'' if ratio == 1 else f'  {ratio:.3f} of what is recorded'}"
                  f"{'  TOO MANY' if ratio > LIMIT else ''}", flush=True)
    if sys.argv[2:]:
        with open(RECORDED, "w") as file:
            file.writelines(f"{name}\t{count}\n" for name, count in counts.items())
    elif rose:
        sys.exit("More instructions than 10 % above instructions.tsv: see Tests/Benchmarks/README.md")


if __name__ == "__main__":
    main()
