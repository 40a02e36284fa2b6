import KVModel

/// A record of a healthy store: where it is and what it says.
struct TargetRecord: Hashable, Sendable {
  let key: Key
  let operation: Record.Operation
  /// The value, as the record stores it; of one in a file of its own, that file's bytes.
  let value: [UInt8]
  let range: Range<Int>
  let keyRange: Range<Int>
  let valueRange: Range<Int>
  /// The file that holds the value, where it is not in the record.
  let external: String?
  /// When the entry expires, in seconds since 1970; 0 or `nil` for never.
  let expiry: UInt32?
}

/// A log of a healthy store; FastKV for Android has one in each copy.
struct TargetLog: Hashable, Sendable {
  /// The file, by name.
  let file: String
  /// From the first byte that can be a record's to the log's end.
  let range: Range<Int>
  /// All records, in file order.
  let records: [TargetRecord]
  /// Where its length is stored, and what it is.
  let size: TargetField?
  let count: Int

  /// The records that say what is live, in file order.
  var live: [TargetRecord] {
    let newest = newestIndexes
    return records.enumerated().filter { newest[$0.element.key] == $0.offset }.map(\.element)
      .filter { $0.operation == .put }
  }

  /// The newest record of each key.
  var newest: [Key: TargetRecord] { newestIndexes.mapValues { records[$0] } }

  private var newestIndexes: [Key: Int] {
    var newest: [Key: Int] = [:]
    for (index, record) in records.enumerated() where record.operation != .struckPut {
      newest[record.key] = index
    }
    return newest
  }
}

/// A field of a healthy store's headers and side files.
struct TargetField: Hashable, Sendable {
  /// What a field is for, as far as operators ask.
  enum Kind: Hashable, Sendable {
    case size
    case digest
    case vector
    case other
  }

  let kind: Kind
  let file: String
  let range: Range<Int>
}

/// A cipher that makes each block depend on the one in front.
struct TargetChain: Hashable, Sendable {
  let file: String
  /// Where the first block begins.
  let start: Int
  /// How many bytes a block has.
  let block: Int
}
