/// Damage to the files of a healthy store.
package struct Damage: Hashable, Sendable {
  /// The edits, sorted by file and offset.
  ///
  /// They do not overlap.
  package let edits: [FileEdit]
  /// The names of the deleted files.
  package let removed: [String]
  /// Whether bytes of the log move, so that an older record can come after a newer one.
  package let reordersLog: Bool
  /// The verified ends of logs, by file, if they come from stale side files that are consistent in
  /// themselves.
  ///
  /// Nothing then shows that the bytes after such an end are newer, and not leftover records.
  package var verifiedEnds: [String: Int] = [:]
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
