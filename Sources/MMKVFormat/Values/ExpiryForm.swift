import KVBytes
import KVModel

/// Whether values end in an expiry time: the flag in the meta file, held against the values.
///
/// No checksum covers the flag, and one changed bit of it changes how every value reads. Texts, data
/// and lists state their own length, and numbers end with their last byte, so most values show
/// whether four more bytes follow them. A store can also hold values of both forms without any
/// damage: an engine that does not know the flag keeps it and writes values without a time, and so
/// do engines since 1.3 for a value that is set before the log is first read.
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

  /// The values whose own length shows their form, counted over the first records of the log.
  struct Count: Hashable, Sendable {
    var withTime = 0
    var withoutTime = 0
    /// The numbers that seem to have a time.
    ///
    /// They are no sign against the flag, because other bytes can look like them.
    fileprivate(set) var numbersWithTime = 0
    /// Whether the last value of a key is text without a time.
    fileprivate(set) var hasTextWithoutTime = false

    var total: Int { withTime + withoutTime }

    /// Counts `value`, and returns the form that its length states.
    @discardableResult
    mutating func add(_ value: Span<UInt8>) -> Bool? {
      let form = ExpiryForm.stated(by: value)
      switch form {
      case true: withTime += 1
      case false: withoutTime += 1
      default: numbersWithTime += ExpiryForm.shown(by: value) == true ? 1 : 0
      }
      return form
    }
  }

  /// The number of records that are examined.
  static let recordLimit = 256
  /// The number of bytes that are examined if the length of the log is unknown.
  private static let beginningSize = 1 << 16
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
    // A version that is damaged, or too low for it, hides a flag that is set.
    contradiction = Self.contradiction(
      of: isStated, isHidden: view.meta.flags & 1 == 1, by: count)
  }

  /// Returns how the values contradict a flag that is set if `isStated`, or that the version hides
  /// although it is set, if `isHidden`.
  static func contradiction(
    of isStated: Bool, isHidden: Bool = false, by count: Count
  ) -> Contradiction {
    if !isStated {
      // No engine writes a time without the flag: a few values that look otherwise do not count.
      let timed = count.withTime + (isHidden ? count.numbersWithTime : 0)
      return timed >= (isHidden ? 1 : leastCount) && timed > count.withoutTime ? .all : .none
    }
    if count.withTime + count.numbersWithTime > 0 {
      return count.hasTextWithoutTime ? .some : .none
    }
    return count.withoutTime >= leastCount ? .all : .none
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
    // Where reading can go on must not depend on the flag that is in question.
    let gaps = readsPastDamage ? Resynchronizer(view.plain, expiry: .unknown).gaps(in: range) : []
    var count = Count()
    /// The keys whose last value is text without a time, if the flag says that there are times.
    var untimed: Set<[UInt8]> = []
    var rest = recordLimit
    for event in MMKVRecords(
      view.plain, in: range, mode: .plain, isEncrypted: view.key != nil, gaps: gaps)
    {
      guard case .record(let record) = event else { continue }
      let value = view.plain.storageSpan.extracting(record.value)
      let form = count.add(value)
      if view.meta.hasExpiry {
        let hasText = content(of: value).map { isText(value.extracting($0)) } ?? false
        let key = view.plain.bytes(in: record.key)
        if form == false, hasText { untimed.insert(key) } else { untimed.remove(key) }
      }
      rest -= 1
      if rest == 0 { break }
    }
    count.hasTextWithoutTime = !untimed.isEmpty
    return count
  }

  /// Whether any value ends in an expiry time.
  var isUsed: Bool { contradiction == .all ? !isStated : isStated }

  /// Returns whether `value` ends in an expiry time.
  func hasTime(_ value: Span<UInt8>) -> Bool {
    guard value.count >= ExpirySuffix.byteCount else { return false }
    return switch contradiction {
    case .none: isStated
    case .all: isUsed && Self.stated(by: value) ?? true
    case .some: Self.shown(by: value) ?? true
    }
  }

  /// Returns whether `value` itself shows that it is read in its form.
  func isShown(by value: Span<UInt8>) -> Bool { Self.shown(by: value) == hasTime(value) }

  /// Returns `values`, of the entries of a new store, in one form, and whether they end in a time.
  ///
  /// No byte of a value is left out. Where a time is added, it says that the entry never expires.
  func unified(_ values: [[UInt8]]) -> (values: [[UInt8]], hasTimes: Bool) {
    func adding(to values: [[UInt8]], where isIncluded: (Span<UInt8>) -> Bool) -> [[UInt8]] {
      values.map {
        isIncluded($0.storageSpan) ? $0 + [UInt8](repeating: 0, count: ExpirySuffix.byteCount) : $0
      }
    }
    let timed =
      isUsed && contradiction != .none ? adding(to: values) { !hasTime($0) } : values
    var count = Count()
    for value in timed.prefix(Self.recordLimit) { count.add(value.storageSpan) }
    // The entries can be others than those that decided on the form, and contradict it.
    guard Self.contradiction(of: isUsed, by: count) == .all else { return (timed, isUsed) }
    return (adding(to: timed) { !isUsed || Self.stated(by: $0) == false }, true)
  }

  /// Returns the form that the length in `value` states; `nil` if it states none, or fits both.
  ///
  /// One in 256 floats and doubles with a time looks like data without one: of that size, only text
  /// counts.
  fileprivate static func stated(by value: Span<UInt8>) -> Bool? {
    guard value.count > ExpirySuffix.byteCount else { return nil }
    let start = value.extracting(first: value.count - ExpirySuffix.byteCount)
    let isNumberAndTime = start.count == 4 || start.count == 8
    let isWhole =
      content(of: value, atLeast: leastContent)
      .map { !isNumberAndTime || isText(value.extracting($0)) } ?? false
    let isWholeBeforeTime = content(of: start, atLeast: leastContent) != nil
    return isWhole == isWholeBeforeTime ? nil : isWholeBeforeTime
  }

  /// Returns the form that `value` shows by its length, or as a number; `nil` if it shows none, or
  /// both.
  ///
  /// Bytes that no type of the engine writes can look like numbers.
  static func shown(by value: Span<UInt8>) -> Bool? {
    if let form = stated(by: value) { return form }
    // A value without its time is never empty.
    if value.count <= ExpirySuffix.byteCount { return value.isEmpty ? nil : false }
    let start = value.extracting(first: value.count - ExpirySuffix.byteCount)
    let isWhole = content(of: value) != nil || isNumber(value)
    let isWholeBeforeTime = content(of: start) != nil || isNumber(start)
    return isWhole == isWholeBeforeTime ? nil : isWholeBeforeTime
  }

  /// Returns whether `content` is UTF-8 without control characters.
  private static func isText(_ content: Span<UInt8>) -> Bool {
    content.text != nil && content.controlCount == 0
  }

  /// Returns whether `value` is as long as a float or a double, or is a whole integer.
  private static func isNumber(_ value: Span<UInt8>) -> Bool {
    value.count == 4 || value.count == 8 || value.minimalVarint(at: 0)?.end == value.count
  }

  /// Returns the content of a value that states its own length and ends there.
  private static func content(of value: Span<UInt8>, atLeast least: Int = 1) -> Range<Int>? {
    guard let prefix = value.minimalVarint(at: 0), prefix.value == value.count - prefix.end,
      prefix.value >= least
    else { return nil }
    return prefix.end..<value.count
  }
}
