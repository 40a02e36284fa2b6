import KVConversion
import KVModel

extension ValueDetail {
  /// The size, in bytes, up to which documents are opened.
  private static let documentCount = 1 << 20

  /// Returns the content of the value of `record`, by its likeliest reading.
  func document<S: Store>(of reading: Reading, in record: Record, of store: S) -> ValueContent? {
    guard isDeep || reading.value.canBeDocument else { return nil }
    guard reading.count != nil, record.value.count <= Self.documentCount else {
      return content(reading.value)
    }
    return content(store.whole(reading, of: record).value)
  }
}

extension Value {
  /// Whether the value can be the start of a document.
  fileprivate var canBeDocument: Bool {
    switch self {
    case .bytes, .keyedArchive, .object: true
    case .string(let text): text.utf8.first == UInt8(ascii: "<")
    default: false
    }
  }
}
