import KVModel
import KVToolkit

/// What `Docs/FINDINGS.md` says of the findings: the causes that many share, and a section for each.
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
        The *data file* holds the log. The *meta file*, with the same name and `.crc`, holds size, \
        checksum, version, flags, the encryption *vector*, and the *last confirmed* size and \
        checksum: those after the last full rewrite. [FORMAT-MMKV.md](FORMAT-MMKV.md#loading) says \
        how MMKV 2.4.2 loads them.
        """,
      domains: ["mmkv"]),
    Group(
      title: "FastKV for iOS",
      introduction: """
        Each record has a CRC of its own and a separator after it. The engine skips one whose CRC \
        does not match, so an older value of the key comes back. \
        [FORMAT-FASTKV-APPLE.md](FORMAT-FASTKV-APPLE.md#opening) says how FastKV 0.3.0 opens a store.
        """,
      domains: ["fastkv-apple"]),
    Group(
      title: "FastKV for Android",
      introduction: """
        A store has up to three copies of its data: the pair `.kva` (A) and `.kvb` (B), and a \
        `.kvc`, at first called `.tmp`. A copy is *valid* if its checksum matches and all \
        of its records decode. The engine ignores a copy that is not valid, and clears the store if \
        no copy is. The checksum consists of eight *lanes*, in which equal changes cancel out. Many \
        findings about a copy are damage if the store is read from it, otherwise a warning. See \
        [FORMAT-FASTKV-ANDROID.md](FORMAT-FASTKV-ANDROID.md#opening).
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
        Entries that could be read are kept. If content of an undamaged file was not read, as for a \
        key that occurs twice, `convert` counts a loss.
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
    return ([causes] + sections).joined(separator: "\n\n")
  }

  /// The causes that many findings share, each with its name on the page.
  private static let shared: [(name: String, cause: FindingCause, text: String)] = [
    (.damage, "changed bytes"), (.tear, "interrupted write"), (.cut, "truncated"),
    (.apart, "files apart"), (.notThere, "missing file"), (.encryption, "encryption"),
    (.foreign, "other program"), (.engine, "engine defect"), (.formats, "other format"),
    (.untyped, "no types"),
  ].compactMap { (cause: FindingCause, name: String) in
    let code = all.first { $0.cause == cause }
    return code?.paragraphs.first.map { (name, cause, $0.text) }
  }

  /// The names of the causes for which another copy can help.
  private static let copied: Set = ["truncated", "files apart", "missing file"]

  /// A table of the shared causes.
  private static var causes: String {
    let lines = shared.map {
      "| \($0.name) | \($0.text)\(copied.contains($0.name) ? ": [copy again](DEVICE.md)" : "") |"
    }
    return (["| cause | what happened |", "|---|---|"] + lines).joined(separator: "\n")
  }

  private static func section(of code: FindingCode) -> String {
    let cause = shared.first { $0.cause == code.cause }
    let parts = code.paragraphs.compactMap { title, text -> String? in
      switch title {
      case "Cause": "*Cause:* \(cause?.name ?? text)."
      case "What to do": remedy(text)
      case "To copy again": copied.contains(cause?.name ?? "") ? nil : "[Copy again](DEVICE.md)."
      default: nil
      }
    }
    let heading = "### `\(code.name)`\n\n*\(code.severityText)*: \(code.meaning)."
    return ([heading] + parts).joined(separator: " ")
  }

  private static func remedy(_ text: String) -> String {
    text.hasPrefix("A repair ") ? "*Repair:* \(text.dropFirst(9))." : "*Do:* \(text)."
  }
}
