"""Checks that all that a release consists of has the same version: versions.py REPOSITORY RELEASE PREFIX

And that the statement about what it was made from names all files, with their digests and the commit.
"""

import email
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tarfile
import zipfile

repository, release, prefix = map(pathlib.Path, sys.argv[1:])


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True, cwd=repository).stdout.strip()


def only(pattern):
    found = list(release.glob(pattern))
    assert len(found) == 1, f"{pattern}: {found}"
    return found[0]


versions = {"the program": output(prefix / "bin/kvfsck", "--version").removeprefix("kvfsck ")}
changelog = (repository / "Docs/CHANGELOG.md").read_text()
versions["CHANGELOG.md"] = re.search("^## (.*)$", changelog, re.MULTILINE)[1]
package = only("*.deb")
versions["the package"] = output("dpkg-deb", "-f", package, "Version")
versions["its name"] = package.name.split("_")[1]
wheel = only("*.whl")
versions["the wheel's name"] = wheel.name.split("-")[1]
with zipfile.ZipFile(wheel) as archive:
    assert archive.testzip() is None
    names = archive.namelist()
    metadata = next(name for name in names if name.endswith(".dist-info/METADATA"))
    versions["the wheel"] = email.message_from_bytes(archive.read(metadata))["Version"]
    program = next(name for name in names if name.endswith(".data/scripts/kvfsck"))
    assert archive.read(program) == (prefix / "bin/kvfsck").read_bytes(), "the wheel has another program"
    sbom = next(name for name in names if "/sboms/" in name)
    assert archive.read(sbom) == only("*.spdx.json").read_bytes(), "the wheel has another list"
parts = json.loads(only("*.spdx.json").read_text())["packages"]
versions["the list of parts"] = next(part["versionInfo"] for part in parts if part["name"] == "kvfsck")
for name in ("*[0-9].tar.gz", "*-linux.tar.xz"):
    with tarfile.open(only(name)) as archive:
        folder = archive.next().name.split("/")[0]
    versions[f"the folder of {name}"] = re.match(r"kvfsck-([^-]+)(-|$)", folder)[1]
versions["the name of the program's archive"] = only("*-linux.tar.xz").name.split("-")[1]
assert len(set(versions.values())) == 1, versions

statement = json.loads(only("*.provenance.json").read_text())
digests = {one["name"]: one["digest"]["sha256"] for one in statement["subject"]}
expected = {
    path.name: hashlib.sha256(path.read_bytes()).hexdigest()
    for path in release.iterdir() if path.name not in ("SHA256SUMS", only("*.provenance.json").name)}
assert digests == expected, "the statement is about other files"
commit = output("git", "rev-parse", "HEAD")
definition = statement["predicate"]["buildDefinition"]
assert definition["externalParameters"]["commit"] == commit
materials = [one["uri"] for one in definition["resolvedDependencies"]]
for part in ("swift-crypto", "libarchive", "sqlite3", "ziglang"):
    assert any(part in uri for uri in materials), f"no {part} in {materials}"
print(f"{len(versions)} places have the version {versions['the program']}")
