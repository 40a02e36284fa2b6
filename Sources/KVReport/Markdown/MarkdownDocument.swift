import KVBytes

/// A document in Markdown, for the page of a job: the stores that did not pass with what is wrong,
/// then the others.
///
/// All that comes from files stands in code spans. It has only numbers in its table, because the
/// cells of a table end at `|` in code spans too.
struct MarkdownDocument {
  /// The start of every document.
  static let opening = "<!-- kvfsck check -->\n"
  /// The largest number of bytes.
  ///
  /// GitHub shows up to 1,048,576 for a step, which can add some of its own.
  private static let byteLimit = 1_000_000
  /// The bytes that are kept free for what follows the stores.
  private static let endCount = 200
  /// The largest number of lines about a store.
  private static let lineLimit = 20
  /// The largest number of scalars in a line.
  private static let scalarLimit = 1000

  let stores: [CheckedStore]

  /// The document.
  var text: String {
    var text = head
    var omitted = 0
    /// Adds the lines about the stores with `outcome`, as long as there is room.
    func add(_ outcome: CheckedStore.Outcome, _ label: String) {
      for store in stores where store.outcome == outcome {
        let item = self.item(store, label)
        let isFull = text.utf8.count + item.utf8.count > Self.byteLimit - Self.endCount
        if isFull || omitted > 0 { omitted += 1 } else { text += item }
      }
    }
    add(.failed, "**failed** ")
    add(.notRun, "**not read** ")
    let passed = count(.passed)
    if passed > 0, omitted == 0 {
      text += "\n<details><summary>\(Plural.count(passed, "store", "stores")) passed</summary>\n\n"
      add(.passed, "")
      text += "\n</details>\n"
    }
    if omitted > 0 {
      text += "\n\(Plural.count(omitted, "more store is", "more stores are")) not listed here.\n"
    }
    return text
  }

  private func count(_ outcome: CheckedStore.Outcome) -> Int {
    stores.count { $0.outcome == outcome }
  }

  /// The title, and the counts.
  private var head: String {
    let bad = stores.count - count(.passed)
    let all = Plural.count(stores.count, "store", "stores")
    let title =
      stores.isEmpty
      ? "no store was checked" : bad == 0 ? "\(all) passed" : "\(bad) of \(all) did not pass"
    let counts = [count(.passed), count(.failed), count(.notRun)].map(\.grouped)
    return Self.opening + "### kvfsck: \(title)\n\n"
      + "| passed | failed | not read |\n|---:|---:|---:|\n"
      + "| \(counts.joined(separator: " | ")) |\n\n"
  }

  /// Returns the item of the list that is about `store`.
  private func item(_ store: CheckedStore, _ label: String) -> String {
    var lines = store.differences.map(\.message) + store.findingLines
    // What is in the summary comes from us only if the store was read.
    let summary = store.obstacle == nil ? ": \(store.summary)" : ""
    if let obstacle = store.obstacle { lines.insert(obstacle, at: 0) }
    var text = "- \(label)\(Self.code(store.path))\(summary)\n"
    for line in lines.prefix(Self.lineLimit) { text += "  - \(Self.code(line))\n" }
    if lines.count > Self.lineLimit {
      text += "  - and \((lines.count - Self.lineLimit).grouped) more\n"
    }
    return text
  }

  /// Returns `text` as a code span, in which neither Markdown nor HTML means anything.
  ///
  /// Reference: CommonMark 0.31 § Code spans.
  private static func code(_ text: String) -> String {
    let scalars = TextReporter.printable(text).unicodeScalars
    var shown = String(String.UnicodeScalarView(scalars.prefix(scalarLimit)))
    if scalars.count > scalarLimit { shown += "…" }
    var (longest, length) = (0, 0)
    for byte in shown.utf8 {
      length = byte == UInt8(ascii: "`") ? length + 1 : 0
      longest = max(longest, length)
    }
    let fence = String(repeating: "`", count: longest + 1)
    // One space on each side belongs to the fence, if there is one on both.
    let ends = [shown.utf8.first, shown.utf8.last]
    let isPadded = ends.contains { $0 == nil || $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: " ") }
    let padding = isPadded ? " " : ""
    return fence + padding + shown + padding + fence
  }
}
