package import KVFixtures

extension Damage {
  /// Returns this damage combined with `other`, or `nil` if both affect the same bytes.
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
}
