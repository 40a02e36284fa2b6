"""The document, read by lxml. With DFXML_SCHEMA, the path of DFXML's schema, it is checked against that too."""

import os

from lxml import etree

NAME = ENDING = "dfxml"
SCHEMA = os.environ.get("DFXML_SCHEMA")
DFXML = "{http://www.forensicswiki.org/wiki/Category:Digital_Forensics_XML}"
KVFSCK = "{urn:kvfsck:report}"

# The child elements of each DFXML element used here, in their required order.
CONTENT = {
    "dfxml": ["metadata", "creator", "fileobject"],
    "metadata": [],
    "creator": ["program", "version", "execution_environment"],
    "execution_environment": ["command_line", "start_time"],
    "fileobject": ["filename", "error", "id", "filesize", "byte_runs", "hashdigest"],
    "byte_runs": ["byte_run"],
}


def expect_order(element):
    """DFXML's elements stand where it has them, and others only where it lets others stand: after them."""
    allowed = CONTENT.get(element.tag.removeprefix(DFXML), [])
    names = [child.tag for child in element]
    own = [name.removeprefix(DFXML) for name in names if name.startswith(DFXML)]
    assert set(own) <= set(allowed), f"{element.tag} has {own}"
    same("the order", own, sorted(own, key=allowed.index))
    if own:
        same("what is last", names[len(own):], [n for n in names if not n.startswith(DFXML)])
    for child in element:
        if child.tag.startswith(DFXML):
            expect_order(child)


def same(what, found, expected):
    assert found == expected, f"{what}: it has {found!r}, kvfsck {expected!r}"


def place(run):
    return int(run.get("file_offset")), int(run.get("len"))


def check(out, case, history):
    # With one record per line, a document may exceed the parser's limits against hostile documents.
    document = etree.parse(out, etree.XMLParser(huge_tree=True))
    if SCHEMA:
        etree.XMLSchema(etree.parse(SCHEMA)).assertValid(document)
    expect_order(document.getroot())
    checked = case.lines("check")
    stated = [f for line in checked if line["type"] == "store" for f in line["files"]]
    files = document.getroot().findall(f"{DFXML}fileobject")
    same(
        "files",
        [(f.findtext(f"{DFXML}filesize"), f.findtext(f"{DFXML}hashdigest")) for f in files],
        [(str(f["size"]), f.get("sha256")) for f in stated],
    )
    runs = [r for r in document.iter(f"{DFXML}byte_run") if r.get(f"{KVFSCK}table") == "records"]
    runs = [r for r in runs if r.get(f"{KVFSCK}state") != "other log"]
    lines = [line for line in history if "offset" in line]
    same("records", [place(run) for run in runs], [(r["offset"], r["length"]) for r in lines])
    for run, line in zip(runs, lines):
        same("key", run.get(f"{KVFSCK}key_bytes"), line["key_hex"])
        same("state", run.get(f"{KVFSCK}state"), line.get("state", "live"))
        if run.get(f"{KVFSCK}key") is not None:
            same("key", run.get(f"{KVFSCK}key"), line["key"])
    for file in files if history[0]["type"] == "record" else []:
        # The runs tile the file. Records of another log lie within runs of the current one.
        mine = [r for r in file.iter(f"{DFXML}byte_run") if r.get(f"{KVFSCK}state") != "other log"]
        mine = sorted(place(run) for run in mine)
        end = 0
        for start, count in mine:
            same("the end of a run", end, start)
            end += count
        if mine:
            same("the end", end, int(file.findtext(f"{DFXML}filesize")))
    findings = [f.get(f"{KVFSCK}code") for f in document.iter(f"{KVFSCK}finding")]
    same("findings", sorted(findings), sorted(f["code"] for f in checked if f["type"] == "finding"))
