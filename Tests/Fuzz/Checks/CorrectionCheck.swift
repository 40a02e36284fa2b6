import KVBytes
import KVModel
import KVRecovery
import KVSystem
import MMKVFormat
import SystemPackage

extension FuzzTarget {
  /// Flips bits of a small MMKV store.
  ///
  /// Everything that is reported as corrected must match the checksum that it claims.
  ///
  ///     offset  count  field
  ///          0      1  the number of entries, modulo 24
  ///          1      1  the seed of their bytes
  ///          2    3 n  flips: offset in the data file, 2 bytes, little-endian, and mask; at most 4
  public static let correction = FuzzTarget(name: "correction") { bytes throws(Violation) in
    var input = Input(bytes)
    let entries = Int(input.byte() % 24)
    let seed = input.byte()
    let flips = input.remainder().prefix(12)
    let whole = try smallStore(entries, seed)
    guard !whole.isEmpty else { return }
    var data = whole[0].image.bytes
    let logEnd = min(data.count, 4 + Int(whole[1].image.bytes.littleEndian(at: 28, count: 4)))
    for start in stride(from: flips.startIndex, to: flips.endIndex - 2, by: 3) {
      let offset = Int(flips[start]) | Int(flips[start + 1]) << 8
      // The size field is not flipped.
      data[4 + offset % max(1, logEnd - 4)] ^= flips[start + 2]
    }
    try expectSyndromes(data, whole[0].image.bytes, 4..<logEnd)
    try expectCorrections(data, whole)
  }
}

/// Returns the files of a store of `count` entries.
///
/// The data file comes first.
private func smallStore(_ count: Int, _ seed: UInt8) throws(Violation) -> [StoreFile] {
  let format = MMKVFormat(now: now)
  var state = UInt64(seed) &+ 1
  let entries = (0..<count).map { index in
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    // The value has the form of a stored string: a length and a few bytes.
    let text = (0..<UInt8(state >> 60)).map {
      UInt8(ascii: "a") + UInt8(state >> 33 & 15) &+ $0 % 8
    }
    return StoreContents.Entry(
      key: Key(Array("key\(index)".utf8)), value: [UInt8(text.count)] + text)
  }
  guard
    let files = try? format.encode(
      StoreContents(entries), like: format.open([]), cipher: .plain)
  else { throw Violation("a small store can be written") }
  return files.map { file in
    StoreFile(file.role, at: file.role == .data ? "fuzz/kv" : "fuzz/kv.crc", FileImage(file.bytes))
  }
}

/// Expects that each pattern reported for a syndrome explains the checksum.
private func expectSyndromes(_ data: [UInt8], _ whole: [UInt8], _ range: Range<Int>)
  throws(Violation)
{
  let stored = CRC32.digest(of: FileImage(whole), in: range)
  let image = FileImage(data)
  let computed = CRC32.digest(of: image, in: range)
  guard stored != computed else { return }
  let syndrome = CRC32Syndrome(computed: computed, stored: stored, count: range.count)
  for width in 1...2 {
    for burst in syndrome.bursts(in: 0..<range.count, width: width) {
      try expectDigest(stored, of: data, range, [burst])
    }
  }
  if range.count <= CRC32Syndrome.pairLimit {
    for pair in syndrome.bitPairs(in: 0..<range.count).prefix(16) {
      try expectDigest(stored, of: data, range, [pair.first, pair.second])
    }
  }
  let differing = range.filter { data[$0] != whole[$0] }
  if differing.count == 1, let offset = differing.first {
    let isFound = syndrome.bursts(in: 0..<range.count, width: 1).contains {
      $0.offset == offset - range.lowerBound
        && UInt8(truncatingIfNeeded: $0.mask) == data[offset] ^ whole[offset]
    }
    guard isFound else { throw Violation("one changed byte is found", "at \(offset)") }
  }
}

private func expectDigest(
  _ stored: UInt32, of data: [UInt8], _ range: Range<Int>, _ bursts: [CRC32Syndrome.Burst]
) throws(Violation) {
  let changes = bursts.flatMap { ByteChange.changes(of: $0, in: .data, from: range.lowerBound) }
  guard changes.allSatisfy({ range.contains($0.offset) }) else {
    throw Violation("a burst lies within its range", "\(changes), \(range)")
  }
  let repaired = FileImage(data).applying(changes, of: .data)
  guard CRC32.digest(of: repaired, in: range) == stored else {
    throw Violation("a burst explains the digest", "\(changes)")
  }
}

/// Expects that corrected bytes have the stored checksum, that corrections are small, and that one
/// flipped bit is undone.
private func expectCorrections(_ data: [UInt8], _ whole: [StoreFile]) throws(Violation) {
  let original = whole[0].image
  let files = [StoreFile(.data, at: whole[0].path, FileImage(data)), whole[1]]
  let store = MMKVFormat(now: now).open(files).corrected()
  try expectSoundStore(store)
  guard let lengthClaim = store.lengthClaims.first, lengthClaim.isCorrected,
    let claim = lengthClaim.checksum
  else {
    return
  }
  let read = store.stored(.data)
  let digest = CRC32.digest(of: read, in: claim.covered.range)
  let stored = store.stored(.meta).bytes.littleEndian(at: claim.storedAt.offset, count: 4)
  guard claim.isSatisfied, UInt64(digest) == stored else {
    throw Violation("what is corrected has the digest that it claims", "\(digest), not \(stored)")
  }
  let changed = data.indices.filter { data[$0] != read[$0] }
  guard changed.count <= 2 else { throw Violation("a correction is small", "\(changed)") }
  let flipped = data.indices.filter { data[$0] != original[$0] }
  if flipped.count == 1, (data[flipped[0]] ^ original[flipped[0]]).nonzeroBitCount == 1,
    changed != flipped
  {
    throw Violation("one flipped bit is undone", "\(changed), not \(flipped)")
  }
}
