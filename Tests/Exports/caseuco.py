"""The graph, checked by case_validate (CASE, pySHACL) and read by rdflib."""

import pathlib
import subprocess
import sys

import rdflib

NAME = "case"
ENDING = "jsonld"
VALIDATE = pathlib.Path(sys.executable).with_name("case_validate")
CORE = rdflib.Namespace("https://ontology.unifiedcyberontology.org/uco/core/")
OBSERVABLE = rdflib.Namespace("https://ontology.unifiedcyberontology.org/uco/observable/")
TYPES = rdflib.Namespace("https://ontology.unifiedcyberontology.org/uco/types/")
KVFSCK = rdflib.Namespace("urn:kvfsck:report#")
# SHACL validation is slow. All graphs are read, but only the first COUNT of those with at most
# RECORDS records, and the hostile ones among these, are validated.
COUNT = 8
RECORDS = 20
validated = []


def same(what, found, expected):
    assert found == expected, f"{what}: it has {found!r}, kvfsck {expected!r}"


def text(graph, node, name):
    value = graph.value(node, KVFSCK[name])
    return None if value is None else str(value)


def check(out, case, history):
    if len(history) <= RECORDS and (len(validated) < COUNT or "hostile" in case.path):
        validated.append(out)
    graph = rdflib.Graph().parse(out, format="json-ld")
    records = [n for n in graph.subjects(rdflib.RDF.type, OBSERVABLE.TableField)]
    records = [n for n in records if text(graph, n, "state") != "other log"]
    same("records", len(records), len(history))
    records.sort(key=str)
    for node, line in zip(records, history):
        same("key", text(graph, node, "key"), line.get("key"))
        same("key bytes", text(graph, node, "key_bytes").lower(), line["key_hex"])
        same("state", text(graph, node, "state"), line.get("state", "live"))
        same("evidence", text(graph, node, "evidence"), line["evidence"])
        if "offset" in line:
            place = graph.value(predicate=CORE.source, object=node)
            facet = graph.value(place, CORE.hasFacet)
            same("offset", int(graph.value(facet, OBSERVABLE.rangeOffset)), line["offset"])
            same("length", int(graph.value(facet, OBSERVABLE.rangeSize)), line["length"])
    checked = case.lines("check")
    findings = graph.subjects(KVFSCK.code, None)
    same(
        "findings",
        sorted(text(graph, node, "code") for node in findings),
        sorted(line["code"] for line in checked if line["type"] == "finding"),
    )
    stated = [f for line in checked if line["type"] == "store" for f in line["files"]]
    same(
        "digests",
        sorted(str(value).lower() for value in graph.objects(None, TYPES.hashValue)),
        sorted(f["sha256"] for f in stated if "sha256" in f),
    )


def finish():
    """Validates the graphs as one: no two have a node in common."""
    done = subprocess.run([VALIDATE, *validated], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "Conforms: True" in done.stdout, done.stdout + done.stderr
    print(f"{len(validated)} graphs conform to CASE")
