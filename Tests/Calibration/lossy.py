#!/usr/bin/env python3
"""Writes copies of healthy stores with known contents as tools leave them that lose some kind of byte.

    lossy.py --out FOLDER [--seed N] [--count N] CASES...

CASES are folders of cases, as `fit.py` reads them, whose `case.json` states the contents as `live`. The copies are
cases too, for `fit.py --witness copy=FOLDER`.
"""
import argparse
import json
import os
import random

import cases

TOOLS = {
    "question-marks": lambda data: bytes(0x3F if byte >= 0x80 else byte for byte in data),
    "seven-bits": lambda data: bytes(byte & 0x7F for byte in data),
    "decoder": lambda data: data.decode("utf-8", "replace").encode(),
    "narrow-decoder": lambda data: data.decode("utf-8", "replace").encode("latin-1", "replace"),
    "spaces-for-zeros": lambda data: data.replace(b"\0", b" "),
    "modified-utf-8": lambda data: data.replace(b"\0", b"\xc0\x80"),
    "no-zeros": lambda data: data.replace(b"\0", b""),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seed", type=int, default=5101)
    parser.add_argument("--count", type=int, default=70)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    for root in options.cases:
        generator = random.Random(options.seed)
        healthy = [os.path.join(root, name) for name in sorted(os.listdir(root)) if cases.answer(os.path.join(root, name))]
        healthy = [folder for folder in healthy if cases.read(folder).get("live") and "/" not in cases.read(folder)["store"]]
        for index in range(options.count):
            folder, tool = generator.choice(healthy), generator.choice(sorted(TOOLS))
            keeps_size = generator.random() < 0.5
            case = cases.read(folder)
            out = os.path.join(options.out, f"{case['format']}-{options.seed}-{index}-{tool}")
            os.makedirs(out)
            for name in os.listdir(folder):
                if not os.path.isfile(path := os.path.join(folder, name)) or name in (*cases.ANSWERS, "script.txt"):
                    continue
                with open(path, "rb") as file:
                    data = file.read()
                copied = TOOLS[tool](data)
                if keeps_size:
                    copied = copied[:len(data)].ljust(len(data), b"\0")
                with open(os.path.join(out, name), "wb") as file:
                    file.write(copied)
            with open(os.path.join(out, "case.json"), "w") as file:
                json.dump({**case, "kind": tool, "truth": case["live"]}, file)


if __name__ == "__main__":
    main()
