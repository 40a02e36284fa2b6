import KVBytes
import KVModel

extension TextReporter {
  /// Returns `value` for use by a program or a person: a text unchanged, data in hexadecimal, a
  /// time in ISO 8601, and a list as JSON.
  static func text(of value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): text
    case .bytes(let bytes), .raw(let bytes), .keyedArchive(_, let bytes), .object(_, let bytes):
      Hexadecimal.text(bytes)
    case .date(let seconds): UTCDate(seconds).text
    case .float(let number): number.digits
    case .double(let number): number.digits
    default: value.plainJSON ?? JSONLine.text(of: value)
    }
  }

  /// Prints the content of a document, if there is one.
  func emit(_ document: ValueContent?) {
    guard let document else { return }
    emit(verbatim: "content: \(DisplayText.title(of: document))")
    guard document.media == nil else { return }
    for line in DisplayText.outline(of: document) { emit(verbatim: "  " + line) }
  }
}
