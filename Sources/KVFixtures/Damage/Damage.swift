/// Damage to the files of a healthy store.
package struct Damage: Hashable, Sendable {
  /// The edits, sorted by file and offset.
  ///
  /// They do not overlap.
  package let edits: [FileEdit]
  /// The names of the deleted files.
  package let removed: [String]
  /// Whether bytes of the log move, so that an older record can come after a newer one.
  let reordersLog: Bool
  /// The verified ends of logs, by file, if they come from stale side files that are consistent in
  /// themselves.
  ///
  /// Nothing then shows that the bytes after such an end are newer, and not leftover records.
  package internal(set) var verifiedEnds: [String: Int] = [:]
  /// Whether the new bytes come from an earlier state, so that the damage may restore that state
  /// completely.
  package var isFromEarlier = false

  /// Creates damage from these edits.
  ///
  /// - Precondition: The edits of one file do not overlap.
  package init(_ edits: [FileEdit], removing removed: [String] = [], reordersLog: Bool = false) {
    self.edits = edits.sorted { ($0.file, $0.range.lowerBound) < ($1.file, $1.range.lowerBound) }
    self.removed = removed
    self.reordersLog = reordersLog
  }

  /// Creates the damage that gives `file` the contents `bytes`, with one edit for each run of
  /// differing bytes.
  init(replacing file: SimulatedFile, with bytes: [UInt8]) {
    let old = file.bytes
    let common = min(old.count, bytes.count)
    var edits: [FileEdit] = []
    var start: Int?
    for offset in 0...common {
      let differs = offset < common && old[offset] != bytes[offset]
      if differs, start == nil { start = offset }
      if !differs, let first = start {
        edits.append(FileEdit(file.name, first..<offset, Array(bytes[first..<offset])))
        start = nil
      }
    }
    if old.count != bytes.count {
      edits.append(FileEdit(file.name, common..<old.count, Array(bytes[common...])))
    }
    self.init(edits)
  }

  /// Returns this damage combined with `other`, or `nil` if both affect the same bytes.
  package func combined(with other: Damage) -> Damage? {
    let isDisjoint = other.edits.allSatisfy { edit in
      edits.allSatisfy { own in
        own.file != edit.file
          || own.range.lowerBound != edit.range.lowerBound
            && (own.range.upperBound <= edit.range.lowerBound
              || edit.range.upperBound <= own.range.lowerBound)
      }
    }
    guard isDisjoint else { return nil }
    var both = Damage(
      edits + other.edits, removing: removed + other.removed,
      reordersLog: reordersLog || other.reordersLog)
    both.isFromEarlier = isFromEarlier || other.isFromEarlier
    both.verifiedEnds = verifiedEnds.merging(other.verifiedEnds) { min($0, $1) }
    return both
  }

  /// Returns the offset in the healthy file of the byte at `offset` in the damaged one, or `nil` if
  /// the byte was inserted.
  package func originalOffset(of offset: Int, in file: String) -> Int? {
    var shift = 0
    for edit in edits where edit.file == file {
      let start = edit.range.lowerBound + shift
      if offset < start { return offset - shift }
      if offset < start + edit.bytes.count {
        return edit.bytes.count == edit.range.count ? offset - shift : nil
      }
      shift += edit.bytes.count - edit.range.count
    }
    return offset - shift
  }

  /// Whether the damage changes nothing.
  package var isEmpty: Bool { edits.isEmpty && removed.isEmpty }

  /// Returns the files of `image` with the damage applied.
  package func applied(to image: DiskImage) -> DiskImage {
    var image = image
    // Edits are applied from the end of each file, so that the offsets of the healthy file stay
    // valid.
    for edit in edits.reversed() {
      guard var bytes = image[edit.file]?.bytes else { continue }
      bytes.replaceSubrange(edit.range, with: edit.bytes)
      image.replace(edit.file, with: bytes)
    }
    for name in removed { image.apply(.remove(name: name)) }
    return image
  }
}
