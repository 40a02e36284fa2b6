import KVBytes
import KVModel

/// Puts a log together from two copies that are damaged at different places.
///
/// Where the copies differ, one of the two bytes is right. The choice at which the lanes fit is it, if
/// there is only one: the checksum has 64 bits, and few places differ.
///
/// What it assumes: that no byte is damaged in both copies, and that both have the same header.
struct CopyMerge {
  /// The most places that may differ: every choice is tried.
  private static let differenceLimit = 12

  /// Copy A with the bytes of copy B that were chosen.
  let image: FileImage
  /// Where those are.
  let offsets: [Int]

  /// The merger of the two copies; nothing where no choice fits, or more than one.
  init?(_ a: AndroidCopy, _ b: AndroidCopy) {
    guard a.header == b.header, let log = a.log, let computed = a.claim?.computed,
      b.log?.range == log.range, log.count > 0
    else { return nil }
    let first = a.file.image
    let second = b.file.image
    var differences: [Int] = []
    for offset in log.range where first[offset] != second[offset] {
      differences.append(offset)
      if differences.count > Self.differenceLimit { return nil }
    }
    let syndromes = differences.map {
      UInt64(first[$0] ^ second[$0]) << UInt64($0 % 8 * 8)
    }
    // All bytes of one copy are no merger, and do not fit: neither checksum holds.
    var found: [Int] = []
    for choice in 0..<1 << differences.count {
      var lanes = computed
      for index in syndromes.indices where choice >> index & 1 == 1 { lanes ^= syndromes[index] }
      if lanes == a.header.checksum { found.append(choice) }
      if found.count > 1 { return nil }
    }
    guard let choice = found.first else { return nil }
    offsets = differences.indices.filter { choice >> $0 & 1 == 1 }.map { differences[$0] }
    var bytes = a.file.image.bytes
    for offset in offsets { bytes[offset] = second[offset] }
    image = FileImage(bytes)
  }
}
