"""The stores that exports are made from, and what other commands of kvfsck say of them."""

import json
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "Fixtures"
NAMED = [
    "mmkv/golden/all_types",
    "mmkv/golden/binary_keys",
    "mmkv/golden/crash_compact_memmove_50",
    "mmkv/golden/expire_mixed",
    "mmkv/golden/expire_aes128",
    "mmkv/golden/import_from",
    "mmkv/damaged/flip_keylen_fwb",
    "mmkv/damaged/flip_value_encs",
    "mmkv/damaged/burst_small",
    "mmkv/damaged/after_discard_then_set_big",
    "fastkv-android/golden/nb_all_types",
    "fastkv-android/golden/aes_sync_all_types",
    "fastkv-android/golden/nb_lone_surrogate_key",
    "fastkv-apple/golden/w32_nonascii",
]
# Quotes, formulas, line ends, tabs, NUL, markup and bytes that are not text, in keys and in values.
HOSTILE = [b'"', b"'", b"a\tb", b"a\r\nb", b"a\0b", b"<a>&amp;", b"]]>", b"\xff\xfe", b"\xed\xa0\x80", b"=1+1", b"-2", b"@SUM(A1)", b"\t=1", b"'=1"]
SCRIPT = "format mmkv\n" + "".join(
    f"string hex:{text.hex()} hex:{text.hex()}\nbytes hex:{b'bytes'.hex()}{text.hex()} hex:{text.hex()}\n"
    for text in HOSTILE
)


class Case:
    """A store, with the options that it is read with."""

    def __init__(self, kvfsck, path, options=()):
        self.kvfsck = kvfsck
        self.path = str(path)
        self.options = list(options)

    @classmethod
    def fixture(cls, kvfsck, name):
        about = json.loads((FIXTURES / name / "case.json").read_text())
        options = ["--now", str(about.get("now") or 1760000000)]
        if about.get("key_hex"):
            options += ["--key-hex", about["key_hex"]]
        if about.get("aes256"):
            options += ["--aes256"]
        return cls(kvfsck, FIXTURES / name / about["store"], options)

    def run(self, *arguments):
        done = subprocess.run(
            [self.kvfsck, *arguments, *self.options], capture_output=True, check=False
        )
        if done.returncode & ~5:
            raise SystemExit(f"{arguments}: {done.returncode}\n{done.stderr.decode()}")
        return done.stdout

    def lines(self, *arguments):
        return [json.loads(line) for line in self.run(*arguments, "--json", self.path).splitlines()]

    def report(self, form, out):
        self.run("report", self.path, "--to", form, "--out", str(out))
        return out

    @property
    def history(self):
        """The lines of every record; of a format without a log, those of the entries."""
        records = self.lines("dump", "--history", "--readings", "all")
        return [line for line in records if line["type"] in ("record", "entry")]


def make(kvfsck, scratch):
    """All stores; some are made here."""
    cases = [Case.fixture(kvfsck, name) for name in NAMED]
    odd = sorted((FIXTURES / "mmkv/oddkeys").glob("*/case.json"))[:5]
    cases += [Case.fixture(kvfsck, path.parent.relative_to(FIXTURES)) for path in odd]
    script = scratch / "hostile.script"
    script.write_text(SCRIPT)
    hostile = scratch / "it's \"hostile\"\t<&>"
    subprocess.run([kvfsck, "fixture", "make", script, "--out", hostile], check=True, capture_output=True)
    cases.append(Case(kvfsck, hostile / "kv"))
    plist = scratch / "app.plist"
    subprocess.run(
        [kvfsck, "convert", FIXTURES / "mmkv/golden/all_types/kv", "--to", "plist", "--out", plist],
        check=False,
        capture_output=True,
    )
    cases.append(Case(kvfsck, plist))
    return cases
