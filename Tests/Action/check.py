"""Checks .github/actions/kvfsck/action.yml, runs its steps as a runner of GitHub would, and reads its summary."""

import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path

import cmarkgfm
import yaml

ROOT, PROGRAM, WORK = (Path(argument) for argument in sys.argv[1:])
ACTION = yaml.safe_load((ROOT / ".github/actions/kvfsck/action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
GOLDEN = ROOT / "Fixtures/mmkv/golden/all_types"
DAMAGED = ROOT / "Fixtures/mmkv/damaged/head_zero_16_fwb"

# What a person who may write an input, but not the workflow, could try.
HOSTILE = [
    "$(touch pwned)", "`touch pwned`", '"; touch pwned; "', "'; touch pwned; '", "x\ntouch pwned",
    "$(<secret)", "| touch pwned", "--help", "-", "; exit 0 #", "*", "~", "${{ github.token }}",
    "x\nstatus=0", "::stop-commands::x", "%0Astatus=0",
]

# What would be Markdown or HTML in the name of a file.
HOSTILE_NAMES = [
    "`", "``` ``", "` ", "\\`", "|", "a|b\\|c", "<img src=x>", "<!--", "-->", "*x*", "[x](y)", "@octocat", "#1",
    "www.example.com", "&#96;", "$x$", "~~x~~", "\\", "http:", "<details>", "a  b", "# x", "- x",
]


def check_form() -> None:
    """Checks what the file says."""
    assert ACTION["runs"]["using"] == "composite"
    inputs = ACTION["inputs"]
    for name, value in inputs.items():
        assert value["description"], name
        assert value.get("required") or isinstance(value["default"], str), name
    used = set()
    for step in STEPS:
        assert step["shell"] == "bash", "only bash is the same on all runners"
        assert set(step) <= {"name", "id", "shell", "env", "run"}, step
        # An expression in a script would be replaced before the shell reads it.
        assert "${{" not in step["run"], step["name"]
        for value in step["env"].values():
            used.add(re.fullmatch(r"\$\{\{ inputs\.([a-z-]+) \}\}", value).group(1))
        script = WORK / "script"
        script.write_text(step["run"])
        subprocess.run(["bash", "-n", script], check=True)
        subprocess.run(["shellcheck", "--shell=bash", "--enable=all", "--exclude=SC2154,SC2250,SC2312", script],
                       check=True)
    assert used == set(inputs), used ^ set(inputs)
    version = subprocess.run([PROGRAM, "--version"], check=True, capture_output=True, text=True).stdout
    assert version == f"kvfsck {inputs['version']['default']}\n", version


class Run:
    """A run of the action in a folder of its own."""

    def __init__(self, **inputs: str) -> None:
        self.folder = WORK / "job"
        shutil.rmtree(self.folder, ignore_errors=True)
        bin_folder = self.folder / "bin"
        for folder in ["work", "temp", "bin"]:
            (self.folder / folder).mkdir(parents=True)
        for name, source in [("clean", GOLDEN), ("lossy", DAMAGED)]:
            shutil.copytree(source, self.folder / "work/stores" / name)
            (self.folder / "work/stores" / name / "case.json").unlink()
        (bin_folder / "kvfsck").symlink_to(PROGRAM)
        # What `python3 -m venv` and `pip` are asked for, instead of the network.
        stub = bin_folder / "python3"
        stub.write_text(
            "#!/bin/sh\n"
            'echo "$@" >> "$LOG"\n'
            'if [ "$2" = venv ]; then mkdir -p "$3/bin"; ln -s "$0" "$3/bin/python"; fi\n'
            f'if [ "$2" = pip ]; then ln -s "{PROGRAM}" "$(dirname "$0")/kvfsck"; fi\n')
        stub.chmod(0o755)
        self.status, self.output = 0, ""
        given = {name.replace("_", "-"): value for name, value in inputs.items()}
        for step in STEPS:
            if self.status == 0:
                self.step(step, given)

    def step(self, step: dict, given: dict[str, str]) -> None:
        values = {name: given.get(name, value.get("default", "")) for name, value in ACTION["inputs"].items()}
        environment = {
            "PATH": f"{self.folder}/bin:{os.environ['PATH']}", "RUNNER_TEMP": f"{self.folder}/temp",
            "GITHUB_STEP_SUMMARY": f"{self.folder}/summary", "GITHUB_OUTPUT": f"{self.folder}/output",
            "LOG": f"{self.folder}/log", "HOME": str(self.folder),
        }
        for name, value in step["env"].items():
            environment[name] = values[re.fullmatch(r"\$\{\{ inputs\.(.*) \}\}", value).group(1)]
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", script], cwd=self.folder / "work",
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            timeout=60, check=False)
        self.status = done.returncode
        self.output += done.stdout

    def text(self, name: str) -> str:
        """Returns what a file has; nothing if there is none."""
        path = self.folder / name
        return path.read_text(encoding="utf-8") if path.exists() else ""

    def stop_token(self) -> str:
        """Returns the token after which the runner takes commands again."""
        [token] = re.findall(r"^::stop-commands::([0-9a-f]{32})$", self.output, re.MULTILINE)
        return token


def check_reports() -> None:
    """Runs the action on stores, and reads what it writes."""
    clean = Run(path="stores/clean", version="", now="1760000000")
    assert clean.status == 0, clean.output
    assert clean.text("output") == "status=0\n"
    assert clean.text("summary").startswith("<!-- kvfsck check -->\n### kvfsck: 1 store passed\n")
    assert not clean.text("log") and not list((clean.folder / "temp").iterdir())

    damaged = Run(path="\nstores/clean\nstores/lossy\n", now="1760000000")
    assert damaged.status == 4, damaged.output
    assert damaged.text("output") == "status=4\n"
    assert damaged.text("log").splitlines() == [
        f"-m venv {damaged.folder}/temp/kvfsck",
        "-m pip install --quiet --disable-pip-version-check kvfsck==0.9.0",
    ]
    assert "- **failed** `stores/lossy`: damaged" in damaged.text("summary")
    suites = xml.etree.ElementTree.fromstring(damaged.text("work/kvfsck.xml").encode())
    assert [case.get("name") for case in suites.iter("testcase")] == ["stores/clean", "stores/lossy"]
    results = json.loads(damaged.text("work/kvfsck.sarif"))["runs"][0]["results"]
    assert any(result["ruleId"] == "record.zeros" for result in results)
    # All that comes from the stores is printed while the runner takes no commands.
    before, _, after = damaged.output.partition(f"::{damaged.stop_token()}::\n")
    assert "record.zeros" in before and after == "", damaged.output

    few = Run(path="stores", version="", junit="", sarif="", summary="false")
    assert few.status == 4, few.output
    assert sorted(path.name for path in (few.folder / "work").iterdir()) == ["stores"]
    assert few.text("summary") == ""


def check_expectations() -> None:
    """Compares a store with a folder of expectations."""
    expected = WORK / "expected"
    expected.mkdir()
    lines = subprocess.run(
        [PROGRAM, "check", "--json", "--now", "1760000000", DAMAGED], capture_output=True, text=True, check=False).stdout
    (expected / "lossy.jsonl").write_text(lines)
    met = Run(path="stores/lossy", version="", expect=str(expected), now="1760000000")
    assert met.status == 0, met.output
    unmet = Run(path="stores/clean\nstores/lossy", version="", expect=str(expected), now="1760000000")
    assert unmet.status == 4, unmet.output


class Page(HTMLParser):
    """What a browser gets of a summary: the elements, and the texts of the code spans."""

    def __init__(self, markdown: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.codes: list[str] = []
        self.is_code = False
        self.feed(cmarkgfm.github_flavored_markdown_to_html(markdown, cmarkgfm.cmark.Options.CMARK_OPT_UNSAFE))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.is_code = tag == "code"
        if self.is_code:
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        self.is_code = False

    def handle_data(self, data: str) -> None:
        if self.is_code:
            self.codes[-1] += data


def check_summary() -> None:
    """Reads a summary about stores with hostile names by the parser that GitHub uses."""
    folder = WORK / "names"
    folder.mkdir()
    names = [value + end for end in ["x", ".json"] for value in HOSTILE_NAMES]
    for name in names:
        if name.endswith(".json"):
            (folder / name).write_text('{"a":1,"a":2}')
    summary = WORK / "names.md"
    subprocess.run([PROGRAM, "check", f"--markdown={summary}", "--fail-on=warning", "--", *[f"./{name}" for name in names]],
                   cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    page = Page(summary.read_text(encoding="utf-8"))
    assert page.elements == {"h3", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "strong", "code"}, page.elements
    assert len(page.codes) == 2 * len(names), page.codes
    for name in names:
        assert f"./{name}" in page.codes, (name, page.codes)


def check_hostile_inputs() -> None:
    """Gives each input what must not be run."""
    for name in ACTION["inputs"]:
        for value in HOSTILE:
            inputs = {"path": "stores/clean", "version": "", name.replace("-", "_"): value}
            run = Run(**inputs)
            place = f"{name}={value!r}: {run.status}\n{run.output}"
            assert not list(run.folder.rglob("pwned")), place
            assert re.fullmatch(r"(status=\d+\n)?", run.text("output")), place
            assert "pwned" not in run.text("log"), place
            if name in ("version", "fail-on", "now", "expect"):
                assert run.status & 24, place
            if run.text("output"):
                assert run.stop_token() and run.text("output") == f"status={run.status}\n", place


check_form()
check_reports()
check_expectations()
check_summary()
check_hostile_inputs()
print(f"The action has {len(STEPS)} steps, and all inputs are data.")
