/// The numbers by which stores of FastKV for iOS are judged, each with the measurement that chose it.
///
/// Healthy stores and stores with a header of another moment were simulated in six shapes: one to
/// four keys of one length, keys that are removed, a lone key, a dozen keys and an emptied store,
/// many compactions, and a mixture. "Not read" counts healthy stores of which an entry is not shown
/// as the app has it; all of them have a caution there. No number below makes a healthy store count
/// as damaged.
enum ApplePriors {
  // MARK: Records after a log

  /// The bits of agreement with the last compaction from which records are leftovers of it.
  ///
  /// Of 3,600 healthy stores, 135 · 195 · 286 have a caution with 2 · 3 · 4, and of 1,639 stores with
  /// an older header, 150 · 112 · 71 show an older value as sound.
  static let leftoverBits = 3
  /// The bits against leftovers for each key with a value that the last compaction did not write.
  ///
  /// With 1 · 2 · 3, 10 · 12 · 12 of 600 stores with one changed bit in the length show an older
  /// value as sound; nothing else depends on it noticeably.
  static let otherValueBits = 1
  /// The bits of agreement of a key that has had no other value than that of the last compaction, and
  /// that is set to it after damage.
  ///
  /// With 1 · 2, 9,158 · 9,186 of 10,059 entries are right in stores with a header from before a
  /// compaction; with 2, one entry of an interrupted compaction of a real engine is wrong.
  static let repeatedBits = 1
  /// The most values of a key that are told apart: the agreement of one key is 3 bits at most.
  static let valueCountLimit = 8
  /// The odds that leftovers begin exactly at the end of the log, up to which the records there are
  /// read as newer.
  ///
  /// Of 9,000 healthy stores, 48 · 20 · 14 · 11 are not read with 1/4 · 1/8 · 1/16 · 1/32, and of
  /// 9,116 values in stores with an older header or a length that was not stored, 8,447 · 8,381 ·
  /// 8,303 · 8,187 are right.
  static let placeOdds = 1.0 / 8
  /// The same if a record has a key that the log never had, and no removal is left in the file.
  ///
  /// It reads 6 more entries of damaged stores that real engines wrote, and no healthy store
  /// differently.
  static let placeOddsOfNewKey = 1.0 / 4
}
