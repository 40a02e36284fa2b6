public import KVModel

/// A key with its value, and how far they can be trusted.
public struct StoredEntry: Sendable {
  /// The key.
  public let key: Key
  /// How far the entry is verified.
  public let evidence: Evidence
  /// The faults that no checksum rules out; empty if there are none.
  public let cautions: [Caution]
  /// The probability that the app had exactly this value when the store was damaged.
  public let probability: Probability

  private let record: Record
  private let store: any OpenedStore

  init(
    key: Key, _ assessment: Assessment, _ record: Record, in store: any OpenedStore
  ) {
    self.key = key
    evidence = assessment.evidence
    cautions = assessment.cautions
    probability = assessment.probability ?? Probability(0)
    self.record = record
    self.store = store
  }

  /// The value, with the likeliest of the types that fit its bytes.
  ///
  /// MMKV stores no types. If you know the type, use ``string``, ``bool``, ``int``, ``double``,
  /// ``data`` or ``strings`` instead.
  public var value: Value { store.likeliestValue(of: record) }

  /// The value's bytes as the record stores them, decrypted.
  public var bytes: [UInt8] { store.bytes(of: record) }

  /// When the entry expires, in seconds since 1970; `nil` if it does not.
  public var expiry: UInt32? { store.expiry(of: record).flatMap { $0 == 0 ? nil : $0 } }

  /// The value as a string; `nil` if its bytes are not one.
  public var string: String? {
    switch store.value(of: record, as: .string) ?? store.value(of: record, as: .json) {
    case .string(let text)?, .json(let text)?: text
    default: nil
    }
  }

  /// The value as a Boolean; `nil` if its bytes are not one.
  public var bool: Bool? {
    if case .bool(let value)? = store.value(of: record, as: .bool) { value } else { nil }
  }

  /// The value as an integer; `nil` if its bytes are not a 32- or 64-bit integer that fits into
  /// `Int`.
  public var int: Int? {
    for kind in [Value.Kind.int32, .int64, .uint32, .uint64] {
      switch store.value(of: record, as: kind) {
      case .int32(let value)?: return Int(exactly: value)
      case .int64(let value)?: return Int(exactly: value)
      case .uint32(let value)?: return Int(exactly: value)
      case .uint64(let value)?: return Int(exactly: value)
      default: continue
      }
    }
    return nil
  }

  /// The value as a floating-point number; `nil` if its bytes are not a number of 4 or 8 bytes.
  public var double: Double? {
    for kind in [Value.Kind.double, .float] {
      switch store.value(of: record, as: kind) {
      case .double(let value)?: return value
      case .float(let value)?: return Double(value)
      default: continue
      }
    }
    return nil
  }

  /// The value as data; `nil` if its bytes are not stored as such.
  public var data: [UInt8]? {
    if case .bytes(let bytes)? = store.value(of: record, as: .bytes) { bytes } else { nil }
  }

  /// The value as a list of strings; `nil` if its bytes are not one.
  public var strings: [String]? {
    guard case .list(let list)? = store.value(of: record, as: .stringList) else { return nil }
    return list.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
