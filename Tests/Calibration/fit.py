#!/usr/bin/env python3
"""Fits the weights of `EntryWeights` to damaged stores with known contents, and writes them as Swift.

    fit.py --bin KVFSCK [--write] [--strength S] [--made CASES=W]… [--witness NAME=CASES]
           FORMAT=CORPUS,CORPUS…...

FORMAT is mmkv, fastkv-apple or fastkv-android. A corpus is a folder of cases, each a folder with the files of a
store and a `case.json` that states the truth; or, with an `answer.json`, the `cases` that `kvfsck fixture corpus`
or the samples that `kvfsck fixture crashes` writes. Every case is read with `dump --json -y --why`,
which states the answers to all witnesses. An entry is right with the probability

    product over the three conditions of 1 / (1 + 2^-(base + sum of the weights of its answers and rules))

The weights maximize the likelihood of what is right and wrong, with a penalty of (weight / strength)^2 / 2
in natural units, so that what few stores show weighs little. A witness of a kind of damage that the corpora
lack is then fitted alone, to the CASES of --witness: all other weights stay. Prints the Brier score and what
is given at 0.99 and 0.95, cross-validated by store: no store is judged by weights that it was fitted to. With
--write, fits to all stores and writes the `…Weights.swift` of the format. Needs numpy and scipy.
"""
import argparse
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import subprocess

import numpy
from scipy.optimize import minimize

import cases

CONDITIONS = ("record", "unchanged", "newest")
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Sources")
FILES = {
    "mmkv": ("MMKVStore", "MMKVFormat/Rules/MMKVWeights.swift"),
    "fastkv-apple": ("AppleFastKVStore", "FastKVFormat/Rules/AppleWeights.swift"),
    "fastkv-android": ("AndroidFastKVStore", "FastKVFormat/Rules/AndroidWeights.swift"),
}
# An answer or a rule that fewer stores show has no weight.
LEAST_STORES = 4


def is_same(want, raw):
    if want is None:
        return False
    if "sha256" in want:
        return hashlib.sha256(bytes.fromhex(raw)).hexdigest() == want["sha256"]
    return raw == want["hex"]


def entries(tool, folder, only=None):
    """(reasons by condition, whether it is right) for each entry of a case whose true value is known."""
    case = cases.read(folder)
    if only not in (None, case["format"]):
        return []
    if case.get("kind") == "healthy" or case.get("operator") == "none" or case.get("wrong_key") or case.get("state"):
        return []
    truth, also = case.get("truth", {}), case.get("also_true") or {}
    acceptable = case.get("acceptable")  # made by `kvfsck fixture crashes`
    if "operator" in case:  # made by `kvfsck fixture corpus`
        truth, also = {key: {"hex": value} for key, value in truth.items()}, {}
    output = subprocess.run([tool, "dump", "--json", "-y", "--why", *cases.arguments(folder, case)], capture_output=True, timeout=120).stdout
    found = []
    for line in map(json.loads, output.decode().splitlines()):
        if line["type"] != "entry" or "weighing" not in line:
            continue
        key = line["key_hex"]
        if "any" in truth.get(key, {}):
            continue
        if acceptable is not None:
            is_right = line["raw_hex"] in acceptable.get(key, [])
        else:
            is_right = is_same(truth.get(key), line["raw_hex"]) or is_same(also.get(key), line["raw_hex"])
        reasons = [
            [(reason["name"], reason.get("answer")) for reason in line["weighing"][name]["reasons"] if reason["name"] != "base"]
            for name in CONDITIONS
        ]
        found.append((reasons, is_right))
    return found


def read(tool, corpora, only=None):
    """The entries of all cases in `corpora`, or of those of the format `only`, by folder."""
    folders = [os.path.join(corpus, name) for corpus in corpora for name in sorted(os.listdir(corpus))]
    folders = [folder for folder in folders if cases.answer(folder)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(folder, found) for folder, found in zip(folders, pool.map(lambda path: entries(tool, path, only), folders)) if found]


class Design:
    """The entries as numbers: for each condition, a column for each answer and rule, and one for the base."""

    def __init__(self, stores, made=(), witness=None, shown=()):
        """`made` has (stores, weight): their entries count that much each, and have a base of their own.

        The answers to `witness` are fitted alone, to the entries of `shown` that have them.
        """
        shown = [
            (folder, [entry for entry in found if any(name == witness for part in entry[0] for name, _ in part)])
            for folder, found in shown]
        self.count = sum(len(found) for _, found in stores)
        self.stores = len(stores)
        sizes = [self.count] + [sum(len(found) for _, found in part) for part in [part for part, _ in made] + [shown]]
        origin = numpy.repeat([*range(len(made) + 1), 0], sizes)
        self.bases, self.witness = len(made) + 1, witness
        stores = stores + [store for part, _ in made for store in part]
        counted = len(stores)
        stores = stores + shown
        self.right = numpy.array([right for _, found in stores for _, right in found], float)
        self.store = numpy.array([index for index, (_, found) in enumerate(stores) for _ in found])
        self.names, self.columns = [], []
        for condition in range(3):
            seen = collections.defaultdict(set)
            for index, (_, found) in enumerate(stores):
                for reasons, _ in found:
                    for reason in reasons[condition]:
                        if index < counted or reason[0] == witness:
                            seen[reason].add(index)
            names = sorted((name for name, having in seen.items() if len(having) >= LEAST_STORES), key=str)
            place = {name: index for index, name in enumerate(names)}
            matrix = numpy.zeros((len(self.right), len(names) + self.bases))
            # The last base is that of the stores that are not made.
            matrix[numpy.arange(len(origin)), matrix.shape[1] - 1 - origin] = 1
            row = 0
            for _, found in stores:
                for reasons, _ in found:
                    for reason in reasons[condition]:
                        if reason in place:
                            matrix[row, place[reason]] = 1
                    row += 1
            self.names.append(names)
            self.columns.append(matrix)
        self.weight = numpy.array([1.0] + [weight for _, weight in made])[origin]
        self.is_shown = numpy.arange(len(origin)) >= len(origin) - sizes[-1]

    def fit(self, rows, strength):
        """The weights of the three conditions, in natural units."""
        weights = self.fitted(rows & ~self.is_shown, strength)
        return self.fitted(self.is_shown, strength, weights) if self.is_shown.any() else weights

    def fitted(self, rows, strength, given=None):
        """The weights that fit `rows`; of `given` ones, only those of the witness change."""
        matrices = [matrix[rows] for matrix in self.columns]
        right, counted = self.right[rows], self.weight[rows]
        ends = numpy.cumsum([0] + [matrix.shape[1] for matrix in matrices])
        start = numpy.zeros(ends[-1])
        penalty = numpy.full(ends[-1], 1 / strength**2)
        for end in ends[1:]:
            start[end - self.bases:end], penalty[end - self.bases:end] = 5, penalty[end - 1] / 50
        is_free = numpy.ones(ends[-1], bool)
        if given:
            start = numpy.concatenate(given)
            is_free = numpy.concatenate(
                [[name[0] == self.witness for name in names] + [False] * self.bases for names in self.names])

        def loss(weights):
            sums = [matrix @ weights[ends[k]:ends[k + 1]] for k, matrix in enumerate(matrices)]
            logs = numpy.minimum(sum(-numpy.logaddexp(0, -s) for s in sums), -1e-9)
            odds = numpy.exp(logs)
            value = -(counted * (right * logs + (1 - right) * numpy.log1p(-odds))).sum()
            slope = -counted * (right - (1 - right) * odds / (1 - odds))
            gradient = numpy.concatenate([matrix.T @ (slope / (1 + numpy.exp(s))) for matrix, s in zip(matrices, sums)])
            return value + (penalty * (weights - start) ** 2).sum() / 2, (gradient + penalty * (weights - start)) * is_free

        best = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500}).x
        return [best[ends[k]:ends[k + 1]] for k in range(3)]

    def probability(self, rows, weights):
        product = numpy.ones(len(self.right[rows]))
        for matrix, weight in zip(self.columns, weights):
            product /= 1 + numpy.exp(-(matrix[rows] @ weight))
        return numpy.floor(numpy.minimum(product, 0.9999) * 10000) / 10000

    def cross_validated(self, strength, parts=10):
        stated = numpy.zeros(len(self.right))
        part = numpy.full(self.store.max() + 1, -1)
        part[:self.stores] = numpy.random.default_rng(20261128).permutation(self.stores) % parts
        for index in range(parts):
            held = part[self.store] == index
            stated[held] = self.probability(held, self.fit(~held, strength))
        return stated[:self.count]


def report(name, strength, stated, right):
    levels = ", ".join(
        f"{100 * (stated >= level).mean():.1f}% at {level}, {100 * (1 - right[stated >= level]).mean():.2f}% of them false"
        for level in (0.99, 0.95) if (stated >= level).any())
    order = numpy.argsort(stated)
    tenths = [abs((stated[part] - right[part]).mean()) for part in numpy.array_split(order, 10)]
    print(f"{name} strength {strength}: {len(right)} entries, {int((1 - right).sum())} false; Brier {((stated - right) ** 2).mean():.4f} "
          f"(constant {right.mean() * (1 - right.mean()):.4f}); tenths {100 * numpy.mean(tenths):.2f} points; {levels}", flush=True)


def swift(name, weights, design, note, answers):
    """The weights as a Swift file."""
    type_name, path = FILES[name]
    parts = []
    for condition, names, weight in zip(CONDITIONS, design.names, weights):
        bits = weight / math.log(2)
        value = {reason: round(bit, 2) for reason, bit in zip(names, bits)}
        asked = sorted({reason for reason, answer in value if answer is not None})
        tables = [
            f"        .{witness}: [" + ", ".join(f"{value.get((witness, answer), 0):g}" for answer in answers[witness]) + "],"
            for witness in asked]
        rules = [f'        "{rule}": {bit:g},' for (rule, answer), bit in sorted(value.items(), key=str) if answer is None and bit]
        parts.append(
            f"    {condition}: .init(\n      base: {bits[-1]:.2f},\n      answers: [\n" + "\n".join(tables)
            + ("\n      ],\n      rules: [\n" + "\n".join(rules) + "\n      ])" if rules else "\n      ],\n      rules: [:])"))
    text = (f"package import KVModel\n\nextension {type_name} {{\n  /// The weights of ``Witness`` and rules for this format.\n"
            f"  package var entryWeights: EntryWeights {{ Self.measured }}\n\n{note}"
            "  private static let measured = EntryWeights(\n" + ",\n".join(parts) + ")\n}\n")
    path = os.path.join(SOURCES, path)
    open(path, "w").write(text)
    subprocess.run(["swift", "format", "-i", path], check=True)


def read_answers(tool):
    """The answers of each witness, in their order, as `kvfsck explain probability` lists them."""
    answers, last = {}, None
    for line in subprocess.run([tool, "explain", "probability"], capture_output=True, text=True, check=True).stdout.splitlines():
        name = line.split(" ")[0]
        if name:
            last = name
            answers[last] = line[len(name):].strip()
        elif last:
            answers[last] += " " + line.strip()
    return {name: text.split(": ", 1)[-1].split("; ") for name, text in answers.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--strength", type=float, action="append")
    parser.add_argument(
        "--made", action="append", default=[], metavar="CASES=WEIGHT",
        help="a folder of cases that count less, and whose rate of damage does not count at all")
    parser.add_argument(
        "--witness", metavar="NAME=CASES", help="a witness that is fitted alone, to a folder of cases that count for nothing else")
    parser.add_argument("corpora", nargs="+")
    options = parser.parse_args()
    for argument in options.corpora:
        name, corpora = argument.split("=")
        stores = read(options.bin, corpora.split(","))
        made = []
        for part in options.made:
            folder, weight = part.rsplit("=", 1)
            made.append((read(options.bin, [folder], name), float(weight)))
        witness, shown = options.witness.split("=", 1) if options.witness else (None, None)
        design = Design(stores, made, witness, read(options.bin, [shown], name) if shown else [])
        right = design.right[:design.count]
        for strength in options.strength or [1]:
            stated = design.cross_validated(strength)
            report(name, strength, stated, right)
        if options.write:
            false = int((1 - right).sum())
            brier = ((stated - right) ** 2).mean()
            note = (f"  // Fitted by Tests/Calibration/fit.py to {len(right):,} entries of {len(stores):,} damaged stores, {false:,} of them wrong,\n"
                    f"  // with strength {strength:g}. Cross-validated by store, the Brier score is {brier:.4f}.\n")
            swift(name, design.fit(numpy.ones(len(design.right), bool), strength), design, note, read_answers(options.bin))


if __name__ == "__main__":
    main()
