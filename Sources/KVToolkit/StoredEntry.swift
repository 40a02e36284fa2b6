public import KVModel

/// An entry of a store, with what verifies it.
public struct StoredEntry: Sendable {
  /// The key.
  public let key: Key
  /// What verifies the entry.
  public let evidence: Evidence
  /// What no checksum can exclude about it.
  public let cautions: [Caution]

  private let record: Record
  private let store: any OpenedStore

  init(
    key: Key, evidence: Evidence, cautions: [Caution], _ record: Record, in store: any OpenedStore
  ) {
    self.key = key
    self.evidence = evidence
    self.cautions = cautions
    self.record = record
    self.store = store
  }

  /// The value, as the likeliest of the types that its bytes can have.
  ///
  /// Records of MMKV name no type: an app knows what it has stored, and asks for that by ``string``,
  /// ``bool``, ``int``, ``double``, ``data`` or ``strings``.
  public var value: Value { store.likeliestValue(of: record) }

  /// The value's bytes, as the record stores them.
  public var bytes: [UInt8] { store.bytes(of: record) }

  /// When the entry expires, in seconds since 1970; `nil` where it does not.
  public var expiry: UInt32? { store.expiry(of: record).flatMap { $0 == 0 ? nil : $0 } }

  /// The value as text; `nil` where its bytes are no text.
  public var string: String? {
    switch store.value(of: record, as: "string") ?? store.value(of: record, as: "json") {
    case .string(let text)?, .json(let text)?: text
    default: nil
    }
  }

  /// The value as a truth value; `nil` where its bytes are none.
  public var bool: Bool? {
    if case .bool(let value)? = store.value(of: record, as: "bool") { value } else { nil }
  }

  /// The value as an integer of 32 or 64 bits; `nil` where its bytes are none that `Int` holds.
  public var int: Int? {
    for kind in ["int32", "int64", "uint32", "uint64"] {
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

  /// The value as a number with a fraction; `nil` where its bytes are none.
  public var double: Double? {
    for kind in ["double", "float"] {
      switch store.value(of: record, as: kind) {
      case .double(let value)?: return value
      case .float(let value)?: return Double(value)
      default: continue
      }
    }
    return nil
  }

  /// The value as data; `nil` where its bytes are none.
  public var data: [UInt8]? {
    if case .bytes(let bytes)? = store.value(of: record, as: "bytes") { bytes } else { nil }
  }

  /// The value as a list of texts; `nil` where its bytes are none.
  public var strings: [String]? {
    guard case .list(let list)? = store.value(of: record, as: "list<string>") else { return nil }
    return list.compactMap { if case .string(let text) = $0 { text } else { nil } }
  }
}
