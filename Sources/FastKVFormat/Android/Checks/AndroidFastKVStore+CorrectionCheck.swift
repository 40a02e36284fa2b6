import KVBytes
import KVModel

extension AndroidFastKVStore {
  /// How many corrected bytes a message names.
  private static let namedLimit = 12

  /// What was put right in a copy, by what, and how sure that is.
  func checkCorrection(_ copy: AndroidCopy, _ correction: Correction) -> Finding {
    let patches = correction.patches
    let first = patches.first?.offset ?? 0
    let extent = Extent(copy.file.role, first..<(patches.last?.offset ?? first) + 1)
    let named = patches.prefix(Self.namedLimit).map {
      "\(Hexadecimal.text($0.offset, digits: 2)) (by \(Hexadecimal.text($0.mask, digits: 2)))"
    }.joined(separator: ", ")
    let places =
      named
      + (patches.count > Self.namedLimit ? " and \(patches.count - Self.namedLimit) more" : "")
    let message =
      switch correction.source {
      case .otherCopy:
        "neither copy of the pair holds; with \(patches.count) bytes of the other one, at \(places), "
          + "this one does"
      case .bothCopies:
        "neither copy of the pair holds, and they differ where the lanes of the checksum want a change, "
          + "at \(places); with that all records decode, and nothing else confirms it, so every entry "
          + "may be damaged"
      case .lostByte:
        "the lanes of the checksum fit if a byte is put in at \(places) and all behind it moves up"
          + (correction.isSure
            ? "" : "; nothing else confirms that byte, so every entry may be damaged")
      case .addedByte:
        "the lanes of the checksum fit if the byte at \(places) is taken out and all behind it moves down"
      case .lanes:
        "the lanes of the checksum say what was changed, and only with the change at \(places) do all "
          + "records decode"
          + (correction.isSure
            ? "; the records alone say the same"
            : "; nothing else confirms it, so every entry may be damaged")
      }
    return finding("fastkv-android.corrected", .damage, copy, extent, message)
  }
}
