#!/usr/bin/env python3
"""Makes disk images with hidden stores, and compares what `kvfsck carve` found in them.

    images.py make IMAGE MIB SEED [KEY]    writes IMAGE, IMAGE.json and IMAGE.script
    kvfsck fixture make IMAGE.script --out live
    kvfsck carve IMAGE --keys-from live --out found
    images.py score IMAGE found

With KEY, of at most 16 bytes, encrypted logs are encrypted by openssl, and every second of them has
no .crc file in the image. Without it, they are random bytes.

The script makes a store with the keys of the single records. The background has programs of this
machine, so that the same seed gives the same stores, but not the same image, elsewhere.
"""

import base64
import collections
import glob
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib

PAGE = 4096
WORDS = """token session user id name email last sync time theme dark mode count cache version
build feature flag enabled push device locale country lang profile avatar url score level coins
premium trial expires install first launch rating shown onboarding done api host region""".split()
LETTERS = "abcdefghijklmnopqrstuvwxyz ABCDEFG0123456789-_."


def varint(number):
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def crc16(data):
    crc = 0
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021) & 0xFFFF if crc & 0x8000 else crc << 1
    return crc


class Maker:
    """Makes stores, records and other data from one seed."""

    def __init__(self, seed, secret=None):
        self.random = random.Random(seed)
        self.secret = secret

    def key(self):
        r = self.random
        words = r.choice(["_", ".", "-", ""]).join(r.choice(WORDS) for _ in range(r.randint(1, 4)))
        return (words + (str(r.randint(0, 999)) if r.random() < 0.3 else "")).encode()

    def text(self, count):
        return "".join(self.random.choice(LETTERS) for _ in range(count)).encode()

    def mmkv_value(self):
        r = self.random
        kind = r.randint(0, 5)
        if kind == 0:
            return bytes([r.randint(0, 1)])
        if kind == 1:
            return varint(r.randint(0, 2**31 - 1))
        if kind == 2:
            return varint(r.randint(0, 2**45))
        if kind == 3:
            return struct.pack("<d", r.uniform(-1000, 100000))
        content = self.text(r.randint(0, 60)) if kind == 4 else r.randbytes(r.randint(8, 200))
        return varint(len(content)) + content

    def mmkv_record(self, key, value):
        return varint(len(key)) + key + varint(len(value)) + value

    def mmkv(self, is_encrypted, target):
        """Returns the data file up to its last page, and the .crc file."""
        r = self.random
        keys = [self.key() for _ in range(max(3, target // 60))]
        log = varint(r.randint(0x200000, 0x0FFFFFFF))
        while len(log) < target:
            value = b"" if r.random() < 0.03 else self.mmkv_value()
            log += self.mmkv_record(r.choice(keys), value)
        plain = log
        if is_encrypted:
            log = r.randbytes(len(log))
        header = 0 if r.random() < 0.5 else len(log)
        sequence, vector = r.randint(1, 50), r.randbytes(16)
        if is_encrypted and self.secret:
            log = encrypted(plain, self.secret, vector)
        meta = struct.pack("<III", zlib.crc32(log), 4, sequence) + vector
        meta += struct.pack("<III", len(log), 4, zlib.crc32(log[:4]))
        return padded(struct.pack("<I", header) + log), padded(meta)

    def fastkv_android(self, target):
        r = self.random
        keys = [self.key() for _ in range(max(3, target // 60))]
        log = b""
        while len(log) < target:
            kind, key = r.choice([1, 2, 3, 4, 5, 6, 6, 6, 7]), r.choice(keys)
            log += bytes([kind | (0x80 if r.random() < 0.1 else 0), len(key)]) + key
            if kind < 6:
                log += bytes([r.randint(0, 1)]) if kind == 1 else r.randbytes(4 if kind < 4 else 8)
            else:
                value = self.text(r.randint(0, 80)) if kind == 6 else r.randbytes(r.randint(0, 99))
                log += struct.pack("<H", len(value)) + value
        lanes = 0
        for offset, byte in enumerate(log, 12):
            lanes ^= byte << 8 * (offset % 8)
        return padded(struct.pack("<IQ", len(log), lanes) + log)

    def fastkv_apple(self, target):
        r = self.random
        keys = [self.key() for _ in range(max(3, target // 120))]
        log = b""
        while len(log) < target:
            kind, name, value = r.choice(
                [
                    (2, b"NSNumber", b"\1"),
                    (3, b"NSNumber", r.randbytes(4)),
                    (7, b"__NSCFString", self.text(r.randint(0, 80))),
                    (8, b"_NSInlineData", r.randbytes(50)),
                ]
            )
            key = r.choice(keys)
            record = struct.pack("<QIQQQ", kind, 1, len(name), len(key), len(value))
            record += name + key + value
            log += record + struct.pack("<H", crc16(record)) + b"$FastKVSeperatorString$"
        return padded(b"FastKV" + struct.pack("<IQ", 1, len(log)) + log)

    def sqlite(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "db")
            database = sqlite3.connect(path)
            database.execute("create table t(id integer primary key, k text, v text, b blob)")
            rows = [
                (self.key().decode(), self.text(60).decode(), self.random.randbytes(50))
                for _ in range(5000)
            ]
            database.executemany("insert into t(k, v, b) values(?, ?, ?)", rows)
            database.commit()
            database.close()
            with open(path, "rb") as file:
                return file.read()

    def leveldb(self, count):
        result = b""
        while len(result) < count:
            key, value = self.key(), self.mmkv_value()
            lengths = varint(self.random.randint(0, 5)) + varint(len(key)) + varint(len(value))
            result += lengths + key + value
        return result


def encrypted(data, secret, vector):
    key = secret.encode().ljust(16, b"\0").hex()
    command = ["openssl", "enc", "-aes-128-cfb", "-K", key, "-iv", vector.hex()]
    return subprocess.run(command, input=data, stdout=subprocess.PIPE, check=True).stdout


def padded(data):
    return data + bytes(-len(data) % PAGE)


class Image:
    """An image of other data, in which files are placed."""

    def __init__(self, maker, mib):
        self.maker, self.random = maker, maker.random
        self.page_count = mib * 256
        self.bytes = bytearray(self.page_count * PAGE)
        self.is_used = [False] * self.page_count
        self.regions = []
        self.fill()

    def fill(self):
        r = self.random
        paths = glob.glob("/usr/bin/*") + glob.glob("/usr/lib/x86_64-linux-gnu/*.so*")
        programs = sorted(
            path
            for path in paths
            if not os.path.islink(path) and 20000 < os.path.getsize(path) < 8 << 20
        )
        r.shuffle(programs)
        samples = {
            "sqlite": self.maker.sqlite(),
            "leveldb": self.maker.leveldb(1 << 19),
            "text": " ".join(r.choice(WORDS) for _ in range(1 << 17)).encode(),
        }
        page = 0
        kinds = ["random", "base64", "hex", "elf", "jpeg", "zero"] + sorted(samples)
        while page < self.page_count:
            kind = r.choice(kinds)
            count = min(self.page_count - page, r.randint(16, 1024))
            size = count * PAGE
            noise = r.randbytes(size)
            if kind == "elf":
                with open(programs[len(self.regions) % len(programs)], "rb") as file:
                    data = file.read(size)
            elif kind == "base64":
                data = base64.b64encode(noise)
            elif kind == "hex":
                data = noise.hex().encode()
            elif kind == "jpeg":
                data = b"\xff\xd8\xff\xe0\0\x10JFIF\0" + noise
            elif kind == "zero":
                data = b""
            else:
                data = samples.get(kind, noise)
            data = data[:size]
            self.bytes[page * PAGE : page * PAGE + len(data)] = data
            self.regions.append((kind, page * PAGE, size))
            page += count

    def place(self, data, after=None):
        """Writes `data` to free pages, near the page `after` if that is given."""
        count = len(data) // PAGE
        while True:
            page = self.random.randrange(0, self.page_count - count)
            if after is not None:
                page = after + self.random.randint(1, 300)
            pages = range(page, page + count)
            if page + count <= self.page_count and not any(self.is_used[p] for p in pages):
                break
        for used in pages:
            self.is_used[used] = True
        self.bytes[page * PAGE : (page + count) * PAGE] = data
        return page * PAGE

    def hide(self, data, is_split):
        """Writes a file, in two parts if it has several pages; returns its runs."""
        count = len(data) // PAGE
        if not is_split or count < 2:
            return [[self.place(data), len(data)]]
        cut = self.random.randint(1, count - 1) * PAGE
        first = self.place(data[:cut])
        second = self.place(data[cut:], after=(first + cut) // PAGE)
        return [[first, cut], [second, len(data) - cut]]


def make(path, mib, seed, secret=None):
    maker = Maker(seed, secret)
    image = Image(maker, mib)
    r = maker.random
    stores, records = [], []
    for number in range(500):
        is_split = number % 5 == 0
        size = int(min(200000, max(4500 if is_split else 30, r.lognormvariate(7.5, 1.2))))
        if number < 340:
            kind = "mmkv, encrypted" if number < 100 else "mmkv"
            files = list(maker.mmkv(number < 100, size))
            if secret and number < 100 and number % 2 == 1:
                kind, files = "mmkv, encrypted, no .crc", files[:1]
        elif number < 440:
            kind, files = "fastkv-android", [maker.fastkv_android(size)] * 2
        else:
            kind, files = "fastkv-apple", [maker.fastkv_apple(size)]
        runs = [image.hide(data, is_split) for data in files]
        stores.append({"kind": kind, "is_split": any(len(run) > 1 for run in runs), "files": runs})
    keys = sorted({key for key in (maker.key() for _ in range(60)) if len(key) >= 4})[:40]
    free = [page for page in range(image.page_count) if not image.is_used[page]]
    for page in r.sample(free, min(5000, len(free))):
        record = maker.mmkv_record(r.choice(keys), maker.mmkv_value())
        offset = page * PAGE + r.randint(0, PAGE - len(record))
        image.bytes[offset : offset + len(record)] = record
        records.append([offset, len(record)])
    with open(path, "wb") as file:
        file.write(image.bytes)
    with open(path + ".json", "w") as file:
        json.dump({"stores": stores, "records": records, "regions": image.regions}, file)
    with open(path + ".script", "w") as file:
        file.writelines(f"int32 {key.decode()} 1\n" for key in keys)


def score(path, folder):
    with open(path + ".json") as file:
        truth = json.load(file)
    with open(os.path.join(folder, "manifest.jsonl")) as file:
        finds = [json.loads(line) for line in file]
    runs = {}
    for find in finds:
        for file in find["files"]:
            own = [[run["offset"], run["length"]] for run in file["runs"]]
            runs[own[0][0]] = (own, find)
    counts, known = collections.Counter(), set()
    for store in truth["stores"]:
        form = "in two parts" if store["is_split"] else "whole"
        found = [runs.get(file[0][0]) for file in store["files"]]
        known.update(find["offset"] for own, find in filter(None, found))
        if not all(found):
            outcome = "missed" if found[0] is None else "found in part"
        else:
            is_same = all(own == file for (own, _), file in zip(found, store["files"]))
            outcome = ("complete, " if is_same else "incomplete, ") + found[0][1]["tier"]
        counts[store["kind"], form, outcome] += 1
    lengths = dict(truth["records"])
    for find in finds:
        if find["offset"] in lengths and find["offset"] not in known:
            known.add(find["offset"])
            is_same = lengths[find["offset"]] == find["files"][0]["runs"][0]["length"]
            counts["record", "complete" if is_same else "incomplete", ""] += 1
    for store in truth["stores"]:
        for start, size in (run for file in store["files"] for run in file):
            for find in finds:
                if find["offset"] not in known and 0 <= find["offset"] - start < size:
                    known.add(find["offset"])
                    counts[store["kind"], "a part of it", find["tier"]] += 1
    for find in finds:
        if find["offset"] not in known:
            place = [k for k, start, size in truth["regions"] if 0 <= find["offset"] - start < size]
            counts["not hidden", find["tier"], place[0]] += 1
    for key, count in sorted(counts.items()):
        print(f"{count:6} {', '.join(filter(None, key))}")
    sizes = collections.Counter()
    for kind, _, size in truth["regions"]:
        sizes[kind] += size // 1024
    print("KiB of each kind of other data:", dict(sizes))


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"] and len(sys.argv) in (5, 6):
        make(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), *sys.argv[5:])
    elif sys.argv[1:2] == ["score"] and len(sys.argv) == 4:
        score(sys.argv[2], sys.argv[3])
    else:
        sys.exit(__doc__)
