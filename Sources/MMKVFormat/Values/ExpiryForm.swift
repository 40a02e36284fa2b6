import KVBytes
import KVModel

/// Whether values end in an expiry time: the flag in the meta file, held against the values.
///
/// No checksum covers the flag, and one changed bit of it changes how every value reads. Texts, data
/// and lists state their own length, so each of them shows whether four more bytes follow it. A store
/// can also hold values of both forms without any damage: an engine that does not know the flag keeps
/// it, and writes values without a time.
struct ExpiryForm: Hashable, Sendable {
  /// How the values contradict the flag.
  enum Contradiction: Hashable, Sendable {
    /// They do not.
    case none
    /// All values that show their form have the other one.
    case all
    /// Some values have no expiry time although the flag is set.
    case some
  }

  /// The values that show their form, counted over the first records of the log.
  struct Count: Hashable, Sendable {
    var withTime = 0
    var withoutTime = 0
    /// Those without a time that are text; counted only if the flag is set.
    var textsWithoutTime = 0

    var total: Int { withTime + withoutTime }

    fileprivate mutating func add(_ value: Span<UInt8>, _ isStated: Bool) {
      guard let hasTime = ExpiryForm.shown(by: value) else { return }
      if hasTime {
        withTime += 1
      } else {
        withoutTime += 1
        guard isStated, !ExpiryForm.hasSizeOfNumber(value),
          let content = ExpiryForm.content(of: value)
        else { return }
        if ExpiryForm.isText(value.extracting(content)) { textsWithoutTime += 1 }
      }
    }
  }

  /// The number of records that are examined.
  private static let recordLimit = 256
  /// The number of bytes that are examined if the length of the log is unknown.
  private static let beginningSize = 1 << 15
  /// The smallest content that counts: a short one and a time look like a longer one.
  private static let leastContent = 5
  /// The number of values that together contradict the flag.
  private static let leastCount = 2

  /// What the flag says.
  let isStated: Bool
  /// The values that show their form.
  let count: Count
  /// How the values contradict the flag.
  let contradiction: Contradiction

  /// Examines the values in the log of `view`; `isReadable` if its records can be read.
  init(_ view: MMKVView, isReadable: Bool) {
    isStated = view.meta.hasExpiry
    let claim = view.lengthClaims.first
    var count = Count()
    if isReadable, let log = claim?.log { count = Self.count(view, in: log.range) }
    if isReadable, count.total < Self.leastCount, claim?.checksum?.isSatisfied != true {
      // The length is lost, or the log is damaged, and with it perhaps the flag.
      count = Self.count(view, in: Self.beginning(of: view), readsPastDamage: true)
    }
    self.count = count
    let isOutvoted = count.withTime >= Self.leastCount && count.withTime > count.withoutTime
    let isAlone = count.withTime == 0 && count.withoutTime >= Self.leastCount
    contradiction =
      if !isStated {
        // No engine writes a time without the flag: a few values that look otherwise do not count.
        isOutvoted ? .all : .none
      } else if isAlone {
        .all
      } else {
        count.withTime > 0 && count.textsWithoutTime > 0 ? .some : .none
      }
  }

  /// Returns the part of the data file that is examined if the length of the log is unknown.
  private static func beginning(of view: MMKVView) -> Range<Int> {
    let all = min(DataHeader.byteCount, view.stored.count)..<view.stored.count
    guard let last = view.stored.lastNonzero(in: all) else { return all.prefix(0) }
    return all.lowerBound..<min(last + 1, all.lowerBound + beginningSize)
  }

  /// Returns the values that show their form, among the first records in `range`.
  private static func count(
    _ view: MMKVView, in range: Range<Int>, readsPastDamage: Bool = false
  ) -> Count {
    let gaps = readsPastDamage ? view.gaps(in: Extent(.data, range)) : []
    var count = Count()
    let bytes = view.plain.storageSpan
    var rest = recordLimit
    for event in MMKVRecords(
      view.plain, in: range, mode: .plain, isEncrypted: view.key != nil, gaps: gaps)
    {
      guard case .record(let record) = event else { continue }
      count.add(bytes.extracting(record.value), view.meta.hasExpiry)
      rest -= 1
      if rest == 0 { break }
    }
    return count
  }

  /// Whether any value ends in an expiry time.
  var isUsed: Bool { contradiction == .all ? !isStated : isStated }

  /// Returns whether `value` ends in an expiry time.
  func hasTime(_ value: Span<UInt8>) -> Bool {
    guard value.count >= ExpirySuffix.byteCount else { return false }
    guard contradiction != .none else { return isStated }
    return Self.shown(by: value) ?? isUsed
  }

  /// Returns `value` in the form that all values of a new store have, which ``isUsed`` says.
  func normalized(_ value: [UInt8]) -> [UInt8] {
    guard contradiction != .none else { return value }
    return switch (isUsed, hasTime(value.storageSpan)) {
    case (true, false): value + [UInt8](repeating: 0, count: ExpirySuffix.byteCount)
    case (false, true): Array(value.dropLast(ExpirySuffix.byteCount))
    case (true, true), (false, false): value
    }
  }

  /// Returns the form that `value` shows; `nil` if it shows none, or both.
  ///
  /// One in 256 floats and doubles with a time looks like data without one: of that size, only text
  /// counts.
  static func shown(by value: Span<UInt8>) -> Bool? {
    let whole = content(of: value)
    let isWhole = whole.map { !hasSizeOfNumber(value) || isText(value.extracting($0)) } ?? false
    let isWholeBeforeTime =
      value.count > ExpirySuffix.byteCount
      && content(of: value.extracting(first: value.count - ExpirySuffix.byteCount)) != nil
    return isWhole == isWholeBeforeTime ? nil : isWholeBeforeTime
  }

  /// Returns whether `value` is as long as a float or a double with a time.
  fileprivate static func hasSizeOfNumber(_ value: Span<UInt8>) -> Bool {
    value.count - ExpirySuffix.byteCount == 4 || value.count - ExpirySuffix.byteCount == 8
  }

  /// Returns whether `content` is UTF-8 without control characters.
  fileprivate static func isText(_ content: Span<UInt8>) -> Bool {
    content.text != nil && content.controlCount == 0
  }

  /// Returns the content of a value that states its own length and ends there.
  fileprivate static func content(of value: Span<UInt8>) -> Range<Int>? {
    guard let prefix = value.minimalVarint(at: 0), prefix.value == value.count - prefix.end,
      value.count - prefix.end >= leastContent
    else { return nil }
    return prefix.end..<value.count
  }
}
