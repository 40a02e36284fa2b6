import KVModel
import KVToolkit

/// What `Docs/FINDINGS.md` says of the findings: an index, and a section for each.
enum FindingPage {
  /// Findings under one heading.
  private struct Group {
    let title: String
    let introduction: String
    /// The first parts of the codes; `nil` for those that no other group has.
    let domains: [String]?
  }

  private static let groups = [
    Group(
      title: "MMKV",
      introduction: """
        A store has two files. The *data file* holds a header and the log. The *meta file*, which \
        has the same name and `.crc`, holds size, checksum, version, flags and the encryption \
        *vector*. It also holds the *last confirmed* size and checksum, which are those after the \
        last full rewrite. [FORMAT-MMKV.md](FORMAT-MMKV.md#loading) says how MMKV 2.4.2 loads them.
        """,
      domains: ["mmkv"]),
    Group(
      title: "FastKV for iOS",
      introduction: """
        The log is a chain of records, each with a CRC of its own and a separator after it. The \
        header has the length of the log. The engine skips a record whose CRC does not match, so an \
        older value of the key comes back. [FORMAT-FASTKV-APPLE.md](FORMAT-FASTKV-APPLE.md#opening) \
        says how FastKV 0.3.0 opens a store.
        """,
      domains: ["fastkv-apple"]),
    Group(
      title: "FastKV for Android",
      introduction: """
        A store has up to three copies of its data: the pair `.kva` (A) and `.kvb` (B), and a \
        `.kvc`, at first called `.tmp`. A copy is *valid* if its checksum matches and all \
        of its records decode. The engine ignores a copy that is not valid, and clears the store if \
        no copy is. The checksum consists of eight *lanes*, in which equal changes cancel out. Many \
        findings about a copy are damage if the store is read from it, otherwise a warning. [FORMAT-FASTKV-ANDROID.md](FORMAT-FASTKV-ANDROID.md#opening) says how FastKV \
        opens a store.
        """,
      domains: ["fastkv-android"]),
    Group(
      title: "The records",
      introduction: """
        Each of these findings, except the last, is a gap: bytes of the log in which no record can \
        be read. The damage may begin a little before it. Entries after it are guesses, unless they \
        have checksums or reach a known end. MMKV stops at a gap, or takes its bytes as entries.
        """,
      domains: ["record"]),
    Group(
      title: "The store as a whole",
      introduction: "Stores of any format can have these findings.",
      domains: ["engine", "store"]),
    Group(
      title: "Conversion",
      introduction: """
        `convert` prints these findings with the key of an entry. A warning means that something is \
        lost. With `--strict`, nothing is written then. [CONVERSION.md](CONVERSION.md) has the rules.
        """,
      domains: ["convert"]),
    Group(
      title: "Formats without a log",
      introduction: """
        Entries that could be read are kept. [CONVERSION.md](CONVERSION.md) describes these formats. \
        If content of an undamaged file was not read, as for a key that occurs twice, `convert` \
        counts a loss.
        """,
      domains: nil),
  ]

  private static let all = Explanations.findings()

  /// The generated part of the page.
  static var text: String {
    let named = Set(groups.flatMap { $0.domains ?? [] })
    let sections = groups.map { group in
      let codes = all.filter { group.domains?.contains($0.domain) ?? !named.contains($0.domain) }
      return (["## \(group.title)", group.introduction] + codes.map(section))
        .joined(separator: "\n\n")
    }
    return ([index] + sections).joined(separator: "\n\n")
  }

  /// A table of the codes, with a row for each domain and severity.
  private static var index: String {
    var rows: [(title: String, names: [String])] = []
    for code in all {
      let title = "`\(code.domain).` | \(code.severityText)"
      let name = String(code.name.dropFirst(code.domain.count + 1))
      if let row = rows.firstIndex(where: { $0.title == title }) {
        rows[row].names.append(name)
      } else {
        rows.append((title, [name]))
      }
    }
    let lines = rows.map { "| \($0.title) | \($0.names.joined(separator: ", ")) |" }
    return (["| codes | severity | findings |", "|---|---|---|"] + lines).joined(separator: "\n")
  }

  private static func section(of code: FindingCode) -> String {
    let heading = "### `\(code.name)`\n\n*\(code.severityText)*: \(code.meaning).\n\n"
    let lines = code.paragraphs.map { "- **\($0)** \($1)." }.joined(separator: "\n")
    return heading + linked(lines, within: code)
  }

  /// Returns `text` with a link at each name of another finding, and to the page about devices.
  private static func linked(_ text: String, within code: FindingCode) -> String {
    text.replacing("`kvfsck explain device`", with: "[DEVICE.md](DEVICE.md)")
      .replacing(/`([a-z-]+\.[a-z-]+)`/) { match in
        let name = String(match.output.1)
        let isOther = name != code.name && all.contains { $0.name == name }
        return isOther ? "[`\(name)`](#\(anchor(name)))" : String(match.output.0)
      }
  }

  private static func anchor(_ name: String) -> String { name.filter { $0 != "." } }
}
