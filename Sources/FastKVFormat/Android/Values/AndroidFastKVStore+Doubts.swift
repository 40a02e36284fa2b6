import KVBytes
package import KVModel

extension AndroidFastKVStore {
  /// Returns the entries that are less certain than the checksum over their log says.
  ///
  /// - A value in an external file has no checksum, and may be damaged if the file looks damaged or
  ///   is missing.
  /// - If the lanes match over records that do not decode, they match by accident. The same goes
  ///   for a text with U+0000, which FastKV refuses, for plain records that the header calls
  ///   encrypted, and for a file whose highest bits were probably all cleared; see ``HighBits``.
  /// - A correction that is not proven leaves every entry unverified.
  /// - Another copy may hold, or have held, something newer; see ``CopyDoubts``.
  package func conclusions(about live: [Record], in log: Extent?) -> [Conclusion] {
    var (external, missing, likely, accidental, disputed, stale) = (
      Set<Record>(), Set<Record>(), Set<Record>(), Set<Record>(), Set<Record>(), Set<Record>()
    )
    for record in live {
      guard let copy = copy(record.file) else { continue }
      if let name = externalName(of: record) {
        if externals.isThere(name) && externalDamage(of: record) == nil {
          external.insert(record)
        } else {
          missing.insert(record)
        }
      }
      if !(copy.corrected?.isProven ?? true) { likely.insert(record) }
      if isAccidental(record, in: copy) { accidental.insert(record) }
      guard !doubts.isEmpty else { continue }
      let key = key(of: record)
      if doubts.isDisputed(key, in: record.file) { disputed.insert(record) }
      if doubts.mayBeStale(key, in: record.file) { stale.insert(record) }
    }
    let limits: [(Set<Record>, any EvidenceRule.Type)] = [
      (missing, ExternalValue.self), (likely, AndroidLikelyCorrection.self),
      (accidental, AccidentalChecksum.self), (disputed, OtherCopy.self),
    ]
    return
      (external.isEmpty
      ? [] : [Conclusion(.uncovered(.records(external), []), by: ExternalValue.self)])
      + limits.filter { !$0.0.isEmpty }.map {
        Conclusion(.limit(.records($0), [.mayBeDamaged]), by: $1)
      } + (stale.isEmpty ? [] : [Conclusion(.stale(.records(stale)), by: OtherCopy.self)])
  }

  /// Returns whether the checksum over `record` matches by accident, if it does.
  private func isAccidental(_ record: Record, in copy: AndroidCopy) -> Bool {
    copy.isAccidental || copy.lacksHighBits || copy.hasWrongBit && copy.header.isEncrypted
      || isRefused(record, in: copy)
  }

  /// Returns those of `records` that decode but are implausible in some byte.
  package func implausible(_ records: [Record]) -> [Record] {
    records.filter { record in
      guard let copy = copy(record.file), let shape = shape(of: record) else { return false }
      return !copy.decoded.isPlausible(shape)
    }
  }

  private func isRefused(_ record: Record, in copy: AndroidCopy) -> Bool {
    // If the engine takes the copy, it refuses nothing in it.
    guard !copy.isTaken, let shape = shape(of: record) else { return false }
    if case .refused = RecordJudge(copy: copy.decoded).verdict(on: shape) { return true }
    return false
  }
}
