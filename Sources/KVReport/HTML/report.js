"use strict";
// Draws a report of kvfsck from the data in the page. Values of stores reach the page as text nodes alone.
(() => {
  const OWNERS = ["structure", "live", "superseded", "removed", "gap", "slack", "unread"];
  const OWNER_NAMES = {
    structure: "header and structure", live: "live", superseded: "superseded", removed: "removed",
    gap: "gap", slack: "slack", unread: "log (not read)", corrected: "corrected byte",
  };
  const LINES = 18, PAGE = 200, HEX_ROWS = 24;
  const app = document.getElementById("app");
  const overview = JSON.parse(document.getElementById("overview").textContent);
  const explanations = new Map(overview.explanations.map((e) => [e.name, e]));
  const stores = overview.stores;
  stores.forEach((store, index) => { store.index = index; store.app = appOf(store.line); });

  // Elements.

  function h(name, attributes, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
      else if (value === true) element.setAttribute(key, "");
      else if (value !== false && value != null) element.setAttribute(key, value);
    }
    element.append(...children.flat(Infinity).filter((child) => child != null && child !== false));
    return element;
  }
  const number = (value) => value.toLocaleString("en-US");
  const hex = (value) => "0x" + value.toString(16);
  const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many}`;
  const date = (seconds) => new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  // Characters that hide, or change the direction of others, must not make a name look like another.
  const visible = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
  const name = (path) => visible(path).split(/[/!]/).pop() || visible(path);
  const live = (attributes) => h("p", { role: "status", class: "soft", ...attributes });

  // Without a known app, stores are grouped by a folder that may be named after one.
  function appOf(line) {
    return line.app || (/Application\/([0-9A-F-]{36})/.exec(line.path) || [])[1]
      || line.path.split("/").find((part) => /^[a-z]\w*(\.\w+){2,}$/i.test(part)) || "";
  }

  // Data.

  const unpacked = new Map();
  async function block(id) {
    if (unpacked.has(id)) return unpacked.get(id);
    const text = document.getElementById(id).textContent;
    const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const result = id.startsWith("b") ? bytes : JSON.parse(new TextDecoder().decode(bytes));
    if (id.startsWith("r")) {
      const held = [...unpacked.keys()].filter((key) => key.startsWith("r"));
      if (held.length >= 12) unpacked.delete(held[0]);
    }
    unpacked.set(id, result);
    return result;
  }
  function row(chunk, index) {
    const get = (column, otherwise) => (chunk[column] ? chunk[column][index] : otherwise);
    return {
      offset: get("offset", 0), length: get("length", 0), file: get("file", 0), key: visible(get("key", "")), keyNumber: get("keyNumber", 0),
      keyStart: get("keyStart", 0), keyCount: get("keyCount", 0), valueStart: get("valueStart", 0),
      valueCount: get("valueCount", 0), state: get("state", ""), evidence: get("evidence", ""),
      cautions: get("cautions", ""), kind: get("kind", ""), value: get("value", ""),
      others: get("others", ""), content: get("content", ""), operation: get("operation", "") || "put", expiry: get("expiry", 0),
      probability: get("probability", 0), rules: get("rules", 0), states: get("states", 0),
    };
  }
  function likely(record) {
    return record.probability ? ` ${(record.probability / 10000).toFixed(4)}` : "";
  }
  async function rowAt(data, file, offset) {
    for (const index of data.chunks) {
      if (file === 0 && (offset < index.first || offset >= index.last)) continue;
      const chunk = await block(index.id);
      for (let i = 0; i < index.count; i += 1) {
        const start = chunk.offset ? chunk.offset[i] : 0;
        if ((chunk.file ? chunk.file[i] : 0) === file && chunk.state[i] !== "gap" && offset >= start
          && offset < start + (chunk.length ? chunk.length[i] : 0)) return row(chunk, i);
      }
    }
    return null;
  }

  // The frame.

  const media = matchMedia("(prefers-color-scheme: dark)");
  let theme = null, redraw = () => {}, unfold = () => {};
  function applyTheme() {
    const dark = theme === null ? media.matches : theme === "dark";
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    redraw();
  }
  media.addEventListener("change", applyTheme);
  function header(back) {
    return h("header", {}, h("span", { class: "brand" }, "kvfsck report"),
      back && h("a", { href: "#" }, `← All ${number(stores.length)} stores`),
      h("span", { class: "space" }),
      h("button", { type: "button", onclick: () => {
        theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
        applyTheme();
      } }, "Light or dark"),
      h("button", { type: "button", onclick: async () => { await unfold(); print(); } }, "Print"));
  }
  function show(...content) {
    redraw = () => {};
    unfold = () => {};
    app.replaceChildren(
      h("a", { class: "skip", href: "#content", onclick: (event) => {
        event.preventDefault();
        document.getElementById("content").focus();
      } }, "Skip to the content"),
      ...content);
  }
  function badge(text, kind) { return h("span", { class: `badge ${kind}` }, text); }
  const verdict = (line) => (line.emptied ? "emptied" : line.verdict || "unread");
  // Guesses may never have been entries, so they count apart.
  const guessed = (guesses) => guesses ? `, and ${plural(guesses, "guess", "guesses")}` : "";
  const counted = (count, guesses) => number(count || 0) + guessed(guesses);
  const past = (line) => (line.superseded || 0) + (line.removed || 0) + (line.residual || 0);

  function runSection() {
    const { run } = overview;
    return h("section", {}, h("h2", {}, "This report"),
      h("p", {}, `Written by kvfsck ${run.version} on ${date(run.start)}.`),
      h("p", { class: "mono" }, ["kvfsck", ...run.arguments].join(" ")),
      h("p", { class: "soft" }, "The stores were only read. Encryption keys are left out of the command line."));
  }

  // The overview.

  function drawOverview() {
    document.title = "kvfsck report";
    const state = { text: "", verdict: "", format: "", lost: false, column: "", up: true, limit: 500 };
    const body = h("tbody"), count = live(), more = h("p", { class: "more" });
    const columns = [
      ["verdict", "Verdict", (s) => verdict(s.line)], ["app", "App", (s) => s.app],
      ["path", "Store", (s) => s.line.path], ["format", "Format", (s) => s.line.format || ""],
      ["entries", "Entries", (s) => s.line.entries || 0],
      ["lost", "Lost at next launch", (s) => s.line.lost_at_next_launch || 0],
      ["recoverable", "Recoverable", (s) => s.line.recoverable || 0], ["past", "Not live", (s) => past(s.line)]];
    // The stores with a key or a value that has the words, which join the list as they are found.
    const holders = new Set(), progress = live({ id: "searched" });
    let search = 0;
    async function searchValues() {
      const own = ++search, words = state.text.toLowerCase(), read = stores.filter((s) => s.page);
      holders.clear();
      progress.textContent = "";
      if (words.length < 2) return;
      const has = (chunk, column) => chunk[column] && chunk[column].some((text) => text.toLowerCase().includes(words));
      let drawn = performance.now();
      for (const [index, store] of read.entries()) {
        const id = `s${store.index}`, isKnown = unpacked.has(id), { chunks } = await block(id);
        if (!isKnown) unpacked.delete(id);
        for (const { id } of chunks) {
          const chunk = await block(id);
          if (own !== search) return;
          if (has(chunk, "key") || has(chunk, "value")) { holders.add(store); break; }
        }
        if (performance.now() - drawn < 200 && index + 1 < read.length) continue;
        drawn = performance.now();
        progress.textContent = index + 1 < read.length ? `${number(index + 1)} of ${plural(read.length, "store", "stores")} searched …`
          : `Its keys or values have it: ${plural(holders.size, "store", "stores")}`;
        update();
      }
    }
    function update() {
      const words = state.text.toLowerCase();
      let found = stores.filter((s) => (!words || s.line.path.toLowerCase().includes(words)
          || s.line.findings.some((code) => code.includes(words)) || holders.has(s))
        && (!state.verdict || verdict(s.line) === state.verdict)
        && (!state.format || s.line.format === state.format)
        && (!state.lost || (s.line.lost_at_next_launch || 0) + (s.line.lost_guesses || 0) > 0));
      const column = columns.find((c) => c[0] === state.column);
      if (column) {
        const by = column[2];
        found = [...found].sort((a, b) => (by(a) < by(b) ? -1 : by(a) > by(b) ? 1 : 0) * (state.up ? 1 : -1));
      }
      count.textContent = `${number(found.length)} of ${plural(stores.length, "store", "stores")}`;
      body.replaceChildren(...found.slice(0, state.limit).map((s) => h("tr", {},
        h("td", {}, badge(verdict(s.line), `v-${verdict(s.line)}`)), h("td", { class: "wide" }, s.app),
        h("td", { class: "wide" }, h("a", { href: `#s${s.index}` }, visible(s.line.path))),
        h("td", {}, s.line.format || "–"), h("td", { class: "n" }, s.line.entries == null ? "–" : counted(s.line.entries, s.line.guesses)),
        h("td", { class: "n" }, s.line.lost_at_next_launch == null ? "–" : counted(s.line.lost_at_next_launch, s.line.lost_guesses)),
        h("td", { class: "n" }, s.line.recoverable == null ? "–" : counted(s.line.recoverable, s.line.recoverable_guesses)),
        h("td", { class: "n" }, s.line.superseded == null ? "–" : number(past(s.line))))));
      more.replaceChildren(found.length > state.limit ? h("button", { type: "button", onclick: () => {
        state.limit += 2000;
        update();
      } }, `Show more of ${number(found.length)} stores`) : "");
    }
    const choice = (title, key, values) => h("label", {}, title, h("select", { onchange: (event) => {
      state[key] = event.target.value;
      update();
    } }, h("option", { value: "" }, "all"), values.map((v) => h("option", { value: v }, v))));
    const distinct = (by) => [...new Set(stores.map(by).filter(Boolean))].sort();
    const totals = overview.totals || {}, verdicts = totals.verdicts || {};
    const damaged = (verdicts.damaged || 0) + (verdicts.repairable || 0), unread = (totals.failures || 0) + (verdicts.unreadable || 0);
    const loses = (totals.lost_at_next_launch || 0) + (totals.lost_guesses || 0) > 0, emptied = totals.emptied || 0;
    const facts = [["Stores", number(totals.stores || 0)], ["Damaged", number(damaged)], ["Fully repairable", number(verdicts.repairable || 0)],
      ["Emptied", number(emptied)], ["Not read", number(unread)], ["Entries", counted(totals.entries, totals.guesses)],
      ["Lost at next launch", counted(totals.lost_at_next_launch, totals.lost_guesses)],
      ["Recoverable", counted(totals.recoverable, totals.recoverable_guesses)], ["Records not live", number(past(totals))]];
    const heads = columns.map(([key, title]) => {
      const cell = h("th", { scope: "col", class: ["entries", "lost", "recoverable", "past"].includes(key) ? "n" : "" },
        h("button", { type: "button", onclick: () => {
          state.up = state.column === key ? !state.up : true;
          state.column = key;
          heads.forEach((other) => other.removeAttribute("aria-sort"));
          cell.setAttribute("aria-sort", state.up ? "ascending" : "descending");
          update();
        } }, title));
      return cell;
    });
    show(header(false), h("main", { id: "content", tabindex: "-1" },
      h("h1", {}, plural(stores.length, "key-value store", "key-value stores")),
      h("section", { class: "verdict v-" + (loses ? "damaged" : unread ? "unread" : damaged ? "repairable" : emptied ? "emptied" : "clean") },
        h("p", { class: "sentence", id: "verdict" }, summary(totals, damaged, unread)),
        h("dl", { class: "facts" }, facts.map(([title, value]) => h("div", {}, h("dt", {}, title), h("dd", {}, value))))),
      h("section", {}, h("h2", {}, "Stores"),
        h("div", { class: "tools" },
          h("label", {}, "Path, finding, key or value", h("input", { type: "search", id: "search", oninput: (event) => {
            state.text = event.target.value;
            searchValues();
            update();
          } })),
          choice("Verdict", "verdict", distinct((s) => verdict(s.line))),
          choice("Format", "format", distinct((s) => s.line.format)),
          h("button", { type: "button", "aria-pressed": "false", onclick: (event) => {
            state.lost = !state.lost;
            event.target.setAttribute("aria-pressed", String(state.lost));
            update();
          } }, "Only stores that lose entries")),
        count, progress, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Stores" },
          h("table", { id: "stores" }, h("thead", {}, h("tr", {}, heads)), body)), more),
      runSection()));
    update();
    unfold = () => {
      state.limit = Infinity;
      update();
    };
  }
  function summary(totals, damaged, unread) {
    const all = plural(totals.stores || 0, "store", "stores"), emptied = totals.emptied || 0;
    const recoverable = counted(totals.recoverable, totals.recoverable_guesses);
    const rest = unread ? ` ${number(unread)} of ${all} could not be read.` : "";
    if (damaged) {
      return `${plural(damaged, "store is", "stores are")} damaged${emptied ? ` and ${plural(emptied, "store was", "stores were")} emptied` : ""}; at the next launch, the apps will lose `
        + `${plural(totals.lost_at_next_launch || 0, "entry", "entries")}${guessed(totals.lost_guesses)}. Recoverable: ${recoverable}.${rest}`;
    }
    if (emptied) return `${plural(emptied, "store was", "stores were")} emptied. Recoverable entries: ${recoverable}.${rest}`;
    return unread ? `No damage was found in the others;${rest}` : `No damage was found in ${all}.`;
  }

  // A store.

  async function drawStore(index) {
    const store = stores[index];
    const { line } = store;
    document.title = `${name(line.path)} – kvfsck report`;
    const kind = verdict(line);
    const main = h("main", { id: "content", tabindex: "-1" },
      h("h1", {}, name(line.path)), h("p", { class: "path" }, visible(line.path)),
      h("section", { class: `verdict v-${kind}` }, badge(kind === "unread" ? "not read" : kind, `v-${kind}`),
        h("p", { class: "sentence", id: "verdict" }, store.sentence)));
    show(header(stores.length > 1), main);
    if (!store.page) { main.append(runSection()); return; }
    const data = await block(`s${index}`);
    const facts = [["Format", data.store.format + (data.store.encrypted ? ", encrypted" : "")],
      ["Entries", counted(line.entries, line.guesses)], ["Records", number(data.rowCount - (data.tally.gap || 0))],
      ["Lost at next launch", line.lost_at_next_launch == null ? "–" : counted(line.lost_at_next_launch, line.lost_guesses)],
      ["Recoverable", counted(line.recoverable, line.recoverable_guesses)],
      ...[["superseded", "Superseded"], ["removed", "Removed"], ["residual", "Residual"]].filter(([key]) => line[key]).map(([key, title]) => [title, number(line[key])]),
      ["Bytes", number(data.store.files.reduce((sum, file) => sum + file.size, 0))],
      ["Findings", number(data.findings.length)]];
    main.querySelector(".verdict").append(h("dl", { class: "facts" },
      facts.map(([title, value]) => h("div", {}, h("dt", {}, title), h("dd", {}, value)))));
    const records = recordSection(data);
    const map = data.files.some((file) => file.runs.length > 0) ? mapSection(data, records) : null;
    main.append(...[launchSection(data), map && map.section, findingSection(data, map), records.section,
      stateSection(data, records), inputSection(data), runSection()].filter(Boolean));
    if (map) { map.draw(); redraw = map.draw; }
    unfold = records.unfold;
    await records.update();
  }

  function launchSection(data) {
    if (!data.predictions.length) return null;
    // Often nothing is asked, or the answer changes nothing.
    const facts = (p) => JSON.stringify({ ...p, answer: "" }), [first] = data.predictions;
    const isOne = data.predictions.every((p) => facts(p) === facts(first));
    const title = (p) => !isOne ? `If the app answers ${p.answer}` : p.callbacks.length > 0 && "Whatever the app answers";
    return h("section", { id: "launch" }, h("h2", {}, "At the app's next launch"),
      h("div", { class: "two" }, (isOne ? [first] : data.predictions).map((p) => {
        const kept = p.held - p.lost, keptGuesses = p.heldGuesses - p.lostGuesses, lostKeys = p.lost + p.lostGuesses;
        const lost = h("span", { class: "lost" }), part = h("span", { class: "kept" });
        part.style.width = `${p.held ? (kept / p.held) * 100 : 0}%`;
        lost.style.width = `${p.held ? (p.lost / p.held) * 100 : 0}%`;
        return h("div", {}, title(p) && h("h3", {}, title(p)), h("p", {}, p.message),
          h("div", { class: "share", role: "img", "aria-label": `${kept} kept, ${p.lost} lost` }, part, lost),
          h("p", { class: "soft" }, `Keeps ${number(kept)} of ${plural(p.held, "entry", "entries")}, loses ${number(p.lost)}`
            + (p.heldGuesses ? `; keeps ${number(keptGuesses)} of ${plural(p.heldGuesses, "guess", "guesses")}` : "")
            + (p.unsupported > 0 ? `, and shows ${number(p.unsupported)} not supported by the files.` : ".")),
          p.writes.length > 0 && h("p", { class: "soft" }, `On opening, the engine ${p.writes.join(", ")}.`),
          lostKeys > 0 && h("details", {}, h("summary", {}, `Lost keys (${counted(p.lost, p.lostGuesses)})`),
            h("div", {}, h("p", { class: "mono" }, p.lostKeys.join(", ")),
              lostKeys > p.lostKeys.length && h("p", { class: "note" }, `${number(lostKeys - p.lostKeys.length)} more are listed by kvfsck check --json.`))));
      })));
  }

  function explain(code) {
    const page = explanations.get(code);
    if (!page) return null;
    return h("details", {}, h("summary", {}, code), h("div", {}, h("p", { class: "soft" }, page.kind),
      page.paragraphs.map(([title, text]) => h("p", {}, h("strong", {}, `${title}: `), text))));
  }

  function findingSection(data, map) {
    return h("section", { id: "findings" }, h("h2", {}, "Findings"),
      data.findings.length === 0 && h("p", {}, "None."),
      data.findings.map((f) => {
        const file = data.files.findIndex((other) => other.role === f.file);
        const page = explanations.get(f.code);
        return h("div", { class: "finding" },
          h("p", {}, badge(f.severity, `s-${f.severity}`), " ", h("code", {}, f.code),
            f.offset != null && h("span", { class: "soft" }, ` ${f.file}, ${hex(f.offset)}, ${plural(f.length || 0, "byte", "bytes")}`)),
          h("p", {}, f.message),
          map && file >= 0 && f.offset != null && h("p", {}, h("button", { class: "link", type: "button", onclick: () => map.go(file, f.offset, f.length || 1) }, "Show the bytes")),
          page && page.paragraphs.filter(([title]) => title !== "More" && title !== "Follows from")
            .map(([title, text]) => h("p", { class: "soft" }, h("strong", {}, `${title}: `), text)),
          (f.rules || []).map(explain));
      }));
  }

  // The map.

  function mapSection(data, records) {
    let file = data.files.findIndex((f) => f.runs.length > 0);
    let from = 0, to = data.files[file].size, cursor = 0, exact = null;
    const strip = h("canvas", { class: "strip", "aria-hidden": "true" });
    const canvas = h("canvas", { class: "map", id: "map", tabindex: "0", role: "application",
      "aria-label": "Map of the bytes. Arrows move, plus and minus zoom, Home and End go to the ends.", "aria-describedby": "where" });
    const where = h("div", { class: "where", id: "where", role: "status" });
    const bytes = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Bytes" });
    const legend = h("ul", { class: "legend" });
    const window_ = live();
    const tabs = data.files.length > 1 && h("label", {}, "File", h("select", { id: "file", onchange: (e) => choose(Number(e.target.value)) },
      data.files.map((f, i) => h("option", { value: i }, `${f.role}: ${f.name}`))));
    const button = (text, action, label) => h("button", { type: "button", "aria-label": label, onclick: action }, text);
    const section = h("section", {}, h("h2", {}, "Byte map"),
      h("div", { class: "tools" }, tabs, button("+", () => zoom(0.25), "Zoom in"), button("−", () => zoom(4), "Zoom out"),
        button("◀", () => pan(-0.5), "Earlier bytes"), button("▶", () => pan(0.5), "Later bytes"),
        button("Whole file", () => { from = 0; to = data.files[file].size; draw(); }, "Show the whole file")),
      data.omittedBytes > 0 && h("p", { class: "note" }, `${plural(data.omittedBytes, "byte of the files is", "bytes of the files are")} left out of this page, to keep it small. `
        + "kvfsck map prints all of them."),
      strip, canvas, window_, legend, where, bytes);

    function choose(index) {
      file = index;
      const select = section.querySelector("#file");
      if (select) select.value = String(index);
      from = cursor = 0;
      to = Math.max(1, data.files[index].size);
      draw();
      point(0);
    }
    function zoom(factor) {
      const size = data.files[file].size, span = Math.min(size, Math.max(64, Math.round((to - from) * factor)));
      const center = cursor >= from && cursor < to ? cursor : (from + to) / 2;
      from = Math.max(0, Math.min(size - span, Math.round(center - span / 2)));
      to = Math.min(size, from + span);
      draw();
    }
    function pan(share) {
      const size = data.files[file].size, span = to - from;
      from = Math.max(0, Math.min(size - span, Math.round(from + span * share)));
      to = from + span;
      draw();
    }
    function go(index, offset, length) {
      if (index !== file) choose(index);
      const size = data.files[file].size, span = Math.min(size, Math.max(512, length * 3));
      from = Math.max(0, Math.min(size - span, offset - Math.round(span / 3)));
      to = from + span;
      draw();
      point(offset);
      canvas.scrollIntoView({ block: "center" });
      canvas.focus();
    }
    function* runs() {
      const list = exact && exact.file === file && exact.from <= from && exact.to >= to ? exact.runs : data.files[file].runs;
      let offset = list === data.files[file].runs ? 0 : exact.from;
      for (let i = 0; i < list.length; i += 2) {
        yield [offset, offset + list[i], OWNERS[list[i + 1]]];
        offset += list[i];
      }
    }
    // Where the whole file is drawn coarsely, a part of it is drawn from its records.
    async function refine() {
      const f = data.files[file];
      if (f.grain === 1 || to - from > 1 << 20 || (exact && exact.file === file && exact.from <= from && exact.to >= to)) return;
      const [a, b, at] = [from, to, file], found = [];
      for (const index of data.chunks.filter((c) => c.first < b && c.last > a)) {
        const chunk = await block(index.id);
        for (let i = 0; i < index.count; i += 1) {
          const r = row(chunk, i);
          if (r.file === at && r.offset < b && r.offset + r.length > a) found.push(r);
        }
      }
      const list = [];
      let offset = a;
      const fill = (end) => {
        for (const [s, e, owner] of runs()) {
          const l = Math.max(s, offset), r = Math.min(e, end);
          if (l < r) list.push(r - l, OWNERS.indexOf(owner === "live" ? "structure" : owner));
        }
        offset = Math.max(offset, end);
      };
      for (const r of found.sort((x, y) => x.offset - y.offset)) {
        if (r.offset > offset) fill(Math.min(r.offset, b));
        const end = Math.min(b, r.offset + r.length);
        if (end > offset && OWNERS.includes(r.state)) { list.push(end - offset, OWNERS.indexOf(r.state)); offset = end; }
      }
      fill(b);
      exact = { file: at, from: a, to: b, runs: list };
      if (at === file) draw();
    }
    function paint(target, start, end, lines) {
      const ratio = devicePixelRatio || 1, width = Math.round(target.clientWidth * ratio), height = Math.round(target.clientHeight * ratio);
      if (!width) return;
      target.width = width;
      target.height = height;
      const context = target.getContext("2d"), style = getComputedStyle(document.documentElement);
      const color = (owner) => style.getPropertyValue(`--o-${owner}`).trim();
      const colors = new Map([...OWNERS, "corrected"].map((owner) => [owner, color(owner)]));
      const perLine = Math.max(1, (end - start) / lines), step = height / lines, gap = lines > 1 ? Math.min(2 * ratio, step / 5) : 0;
      const box = (a, b, owner, least) => {
        for (let line = Math.floor((a - start) / perLine); line < lines && start + line * perLine < b; line += 1) {
          const left = Math.max(a, start + line * perLine), right = Math.min(b, start + (line + 1) * perLine);
          const x = ((left - start - line * perLine) / perLine) * width, w = ((right - left) / perLine) * width;
          context.fillStyle = colors.get(owner);
          context.fillRect(least ? Math.min(x, width - least) : x, line * step, Math.max(w, least || 0), step - gap);
        }
      };
      const urgent = [];
      for (const [a, b, owner] of runs()) {
        const left = Math.max(a, start), right = Math.min(b, end);
        if (left >= right) continue;
        box(left, right, owner, 0);
        if (owner === "gap") urgent.push([left, right, owner]);
      }
      // Damage is seen however small it is.
      urgent.forEach(([a, b, owner]) => box(a, b, owner, 2 * ratio));
      for (const offset of data.files[file].corrected) if (offset >= start && offset < end) box(offset, offset + 1, "corrected", 4 * ratio);
      return { context, perLine, step, gap, width, ratio, style };
    }
    function draw() {
      const f = data.files[file];
      const top = paint(strip, 0, Math.max(1, f.size), 1);
      if (!top) return;
      top.context.strokeStyle = top.style.getPropertyValue("--ink");
      top.context.lineWidth = 2 * top.ratio;
      top.context.strokeRect((from / f.size) * top.width + 1, 1, Math.max(3, ((to - from) / f.size) * top.width - 2), strip.height - 2);
      const area = paint(canvas, from, to, LINES);
      canvas.dataset.from = from;
      canvas.dataset.to = to;
      canvas.dataset.lines = LINES;
      canvas.dataset.file = f.role;
      if (cursor >= from && cursor < to) {
        const line = Math.floor((cursor - from) / area.perLine), x = ((cursor - from - line * area.perLine) / area.perLine) * area.width;
        area.context.strokeStyle = area.style.getPropertyValue("--ink");
        area.context.lineWidth = 2 * area.ratio;
        area.context.strokeRect(Math.min(x, area.width - 4), line * area.step, Math.max(4, area.width / area.perLine), area.step - area.gap);
      }
      window_.textContent = `${f.name}: bytes ${hex(from)} to ${hex(to)} of ${number(f.size)}`
        + (f.grain > 1 && to - from > 1 << 20 ? `; the smallest block stands for ${number(f.grain)} bytes, and gaps are always visible` : "");
      const sums = new Map();
      let all = 0;
      for (let i = 0; i < f.runs.length; i += 2) {
        sums.set(OWNERS[f.runs[i + 1]], (sums.get(OWNERS[f.runs[i + 1]]) || 0) + f.runs[i]);
        all += f.runs[i];
      }
      legend.replaceChildren(...OWNERS.filter((o) => sums.has(o)).map((o) => h("li", {}, h("span", { class: `swatch o-${o}` }),
        `${OWNER_NAMES[o]} ${((sums.get(o) / all) * 100).toFixed(sums.get(o) / all < 0.01 ? 2 : 0)} %`)),
      f.corrected.length ? h("li", {}, h("span", { class: "swatch o-corrected" }), plural(f.corrected.length, "corrected byte", "corrected bytes")) : "");
      refine();
    }
    let asked = 0;
    async function point(offset) {
      const f = data.files[file];
      cursor = Math.max(0, Math.min(Math.max(0, f.size - 1), offset));
      if (cursor < from || cursor >= to) {
        const span = to - from;
        from = Math.max(0, Math.min(f.size - span, cursor - Math.round(span / 2)));
        to = from + span;
      }
      draw();
      const request = (asked += 1);
      const record = await rowAt(data, file, cursor);
      if (request !== asked) return;
      const owner = [...runs()].find(([a, b]) => cursor >= a && cursor < b);
      const field = f.fields.find((x) => cursor >= x.offset && cursor < x.offset + x.count);
      const title = (text) => h("strong", {}, text);
      if (record) {
        where.replaceChildren(
          h("p", {}, h("span", { class: `swatch o-${record.state}` }), title(`${hex(cursor)}  ${record.state} ${record.operation}`),
            ` at ${hex(record.offset)}, ${plural(record.length, "byte", "bytes")}`),
          h("p", {}, h("button", { class: "link mono", type: "button", onclick: () => records.history(record) }, record.key || "(empty key)"),
            record.operation === "remove" ? "" : ` = ${record.kind} ${record.value}`),
          h("p", { class: "soft" }, `evidence ${record.evidence}${likely(record)}`, record.cautions && `, ${record.cautions}`,
            data.rules[record.rules] && `, by ${data.rules[record.rules]}`));
      } else {
        where.replaceChildren(h("p", {}, h("span", { class: `swatch o-${owner ? owner[2] : "slack"}` }),
          title(`${hex(cursor)}  ${field ? field.name : owner ? OWNER_NAMES[owner[2]] : ""}`)),
        field && field.meaning ? h("p", {}, field.meaning) : "",
        f.corrected.includes(cursor) ? h("p", {}, "This byte was corrected: it is read with another value than the stored one. See the findings.") : "");
      }
      await drawHex(f, record, field);
    }
    async function drawHex(f, record, field) {
      const start = Math.max(0, (Math.floor(cursor / 16) - HEX_ROWS / 4) * 16), end = Math.min(f.size, start + HEX_ROWS * 16);
      const window = f.windows.find((w) => cursor >= w.offset && cursor < w.offset + w.count);
      if (!window) {
        bytes.replaceChildren(h("p", { class: "note" }, "These bytes are not in this page. Of a large file, it has the first 32 KiB and the bytes around each finding, "
          + "if they fit. kvfsck map prints all bytes."));
        return;
      }
      const content = await block(window.id), list = [];
      const mark = (offset) => {
        const classes = [];
        if (record && offset >= record.offset && offset < record.offset + record.length) {
          const at = offset - record.offset;
          classes.push(at >= record.keyStart && at < record.keyStart + record.keyCount ? "f-key"
            : at >= record.valueStart && at < record.valueStart + record.valueCount ? "f-value" : "f-frame");
        } else if (field && offset >= field.offset && offset < field.offset + field.count) classes.push(OWNERS[field.owner] === "gap" ? "f-gap" : "f-field");
        if (f.corrected.includes(offset)) classes.push("f-fixed");
        if (offset === cursor) classes.push("here");
        return classes.join(" ");
      };
      for (let line = Math.max(start, window.offset - (window.offset % 16)); line < Math.min(end, window.offset + window.count); line += 16) {
        const cells = [h("span", { class: "at" }, line.toString(16).padStart(8, "0"), "  ")], text = [];
        for (let offset = line; offset < line + 16; offset += 1) {
          const inside = offset >= window.offset && offset < window.offset + window.count;
          const value = inside ? content[offset - window.offset] : null;
          const kind = inside ? mark(offset) : "";
          cells.push(h("span", { class: kind }, inside ? value.toString(16).padStart(2, "0") : "  "), offset % 16 === 7 ? "  " : " ");
          text.push(h("span", { class: kind }, inside ? (value >= 32 && value < 127 ? String.fromCharCode(value) : "·") : " "));
        }
        list.push(h("div", {}, cells, " ", text));
      }
      bytes.replaceChildren(h("div", { class: "hex", id: "hex" }, list),
        h("ul", { class: "legend" }, [["f-frame", "lengths"], ["f-key", "key"], ["f-value", "value"]].map(([c, t]) =>
          h("li", { class: "hex" }, h("span", { class: c }, ` ${t} `))),
        f.decrypted ? h("li", {}, "shown decrypted") : ""));
    }
    function offsetOf(event, target, start, end, lines) {
      const box = target.getBoundingClientRect(), perLine = (end - start) / lines;
      const line = Math.max(0, Math.min(lines - 1, Math.floor(((event.clientY - box.top) / box.height) * lines)));
      return Math.floor(start + line * perLine + Math.max(0, Math.min(0.9999, (event.clientX - box.left) / box.width)) * perLine);
    }
    canvas.addEventListener("pointermove", (e) => { if (e.pointerType === "mouse") point(offsetOf(e, canvas, from, to, LINES)); });
    canvas.addEventListener("click", (e) => { point(offsetOf(e, canvas, from, to, LINES)); canvas.focus(); });
    canvas.addEventListener("dblclick", () => zoom(0.25));
    strip.addEventListener("click", (e) => point(offsetOf(e, strip, 0, data.files[file].size, 1)));
    canvas.addEventListener("keydown", (e) => {
      const step = Math.max(1, Math.round((to - from) / LINES / 64)), line = Math.max(1, Math.round((to - from) / LINES));
      const actions = { ArrowRight: () => point(cursor + (e.shiftKey ? 1 : step)), ArrowLeft: () => point(cursor - (e.shiftKey ? 1 : step)),
        ArrowDown: () => point(cursor + line), ArrowUp: () => point(cursor - line), Home: () => point(0), End: () => point(data.files[file].size - 1),
        "+": () => zoom(0.25), "=": () => zoom(0.25), "-": () => zoom(4), Enter: () => zoom(0.25) };
      if (actions[e.key]) { e.preventDefault(); actions[e.key](); }
    });
    new ResizeObserver(draw).observe(canvas);
    point(0);
    return { section, draw, go };
  }

  // The records.

  function recordSection(data) {
    const filter = { text: "", state: "", evidence: "", kind: "", key: null };
    const body = h("tbody"), count = live({ id: "count" }), chip = h("span"), more = h("p", { class: "more" });
    let limit = PAGE, turn = 0, timer = 0;
    const kinds = h("select", { id: "kind", onchange: (e) => set("kind", e.target.value) }, h("option", { value: "" }, "all"), data.kinds.map((kind) => h("option", { value: kind }, kind)));
    const set = (key, value) => { filter[key] = value; limit = PAGE; return update(); };
    const choice = (title, key, values) => h("label", {}, title, h("select", { id: key, onchange: (e) => set(key, e.target.value) },
      h("option", { value: "" }, "all"), values.map((v) => h("option", { value: v }, v))));
    const search = h("input", { type: "search", id: "search", oninput: (e) => {
      clearTimeout(timer);
      timer = setTimeout(() => set("text", e.target.value), 200);
    } });
    const section = h("section", { id: "records" }, h("h2", {}, "History of each key"),
      h("p", { class: "soft" }, "Every value in the file, in file order, and the text of gaps, in which no record could be read. Select a key to see its history. Long keys and values are shortened, and searched only as far as they are shown; "
        + "kvfsck dump --history --full prints them."),
      h("div", { class: "tools" }, h("label", {}, "Key or value", search), choice("State", "state", Object.keys(data.tally)),
        choice("Evidence", "evidence", ["checksum", "corrected", "structure", "guess"]), h("label", {}, "Type", kinds), chip),
      data.omittedCount > 0 && h("p", { class: "note" }, `${number(data.omittedCount)} of ${plural(data.rowCount, "record is", "records are")} left out of this page to keep it small. `
        + "kvfsck dump --history prints all of them."),
      count, h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Records" },
        h("table", { id: "rows" }, h("thead", {}, h("tr", {}, ["Offset", "Key", "State", "Evidence", "Type", "Value", "Bytes"].map((t) =>
          h("th", { scope: "col", class: t === "Bytes" ? "n" : "" }, t)))), body)), more);
    const matches = (r) => (filter.key === null || r.keyNumber === filter.key) && (!filter.state || r.state === filter.state)
      && (!filter.evidence || r.evidence === filter.evidence) && (!filter.kind || r.kind === filter.kind)
      && (!filter.text || r.key.toLowerCase().includes(filter.text) || r.value.toLowerCase().includes(filter.text));
    const cell = (r) => h("tr", { class: r.state === "live" ? "" : "old" },
      h("td", { class: "mono" }, hex(r.offset)), h("td", { class: "wide mono" }, r.state === "gap" ? "–" : h("button", { class: "link", type: "button", onclick: () => history(r) }, r.key || "(empty key)")),
      h("td", { class: "state" }, h("span", { class: `swatch o-${OWNERS.includes(r.state) ? r.state : "structure"}` }), r.state + (r.operation === "remove" ? " remove" : "")),
      h("td", {}, r.evidence + likely(r), r.cautions && h("div", { class: "soft" }, r.cautions)), h("td", {}, r.kind),
      h("td", { class: "wide mono" }, r.value, dateOf(r), r.others && h("div", { class: "soft" }, `or ${r.others}`),
        r.content && h("details", {}, h("summary", {}, "Content"), h("pre", {}, r.content)),
        r.expiry > 0 && h("div", { class: "soft" }, `expires ${date(r.expiry)}`)), h("td", { class: "n" }, number(r.valueCount || r.length)));
    function dateOf(r) {
      const value = Number(r.value);
      if (!/^u?int(32|64)$/.test(r.kind) || r.others.startsWith("date ")) return null;
      const seconds = value > 1e12 && value < 4e12 ? value / 1000 : value > 1e9 && value < 4e9 ? value : null;
      return seconds === null ? null : h("div", { class: "soft" }, `as a date: ${date(seconds)}`);
    }
    async function update() {
      const mine = (turn += 1), rows = [];
      let found = 0, read = 0;
      const words = filter.text;
      filter.text = words.toLowerCase();
      const gaps = data.tally.gap || 0;
      const all = plural(data.rowCount - gaps, "record", "records") + (gaps ? ` and ${plural(gaps, "gap", "gaps")}` : "");
      const isAll = !filter.text && !filter.state && !filter.evidence && !filter.kind && filter.key === null;
      const say = (isDone) => {
        count.textContent = isAll ? all
          : isDone ? `${number(found)} of ${all}` : `${number(found)} found, ${number(read)} of ${number(data.rowCount)} searched …`;
        body.replaceChildren(...rows.map(cell));
        const rest = (isAll ? data.rowCount - data.omittedCount : found) - rows.length;
        more.replaceChildren(rest > 0 ? h("button", { type: "button", onclick: () => { limit += 5 * PAGE; update(); } }, `Show more of ${number(rest)}`) : "");
      };
      for (const index of data.chunks) {
        const chunk = await block(index.id);
        if (mine !== turn) return;
        for (let i = 0; i < index.count; i += 1) {
          const r = row(chunk, i);
          if (matches(r)) { found += 1; if (rows.length < limit) rows.push(r); }
        }
        read += index.count;
        if (isAll && rows.length >= limit) break;
        if (data.chunks.length > 4 && read % (index.count * 8) === 0) { say(false); await new Promise((done) => setTimeout(done)); if (mine !== turn) return; }
      }
      say(true);
    }
    function history({ key, keyNumber }) {
      filter.key = keyNumber;
      limit = PAGE;
      chip.replaceChildren(h("button", { type: "button", id: "key-chip", onclick: () => { filter.key = null; chip.replaceChildren(); update(); } }, `History of ${key} ✕`));
      section.scrollIntoView({ block: "start" });
      return update();
    }
    const unfold = () => { limit = Infinity; return update(); };
    return { section, update, history, unfold };
  }

  // The states.

  function stateSection(data, records) {
    if (data.states.length === 0) return null;
    const result = h("div", { id: "difference" });
    const select = (id, title, value) => h("label", {}, title, h("select", { id, onchange: compare }, data.states.map((s, i) =>
      h("option", { value: i, selected: i === value }, s.name))));
    const first = select("state-a", "From", 0), second = select("state-b", "To", data.states.length - 1);
    async function compare() {
      const a = Number(first.lastChild.value), b = Number(second.lastChild.value), keys = new Map();
      if (a === b) { result.replaceChildren(h("p", { class: "soft" }, "Choose two different states.")); return; }
      for (const index of data.chunks) {
        const chunk = await block(index.id);
        if (!chunk.states) continue;
        for (let i = 0; i < index.count; i += 1) {
          const inA = (chunk.states[i] >> a) & 1, inB = (chunk.states[i] >> b) & 1;
          if (inA === inB) continue;
          const r = row(chunk, i), pair = keys.get(r.keyNumber) || {};
          pair[inA ? "a" : "b"] = r;
          keys.set(r.keyNumber, pair);
        }
      }
      const list = [...keys], shown = list.slice(0, 500), value = (r) => (r ? `${r.kind} ${r.value}` : "–");
      result.replaceChildren(h("p", { role: "status" }, list.length === 0 ? "Both states have the same entries."
        : `${plural(list.length, "key differs", "keys differ")}: ${number(list.filter(([, p]) => p.a && p.b).length)} have different records, `
          + `${number(list.filter(([, p]) => !p.b).length)} only in ${data.states[a].name}, ${number(list.filter(([, p]) => !p.a).length)} only in ${data.states[b].name}.`
          + (list.length > shown.length ? ` The first ${shown.length} are shown.` : "")
          + (data.omittedCount > 0 ? " Records left out of this page are not compared." : "")),
      list.length > 0 ? h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Difference" }, h("table", {},
        h("thead", {}, h("tr", {}, ["Key", data.states[a].name, data.states[b].name].map((t) => h("th", { scope: "col" }, t)))),
        h("tbody", {}, shown.map(([, p]) => h("tr", {}, h("td", { class: "wide mono" }, h("button", { class: "link", type: "button", onclick: () => records.history(p.a || p.b) }, (p.a || p.b).key || "(empty key)")),
          h("td", { class: "wide mono" }, value(p.a)), h("td", { class: "wide mono" }, value(p.b))))))) : "");
    }
    if (data.states.length > 1) compare();
    return h("section", { id: "states" }, h("h2", {}, "Recoverable states"),
      h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "States" }, h("table", {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "State"), h("th", { scope: "col", class: "n" }, "Entries"), h("th", { scope: "col" }, "Weakest evidence"), h("th", { scope: "col" }, "Source"))),
        h("tbody", {}, data.states.map((s) => h("tr", {}, h("td", {}, h("strong", {}, s.name)), h("td", { class: "n" }, counted(s.entries, s.guesses)), h("td", {}, s.evidence),
          h("td", { class: "wide" }, s.message, s.rules.map(explain))))))),
      data.states.length > 1 && h("h3", {}, "Difference"), data.states.length > 1 && h("div", { class: "tools" }, first, second), result);
  }

  function inputSection(data) {
    return h("section", { id: "inputs" }, h("h2", {}, "Input files"), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Input files" }, h("table", {},
      h("thead", {}, h("tr", {}, ["Role", "Path", "Bytes", "SHA-256"].map((t) => h("th", { scope: "col", class: t === "Bytes" ? "n" : "" }, t)))),
      h("tbody", {}, data.store.files.map((f) => h("tr", {}, h("td", {}, f.file), h("td", { class: "wide path" }, visible(f.path)),
        h("td", { class: "n" }, number(f.size)), h("td", { class: "wide mono" }, f.sha256 || "–")))))));
  }

  function route() {
    const match = /^#s(\d+)$/.exec(location.hash), index = match ? Number(match[1]) : 0;
    if (stores.length === 1) drawStore(0);
    else if (match && stores[index]) { drawStore(index); scrollTo(0, 0); } else drawOverview();
  }
  addEventListener("hashchange", route);
  // Paper is light, and nobody can open what is closed on it.
  let opened = [];
  addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    opened = [...document.querySelectorAll("details:not([open])")];
    for (const part of opened) part.open = true;
    redraw();
  });
  addEventListener("afterprint", () => {
    for (const part of opened) part.open = false;
    applyTheme();
  });
  applyTheme();
  if (stores.length === 0) show(header(false), h("main", { id: "content" }, h("h1", {}, "No stores"), runSection()));
  else route();
})();
