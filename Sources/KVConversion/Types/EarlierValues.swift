import KVModel
import KVRecovery

/// The values of keys besides the live one, as far as they are weighed: for each key, the newest that
/// differ from one another.
///
/// Keys and values are told apart by their hashes. If two keys had one hash, their values would be
/// judged as those of one key, no more.
struct EarlierValues: Sendable {
  /// The number of other values of a key that are weighed, newest first.
  static let limit = 6

  /// A value of a key, and the next older one.
  private struct Value: Sendable {
    var record: Record
    var store: Int32
    var older: Int32
    var hash: UInt64
  }

  /// The newest value of each key, by its index in ``values``.
  private var newest: [UInt64: Int32] = [:]
  private var values: [Value] = []
  /// The signs of each value, once they are known.
  private var signs: [ValueSigns] = []

  /// Whether there is no value.
  var isEmpty: Bool { values.isEmpty }

  /// Adds a value of the key with the hash `key` that is newer than those added before.
  ///
  /// It replaces the value with the same bytes or, if there are enough values, the oldest. One more
  /// value is kept than is weighed, because one of them may be the value that is judged.
  mutating func add(_ record: Record, of store: Int, hash: UInt64, to key: UInt64) {
    var value = Value(record: record, store: Int32(store), older: -1, hash: hash)
    guard let position = newest.index(forKey: key) else {
      newest[key] = Int32(values.count)
      values.append(value)
      return
    }
    let first = newest.values[position]
    var (index, newer, count) = (Int(first), -1, 1)
    while values[index].hash != hash, count <= Self.limit, values[index].older >= 0 {
      (newer, index) = (index, Int(values[index].older))
      count += 1
    }
    if index == Int(first), values[index].hash == hash {
      value.older = values[index].older
      values[index] = value
      return
    }
    value.older = first
    if values[index].hash == hash || count > Self.limit {
      values[newer].older = values[index].older
      values[index] = value
    } else {
      index = values.count
      values.append(value)
    }
    newest.values[position] = Int32(index)
  }

  /// Weighs all values, those of a record with `weigh`.
  mutating func weigh(_ weigh: (Record, _ store: Int) -> ValueSigns) {
    signs = values.map { weigh($0.record, Int($0.store)) }
  }

  /// Returns the signs of the newest values of the key with the hash `key`, newest first, without the
  /// one whose bytes have the hash `own`.
  func others(of key: UInt64, than own: () -> UInt64) -> OtherValues {
    var others = OtherValues()
    guard let first = newest[key] else { return others }
    let own = own()
    var index = Int(first)
    while index >= 0, others.count < Self.limit {
      let value = values[index]
      if value.hash != own { others.append(signs[index]) }
      index = Int(value.older)
    }
    return others
  }
}

/// The signs of up to six values, without memory of their own.
struct OtherValues: Hashable, Sendable {
  private var signs = SIMD8<UInt64>(repeating: 0)
  private(set) var count = 0

  mutating func append(_ value: ValueSigns) {
    signs[count] = value.bits
    count += 1
  }

  /// The values, newest first.
  var values: [ValueSigns] { (0..<count).map { ValueSigns(bits: signs[$0]) } }
}
