#!/usr/bin/env python3
"""Times whole checks, from fork to exit, beside what any checker has to do: read the file and make its CRC-32. `fleet`
is the scan of many small stores, beside a process that opens and reads each file of them once.

usage: processes.py KVFSCK FOLDER [--runs N] [--reader] [NAME ...]

The stores are made in FOLDER, which keeps them for the next time. Each line of the output is one of a table: the store,
its megabytes, the milliseconds of a read with zlib's CRC-32 in pieces of 256 KiB, those of a check, how many times
longer that is, and the most memory that the check had as a multiple of the file. Least of N runs, one after the other
in turn. With --reader, there is also the time of a reader in Python that keeps the newest value of each key.
"""
import argparse
import multiprocessing
import os
import random
import struct
import subprocess
import sys
import time
import zlib

PAGE = 4096
PREFIX = b"\xff\xff\xff\x07"
KEYS = {"aes128": b"benchmark key 16", "aes256": b"benchmark key of 32 bytes, all 32"[:32]}
VECTOR = bytes(range(16))


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def record(key, value):
    """A record that gives `key` a text or data, with the length that MMKV has within a value."""
    key, value = key.encode(), varint(len(value)) + value
    return varint(len(key)) + key + varint(len(value)) + value


def records(name):
    """The records of the store called `name`, always the same."""
    source = random.Random(name)
    pool = source.randbytes(1 << 20).hex().encode()

    def text(count):
        start = source.randrange(len(pool) - count)
        return pool[start:start + count]

    if name == "distinct":
        return (record(f"key_{n:07d}", text(45)) for n in range(1_000_000))
    if name == "churn":
        return (record(f"key_{n % 10_000:07d}", text(45)) for n in range(1_000_000))
    if name == "hot":
        return (record("key_0000000", text(45)) for _ in range(1_000_000))
    if name == "large":
        return (record(f"key_{n:07d}", text(62_000)) for n in range(1_000))
    if name in KEYS:
        return (record(f"key_{n:07d}", text(45)) for n in range(250_000))
    return (record(f"key_{n}", b"value") for n in range(50))


def encrypted(payload, key):
    size = len(key) * 8
    command = ["openssl", "enc", f"-aes-{size}-cfb", "-K", key.hex(), "-iv", VECTOR.hex()]
    return subprocess.run(command, input=payload, stdout=subprocess.PIPE, check=True).stdout


def write(folder, name):
    """Writes the store called `name`, which an app has closed."""
    payload = PREFIX + b"".join(records(name))
    if name in KEYS:
        payload = encrypted(payload, KEYS[name])
        with open(f"{folder}/key", "wb") as file:
            file.write(KEYS[name])
    write_files(f"{folder}/kv", payload)


def write_files(path, payload):
    """Writes a data file with `payload`, and its meta file."""
    count = PAGE
    while count < len(payload) + 4:
        count *= 2
    digest = zlib.crc32(payload)
    meta = struct.pack("<III16sIIII", digest, 4, 1, VECTOR, len(payload), len(payload), digest, 0)
    with open(path, "wb") as file:
        file.write((struct.pack("<I", len(payload)) + payload).ljust(count, b"\0"))
    with open(f"{path}.crc", "wb") as file:
        file.write(meta.ljust(PAGE, b"\0"))


def make_fleet(parent, count):
    """Small stores in 256 folders, of which one in fifty has a wrong checksum."""
    folder = f"{parent}/fleet-{count}"
    if os.path.exists(f"{folder}/done"):
        return folder
    source = random.Random("fleet")
    for number in range(count):
        place = f"{folder}/{number % 256:02x}"
        os.makedirs(place, exist_ok=True)
        texts = (str(source.random()).encode() for _ in range(source.randrange(5, 90)))
        path = f"{place}/store{number}"
        write_files(path, PREFIX + b"".join(record(f"setting_{source.randrange(40)}", text) for text in texts))
        if number % 50 == 7:
            with open(f"{path}.crc", "r+b") as file:
                first = file.read(1)
                file.seek(0)
                file.write(bytes([first[0] ^ 1]))
    open(f"{folder}/done", "w").close()
    return folder


def read_fleet(folder):
    """The seconds of opening and reading each file below `folder`."""
    start = time.perf_counter()
    for place, _, names in os.walk(folder):
        for name in names:
            file = os.open(f"{place}/{name}", os.O_RDONLY)
            os.read(file, 1 << 16)
            os.close(file)
    return time.perf_counter() - start


def time_fleet(tool, parent, count, runs):
    folder = apart(make_fleet, parent, count)
    least = scan = float("inf")
    memory = 0
    for _ in range(runs):
        least = min(least, apart(read_fleet, folder))
        seconds, bytes_used = run([tool, "scan", "--json", folder])
        scan, memory = min(scan, seconds), max(memory, bytes_used)
    print(f"fleet: {count} stores are read in {least:.2f} s and scanned in {scan:.2f} s, at {least / scan:.0%} of the "
          f"rate, with {memory / 1e6:.0f} MB")


def damage(data, name):
    """What became of the store `churn`."""
    if name == "flip":
        data[len(data) // 3] ^= 4
    elif name == "page":
        data[1 << 24:(1 << 24) + PAGE] = bytes(PAGE)
    else:
        del data[50_000_000:]
    return data


def make(parent, name):
    folder = f"{parent}/{name}"
    if os.path.exists(f"{folder}/kv.crc"):
        return folder
    os.makedirs(folder, exist_ok=True)
    if name not in ("flip", "page", "cut"):
        write(folder, name)
        return folder
    whole = make(parent, "churn")
    with open(f"{whole}/kv", "rb") as file:
        data = damage(bytearray(file.read()), name)
    with open(f"{folder}/kv", "wb") as file:
        file.write(data)
    with open(f"{whole}/kv.crc", "rb") as file, open(f"{folder}/kv.crc", "wb") as copy:
        copy.write(file.read())
    return folder


def limit(path):
    """The seconds of one read of the file, with its CRC-32."""
    piece = bytearray(1 << 18)
    view, digest, start = memoryview(piece), 0, time.perf_counter()
    with open(path, "rb", buffering=0) as file:
        while count := file.readinto(piece):
            digest = zlib.crc32(view[:count], digest)
    return time.perf_counter() - start


def read_all(path):
    """The seconds of a reader that keeps where the newest value of each key is."""
    start = time.perf_counter()
    with open(path, "rb") as file:
        data = file.read()
    end, offset, newest = 4 + struct.unpack_from("<I", data)[0], 8, {}

    def number(offset):
        result = shift = 0
        while True:
            byte = data[offset]
            result |= (byte & 0x7F) << shift
            offset, shift = offset + 1, shift + 7
            if byte < 0x80:
                return result, offset

    while offset < end:
        count, offset = number(offset)
        key = data[offset:offset + count]
        count, offset = number(offset + count)
        newest[key] = (offset, count)
        offset += count
    return time.perf_counter() - start


def run(command):
    """The seconds of a process, and the most memory that it had, in bytes."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 4):
        sys.exit(f"{' '.join(command)} ended with {process.returncode}")
    return seconds, usage.ru_maxrss * 1024


def apart(function, *arguments):
    """What `function` returns, called in a process of its own: the memory of this one counts for its children."""
    with multiprocessing.get_context("fork").Pool(1) as pool:
        return pool.apply(function, arguments)


def main():
    names = ["distinct", "churn", "hot", "large", *KEYS, "flip", "page", "cut", "tiny", "fleet"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kvfsck")
    parser.add_argument("folder")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--reader", action="store_true")
    parser.add_argument("--stores", type=int, default=20_000, help="how many are in fleet")
    arguments = parser.parse_intermixed_args()
    print("| store | MB | read and CRC-32, ms | check, ms | times | memory / file |"
          + (" Python, ms |" if arguments.reader else ""))
    print("|---|--:|--:|--:|--:|--:|" + ("--:|" if arguments.reader else ""))
    for name in arguments.names or names:
        if name == "fleet":
            time_fleet(arguments.kvfsck, arguments.folder, arguments.stores, arguments.runs)
            continue
        folder = apart(make, arguments.folder, name)
        path = f"{folder}/kv"
        command = [arguments.kvfsck, "check", path]
        if name in KEYS:
            command += ["--key-file", f"{folder}/key"] + (["--aes256"] if name == "aes256" else [])
        least = check = float("inf")
        memory = 0
        for _ in range(arguments.runs):
            least = min(least, limit(path))
            seconds, bytes_used = run(command)
            check, memory = min(check, seconds), max(memory, bytes_used)
        size = os.path.getsize(path)
        row = f"| {name} | {size / 1e6:.1f} | {least * 1e3:.1f} | {check * 1e3:.1f} | {check / least:.1f} | {memory / size:.2f} |"
        if arguments.reader:
            plain = name not in KEYS and name not in ("flip", "page", "cut")
            row += f" {apart(read_all, path) * 1e3:.0f} |" if plain else " |"
        print(row, flush=True)


if __name__ == "__main__":
    main()
