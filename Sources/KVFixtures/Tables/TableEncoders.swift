import KVBytes
import KVCryptography
import KVModel

/// Writes SharedPreferences, as `XmlUtils` of Android does.
enum SharedPreferencesEncoder {
  static func content(of entries: [TypedEntry]) -> TableContent {
    var content = TableContent()
    content.add("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n")
    for entry in entries {
      content.add("    ")
      content.add(element(entry).utf8, of: entry.key)
      content.add("\n")
    }
    content.add("</map>\n")
    return content
  }

  private static func element(_ entry: TypedEntry) -> String {
    let name = "name=\"\(XMLText.escaped(entry.key.text ?? "", .referred))\""
    func scalar(_ type: String, _ text: String) -> String {
      "<\(type) \(name) value=\"\(text)\" />"
    }
    switch entry.value {
    case .bool(let bool): return scalar("boolean", "\(bool)")
    case .int32(let number): return scalar("int", "\(number)")
    case .int64(let number): return scalar("long", "\(number)")
    case .float(let number): return scalar("float", text(of: number))
    case .string(let text): return "<string \(name)>\(XMLText.escaped(text, .referred))</string>"
    case .set(let texts):
      let lines = texts.map { text in
        text.map { "        <string>\(XMLText.escaped($0, .referred))</string>\n" }
          ?? "        <null />\n"
      }
      return lines.isEmpty
        ? "<set \(name) />" : "<set \(name)>\n\(lines.joined())    </set>"
    default: return "<null \(name) />"
    }
  }

  private static func text(of number: Float) -> String {
    number.isFinite ? "\(number)" : number.isNaN ? "NaN" : number < 0 ? "-Infinity" : "Infinity"
  }
}

/// Writes a Preferences DataStore, as protobuf does.
enum DataStoreEncoder {
  static func content(of entries: [TypedEntry]) -> TableContent {
    var content = TableContent()
    for entry in entries {
      content.add(
        field(1, field(1, entry.key.bytes) + field(2, member(entry.value))), of: entry.key)
    }
    return content
  }

  private static func member(_ value: Value) -> [UInt8] {
    var output = ByteWriter()
    switch value {
    case .bool(let bool): output.writeBytes([0x08, bool ? 1 : 0])
    case .float(let number):
      output.writeByte(0x15)
      output.writeInteger(number.bitPattern, as: .little)
    case .int32(let number):
      output.writeByte(0x18)
      output.writeVarint(UInt64(bitPattern: Int64(number)))
    case .int64(let number):
      output.writeByte(0x20)
      output.writeVarint(UInt64(bitPattern: number))
    case .string(let text): return field(5, Array(text.utf8))
    case .set(let texts):
      return field(6, texts.flatMap { field(1, Array(($0 ?? "").utf8)) })
    case .double(let number):
      output.writeByte(0x39)
      output.writeInteger(number.bitPattern, as: .little)
    case .bytes(let bytes): return field(8, bytes)
    default: break
    }
    return output.bytes
  }

  private static func field(_ number: UInt64, _ bytes: [UInt8]) -> [UInt8] {
    var output = ByteWriter()
    output.writeVarint(number << 3 | 2)
    output.writeVarint(UInt64(bytes.count))
    return output.bytes + bytes
  }
}

/// Writes the manifest and the files of values of AsyncStorage on iOS.
enum ManifestEncoder {
  /// A text of more UTF-16 units is in a file of its own.
  private static let maximumCount = 1024

  static func content(of entries: [TypedEntry]) throws(ScriptError) -> TableContent {
    var content = TableContent()
    content.add("{")
    for entry in entries {
      if content.bytes.count > 1 { content.add(",") }
      let text = text(of: entry.value)
      content.add(item(entry.key, text), of: entry.key)
      if isInFile(text) {
        content.values[entry.key] = SimulatedFile(
          .external, named: try name(of: entry.key), Array(text.utf8))
      }
    }
    content.add("}")
    return content
  }

  /// Returns whether a text is in a file of its own.
  static func isInFile(_ text: String) -> Bool { text.utf16.count > maximumCount }

  /// Returns what the manifest has for a text: the text itself, or null if it is in a file.
  static func item(_ key: Key, _ text: String) -> [UInt8] {
    var item: [UInt8] = []
    JSONBytes.append(quoted: key.text ?? "", to: &item)
    item.append(UInt8(ascii: ":"))
    if isInFile(text) {
      item += "null".utf8
    } else {
      JSONBytes.append(quoted: text, to: &item)
    }
    return item
  }

  /// Returns the text of a value that is one.
  static func text(of value: Value) -> String {
    switch value {
    case .string(let text), .json(let text): text
    default: ""
    }
  }

  /// Returns the name of the file with the value of `key`.
  static func name(of key: Key) throws(ScriptError) -> String {
    guard let digest = Cryptography.md5(key.bytes) else {
      throw ScriptError(
        line: nil, "the names of the files of values need MD5, which this build lacks")
    }
    return Hexadecimal.text(digest)
  }
}
