import KVBytes
import KVModel

/// Parses the bytes of a value as a given type; the inverse of ``ValueWriter``.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Values.
enum ValueParser {
  /// Returns the value of type `kind` that is encoded as exactly `body`, a value without expiry;
  /// `nil` if there is none.
  static func value(_ body: [UInt8], as kind: Value.Kind) -> Value? {
    let value = parse(body.storageSpan, as: kind)
    // The engine reads more than it writes; bytes that it would not write belong to another type.
    if let value, ValueWriter.bytes(of: value) == body { return value }
    // Data that is an archive has its length before it.
    guard kind == .keyedArchive, case .bytes(let content)? = self.value(body, as: .bytes) else {
      return nil
    }
    return parse(content.storageSpan, as: kind)
  }

  private static func parse(_ body: Span<UInt8>, as kind: Value.Kind) -> Value? {
    switch kind {
    case .bool: return body.count == 1 ? .bool(body[0] != 0) : nil
    case .int32: return integer(body).map { .int32(Int32(truncatingIfNeeded: $0)) }
    case .uint32: return integer(body).map { .uint32(UInt32(truncatingIfNeeded: $0)) }
    case .int64: return integer(body).map { .int64(Int64(bitPattern: $0)) }
    case .uint64: return integer(body).map { .uint64($0) }
    case .float:
      return body.integer(UInt32.self, at: 0).map { .float(Float(bitPattern: $0)) }
    case .double:
      return body.integer(UInt64.self, at: 0).map { .double(Double(bitPattern: $0)) }
    case .date:
      return body.integer(UInt64.self, at: 0).map { .date(Double(bitPattern: $0)) }
    case .keyedArchive:
      guard KeyedArchive.begins(body) else { return nil }
      return .keyedArchive(className: KeyedArchive.rootClassName(of: body), body.copy)
    case .raw: return .raw(body.copy)
    default: break
    }
    guard let prefix = body.minimalVarint(at: 0), prefix.value == body.count - prefix.end else {
      return nil
    }
    let content = body.extracting(prefix.end..<body.count)
    switch kind {
    case .string: return content.text.map { .string($0) }
    case .json: return JSONSyntax.isContainer(content) ? content.text.map { .json($0) } : nil
    case .bytes: return .bytes(content.copy)
    case .stringSet:
      guard let texts = LengthPrefixedList(content)?.texts(content),
        Set(texts.map { Array($0.utf8) }).count == texts.count
      else { return nil }
      return .set(texts)
    default: return list(content, as: kind).map { .list($0) }
    }
  }

  private static func integer(_ body: Span<UInt8>) -> UInt64? {
    body.minimalVarint(at: 0).flatMap { $0.end == body.count ? $0.value : nil }
  }

  private static func list(_ content: Span<UInt8>, as kind: Value.Kind) -> Value.List? {
    switch kind {
    case .boolList: return .bool(content.copy.map { $0 != 0 })
    case .int32List: return VarintList(content).map { .int32($0.int32s(content)) }
    case .uint32List:
      return VarintList(content).map {
        .uint32($0.uint64s(content).map { UInt32(truncatingIfNeeded: $0) })
      }
    case .int64List: return VarintList(content).map { .int64($0.int64s(content)) }
    case .uint64List: return VarintList(content).map { .uint64($0.uint64s(content)) }
    case .floatList: return Float.list(in: content).map { .float($0) }
    case .doubleList: return Double.list(in: content).map { .double($0) }
    case .stringList:
      return LengthPrefixedList(content)?.texts(content).map { .string($0) }
    case .bytesList: return LengthPrefixedList(content).map { .bytes($0.bytes(content)) }
    default: return nil
    }
  }
}
