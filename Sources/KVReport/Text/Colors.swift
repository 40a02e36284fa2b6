import KVConversion
import KVModel
import KVRecovery

/// The colors of a report, which can be off.
struct Colors {
  let isOn: Bool

  /// Returns a verdict in green, yellow or red.
  func verdict(_ verdict: Verdict) -> String {
    switch verdict {
    case .clean: painted(verdict.rawValue, "32")
    case .repairable: painted(verdict.rawValue, "33")
    case .damaged, .unreadable: painted(verdict.rawValue, "31")
    }
  }

  /// The word for a store that was emptied.
  var emptied: String { painted("emptied", "33") }

  /// Returns a severity: dim, yellow or red.
  func severity(_ severity: Finding.Severity) -> String {
    switch severity {
    case .note: painted(severity.rawValue, "2")
    case .warning: painted(severity.rawValue, "33")
    case .damage: painted(severity.rawValue, "31")
    }
  }

  /// Returns `text`, which is about the evidence for an entry: plain, yellow, or red for a guess.
  func evidence(_ evidence: Evidence, _ text: String) -> String {
    switch evidence {
    case .checksum: text
    case .corrected, .structure: painted(text, "33")
    case .guess: painted(text, "31")
    }
  }

  /// Returns `text`, which is about cautions, in yellow.
  func caution(_ text: String) -> String { painted(text, "33") }

  /// Returns `text`, which is about something that the app no longer sees, dim.
  func past(_ text: String) -> String { painted(text, "2") }

  /// Returns the line of an added key in green, of a removed one in red, of any other in yellow.
  func change(_ change: Comparison.Difference.Change, _ text: String) -> String {
    switch change {
    case .added: painted(text, "32")
    case .removed: painted(text, "31")
    case .changed, .retyped: painted(text, "33")
    }
  }

  /// Returns `text`, which is about bytes that cannot be read, in red.
  func gap(_ text: String) -> String { painted(text, "31") }

  /// Returns `text`, which represents bytes of `owner`: live bytes green, gaps red, structure cyan,
  /// the rest dim.
  func owner(_ owner: ByteOwner, _ text: String) -> String {
    switch owner {
    case .live: painted(text, "32")
    case .gap, .log: painted(text, "31")
    case .structure: painted(text, "36")
    case .superseded, .removed, .slack: painted(text, "2")
    }
  }

  /// The class of a byte, which decides its color in a hexdump.
  enum ByteClass {
    case zero, printable, control, high

    /// Creates the class of `byte`.
    init(_ byte: UInt8) {
      switch byte {
      case 0: self = .zero
      case 0x20..<0x7f: self = .printable
      case ..<0x80: self = .control
      default: self = .high
      }
    }
  }

  /// Returns `text`, which represents bytes of one class: zeros dim, text cyan, other ASCII green,
  /// the rest plain.
  func bytes(_ byteClass: ByteClass, _ text: String) -> String {
    switch byteClass {
    case .zero: painted(text, "2")
    case .printable: painted(text, "36")
    case .control: painted(text, "32")
    case .high: text
    }
  }

  /// What begins a text about something that the app no longer sees, and what ends it.
  var aroundPast: (start: String, end: String) { isOn ? ("\u{1b}[2m", "\u{1b}[0m") : ("", "") }

  // MARK: Marks of entries

  /// Returns the cautions of an entry, to follow its evidence; empty if there are none.
  func mark(_ cautions: [Caution]) -> String {
    cautions.isEmpty ? "" : caution(" " + cautions.map(\.rawValue).joined(separator: " "))
  }

  /// Returns the evidence for an entry and its probability, to follow its value; empty if a checksum
  /// verifies it.
  func mark(_ evidence: Evidence, _ probability: Probability? = nil) -> String {
    guard evidence != .checksum else { return "" }
    let words = evidence.rawValue + (probability.map { " \($0.text)" } ?? "")
    return self.evidence(evidence, "  [\(words)]")
  }

  private func painted(_ text: String, _ code: String) -> String {
    isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
