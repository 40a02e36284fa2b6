import KVBytes
import KVFixtures
import KVModel
import KVSystem
import SystemPackage

/// A file that the real FastKV for iOS wrote, parsed by the lengths in its records.
///
/// Reference: `Docs/FORMAT-FASTKV-APPLE.md` § Records. The library's own reader is not used.
struct AppleRecording {
  /// A record, including the bytes that do not depend on its value.
  struct Entry: Hashable {
    let type: Int
    let className: String
    let key: Key
    let value: [UInt8]
  }

  private static let headerCount = 18
  private static let separatorCount = 23

  let bytes: [UInt8]
  /// The length that the header states.
  let length: Int
  /// The records of the log, in file order.
  let entries: [Entry]

  /// Returns the file of a case of `Fixtures/fastkv-apple/golden`.
  static func golden(_ name: String) throws -> AppleRecording {
    let root = FilePath("\(#filePath)").removingLastComponent().removingLastComponent()
      .removingLastComponent().removingLastComponent().appending("Fixtures")
    let path = root.appending("fastkv-apple").appending("golden").appending(name)
    let bytes = try FileImage.read(path.appending("store.fkv")).bytes
    return AppleRecording(bytes, width: name.contains("w32") ? 4 : 8)
  }

  /// Parses the records of a file written by a process whose pointers have `width` bytes.
  init(_ bytes: [UInt8], width: Int) {
    func number(at offset: Int, _ count: Int) -> Int {
      bytes[offset..<offset + count].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
    self.bytes = bytes
    length = number(at: 10, 8)
    var entries: [Entry] = []
    var offset = Self.headerCount
    while offset < Self.headerCount + length {
      let counts = (0..<3).map { number(at: offset + 4 + width * ($0 + 1), width) }
      let name = offset + 4 * width + 4
      let key = name + counts[0]
      let value = key + counts[1]
      let end = value + counts[2]
      entries.append(
        Entry(
          type: number(at: offset, width),
          className: String(decoding: bytes[name..<key], as: UTF8.self),
          key: Key(Array(bytes[key..<value])), value: Array(bytes[value..<end])))
      offset = end + 2 + Self.separatorCount
    }
    self.entries = entries
  }

  /// The stray bytes after each double, in the order of the records.
  var strayBytes: [[UInt8]] { entries.filter { $0.type == 6 }.map { Array($0.value[4...]) } }
}

extension AppleRecording.Entry {
  /// Returns the value that the app set, or `nil` for a removal.
  ///
  /// `texts` has the original strings by key, for those that are truncated in the file.
  func setValue(_ texts: [String: String] = [:]) -> Value? {
    let bits = value.prefix(4).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let name = key.text ?? ""
    switch type {
    case 0: return nil
    case 1: return .null
    case 2: return .bool(value == [1])
    case 3: return .int32(Int32(bitPattern: bits))
    case 4:
      return .int64(
        Int64(bitPattern: value.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    case 5: return .float(Float(bitPattern: bits))
    case 6: return .double(Double(Float(bitPattern: bits)))
    case 7: return .string(texts[name] ?? String(decoding: value, as: UTF8.self))
    default: return .bytes(value)
    }
  }
}
