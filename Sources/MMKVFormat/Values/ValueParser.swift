import KVBytes
import KVModel

/// Parses the bytes of a value as a given type; the inverse of ``ValueWriter``.
///
/// Reference: `Docs/FORMAT-MMKV.md` § Values.
enum ValueParser {
  /// A value, and the number of its elements or bytes if it is only the beginning.
  typealias Parsed = (value: Value, count: Int?)

  /// Returns the value of type `kind` that is encoded as exactly `body`, a value without expiry;
  /// `nil` if there is none.
  static func value(_ body: [UInt8], as kind: Value.Kind) -> Value? {
    let value = parse(body.storageSpan, as: kind, keeping: .max)?.value
    // The engine reads more than it writes; bytes that it would not write belong to another type.
    if let value, ValueWriter.bytes(of: value) == body { return value }
    // Data that is an archive has its length before it.
    guard kind == .keyedArchive, let content = content(of: body.storageSpan) else { return nil }
    return archive(body.storageSpan.extracting(content), keeping: .max)?.value
  }

  /// Returns the value of the type of `candidate` that `body` holds, with about the first `limit`
  /// bytes of lists, texts and data.
  static func parse(
    _ body: Span<UInt8>, as candidate: TypeCandidate, keeping limit: Int
  ) -> Parsed? {
    switch candidate.kind {
    case .date: time(body, as: candidate).map { ($0, nil) }
    case .keyedArchive:
      archive(body, keeping: limit)
        ?? content(of: body).flatMap { archive(body.extracting($0), keeping: limit) }
    case let kind: parse(body, as: kind, keeping: limit)
    }
  }

  /// Returns the range of the bytes after the inner length, if it is that of all of them.
  static func content(of body: Span<UInt8>) -> Range<Int>? {
    guard let prefix = body.minimalVarint(at: 0), prefix.value == body.count - prefix.end else {
      return nil
    }
    return prefix.end..<body.count
  }

  private static func parse(
    _ body: Span<UInt8>, as kind: Value.Kind, keeping limit: Int
  ) -> Parsed? {
    switch kind {
    case .raw: bytes(body, keeping: limit) { .raw($0) }
    case .keyedArchive: archive(body, keeping: limit)
    default:
      number(body, as: kind).map { ($0, nil) }
        ?? content(of: body).flatMap {
          parse(content: body.extracting($0), as: kind, keeping: limit)
        }
    }
  }

  /// Returns the Boolean, number or date that `body` holds.
  private static func number(_ body: Span<UInt8>, as kind: Value.Kind) -> Value? {
    switch kind {
    case .bool: body.count == 1 ? .bool(body[0] != 0) : nil
    case .int32: integer(body).map { .int32(Int32(truncatingIfNeeded: $0)) }
    case .uint32: integer(body).map { .uint32(UInt32(truncatingIfNeeded: $0)) }
    case .int64: integer(body).map { .int64(Int64(bitPattern: $0)) }
    case .uint64: integer(body).map { .uint64($0) }
    case .float: body.integer(UInt32.self, at: 0).map { .float(Float(bitPattern: $0)) }
    case .double: body.integer(UInt64.self, at: 0).map { .double(Double(bitPattern: $0)) }
    case .date: body.integer(UInt64.self, at: 0).map { .date(Double(bitPattern: $0)) }
    default: nil
    }
  }

  private static func integer(_ body: Span<UInt8>) -> UInt64? {
    body.minimalVarint(at: 0).flatMap { $0.end == body.count ? $0.value : nil }
  }

  /// Returns the time that a number counts.
  private static func time(_ body: Span<UInt8>, as candidate: TypeCandidate) -> Value? {
    switch candidate.stored {
    case .date, .double:
      body.integer(UInt64.self, at: 0).map { bits in
        let number = Double(bitPattern: bits)
        return .date((candidate.unit ?? .seconds).time(in: number).seconds)
      }
    default:
      integer(body).flatMap { EpochUnit.time(in: Int64(bitPattern: $0)) }.map { .date($0.seconds) }
    }
  }

  private static func archive(_ bytes: Span<UInt8>, keeping limit: Int) -> Parsed? {
    guard KeyedArchive.begins(bytes) else { return nil }
    let name = KeyedArchive.rootClassName(of: bytes)
    return self.bytes(bytes, keeping: limit) { .keyedArchive(className: name, $0) }
  }

  private static func bytes(
    _ bytes: Span<UInt8>, keeping limit: Int, as value: ([UInt8]) -> Value
  ) -> Parsed {
    (
      value(bytes.extracting(first: min(limit, bytes.count)).copy),
      bytes.count > limit ? bytes.count : nil
    )
  }

  private static func parse(
    content: Span<UInt8>, as kind: Value.Kind, keeping limit: Int
  ) -> Parsed? {
    func text(_ value: (String) -> Value) -> Parsed? {
      content.text(keeping: limit).map {
        (value($0), content.count > limit ? content.count : nil)
      }
    }
    switch kind {
    case .string: return text { .string($0) }
    case .json: return JSONSyntax.isContainer(content) ? text { .json($0) } : nil
    case .bytes: return bytes(content, keeping: limit) { .bytes($0) }
    case .stringSet:
      guard let texts = LengthPrefixedList(content)?.texts(content, keeping: .max),
        Set(texts.map { Array($0.utf8) }).count == texts.count
      else { return nil }
      return (.set(texts), nil)
    default:
      return list(content, as: kind, keeping: limit).map { list, count in
        (.list(list), list.count < count ? count : nil)
      }
    }
  }

  /// Returns the elements within the first `limit` bytes, and the number of all elements.
  private static func list(
    _ content: Span<UInt8>, as kind: Value.Kind, keeping limit: Int
  ) -> (Value.List, count: Int)? {
    switch kind {
    case .boolList:
      let kept = content.extracting(first: min(limit, content.count)).copy
      return (.bool(kept.map { $0 != 0 }), content.count)
    case .floatList: return Float.list(in: content, keeping: limit).map { (.float($0.0), $0.1) }
    case .doubleList:
      return Double.list(in: content, keeping: limit).map { (.double($0.0), $0.1) }
    case .stringList, .bytesList:
      guard let list = LengthPrefixedList(content) else { return nil }
      if kind == .bytesList { return (.bytes(list.bytes(content, keeping: limit)), list.count) }
      return list.texts(content, keeping: limit).map { (.string($0), list.count) }
    default:
      guard let list = VarintList(content) else { return nil }
      return list.elements(content, as: kind, keeping: limit).map { ($0, list.count) }
    }
  }
}
