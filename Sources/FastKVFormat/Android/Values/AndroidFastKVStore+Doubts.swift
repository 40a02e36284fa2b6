public import KVModel

extension AndroidFastKVStore {
  /// What makes entries worth less than the checksum over their log says.
  ///
  /// A value in a file of its own has no checksum. A text with U+0000 is one that FastKV refuses to
  /// read. A correction without proof leaves any entry in doubt, and so do records in the clear that
  /// the header calls encrypted. And another copy may hold, or have
  /// held, something newer; see ``CopyDoubts``.
  public func doubts(about live: [Record]) -> [Record: [Caution]] {
    var found: [Record: [Caution]] = [:]
    for record in live {
      guard let copy = copy(record.file) else { continue }
      var cautions: [Caution]?
      if let name = externalName(of: record) {
        cautions = externals.isThere(name) ? [] : [.mayBeDamaged]
      }
      if !(copy.corrected?.isSure ?? true) || isRefused(record, in: copy)
        || copy.hasWrongBit && copy.header.isEncrypted
      {
        cautions = [.mayBeDamaged]
      }
      if !doubts.isEmpty, doubts.includes(key(of: record), in: record.file) {
        cautions = (cautions ?? []) + [.mayBeStale]
      }
      if let cautions { found[record] = cautions }
    }
    return found
  }

  private func isRefused(_ record: Record, in copy: AndroidCopy) -> Bool {
    // Where the engine takes the copy, it refuses nothing in it.
    guard !copy.isTaken, let shape = shape(of: record) else { return false }
    if case .refused = RecordJudge(copy: copy.decoded).verdict(on: shape) { return true }
    return false
  }
}
