package import KVModel

/// A record of a healthy store, with its place and contents.
package struct TargetRecord: Hashable, Sendable {
  package let key: Key
  package let operation: Record.Operation
  /// The value, as the record stores it, or the contents of its external file.
  package let value: [UInt8]
  package let range: Range<Int>
  let keyRange: Range<Int>
  let valueRange: Range<Int>
  /// The file that holds the value, or `nil` if the record holds it.
  let external: String?
  /// The time at which the entry expires, in seconds since 1970, or 0 or `nil` if it never does.
  let expiry: UInt32?
}

/// A log of a healthy store.
///
/// FastKV for Android has one in each copy.
package struct TargetLog: Hashable, Sendable {
  /// The name of the file.
  package let file: String
  /// The bytes from the start of the first record to the end of the log.
  let range: Range<Int>
  /// All records, in file order.
  let records: [TargetRecord]
  /// The field that stores the length of the log, and the length it states.
  let size: TargetField?
  let count: Int

  /// The live records, in file order.
  var live: [TargetRecord] {
    let newest = newestIndexes
    return records.enumerated().filter { newest[$0.element.key] == $0.offset }.map(\.element)
      .filter { $0.operation == .put }
  }

  /// The newest record of each key.
  package var newest: [Key: TargetRecord] { newestIndexes.mapValues { records[$0] } }

  private var newestIndexes: [Key: Int] {
    var newest: [Key: Int] = [:]
    for (index, record) in records.enumerated() where record.operation != .struckPut {
      newest[record.key] = index
    }
    return newest
  }
}

/// A field in a header or side file of a healthy store.
struct TargetField: Hashable, Sendable {
  /// The purpose of a field, as far as operators distinguish it.
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

/// A cipher in which each block depends on the one before it.
struct TargetChain: Hashable, Sendable {
  let file: String
  /// The offset of the first block.
  let start: Int
  /// The size of a block, in bytes.
  let block: Int
}
