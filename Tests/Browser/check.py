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


def shown(browser):
    """The keys, types and values of the table of records, without what is noted below a value."""
    return browser.js(
        """[...document.querySelectorAll('#rows tbody tr')].map((r) => [r.cells[1].innerText,
        r.cells[4].innerText, [...r.cells[5].childNodes].filter((n) => n.nodeType === 3)
          .map((n) => n.data).join('')])"""
    )


def check_values(browser):
    """Integers and truth values are those of dump --json."""
    for index, store in enumerate((
        "Fixtures/mmkv/golden/all_types/kv",
        "Fixtures/fastkv-apple/golden/all_types/store.fkv",
        "Fixtures/fastkv-android/golden/nb_all_types/kv.kva",
    )):
        browser.open(page(f"values{index}.html", store))
        browser.wait("document.querySelectorAll('#rows tbody tr').length > 10")
        dump = subprocess.run([TOOL, "dump", "--json", "--readings", "all", store], capture_output=True, text=True).stdout
        entries = [json.loads(line) for line in dump.splitlines()]
        wanted = {}
        for entry in entries:
            if entry["type"] != "entry":
                continue
            value = entry["value"] or entry["readings"][0]["value"]
            if value["kind"] in ("bool", "int32", "uint32", "int64", "uint64"):
                wanted[entry["key"]] = str(value["value"]).lower()
        rows = {key: text for key, _, text in shown(browser)}
        assert len(wanted) >= 5, wanted
        for key, text in wanted.items():
            assert rows[key] == text, (store, key, rows[key], text)


def record(key, value):
    """A record of MMKV."""
    return varint(len(key)) + key + varint(len(value)) + value


def check_keys(browser):
    """Keys that look alike stay apart, and say what hides in them."""
    long = b"p" * 400
    puts = [(b"\xff\xfe", 1), (b"0xfffe", 2), (long + b"A", 3), (long + b"B", 4), ("\u202egnp".encode(), 5)]
    records = b"\xff\xff\xff\x07" + b"".join(record(key, varint(value)) for key, value in puts)
    path = os.path.join(FOLDER, "alike\u202e")
    with open(path, "wb") as file:
        file.write((len(records).to_bytes(4, "little") + records).ljust(4096, b"\0"))
    browser.open(page("alike.html", "--format", "mmkv", path))
    rows = "document.querySelectorAll('#rows tbody tr').length"
    browser.wait(f"{rows} === 5")
    keys = [key for key, _, _ in shown(browser)]
    assert keys[2].endswith("…") and keys[4] == "\\u{202e}gnp", keys
    assert browser.js("document.querySelector('h1').textContent") == "alike\\u{202e}"
    for index in range(5):
        browser.js(f"document.querySelectorAll('#rows tbody button')[{index}].click()")
        browser.wait(f"{rows} === 1")
        browser.js("document.getElementById('key-chip').click()")
        browser.wait(f"{rows} === 5")


def check_launch(browser):
    """Two answers of the app with the same result are one, and what differs is apart."""
    for index, (store, count) in enumerate((
        ("Fixtures/mmkv/damaged/crc_missing_v13/kv", 2),
        ("Fixtures/mmkv/damaged/burst_fwb/kv", 1),
        ("Fixtures/fastkv-android/damaged/ext__ext_dir_missing/kv.kva", 1),
    )):
        browser.open(page(f"launch{index}.html", store))
        browser.wait("!!document.querySelector('#launch .share')")
        assert browser.js("document.querySelectorAll('#launch .two > div').length") == count, store
        titles = browser.js("[...document.querySelectorAll('#launch h3')].map((title) => title.textContent)")
        assert titles == (["If the app answers discard", "If the app answers recover"] if count == 2 else []), titles
    # The last of these stores lacks the files of three values: they are not shown as empty.
    browser.wait("document.querySelectorAll('#rows tbody tr').length === 5")
    values = {key: (kind, text) for key, kind, text in shown(browser)}
    for key in ("big", "arr", "obj"):
        kind, text = values[key]
        assert kind == "" and text.startswith("(its value is in the file "), values


def check_sentence(browser):
    """The overview says that a store could not be read, and is not green."""
    path = page("unread.html", "Fixtures/mmkv/golden/all_types", "Fixtures/mmkv/golden/aes128_key16")
    browser.open(path)
    browser.wait("!!document.getElementById('verdict')")
    text = browser.js("document.getElementById('verdict').textContent")
    assert "1 of 2 stores could not be read" in text, text
    assert browser.js("!document.querySelector('section.verdict').classList.contains('v-clean')")


def check_emptied(browser):
    """A store that was emptied is neither green nor without damage, and can be filtered."""
    path = page(
        "emptied.html", "Fixtures/mmkv/golden/all_types", "Fixtures/mmkv/damaged/after_clearall_keepspace_big"
    )
    browser.open(path)
    browser.wait("!!document.getElementById('verdict')")
    text = browser.js("document.getElementById('verdict').textContent")
    assert text.startswith("1 store was emptied.") and "No damage" not in text, text
    assert browser.js("document.querySelector('section.verdict').classList.contains('v-emptied')")
    badges = browser.js("[...document.querySelectorAll('#stores tbody .badge')].map((b) => b.textContent)")
    assert sorted(badges) == ["clean", "emptied"], badges
    assert browser.js("[...document.querySelectorAll('option')].some((o) => o.value === 'emptied')")


def check_guesses(browser):
    """Guesses count apart from entries."""
    browser.open(page("guesses.html", "Fixtures/mmkv/damaged/burst_fwb/kv"))
    browser.wait("!!document.querySelector('.facts')")
    facts = browser.js("[...document.querySelectorAll('.facts div')].map((d) => d.innerText)")
    assert any("27, and 1 guess" in fact for fact in facts), facts
    assert "27 entries, and 1 guess" in browser.js("document.getElementById('verdict').textContent")


def check_gaps(browser):
    """The text in bytes without a record is found."""
    script = os.path.join(FOLDER, "overwritten.script")
    with open(script, "w", encoding="utf-8") as file:
        file.write("format mmkv\nstring token ios_secret_token\nclearall\nstring lang de\n")
    store = os.path.join(FOLDER, "overwritten")
    subprocess.run([TOOL, "fixture", "make", script, "--out", store], check=True, capture_output=True)
    browser.open(page("gaps.html", store))
    rows = "document.querySelectorAll('#rows tbody tr').length"
    browser.wait(f"{rows} === 2")
    browser.js(
        "(() => { const e = document.getElementById('search'); e.value = 'secret'; e.dispatchEvent(new Event('input')) })()"
    )
    browser.wait(f"{rows} === 1")
    text = browser.js("document.querySelector('#rows tbody tr').innerText")
    assert "gap" in text and "os_secret_token" in text, text
    assert "1 record and 1 gap" in browser.js("document.getElementById('count').textContent")


def check_types(browser):
    """The types of the whole store are offered, also those of records that are not shown yet."""
    puts = [(b"n%d" % index, varint(index + 1000)) for index in range(9000)]
    puts += [(b"late", varint(12) + b"a late text!")]
    records = b"\xff\xff\xff\x07" + b"".join(record(*put) for put in puts)
    path = os.path.join(FOLDER, "late")
    with open(path, "wb") as file:
        file.write((len(records).to_bytes(4, "little") + records).ljust(1 << 18, b"\0"))
    browser.open(page("late.html", "--format", "mmkv", path))
    browser.wait("document.querySelectorAll('#rows tbody tr').length > 100")
    kinds = browser.js("[...document.getElementById('kind').options].map((o) => o.value)")
    assert "int32" in kinds and "string" in kinds, kinds


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


def check_print(browser, rows, every):
    """Printed, a page shows all its rows and all that can be opened, on the width of A4."""
    browser.js("window.print = () => { window.prints = (window.prints || 0) + 1 }")
    browser.js("[...document.querySelectorAll('header button')].find(b => b.textContent === 'Print').click()")
    browser.wait("window.prints === 1")
    assert browser.js(rows) == every, (browser.js(rows), every)
    closed = "document.querySelectorAll('details:not([open])').length"
    before = browser.js(closed)
    browser.js("dispatchEvent(new Event('beforeprint'))")
    browser.call("Emulation.setEmulatedMedia", media="print")
    browser.size(718, 1000)
    assert browser.js(closed) == 0
    wide = "[...document.querySelectorAll('.scroll, table, p, dl')].filter(e => e.getBoundingClientRect().right > 719).length"
    assert browser.js(wide) == 0, browser.js(wide)
    browser.call("Emulation.setEmulatedMedia", media="")
    browser.size(1200, 1000)
    browser.js("dispatchEvent(new Event('afterprint'))")
    assert browser.js(closed) == before
    return before


def check_prints(browser):
    """The overview of more stores than are shown at once, and a page with more records, and with lost keys."""
    folder = os.path.join(FOLDER, "stores")
    for index in range(520):
        os.makedirs(f"{folder}/{index}")
        with open(f"{folder}/{index}/kv", "wb") as file:
            file.write(open(STORE, "rb").read())
    browser.open(page("stores.html", folder))
    rows = "document.querySelectorAll('#stores tbody tr').length"
    browser.wait(f"{rows} === 500")
    check_print(browser, rows, 520)
    records = b"\xff\xff\xff\x07" + b"".join(b"\x04%04d\x02\x01x" % index for index in range(1000))
    path = os.path.join(FOLDER, "records")
    with open(path, "wb") as file:
        file.write((len(records).to_bytes(4, "little") + records).ljust(16384, b"\0"))
    browser.open(page("records.html", "--format", "mmkv", path))
    rows = "document.querySelectorAll('#rows tbody tr').length"
    browser.wait(f"{rows} === 200")
    assert check_print(browser, rows, 1000) > 0


def check_overview_values(browser, rows):
    """The search of the overview finds the stores that hold a value, and no others."""
    tree = os.path.join(FOLDER, "tree")
    for number in range(3):
        script = os.path.join(FOLDER, "script")
        with open(script, "w") as file:
            file.write(f"format mmkv\nstring own needle-{number}-end\nstring shared common-text\n")
        made = [TOOL, "fixture", "make", script, "--out", os.path.join(tree, str(number), "s")]
        os.makedirs(os.path.join(tree, str(number)))
        subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
    browser.open(page("tree.html", tree))
    for words, count in [("NEEDLE-1-end", 1), ("common-text", 3), ("needle-", 3), ("absent-text", 0)]:
        browser.js(
            f"(() => {{ const e = document.getElementById('search'); e.value = '{words}';"
            " e.dispatchEvent(new Event('input')) })()"
        )
        browser.wait("document.getElementById('searched').textContent.includes('have it')")
        assert browser.js(rows) == count, (words, browser.js(rows))
    browser.js(
        "(() => { const e = document.getElementById('search'); e.value = '';"
        " e.dispatchEvent(new Event('input')) })()"
    )
    browser.wait(f"{rows} === 3")


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
        check_values(browser)
        check_keys(browser)
        check_types(browser)
        check_launch(browser)
        check_sentence(browser)
        check_emptied(browser)
        check_guesses(browser)
        check_gaps(browser)
        browser.open(page("many.html", "Fixtures/mmkv/golden"))
        rows = "document.querySelectorAll('#stores tbody tr').length"
        every = browser.js(rows)
        assert every > 5, every
        browser.js(
            "(() => { const e = document.getElementById('search'); e.value = 'crash'; e.dispatchEvent(new Event('input')) })()"
        )
        browser.wait(f"{rows} > 0 && {rows} < {every}")
        check_overview_values(browser, rows)
        browser.js("document.querySelector('#stores tbody a').click()")
        browser.wait("!!document.getElementById('rows')")
        check_prints(browser)
        assert browser.errors == [], browser.errors
    finally:
        browser.close()
    print("the pages are as they should be")


main()
