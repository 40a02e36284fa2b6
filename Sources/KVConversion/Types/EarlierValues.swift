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
    let record: Record
    let store: Int32
    let hash: UInt64
    var older: Int32 = -1
  }

  /// The values of a key: the newest, by its index in ``values``, and how many there are.
  private struct Values: Sendable {
    let newest: Int32
    var count = 1
  }

  private var keys: [UInt64: Values] = [:]
  private var values: [Value] = []
  /// The number of keys that have enough values.
  private(set) var fullCount = 0
  /// The signs of each value, once they are known.
  private var signs: [ValueSigns] = []

  /// Whether there is no value.
  var isEmpty: Bool { values.isEmpty }

  /// Adds a value of the key with the hash `key` that is older than those added before, unless one of
  /// them has the same bytes or there are enough.
  ///
  /// One more value is kept than is weighed, because one of them may be the value that is judged.
  mutating func add(_ record: Record, of store: Int, hash: () -> UInt64, to key: UInt64) {
    let added = Int32(values.count)
    guard let position = keys.index(forKey: key) else {
      values.append(Value(record: record, store: Int32(store), hash: hash()))
      keys[key] = Values(newest: added)
      return
    }
    guard keys.values[position].count <= Self.limit else { return }
    let hash = hash()
    var index = Int(keys.values[position].newest)
    while values[index].hash != hash, values[index].older >= 0 { index = Int(values[index].older) }
    guard values[index].hash != hash else { return }
    values[index].older = added
    values.append(Value(record: record, store: Int32(store), hash: hash))
    keys.values[position].count += 1
    if keys.values[position].count > Self.limit { fullCount += 1 }
  }

  /// Weighs all values, those of a record with `weigh`.
  mutating func weigh(_ weigh: (Record, _ store: Int) -> ValueSigns) {
    signs = values.map { weigh($0.record, Int($0.store)) }
  }

  /// Returns the signs of the newest values of the key with the hash `key`, newest first, without the
  /// one whose bytes have the hash `own`.
  func others(of key: UInt64, than own: () -> UInt64) -> OtherValues {
    var others = OtherValues()
    guard let known = keys[key] else { return others }
    let own = own()
    var index = Int(known.newest)
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
