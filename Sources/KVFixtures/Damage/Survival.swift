/// The bytes of a healthy store that survive damage.
struct Survival {
  private let image: DiskImage
  private let chain: TargetChain?
  /// The bytes that are gone or can no longer be decoded, by file.
  private var touched: [String: [Range<Int>]] = [:]
  /// The offsets of pure insertions, by file.
  private var cuts: [String: [Int]] = [:]
  /// The bytes of the encrypted file whose offset within their cipher block has changed.
  private var displaced: [Range<Int>] = []

  init(_ damage: Damage, of target: DamageTarget) {
    image = target.image
    chain = target.chain
    for name in damage.removed { touch(0..<(image[name]?.bytes.count ?? 0), of: name) }
    for edit in damage.edits { take(edit) }
    trackDisplacement(damage)
    // Without the initialization vector, the first block cannot be decrypted even if its bytes
    // survive.
    if let chain, let vector = target.fields.first(where: { $0.kind == .vector }),
      !isWhole(vector.range, of: vector.file)
    {
      touched[chain.file, default: []].append(chain.start..<chain.start + chain.block)
    }
  }

  /// Returns whether the bytes survive, contiguous and decodable.
  func isWhole(_ range: Range<Int>, of file: String) -> Bool {
    !(touched[file] ?? []).contains { $0.overlaps(range) }
      && !(cuts[file] ?? []).contains { $0 > range.lowerBound && $0 < range.upperBound }
  }

  /// Returns whether surviving bytes can only be decrypted by trying other block offsets.
  func isDisplaced(_ range: Range<Int>, of file: String) -> Bool {
    file == chain?.file && displaced.contains { $0.overlaps(range) }
  }

  private mutating func take(_ edit: FileEdit) {
    guard let old = image[edit.file]?.bytes else { return }
    if edit.range.isEmpty {
      cuts[edit.file, default: []].append(edit.range.lowerBound)
      if edit.file == chain?.file {
        touch(edit.range.lowerBound..<edit.range.lowerBound + 1, of: edit.file)
      }
    } else if edit.range.count == edit.bytes.count {
      for (offset, byte) in zip(edit.range, edit.bytes) where old[offset] != byte {
        touch(offset..<offset + 1, of: edit.file)
      }
    } else {
      touch(edit.range, of: edit.file)
    }
  }

  /// Marks bytes as gone.
  ///
  /// A changed byte of ciphertext also corrupts the whole following block.
  private mutating func touch(_ range: Range<Int>, of file: String) {
    guard !range.isEmpty else { return }
    var end = range.upperBound
    if let chain, chain.file == file, end > chain.start {
      end = chain.start + ((end - 1 - chain.start) / chain.block + 2) * chain.block
    }
    // Adjacent ranges are merged, so that a page of noise is one range.
    var ranges = touched[file] ?? []
    if let last = ranges.last, (last.lowerBound...last.upperBound).contains(range.lowerBound) {
      ranges[ranges.count - 1] = last.lowerBound..<max(last.upperBound, end)
    } else {
      ranges.append(range.lowerBound..<end)
    }
    touched[file] = ranges
  }

  private mutating func trackDisplacement(_ damage: Damage) {
    guard let chain, let count = image[chain.file]?.bytes.count else { return }
    var shift = 0
    var start = 0
    for edit in damage.edits where edit.file == chain.file {
      if shift % chain.block != 0 { displaced.append(start..<edit.range.lowerBound) }
      shift += edit.bytes.count - edit.range.count
      start = edit.range.upperBound
    }
    if shift % chain.block != 0, start < count { displaced.append(start..<count) }
  }
}
