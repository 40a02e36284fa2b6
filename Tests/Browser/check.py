"""Opens pages of kvfsck report in Chromium and holds them against the tool's JSON.

check.py KVFSCK FOLDER      pages are written to FOLDER
"""

import json
import os
import subprocess
import sys

import axe_core_python

from browser import Browser

TOOL, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
STORE = "Fixtures/mmkv/damaged/flip_keylen_fwb/kv"
HOSTILE = "</script><script>window.hit=1</script><img src=x onerror=window.hit=1>\u202e&lt;"
OWNERS = ("live", "superseded", "removed", "slack", "gap")


def page(name, *arguments):
    """A page about what the arguments name."""
    path = os.path.join(FOLDER, name)
    subprocess.run([TOOL, "report", *arguments, "--out", path], check=True, stdout=subprocess.DEVNULL)
    return path


def varint(number):
    """A number as MMKV writes it."""
    result = b""
    while number > 127:
        result += bytes([number & 127 | 128])
        number >>= 7
    return result + bytes([number])


def hostile_store():
    """A store of MMKV whose key and value are markup."""
    text = HOSTILE.encode()
    value = varint(len(text)) + text
    records = b"\xff\xff\xff\x07" + varint(len(text)) + text + varint(len(value)) + value
    path = os.path.join(FOLDER, "hostile")
    with open(path, "wb") as file:
        file.write((len(records).to_bytes(4, "little") + records).ljust(4096, b"\0"))
    return path


def check_colors(browser):
    """Each byte in the middle of a region has the color of its owner by map --json."""
    lines = subprocess.run([TOOL, "map", STORE, "--json"], capture_output=True, text=True).stdout
    regions = [json.loads(line) for line in lines.splitlines()]
    regions = [r for r in regions if r["type"] == "region" and r["file"] == "data"]
    assert len(regions) > 20
    # The page is drawn by its script, which may not have run yet.
    browser.wait("document.getElementById('map')?.dataset.lines > 0")
    count = 0
    for region in regions:
        word = region["owner"].split()[0]
        owner = word if word in OWNERS else "structure"
        middle = region["offset"] + region["length"] // 2
        color = browser.js(f"""(() => {{
          const map = document.getElementById("map"), d = map.dataset, lines = Number(d.lines);
          const each = (d.to - d.from) / lines, line = Math.floor(({middle} - d.from) / each);
          const x = ({middle} + 0.5 - d.from - line * each) / each * map.width;
          const p = map.getContext("2d").getImageData(x, (line + 0.5) * map.height / lines, 1, 1).data;
          const probe = document.createElement("canvas").getContext("2d");
          const color = (name) => {{
            probe.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name);
            probe.fillRect(0, 0, 1, 1);
            return [...probe.getImageData(0, 0, 1, 1).data].join();
          }};
          return [[...p].join(), color("--o-{owner}"), color("--o-corrected")];
        }})()""")
        assert color[0] in color[1:], (region, color)
        count += color[0] == color[1]
    assert count > len(regions) - 3, count


def check_controls(browser):
    """Search, filters, the history of a key, zoom and the keyboard."""
    rows = "document.querySelectorAll('#rows tbody tr').length"
    browser.wait(f"{rows} > 40")
    every = browser.js(rows)
    choose = (
        "(id, v) => { const e = document.getElementById(id); e.value = v; e.dispatchEvent(new Event('%s')) }"
    )
    browser.js(f"({choose % 'input'})('search', 'locale')")
    browser.wait(f"{rows} > 0 && {rows} < {every}")
    browser.js(f"({choose % 'input'})('search', '')")
    browser.wait(f"{rows} === {every}")
    for name, value in (("state", "superseded"), ("evidence", "guess"), ("kind", "string")):
        browser.js(f"({choose % 'change'})('{name}', '{value}')")
        browser.wait(f"{rows} > 0 && {rows} < {every}")
        browser.js(f"({choose % 'change'})('{name}', '')")
        browser.wait(f"{rows} === {every}")
    browser.js("document.querySelector('#rows tbody button').click()")
    browser.wait(f"{rows} > 1 && {rows} < 10 && !!document.getElementById('key-chip')")
    browser.js("document.getElementById('map').focus()")
    for key, text in (("+", "+"), ("ArrowRight", ""), ("ArrowDown", "")):
        browser.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        browser.call("Input.dispatchKeyEvent", type="keyUp", key=key)
    browser.wait(
        "document.getElementById('map').dataset.to - document.getElementById('map').dataset.from === 1024"
    )
    browser.wait("document.getElementById('where').textContent.includes('evidence')")
    browser.wait("!!document.querySelector('#hex .f-key') && !!document.querySelector('#hex .here')")


def check_accessibility(browser):
    """axe finds nothing serious, in either theme."""
    folder = os.path.dirname(axe_core_python.__file__)
    with open(os.path.join(folder, "axe.min.js"), encoding="utf-8") as file:
        browser.js(file.read() + "; 0")
    found = browser.js(
        "axe.run().then((r) => r.violations.filter((v) => ['serious', 'critical'].includes(v.impact))"
        ".map((v) => v.id + ' ' + v.nodes.map((n) => n.html.slice(0, 200)).join(' | ')))"
    )
    assert found == [], found


def main():
    browser = Browser()
    browser.size(1200, 1000)
    try:
        path = page("store.html", STORE)
        browser.open(path)
        check_colors(browser)
        check_controls(browser)
        browser.open(path)
        browser.wait("document.querySelectorAll('#rows tbody tr').length > 40")
        check_accessibility(browser)
        browser.js("[...document.querySelectorAll('header button')][0].click()")
        check_accessibility(browser)
        browser.open(page("hostile.html", "--format", "mmkv", hostile_store()))
        browser.wait("document.querySelectorAll('#rows tbody tr').length > 0")
        assert browser.js("window.hit === undefined && !document.querySelector('img')")
        assert "onerror" in browser.js("document.getElementById('rows').textContent")
        browser.open(page("many.html", "Fixtures/mmkv/golden"))
        rows = "document.querySelectorAll('#stores tbody tr').length"
        every = browser.js(rows)
        assert every > 5, every
        browser.js(
            "(() => { const e = document.getElementById('search'); e.value = 'crash'; e.dispatchEvent(new Event('input')) })()"
        )
        browser.wait(f"{rows} > 0 && {rows} < {every}")
        browser.js("document.querySelector('#stores tbody a').click()")
        browser.wait("!!document.getElementById('rows')")
        assert browser.errors == [], browser.errors
    finally:
        browser.close()
    print("the pages are as they should be")


main()
