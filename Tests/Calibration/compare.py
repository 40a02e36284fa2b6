#!/usr/bin/env python3
"""Compares what two builds say about the same stores, and names what changed.

    compare.py OLD NEW FOLDER… [--list KIND]

Every folder below FOLDER with a `case.json` or an `answer.json` is a case: both builds run `check --json`, `dump --json -y`
and `map --json` on its store. Prints, for each kind of difference, how many stores and lines have it; with --list,
the cases of one kind. Exit status 1 if anything differs but texts and probabilities.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys

import cases

COMMANDS = (["check", "--json"], ["dump", "--json", "-y"], ["map", "--json"])
# What may differ without a change of meaning.
TEXTS = ("message", "meaning", "probability")


def lines(tool, command, path, case):
    done = subprocess.run([tool, *command, *cases.arguments(path, case)], capture_output=True, timeout=300)
    found = [json.loads(line) for line in done.stdout.decode().splitlines()]
    return found + [{"type": "exit", "status": done.returncode}]


def facts(found):
    """What the lines say, each as (kind, what it is about) and the value."""
    said = {}
    for index, line in enumerate(found):
        kind = line["type"]
        about = {
            "finding": lambda: (line["code"], line.get("file"), line.get("offset")),
            "state": lambda: line["name"],
            "entry": lambda: line["key_hex"],
        }.get(kind, lambda: index if kind == "region" else None)()
        for name, value in line.items():
            if name != "type":
                said[kind, name, about] = json.dumps(value, sort_keys=True)
    return said


def difference(tools, path, case):
    changed = collections.Counter()
    for command in COMMANDS:
        old, new = (facts(lines(tool, command, path, case)) for tool in tools)
        for fact in old.keys() | new.keys():
            if old.get(fact) == new.get(fact):
                continue
            kind, name, about = fact
            if fact in old and fact in new:
                changed[f"{kind}: {name} changed"] += 1
            elif kind == "finding":
                changed[f"finding {'gone' if fact in old else 'new'}: {about[0]}"] += name == "code"
            else:
                changed[f"{kind}: {name} {'gone' if fact in old else 'new'}"] += 1
    return +changed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--list", metavar="KIND", help="print the cases that differ in this way")
    options = parser.parse_args()
    paths = [path for folder in options.folders for path, _, _ in sorted(os.walk(folder)) if cases.answer(path)]
    found = [(path, cases.read(path)) for path in paths]
    if not found:
        sys.exit("no case was found")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        changes = list(pool.map(lambda case: difference((options.old, options.new), *case), found))
    total, stores = collections.Counter(), collections.Counter()
    for (path, _), changed in zip(found, changes):
        total += changed
        stores.update(changed.keys())
        if options.list in changed:
            print(path)
    for kind in sorted(total):
        print(f"{kind}: {total[kind]} lines in {stores[kind]} stores")
    differing = sum(any(not kind.split(" ")[1] in TEXTS for kind in changed) for changed in changes)
    print(f"{len(found)} stores, {differing} differ in more than texts and probabilities")
    sys.exit(1 if differing else 0)


if __name__ == "__main__":
    main()
