/// Which bytes of a healthy store damage leaves whole.
struct Survival {
  private let image: DiskImage
  private let chain: TargetChain?
  /// The bytes that are gone, or can no longer be decoded, by file.
  private var touched: [String: [Range<Int>]] = [:]
  /// Where bytes were put in without any going, by file.
  private var cuts: [String: [Int]] = [:]
  /// The bytes of the chain's file whose place in their block has changed.
  private var displaced: [Range<Int>] = []

  init(_ damage: Damage, of target: DamageTarget) {
    image = target.image
    chain = target.chain
    for name in damage.removed { touch(0..<(image[name]?.bytes.count ?? 0), of: name) }
    for edit in damage.edits { take(edit) }
    trackDisplacement(damage)
    // Without its vector the first block cannot be decrypted, whatever became of its bytes.
    if let chain, let vector = target.fields.first(where: { $0.kind == .vector }),
      !isWhole(vector.range, of: vector.file)
    {
      touched[chain.file, default: []].append(chain.start..<chain.start + chain.block)
    }
  }

  /// Whether the bytes are there, side by side, and can be decoded.
  func isWhole(_ range: Range<Int>, of file: String) -> Bool {
    !(touched[file] ?? []).contains { $0.overlaps(range) }
      && !(cuts[file] ?? []).contains { $0 > range.lowerBound && $0 < range.upperBound }
  }

  /// Whether bytes that are whole are decrypted only by who tries other places for the blocks.
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

  /// A changed byte of ciphertext spoils the whole block that follows its own.
  private mutating func touch(_ range: Range<Int>, of file: String) {
    guard !range.isEmpty else { return }
    var end = range.upperBound
    if let chain, chain.file == file, end > chain.start {
      end = chain.start + ((end - 1 - chain.start) / chain.block + 2) * chain.block
    }
    // Neighbors are put together: a page of noise is one range.
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
