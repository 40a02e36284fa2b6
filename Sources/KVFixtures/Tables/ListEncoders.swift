import KVBytes
import KVModel

/// Writes a property list in XML, as CoreFoundation does.
enum XMLListEncoder {
  static func content(of entries: [TypedEntry]) -> TableContent {
    var content = TableContent()
    content.add(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" \
      "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0">
      <dict>

      """)
    for entry in entries {
      content.add("\t")
      content.add(member(entry.key.text ?? "", entry.value, "\t").utf8, of: entry.key)
      content.add("\n")
    }
    content.add("</dict>\n</plist>\n")
    return content
  }

  private static func member(_ name: String, _ value: Value, _ indentation: String) -> String {
    "<key>\(XMLText.escaped(name))</key>\n\(indentation)\(element(value, indentation))"
  }

  private static func element(_ value: Value, _ indentation: String) -> String {
    switch value {
    case .bool(let bool): return "<\(bool)/>"
    case .int64(let number): return "<integer>\(number)</integer>"
    case .double(let number): return "<real>\(text(of: number))</real>"
    case .date(let seconds): return "<date>\(UTCDate.text(Int64(seconds)))</date>"
    case .bytes(let bytes): return "<data>\(Base64.text(bytes))</data>"
    case .string(let text): return "<string>\(XMLText.escaped(text))</string>"
    case .array(let values):
      return container("array", values.map { element($0, indentation + "\t") }, indentation)
    case .dictionary(let members):
      return container(
        "dict", members.map { member($0.name, $0.value, indentation + "\t") }, indentation)
    default: return ""
    }
  }

  private static func container(
    _ name: String, _ elements: [String], _ indentation: String
  ) -> String {
    guard !elements.isEmpty else { return "<\(name)/>" }
    let lines = elements.map { "\(indentation)\t\($0)\n" }
    return "<\(name)>\n\(lines.joined())\(indentation)</\(name)>"
  }

  private static func text(of number: Double) -> String {
    number.isFinite
      ? number.digits : number.isNaN ? "nan" : number < 0 ? "-infinity" : "+infinity"
  }
}

/// Writes a binary property list, as CoreFoundation does.
struct BinaryListEncoder {
  private static let epoch = 978_307_200.0

  private enum Object {
    case scalar([UInt8])
    case container(UInt8, [Int])
  }

  private var objects: [Object] = []
  /// The numbers of the objects of texts: each is stored once.
  private var texts: [[UInt8]: Int] = [:]

  static func content(of entries: [TypedEntry]) -> TableContent {
    var encoder = BinaryListEncoder()
    encoder.objects.append(.container(0xd0, []))
    let keys = entries.map { encoder.text($0.key.text ?? "") }
    let values = entries.map { encoder.add($0.value) }
    encoder.objects[0] = .container(0xd0, keys + values)
    return encoder.content()
  }

  private mutating func add(_ object: Object) -> Int {
    objects.append(object)
    return objects.count - 1
  }

  private mutating func add(_ value: Value) -> Int {
    var output = ByteWriter()
    switch value {
    case .bool(let bool): output.writeByte(bool ? 0x09 : 0x08)
    case .int64(let number): output.writeBytes(Self.integer(number))
    case .float(let number):
      output.writeByte(0x22)
      output.writeInteger(number.bitPattern, as: .big)
    case .double(let number):
      output.writeByte(0x23)
      output.writeInteger(number.bitPattern, as: .big)
    case .date(let seconds):
      output.writeByte(0x33)
      output.writeInteger((seconds - Self.epoch).bitPattern, as: .big)
    case .bytes(let bytes):
      output.writeBytes(Self.marker(0x40, bytes.count))
      output.writeBytes(bytes)
    case .string(let text): return self.text(text)
    case .array(let values):
      let object = add(.container(0xa0, []))
      objects[object] = .container(0xa0, values.map { add($0) })
      return object
    case .dictionary(let members):
      let object = add(.container(0xd0, []))
      let keys = members.map { text($0.name) }
      objects[object] = .container(0xd0, keys + members.map { add($0.value) })
      return object
    default: output.writeByte(0)
    }
    return add(.scalar(output.bytes))
  }

  private mutating func text(_ text: String) -> Int {
    let utf8 = Array(text.utf8)
    if let known = texts[utf8] { return known }
    let isASCII = utf8.allSatisfy { $0 < 0x80 }
    let count = isASCII ? utf8.count : text.utf16.count
    let units = text.utf16.flatMap {
      [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
    }
    let object = add(.scalar(Self.marker(isASCII ? 0x50 : 0x60, count) + (isASCII ? utf8 : units)))
    texts[utf8] = object
    return object
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    count < 15 ? [kind | UInt8(truncatingIfNeeded: count)] : [kind | 0x0f] + integer(Int64(count))
  }

  private static func integer(_ number: Int64) -> [UInt8] {
    let width = number < 0 ? 8 : Self.width(Int(truncatingIfNeeded: number))
    return [0x10 | UInt8(width.trailingZeroBitCount)]
      + bytes(Int(truncatingIfNeeded: number), width)
  }

  private static func width(_ number: Int) -> Int {
    [1, 2, 4].first { number < 1 << (8 * $0) } ?? 8
  }

  private static func bytes(_ number: Int, _ width: Int) -> [UInt8] {
    (0..<width).reversed().map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  // MARK: The file

  private func content() -> TableContent {
    var content = TableContent()
    content.add("bplist00")
    let width = Self.width(objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(content.bytes.count)
      switch object {
      case .scalar(let bytes): content.bytes += bytes
      case .container(let kind, let references):
        content.bytes += Self.marker(kind, kind == 0xd0 ? references.count / 2 : references.count)
        for reference in references { content.bytes += Self.bytes(reference, width) }
      }
    }
    let table = content.bytes.count
    let offsetWidth = Self.width(table)
    for offset in offsets { content.bytes += Self.bytes(offset, offsetWidth) }
    content.bytes += [0, 0, 0, 0, 0, 0]
    for number in [offsetWidth, width] { content.bytes += Self.bytes(number, 1) }
    for number in [objects.count, 0, table] { content.bytes += Self.bytes(number, 8) }
    return content
  }
}
