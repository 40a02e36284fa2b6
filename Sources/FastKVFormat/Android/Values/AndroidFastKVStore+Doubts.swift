import KVBytes
public import KVModel

extension AndroidFastKVStore {
  /// What makes entries worth less than the checksum over their log says.
  ///
  /// A value in a file of its own has no checksum, and may be damaged where it looks like that. Where the
  /// lanes hold over records that do not decode, they hold by accident. A text with U+0000 is one that FastKV refuses to
  /// read. A correction without proof leaves any entry in doubt, and so do records in the clear that
  /// the header calls encrypted. And another copy may hold, or have
  /// held, something newer; see ``CopyDoubts``.
  public func doubts(about live: [Record]) -> [Record: [Caution]] {
    var found: [Record: [Caution]] = [:]
    for record in live {
      guard let copy = copy(record.file) else { continue }
      var cautions: [Caution]?
      if let name = externalName(of: record) {
        cautions =
          externals.isThere(name) && externalDamage(of: record) == nil ? [] : [.mayBeDamaged]
      }
      if !(copy.corrected?.odds.isProven ?? true) || isRefused(record, in: copy)
        || copy.hasWrongBit && copy.header.isEncrypted || copy.isChainBroken
        || damagedTag(of: record) != nil
      {
        cautions = [.mayBeDamaged]
      }
      let others = doubts.isEmpty ? [] : doubts.cautions(of: key(of: record), in: record.file)
      if !others.isEmpty {
        cautions = (cautions ?? []) + others.filter { cautions?.contains($0) != true }
      }
      if let cautions { found[record] = cautions }
    }
    return found
  }

  /// Those of `records` in which some byte is none that an app writes, though they decode.
  public func implausible(_ records: [Record]) -> [Record] {
    records.filter { record in
      guard let copy = copy(record.file), let shape = shape(of: record) else { return false }
      return !RecordTest(isEncrypted: copy.decoded.isEncrypted, cipher: copy.decoded.cipher)
        .passes(shape, copy.decoded.stored.span)
    }
  }

  private func isRefused(_ record: Record, in copy: AndroidCopy) -> Bool {
    // Where the engine takes the copy, it refuses nothing in it.
    guard !copy.isTaken, let shape = shape(of: record) else { return false }
    if case .refused = RecordJudge(copy: copy.decoded).verdict(on: shape) { return true }
    return false
  }
}
