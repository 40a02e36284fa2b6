import KVBytes
package import KVModel

extension AppleFastKVStore {
  /// Returns the readings of the value of a record, by its type and class name.
  package func readings(of record: Record) -> [Reading] {
    let reader = AppleValueReader(self, record)
    let readings = reader.readings
    guard let name = reader.unusualClassName(beside: readings) else { return readings }
    return readings.map { Reading($0.value, className: name, because: $0.reason) }
  }

  /// Calls `body` with the value bytes of `record` in the file.
  package func withValue<Result>(
    of record: Record, _ body: (Span<UInt8>) -> Result
  ) -> Result {
    body(image.storageSpan.extracting(record.value))
  }

  /// Returns the type of `record`: the stored one, or the one its CRC gives if its header is
  /// damaged.
  ///
  /// - Precondition: `record` came from this store.
  func typeCode(of record: Record) -> UInt64 {
    restoredHeader(of: record)?.type
      ?? image.littleEndian(in: record.offset..<record.offset + dialect.width)
  }

  /// Returns the class name of `record`, in the same way.
  ///
  /// - Precondition: `record` came from this store.
  func classNameBytes(of record: Record) -> [UInt8] {
    if let header = restoredHeader(of: record) { return header.className }
    let start = record.offset + dialect.fixedCount
    // If bytes were deleted from the header, less is there.
    return start < record.key.lowerBound ? image.bytes(in: start..<record.key.lowerBound) : []
  }

  private func restoredHeader(of record: Record) -> LengthSurvey.RestoredHeader? {
    guard let header = evidence?.survey.restoredHeaders[record.offset], header.key == record.key
    else { return nil }
    return header
  }
}

/// The number in the eight bytes of a double.
///
/// The engine writes a float into the low half, and leaves stack contents in the high half.
struct StoredDouble: Hashable, Sendable {
  /// The usual magnitudes of an app's numbers; stack contents are seldom among them.
  private static let usual = 1e-150...1e150

  /// The number in all eight bytes.
  let double: Double
  /// The number in the low half.
  let float: Float
  /// Whether the high half contains only stack contents.
  let isBroken: Bool

  /// Creates the number from eight little-endian bytes.
  init(_ bytes: UInt64) {
    double = Double(bitPattern: bytes)
    float = Float(bitPattern: UInt32(truncatingIfNeeded: bytes))
    // Zero has a sign, and stack contents that are nothing but a sign are unlikely.
    isBroken = double != 0 && !(double.isFinite && StoredDouble.usual.contains(abs(double)))
  }

  /// The number to use.
  var best: Double { isBroken ? Double(float) : double }
}

/// Reads a value by its record's type and class name.
struct AppleValueReader {
  private let type: UInt64
  private let className: String?
  private let bytes: [UInt8]

  /// The parts of class names that say no more than the type.
  private static let usualClasses: [AppleType: [UInt8]] = [
    .string: Array("String".utf8), .data: Array("Data".utf8),
  ]

  /// Returns the class name of the value if it says more than the type: for example, that of a URL
  /// stored as text.
  func unusualClassName(beside readings: [Reading]) -> String? {
    guard let className, !className.isEmpty, let type = AppleType(rawValue: type),
      let usual = Self.usualClasses[type], case let name = Array(className.utf8).storageSpan,
      name.firstOccurrence(of: usual.storageSpan, in: 0..<name.count) == nil
    else { return nil }
    if case .keyedArchive = readings[0].value { return nil }
    return className
  }

  init(_ store: AppleFastKVStore, _ record: Record) {
    type = store.typeCode(of: record)
    className = String(utf8: store.classNameBytes(of: record))
    bytes = store.image.bytes(in: record.value)
  }

  /// Returns whether a class name is that of a date, on Apple's systems or elsewhere.
  static func isDate(_ name: String) -> Bool { name.hasSuffix("Date") }

  /// Returns whether a class name is that of data, which can be an archive made by the app.
  static func isData(_ name: String) -> Bool { name.contains("Data") }

  private static let cutText =
    "; truncated, because the engine truncates non-ASCII text"

  /// The readings of the value, the most likely first; at least one.
  var readings: [Reading] {
    guard let type = AppleType(rawValue: type) else {
      return [Reading(.bytes(bytes), because: "no engine knows the type \(self.type)")]
    }
    if let count = type.valueCount, bytes.count != count {
      return [
        Reading(
          .bytes(bytes),
          because:
            "the type has \(count.inBytes), but the value has \(bytes.count.grouped)"
        )
      ]
    }
    switch type {
    case .removed: return [Reading(.bytes([]), because: "the key was removed")]
    case .null: return [Reading(.null, because: "nil was set")]
    case .bool: return [typed(.bool(number != 0))]
    case .int32: return [typed(.int32(Int32(truncatingIfNeeded: number)))]
    case .int64: return [typed(.int64(Int64(bitPattern: number)))]
    case .float: return [typed(.float(Float(bitPattern: UInt32(truncatingIfNeeded: number))))]
    case .double: return doubles
    case .string: return strings
    case .data: return data
    }
  }

  private var number: UInt64 {
    bytes.enumerated().reduce(0) { $0 | UInt64($1.element) << UInt64(8 * $1.offset) }
  }

  private func typed(_ value: Value, _ more: String = "") -> Reading {
    let name = className.map { $0.isEmpty ? "" : ", class \($0)" } ?? ""
    return Reading(value, because: "the record's type\(name)\(more)")
  }

  private var doubles: [Reading] {
    let stored = StoredDouble(number)
    let isDate = className.map { AppleValueReader.isDate($0) } ?? false
    func value(_ number: Double) -> Value { isDate ? .date(number) : .double(number) }
    let float = typed(
      value(Double(stored.float)),
      "; stored broken, as a float in the low 4 bytes and stray bytes after it; "
        + "right only with float precision")
    let double = typed(value(stored.double))
    // A file written by the engine can have a usual number by accident, so give both readings.
    return stored.isBroken ? [float] : stored.float == 0 ? [double] : [double, float]
  }

  private var strings: [Reading] {
    if let text = String(utf8: bytes) {
      return [typed(.string(text), AppleText.isCut(bytes) ? AppleValueReader.cutText : "")]
    }
    let whole = AppleText.wholeCount(bytes)
    if bytes.count - whole < 4,
      let text = String(utf8: bytes[..<whole])
    {
      return [typed(.string(text), AppleValueReader.cutText), typed(.bytes(bytes))]
    }
    return [
      Reading(.bytes(bytes), because: "the type is text, but the bytes are not UTF-8")
    ]
  }

  private var data: [Reading] {
    guard bytes.starts(with: Array("bplist00".utf8)) else { return [typed(.bytes(bytes))] }
    let name = className.flatMap { $0.isEmpty ? nil : $0 }
    let archive = typed(.keyedArchive(className: name, bytes))
    let isData = name.map { AppleValueReader.isData($0) } ?? false
    return isData ? [typed(.bytes(bytes)), archive] : [archive, typed(.bytes(bytes))]
  }
}

/// Text that was cut to a number of bytes.
enum AppleText {
  /// Returns whether the engine cut the text.
  ///
  /// It stores as many bytes as the text has UTF-16 units, which is enough only for ASCII.
  static func isCut(_ bytes: [UInt8]) -> Bool { bytes.contains { $0 >= 0x80 } }

  /// Returns the number of `bytes` without a character cut off at the end.
  static func wholeCount(_ bytes: [UInt8]) -> Int {
    var start = bytes.count
    while start > 0, bytes.count - start < 4 {
      start -= 1
      let byte = bytes[start]
      if byte & 0xc0 == 0x80 { continue }
      let needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
      return bytes.count - start < needed ? start : bytes.count
    }
    return bytes.count
  }
}
