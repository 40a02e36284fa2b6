#!/usr/bin/env python3
"""Counts the instructions of commands on inputs that are made to cost much, and on ones four times as large.

usage: growth.py KVFSCK      (exits with 1 where four times the input takes more than LIMIT times the instructions)

Each input is one that once took time with the square of its size, in a folder, an archive, a value or an image.
Counts are the same on any machine: see instructions.py. The inputs are made from fixed seeds.
"""

import hashlib
import os
import plistlib
import random
import struct
import sys
import tempfile
import zipfile
import zlib
from plistlib import UID

import instructions

# A count that grows with the size is below 4, as the program itself takes as much for both; its square is 16.
LIMIT = 6


def value_names(count):
    return [hashlib.md5(b"key%d" % number).hexdigest() for number in range(count)]


def folder_of_values(path, count):
    """A folder of small files named like MD5s, as caches and the stores of React Native have them."""
    os.mkdir(path)
    for name in value_names(count):
        with open(os.path.join(path, name), "w") as file:
            file.write("v")
    return path


def archive_of_values(path, count):
    with zipfile.ZipFile(path, "w") as archive:
        for name in value_names(count):
            archive.writestr("RCTAsyncLocalStorage_V1/" + name, "v")
    return path


def folder_of_stores(path, count):
    """Two folders of small MMKV stores that are named like MD5s, as those of the ids of some apps are."""
    payload = b"\xff\xff\xff\x07\x04key1\x01\x01\x04keyb\x01\x01"
    log = struct.pack("<I", len(payload)) + payload
    for folder in (path, path + ".new"):
        os.mkdir(folder)
        for name in value_names(count):
            for suffix, content in (("", log), (".crc", meta(len(payload), zlib.crc32(payload)))):
                with open(os.path.join(folder, name + suffix), "wb") as file:
                    file.write(content.ljust(4096, b"\0"))
        # Some seconds later, the next change shows in its time, so that it is not listed again.
        os.utime(folder, (0, 0))
    return path


def archive_of_itself(path, count):
    """A keyed archive of a dictionary, each value of which is the dictionary itself."""
    objects = ["$null", {"$class": UID(2), "NS.keys": [UID(3)] * count, "NS.objects": [UID(1)] * count},
               {"$classname": "NSDictionary", "$classes": ["NSDictionary", "NSObject"]}, "key"]
    path += ".plist"
    with open(path, "wb") as file:
        plistlib.dump({"$archiver": "NSKeyedArchiver", "$version": 100_000, "$top": {"root": UID(1)},
                       "$objects": objects}, file, fmt=plistlib.FMT_BINARY)
    return path


def sectors(path, parts):
    with open(path, "wb") as file:
        file.writelines(part[:512].ljust(512, b"\0") for part in parts)
    return path


def meta(size, digest):
    return struct.pack("<III", digest, 4, 1) + bytes(16) + struct.pack("<III", size, 4, 5) + bytes(72)


def image_of_metas(path, count):
    """Meta files whose logs are not there, and what could be the beginnings of encrypted logs."""
    choice = random.Random(1)
    metas = [meta(100_000 + number, choice.getrandbits(32) | 1) for number in range(count)]
    return sectors(path, metas + [bytes(4) + choice.randbytes(508) for _ in range(count)])


def image_of_copies(path, count):
    """Copies of one small store, all meta files of which fit all logs."""
    payload = b"\xff\xff\xff\x07\x04key1\x01\x01\x04keyb\x01\x01"
    log = struct.pack("<I", len(payload)) + payload
    return sectors(path, [meta(len(payload), zlib.crc32(payload))] * count + [log] * count)


def scan(path):
    return ["scan", "--jobs", "1", path, *instructions.CLOCK]


def compare(path):
    return ["compare", path, path + ".new", *instructions.CLOCK]


def dump(path):
    return ["dump", "--history", "--json", path, *instructions.CLOCK]


def carve(path):
    return ["carve", "--out", path + ".out", path]


SHAPES = {
    "scan of files named like MD5s": (folder_of_values, 150, scan),
    "scan of the same in a ZIP": (archive_of_values, 150, scan),
    "comparison of stores named so": (folder_of_stores, 200, compare),
    "dump of an archive of itself": (archive_of_itself, 500, dump),
    "carving of metas without logs": (image_of_metas, 200, carve),
    "carving of copies of a store": (image_of_copies, 600, carve),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    grew = False
    with tempfile.TemporaryDirectory() as folder:
        tool = instructions.stripped(sys.argv[1], folder)
        for number, (name, (make, count, arguments)) in enumerate(SHAPES.items()):
            counts = [instructions.instructions(
                tool, arguments(make(os.path.join(folder, f"{number}-{size}"), size)))
                for size in (count, 4 * count)]
            ratio = counts[1] / counts[0]
            grew = grew or ratio > LIMIT
            print(f"{name:34}{counts[0] / 1e6:10.1f} and {counts[1] / 1e6:8.1f} million: {ratio:.2f} times"
                  f"{'  TOO MANY' if ratio > LIMIT else ''}", flush=True)
    if grew:
        sys.exit(f"Four times the input takes more than {LIMIT} times as long: see Tests/Benchmarks/README.md")


if __name__ == "__main__":
    main()
