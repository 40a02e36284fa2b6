import KVBytes
import KVModel
import KVSystem

/// Writes an XML property list in CoreFoundation's form.
struct XMLPropertyListWriter {
  private let output: FileStream
  private let forbidden: XMLText.Forbidden

  /// Creates a writer to `output` that writes what XML forbids as `forbidden` says.
  init(_ output: FileStream, _ forbidden: XMLText.Forbidden) {
    self.output = output
    self.forbidden = forbidden
  }

  /// Writes the start of the document, up to the first entry.
  func begin() {
    output.write(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>

      """)
  }

  /// Writes an entry that `PropertyListFitting` has fitted.
  func write(_ entry: TypedEntry) { write(entry.key.text ?? "", entry.value, indentation: "\t") }

  /// Writes the end of the document.
  func end() { output.write("</dict>\n</plist>\n") }

  private func write(_ name: String, _ value: Value, indentation: String) {
    output.write("\(indentation)<key>\(XMLText.escaped(name, forbidden))</key>\n")
    write(value, indentation: indentation)
  }

  private func write(_ value: Value, indentation: String) {
    func element(_ name: String, _ text: String) {
      output.write("\(indentation)<\(name)>\(text)</\(name)>\n")
    }
    switch value {
    case .bool(let bool): output.write("\(indentation)<\(bool ? "true" : "false")/>\n")
    case .int64(let number): element("integer", String(number))
    // The number of a reference within an archive.
    case .uint32(let number): element("integer", String(number))
    case .uint64(let number): element("integer", String(number))
    case .double(let number): element("real", Self.text(number))
    case .string(let text): element("string", XMLText.escaped(text, forbidden))
    case .date(let seconds):
      if let text = PropertyListDate.text(seconds) { element("date", text) }
    case .bytes(let bytes), .keyedArchive(_, let bytes): element("data", Base64.text(bytes))
    case .array(let values):
      output.write("\(indentation)<array>\n")
      for value in values { write(value, indentation: indentation + "\t") }
      output.write("\(indentation)</array>\n")
    case .dictionary(let members):
      output.write("\(indentation)<dict>\n")
      for member in members { write(member.name, member.value, indentation: indentation + "\t") }
      output.write("\(indentation)</dict>\n")
    case .int32, .float, .json, .list, .set, .object, .null, .raw:
      // `PropertyListFitting` returns no such value.
      break
    }
  }

  private static func text(_ number: Double) -> String {
    if number.isNaN { return "nan" }
    if number.isInfinite { return number < 0 ? "-infinity" : "+infinity" }
    return number.digits
  }
}
