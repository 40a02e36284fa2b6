"""Holds Docs/formats/*.ksy and *.hexpat against what kvfsck reads: check.py KVFSCK."""

import json
import pathlib
import re
import subprocess
import sys

from ksy import Description, EndOfStream

ROOT = pathlib.Path(__file__).resolve().parents[2]
FORMATS = ROOT / "Docs/formats"
KVFSCK = sys.argv[1]
DESCRIPTIONS = {path.stem: Description(path) for path in sorted(FORMATS.glob("*.ksy"))}
tally = {"files": 0, "regions": 0, "records": 0}


def lines(*arguments):
    done = subprocess.run([KVFSCK, *arguments], capture_output=True, check=False)
    return [json.loads(line) for line in done.stdout.splitlines()]


def same(what, found, expected):
    if found != expected:
        sys.exit(f"{what}: the description has\n  {found}\nkvfsck has\n  {expected}")


def compare_regions(path, parsed, role, regions):
    """Every region that kvfsck names outside the log is a field of that name, place and size."""
    for region in regions:
        name = region["owner"].replace(" ", "_")
        if region["file"] == role and name in parsed._spans:
            expected = region["offset"], region["offset"] + region["length"]
            same(f"{path}: {name}", parsed._spans.get(name), expected)
            tally["regions"] += 1


def compare_records(path, records, history):
    found = [(r["offset"], r["length"], r["key_hex"], r["raw_hex"]) for r in history]
    same(path, records, found)
    tally["records"] += len(records)


def read(kind, path, *arguments):
    tally["files"] += 1
    try:
        return DESCRIPTIONS[kind].parse(pathlib.Path(path).read_bytes(), *arguments)
    except EndOfStream as error:
        sys.exit(f"{path}: the description reads past the end: {error}")


def span(record):
    return record._start, record._end - record._start


def mmkv(store, regions, history):
    paths = {file["file"]: file["path"] for file in store["files"]}
    data, meta = paths["data"], paths["meta"]
    description = read("mmkv_meta", meta)
    compare_regions(meta, description, "meta", regions)
    size = description.actual_size if description.version >= 3 else None
    if size is None:
        size = int.from_bytes(pathlib.Path(data).read_bytes()[:4], "little")
    parsed = read("mmkv_data", data, size)
    compare_regions(data, parsed, "data", [r for r in regions if r["owner"] == "header"])
    records = [r for r in parsed.payload.records if r.key is not None]
    prefix = [r for r in regions if r["owner"] == "prefix"]
    if prefix:
        start, end = parsed.payload._spans["prefix"]
        same(data, (start, end - start), (prefix[0]["offset"], prefix[0]["length"]))
    end = 4 + size
    compare_records(
        data,
        [(*span(r), r.key.hex(), r.value.hex()) for r in records],
        [r for r in history if r["file"] == "data" and r["offset"] < end],
    )


def fastkv_apple(store, regions, history):
    path = store["files"][0]["path"]
    parsed = read("fastkv_apple", path)
    compare_regions(path, parsed, "data", [r for r in regions if r["owner"] != "slack"])
    compare_records(
        path,
        [(*span(r), r.key.hex(), r.value.hex()) for r in parsed.log.records],
        [r for r in history if r["offset"] < 18 + parsed.length],
    )


def payload(record):
    content = record.value.content
    return content if isinstance(content, bytes) else content.payload


def fastkv_android(store, regions, history):
    for file in store["files"]:
        role, path = file["file"], file["path"]
        if not role.startswith("copy"):
            continue
        parsed = read("fastkv_android", path)
        headers = [r for r in regions if r["owner"] in ("length", "checksum")]
        compare_regions(path, parsed, role, headers)
        end = 12 + parsed.len_log
        own = [r for r in history if r["file"] == role and r["offset"] < end]
        # The history is that of one copy. The content of an external value is in its own file.
        external = {r._start for r in parsed.log.records if r.is_external}
        records = [
            (*span(r), r.key.hex(), payload(r).hex()) for r in parsed.log.records if r._start not in external
        ]
        if own:
            compare_records(path, records, [r for r in own if r["offset"] not in external])


READERS = {"mmkv": mmkv, "fastkv-apple": fastkv_apple, "fastkv-android": fastkv_android}


def fields(kind):
    """The name and size of each field of the header of a .ksy file, up to the first without a fixed size."""
    for field in DESCRIPTIONS[kind].top["seq"]:
        size = field.get("size", len(field.get("contents", "")) or field.get("type", " ")[1:])
        if not str(size).isdigit():
            return
        yield field["id"], int(size)


# The words of ImHex's language for types, statements and values.
WORDS = set(
    "addressof as auto be bitfield bool break char char16 const continue double else enum false float fn for from if "
    "import in le match namespace out padding parent ref return s8 s16 s24 s32 s48 s64 s96 s128 section signed sizeof "
    "str struct this true try typenameof u8 u16 u24 u32 u48 u64 u96 u128 union unsigned using while".split()
)


def compare_pattern(kind):
    """The header of a pattern for ImHex has the fields of the .ksy file."""
    text = (FORMATS / f"{kind}.hexpat").read_text(encoding="utf-8")
    header = re.search(r"struct Header \{(.*?)\n\};", text, re.S)[1]
    sizes = {"char": 1, "u8": 1, "u16": 2, "u32": 4, "u64": 8}
    found = [
        (name, sizes[number] * int(count or 1))
        for number, name, count in re.findall(r"^\s*(\w+) (\w+)(?:\[(\d+)\])?;", header, re.M)
    ]
    same(f"{kind}.hexpat", found, list(fields(kind)))
    # `in` after a name lets the user set the variable.
    code = re.sub(r"//.*| in(?=;)", "", text)
    # ImHex neither accepts its own words as names nor shows what is placed in a block outside a struct.
    names = re.findall(r"^  (\w+) = \d+,?$", code, re.M) + re.findall(r"\b[A-Za-z]\w* (\w+)(?:\[.*\])?;", code)
    same(f"{kind}.hexpat: words of the language as names", sorted(WORDS.intersection(names)), [])
    same(f"{kind}.hexpat: places under a condition", re.findall(r"^ .*@.*$", code, re.M), [])


def main():
    for kind in DESCRIPTIONS:
        compare_pattern(kind)
    for case in sorted(ROOT.glob("Fixtures/*/golden/*/case.json")):
        files = sorted(p for p in case.parent.iterdir() if p.suffix in ("", ".fkv", ".kva", ".kvc"))
        for path in [p for p in files if p.is_file()][:1]:
            found = lines("dump", "--history", "--readings", "all", "--json", str(path))
            if found[-1]["verdict"] != "clean":
                continue  # damaged, or encrypted: the descriptions are of whole and plain logs
            kind = found[0]["format"]
            regions = [r for r in lines("map", "--json", str(path)) if r["type"] == "region"]
            READERS[kind](found[0], regions, [r for r in found if r["type"] == "record"])
    if min(tally.values()) < 250 or tally["records"] < 3500:
        sys.exit(f"too little was compared: {tally}")
    print("the format descriptions agree with kvfsck:", tally)


main()
