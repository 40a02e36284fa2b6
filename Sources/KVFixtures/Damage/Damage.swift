/// What is done to the files of a healthy store.
package struct Damage: Hashable, Sendable {
  /// The edits, by file and offset; they do not overlap.
  package let edits: [FileEdit]
  /// The files that go, by name.
  package let removed: [String]
  /// Whether bytes of the log are somewhere else afterwards, so that an older record can stand after
  /// a newer one.
  let reordersLog: Bool
  /// Where a log ends by side files that are older and right about themselves, by file: nothing tells
  /// then that what stands after it is newer, not leftover records.
  var verifiedEnds: [String: Int] = [:]

  /// Whether bytes are those of an earlier state, so that all of it can be back.
  package var isFromEarlier = false

  /// Damage by these edits.
  ///
  /// - Precondition: The edits of one file do not overlap.
  package init(_ edits: [FileEdit], removing removed: [String] = [], reordersLog: Bool = false) {
    self.edits = edits.sorted { ($0.file, $0.range.lowerBound) < ($1.file, $1.range.lowerBound) }
    self.removed = removed
    self.reordersLog = reordersLog
  }

  /// The damage that makes `file` hold `bytes`: the runs in which they differ.
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

  /// This damage and `other` together; `nil` where both concern the same bytes.
  func combined(with other: Damage) -> Damage? {
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

  /// Where the byte at `offset` of the damaged `file` was in the healthy one; `nil` for a byte that
  /// was put in.
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

  /// Whether nothing is done.
  var isEmpty: Bool { edits.isEmpty && removed.isEmpty }

  /// The files of `image` with the damage.
  package func applied(to image: DiskImage) -> DiskImage {
    var image = image
    // From the end of each file, so that offsets stay those of the healthy file.
    for edit in edits.reversed() {
      guard var bytes = image[edit.file]?.bytes else { continue }
      bytes.replaceSubrange(edit.range, with: edit.bytes)
      image.replace(edit.file, with: bytes)
    }
    for name in removed { image.apply(.remove(name: name)) }
    return image
  }
}
