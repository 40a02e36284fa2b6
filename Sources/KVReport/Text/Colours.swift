import KVModel
import KVRecovery

/// The colours of a report, or none.
struct Colours {
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

  private func painted(_ text: String, _ code: String) -> String {
    isOn ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
  }
}
