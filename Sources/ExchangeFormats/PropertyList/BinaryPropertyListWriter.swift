import KVBytes
import KVModel

/// Writes a binary property list, whose layout `BinaryPropertyList` describes.
struct BinaryPropertyListWriter {
  private enum Object {
    case scalar([UInt8])
    case container(kind: UInt8, references: [Int])
  }

  private var objects: [Object] = []
  /// The objects of strings.
  ///
  /// Each string is stored once, because keys repeat in every dictionary.
  private var texts: [[UInt8]: Int] = [:]

  /// Returns the list whose outermost dictionary has `entries`, which `PropertyListFitting` has
  /// fitted.
  static func bytes(of entries: [TypedEntry]) -> [UInt8] {
    var writer = BinaryPropertyListWriter()
    let top = writer.reserve()
    let keys = entries.map { writer.text($0.key.text ?? "") }
    let values = entries.map { writer.value($0.value) }
    writer.objects[top] = .container(kind: 0xd0, references: keys + values)
    return writer.file()
  }

  // MARK: Objects

  private mutating func reserve() -> Int {
    objects.append(.scalar([]))
    return objects.count - 1
  }

  private mutating func add(_ bytes: [UInt8]) -> Int {
    objects.append(.scalar(bytes))
    return objects.count - 1
  }

  private mutating func value(_ value: Value) -> Int {
    var output = ByteWriter()
    switch value {
    case .bool(let bool): return add([bool ? 0x09 : 0x08])
    case .int64(let number): return add(Self.integer(number))
    case .uint64(let number):
      // Eight bytes are signed, so this takes sixteen.
      output.writeByte(0x14)
      output.writeZeros(8)
      output.writeInteger(number, as: .big)
    case .float(let number):
      output.writeByte(0x22)
      output.writeInteger(number.bitPattern, as: .big)
    case .double(let number):
      output.writeByte(0x23)
      output.writeInteger(number.bitPattern, as: .big)
    case .date(let seconds):
      output.writeByte(0x33)
      output.writeInteger((seconds - PropertyListFormat.epoch).bitPattern, as: .big)
    case .string(let text): return self.text(text)
    case .bytes(let bytes), .keyedArchive(_, let bytes):
      output.writeBytes(Self.marker(0x40, bytes.count))
      output.writeBytes(bytes)
    case .array(let values):
      let object = reserve()
      objects[object] = .container(kind: 0xa0, references: values.map { self.value($0) })
      return object
    case .dictionary(let members):
      if let number = value.archiveReference { return add(Self.reference(number)) }
      let object = reserve()
      let keys = members.map { self.text($0.name) }
      let values = members.map { self.value($0.value) }
      objects[object] = .container(kind: 0xd0, references: keys + values)
      return object
    case .int32, .uint32, .json, .list, .set, .object, .null, .raw:
      // `PropertyListFitting` returns no such value, so write a null object.
      output.writeByte(0)
    }
    return add(output.bytes)
  }

  private mutating func text(_ text: String) -> Int {
    let utf8 = Array(text.utf8)
    if let known = texts[utf8] { return known }
    var output = ByteWriter()
    if utf8.allSatisfy({ $0 < 0x80 }) {
      output.writeBytes(Self.marker(0x50, utf8.count))
      output.writeBytes(utf8)
    } else {
      let units = Array(text.utf16)
      output.writeBytes(Self.marker(0x60, units.count))
      for unit in units { output.writeInteger(unit, as: .big) }
    }
    let object = add(output.bytes)
    texts[utf8] = object
    return object
  }

  private static func integer(_ number: Int64) -> [UInt8] {
    var output = ByteWriter()
    switch number {
    case 0...0xff:
      output.writeByte(0x10)
      output.writeInteger(UInt8(truncatingIfNeeded: number), as: .big)
    case 0...0xffff:
      output.writeByte(0x11)
      output.writeInteger(UInt16(truncatingIfNeeded: number), as: .big)
    case 0...0xffff_ffff:
      output.writeByte(0x12)
      output.writeInteger(UInt32(truncatingIfNeeded: number), as: .big)
    default:
      output.writeByte(0x13)
      output.writeInteger(UInt64(bitPattern: number), as: .big)
    }
    return output.bytes
  }

  private static func reference(_ number: UInt32) -> [UInt8] {
    var output = ByteWriter()
    let width = width(Int(number))
    output.writeByte(0x80 | UInt8(truncatingIfNeeded: width - 1))
    write(Int(number), width, to: &output)
    return output.bytes
  }

  private static func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
    if count < 0x0f { return [kind | UInt8(truncatingIfNeeded: count)] }
    return [kind | 0x0f] + integer(Int64(count))
  }

  // MARK: The file

  private func file() -> [UInt8] {
    var output = ByteWriter()
    output.writeBytes("bplist00".utf8)
    let referenceWidth = Self.width(objects.count)
    var offsets: [Int] = []
    for object in objects {
      offsets.append(output.count)
      switch object {
      case .scalar(let bytes): output.writeBytes(bytes)
      case .container(let kind, let references):
        let count = kind == 0xd0 ? references.count / 2 : references.count
        output.writeBytes(Self.marker(kind, count))
        for reference in references { Self.write(reference, referenceWidth, to: &output) }
      }
    }
    let table = output.count
    let offsetWidth = Self.width(table)
    for offset in offsets { Self.write(offset, offsetWidth, to: &output) }
    output.writeZeros(6)
    output.writeByte(UInt8(truncatingIfNeeded: offsetWidth))
    output.writeByte(UInt8(truncatingIfNeeded: referenceWidth))
    for number in [objects.count, 0, table] { Self.write(number, 8, to: &output) }
    return output.bytes
  }

  /// Returns the number of bytes for `number`, which is one of the widths that CoreFoundation
  /// writes.
  private static func width(_ number: Int) -> Int {
    switch number {
    case ...0xff: 1
    case ...0xffff: 2
    case ...0xffff_ffff: 4
    default: 8
    }
  }

  private static func write(_ number: Int, _ width: Int, to output: inout ByteWriter) {
    for index in (0..<width).reversed() {
      output.writeByte(UInt8(truncatingIfNeeded: number >> (8 * index)))
    }
  }
}
