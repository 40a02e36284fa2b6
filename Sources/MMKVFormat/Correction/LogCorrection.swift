import KVModel

/// Changes of a few bits after which the stored digests hold, and all of the log decodes.
struct LogCorrection: Hashable, Sendable {
  /// How much damage it takes; the least first.
  enum Size: Hashable, Sendable, CaseIterable {
    case bit
    case byte
    /// A bit or a byte in the part that the confirmed digest covers, and one behind it.
    case onePerDigest
    /// The key of one record, which should be another key of the log.
    case key
    case twoBytes
    case twoBits

    /// The size for people.
    var name: String {
      switch self {
      case .bit: "one bit"
      case .byte: "one byte"
      case .onePerDigest: "one place under each of the two digests"
      case .key: "the key of one record"
      case .twoBytes: "two bytes beside each other"
      case .twoBits: "two bits"
      }
    }
  }

  /// How much damage it undoes.
  let size: Size
  /// The bytes, in file order.
  let changes: [ByteChange]
  /// How many bits of the digests are left to vouch for it: damage of another kind looks like this with
  /// a chance of one in 2 to this.
  let confidence: Int
  /// Whether records did not decode before.
  let mendsRecords: Bool

  /// Whether it is as good as certain: otherwise it is only likelier than anything else, and no entry
  /// has better evidence than `structure`.
  var isProven: Bool {
    switch size {
    // One changed bit is the commonest damage, one changed byte is not, nor is a key for a key.
    case .bit, .onePerDigest: confidence >= (mendsRecords ? 4 : 8)
    case .byte, .key: confidence >= (mendsRecords ? 4 : 12)
    // These have answers by chance, and the records told which is right.
    case .twoBytes, .twoBits: mendsRecords
    }
  }
}
