import KVModel
import KVRecovery

/// The colors of a report, or none.
struct Colors {
  let isOn: Bool

  /// A verdict: green, yellow or red.
  func verdict(_ verdict: Verdict) -> String {
    switch verdict {
    case .clean: painted(verdict.rawValue, "32")
    case .repairable: painted(verdict.rawValue, "33")
    case .damaged, .unreadable: painted(verdict.rawValue, "31")
    }
  }

  /// The word for a store that was emptied.
  var emptied: String { painted("emptied", "33") }

  /// A severity: dim, yellow or red.
  func severity(_ severity: Finding.Severity) -> String {
    switch severity {
    case .note: painted(severity.rawValue, "2")
    case .warning: painted(severity.rawValue, "33")
    case .damage: painted(severity.rawValue, "31")
    }
  }

  /// `text`, which says what verifies an entry: plain, yellow, or red for a guess.
  func evidence(_ evidence: Evidence, _ text: String) -> String {
    switch evidence {
    case .checksum: text
    case .corrected, .structure: painted(text, "33")
    case .guess: painted(text, "31")
    }
  }

  /// `text`, which is about what no checksum excludes.
  func caution(_ text: String) -> String { text.isEmpty ? "" : painted(text, "33") }

  /// `text`, which the app does not see any more.
  func past(_ text: String) -> String { painted(text, "2") }

  /// `text`, which is about bytes that cannot be read.
  func gap(_ text: String) -> String { painted(text, "31") }

  /// `text`, which stands for bytes of `owner`: live ones green, gaps red, structure cyan, the rest dim.
  func owner(_ owner: ByteOwner, _ text: String) -> String {
    switch owner {
    case .live: painted(text, "32")
    case .gap, .log: painted(text, "31")
    case .structure: painted(text, "36")
    case .superseded, .removed, .slack: painted(text, "2")
    }
  }

  /// What kind of a byte it is, by which a hexdump is colored.
  enum ByteClass {
    case zero, printable, control, high

    /// The class of `byte`.
    init(_ byte: UInt8) {
      switch byte {
      case 0: self = .zero
      case 0x20..<0x7f: self = .printable
      case ..<0x80: self = .control
      default: self = .high
      }
    }
  }

  /// `text`, which stands for bytes of one class: zeros dim, text cyan, other ASCII green, the rest plain.
  func bytes(_ byteClass: ByteClass, _ text: String) -> String {
    switch byteClass {
    case .zero: painted(text, "2")
    case .printable: painted(text, "36")
    case .control: painted(text, "32")
    case .high: text
    }
  }

  private func painted(_ text: String, _ code: String) -> String {
    isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
