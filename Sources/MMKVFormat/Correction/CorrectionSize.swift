import KVModel

/// How much damage a correction of the log undoes; the least first.
enum CorrectionSize: Hashable, Sendable, CaseIterable {
  case bit
  case byte
  /// Records that the last full rewrite copied, as they still stand after the log.
  case copied
  /// A bit or a byte in the part that the confirmed digest covers, and one after it.
  case onePerDigest
  /// The key of one record, which should be another key of the log.
  case key
  case twoBytes
  case twoBits

  /// The size of the corrections that `rule` leads to; `nil` if it is not about bytes of the log.
  init?(_ rule: RuleID) {
    guard let size = Self.allCases.first(where: { $0.rule.id == rule }) else { return nil }
    self = size
  }

  /// The size for people.
  var name: String {
    switch self {
    case .bit: "one bit"
    case .byte: "one byte"
    case .copied: "the records that the last full rewrite copied"
    case .onePerDigest: "one place under each of the two digests"
    case .key: "the key of one record"
    case .twoBytes: "two bytes beside each other"
    case .twoBits: "two bits"
    }
  }

  /// How many bits it takes to believe in damage of this size rather than in more of another kind.
  ///
  /// One changed bit, or two, are common damage. Two bytes beside each other and a key for a key are as
  /// rare as damage to several places, of which there are more kinds. So nearly is one byte in which more
  /// than one bit differs: of 138 corrections of a byte, in 48,000 damaged stores, 2 were false that
  /// claimed 12 bits without this.
  var priorBits: Int {
    switch self {
    case .bit, .copied, .onePerDigest, .twoBits: 0
    case .byte: 3
    case .key, .twoBytes: 4
    }
  }

  /// What it is worth, in bits, that all of the log decodes with a correction of this size, and did not
  /// without.
  ///
  /// A change that is drawn by lot seldom does that to a log with other damage. Under a cipher it garbles
  /// the block after its own anew, and so has more chances.
  static func framingBits(isEncrypted: Bool) -> Int { isEncrypted ? 4 : 6 }
}
