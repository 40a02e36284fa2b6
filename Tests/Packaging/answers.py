"""Compares what two programs say: answers.py NATIVE PORTABLE SCRATCH

Of each store of Fixtures, its entries with their history; of all together, a scan and a report; of archives, which the
native program reads by a library that is loaded, and of stores within them.
"""

import bz2
import concurrent.futures
import hashlib
import json
import lzma
import os
import pathlib
import struct
import subprocess
import sys
import tarfile
import zipfile

PROGRAMS = sys.argv[1:3]
SCRATCH = pathlib.Path(sys.argv[3])
FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "Fixtures"
STORE = FIXTURES / "mmkv/damaged/flip_keylen_fwb"
CLOCK = "1750000000"


def run(program, *arguments, folder=None):
    environment = {**os.environ, "SOURCE_DATE_EPOCH": CLOCK}
    return subprocess.run(
        [program, *map(str, arguments)], capture_output=True, env=environment, cwd=folder, timeout=120)


def compare(*arguments):
    """Runs both programs, and returns what they say, if that is the same."""
    native, portable = (run(program, *arguments) for program in PROGRAMS)
    before, after = ((one.returncode, one.stdout, one.stderr) for one in (native, portable))
    if before != after:
        sys.exit(f"not the same: {' '.join(map(str, arguments))}\n{before}\n{after}"[:4000])
    if native.returncode not in range(0, 63):
        sys.exit(f"status {native.returncode}: {' '.join(map(str, arguments))}")
    return native


def encrypted(path):
    """Writes a ZIP archive with a member that is encrypted with AES, of which only the form is right."""
    name, body = b"app/kv", bytes(range(64))
    extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 3, 0)
    common = struct.pack("<HHHHHIIIHH", 51, 1, 99, 0, 0x5000, 0, len(body), 36, len(name), len(extra))
    local = b"PK\x03\x04" + common + name + extra + body
    central = b"PK\x01\x02" + struct.pack("<H", 51) + common + bytes(14) + name + extra
    end = b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)


def archives():
    """Writes archives of all kinds that are read, and some that are damaged."""
    files = sorted(STORE.iterdir())
    for name, method in [("stored", zipfile.ZIP_STORED), ("deflated", zipfile.ZIP_DEFLATED),
                         ("bzip2", zipfile.ZIP_BZIP2), ("lzma", zipfile.ZIP_LZMA)]:
        with zipfile.ZipFile(SCRATCH / f"{name}.zip", "w", method) as archive:
            for file in files:
                archive.write(file, f"app/Einstellungen-\u00e4/{file.name}")
    plain = SCRATCH / "plain.tar"
    with tarfile.open(plain, "w") as archive:
        archive.add(STORE, "app")
    packed = plain.read_bytes()
    (SCRATCH / "a.tar.xz").write_bytes(lzma.compress(packed))
    (SCRATCH / "a.tar.bz2").write_bytes(bz2.compress(packed))
    subprocess.run(["zstd", "-q", plain, "-o", SCRATCH / "a.tar.zst"], check=True)
    subprocess.run(["gzip", "-k", plain], check=True)
    encrypted(SCRATCH / "encrypted.zip")
    for name in ("a.tar.xz", "deflated.zip", "plain.tar"):
        content = bytearray((SCRATCH / name).read_bytes())
        content[len(content) // 2] ^= 0x10
        (SCRATCH / f"flipped-{name}").write_bytes(content)
        (SCRATCH / f"torn-{name}").write_bytes(content[: len(content) * 2 // 3])
    return sorted(SCRATCH.glob("*"))


def dump(case):
    about = json.loads(case.read_text())
    arguments = [case.parent / about["store"], "--now", str(about.get("now", CLOCK))]
    if about.get("key_hex"):
        arguments += ["--key-hex", about["key_hex"]]
    if about.get("aes256"):
        arguments += ["--aes256"]
    return len(compare("dump", "--json", "--history", "-y", *arguments).stdout.splitlines())


def digests(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*")) if path.is_file()}


def main():
    found = archives()
    lines = 0
    for archive in found:
        lines += len(compare("scan", "--json", archive).stdout.splitlines())
    refused = compare("scan", "--json", SCRATCH / "encrypted.zip")
    if b"ncrypt" not in refused.stdout + refused.stderr:
        sys.exit(f"an encrypted archive is not refused: {refused}")
    whole = compare("scan", "--json", SCRATCH / "a.tar.zst").stdout
    if json.loads(whole.splitlines()[0])["entries"] != 29:
        sys.exit(f"the store in an archive has not been read: {whole}")
    lines += len(compare("scan", "--json", FIXTURES).stdout.splitlines())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        lines += sum(pool.map(dump, sorted(FIXTURES.rglob("case.json"))))
    reports = []
    for number, program in enumerate(PROGRAMS):
        out = SCRATCH / f"reports-{number}"
        out.mkdir()
        for form in ("html", "sqlite"):
            # A report names the command that wrote it.
            ended = run(program, "report", FIXTURES / "mmkv/golden", "--to", form, "--out", form, folder=out)
            if ended.returncode:
                sys.exit(f"no report of the form {form}: {ended}")
        reports.append(digests(out))
    if reports[0] != reports[1]:
        sys.exit(f"reports differ: {reports}")
    print(f"{lines} lines and {len(reports[0])} files of reports are the same by both programs")


main()
