import KVModel

/// The amount of damage that a correction of the log undoes, in increasing order.
enum CorrectionSize: Hashable, Sendable, CaseIterable {
  case bit
  case byte
  /// Records that the last full rewrite copied, restored from the originals after the log.
  case copied
  /// Two disk blocks that changed places.
  case exchanged
  /// A bit or a byte under the confirmed checksum, and one after it.
  case onePerDigest
  /// The key of one record, which should be another key of the log.
  case key
  case twoBytes
  case twoBits

  /// What undoes the damage, as the subject of a sentence.
  var phrase: String {
    switch self {
    case .bit: "flipping one bit"
    case .byte: "changing one byte"
    case .copied: "restoring the records that the last full rewrite copied"
    case .exchanged: "exchanging two blocks"
    case .onePerDigest: "changing one place under each of the two checksums"
    case .key: "replacing the key of one record"
    case .twoBytes: "changing two adjacent bytes"
    case .twoBits: "flipping two bits"
    }
  }

  /// The prior, in bits, against damage of this size rather than more damage of another kind.
  ///
  /// One changed bit, or two, are common damage. Two adjacent bytes, or a key exchanged for
  /// another, are as rare as damage in several places, of which there are more kinds. One byte with
  /// more than one changed bit is nearly as rare: of 138 corrections of a byte in 48,000 damaged
  /// stores, 2 with 12 bits or more were false before this prior was added.
  var priorBits: Int {
    switch self {
    case .bit, .copied, .exchanged, .onePerDigest, .twoBits: 0
    case .byte: 3
    case .key, .twoBytes: 4
    }
  }

  /// Returns the evidence, in bits, that all of the log decodes with a correction of this size but
  /// not without it.
  ///
  /// A random change seldom achieves that for a log with other damage. In an encrypted store it
  /// also garbles the block after it, and so has more chances.
  static func framingBits(isEncrypted: Bool) -> Int { isEncrypted ? 4 : 6 }
}
