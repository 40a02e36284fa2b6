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
    var found: [RuleID: Set<Record>] = [:]
    var missing: Set<Record> = []
    var disputed: Set<Record> = []
    for record in live {
      guard let copy = copy(record.file) else { continue }
      if let name = externalName(of: record) {
        if externals.isThere(name) && externalDamage(of: record) == nil {
          found[ExternalValue.id, default: []].insert(record)
        } else {
          missing.insert(record)
        }
      }
      for rule in limits(on: record, in: copy) { found[rule.id, default: []].insert(record) }
      guard !doubts.isEmpty else { continue }
      let key = key(of: record)
      if doubts.isDisputed(key, in: record.file) { disputed.insert(record) }
      if doubts.mayBeStale(key, in: record.file) {
        found[OtherCopy.id, default: []].insert(record)
      }
    }
    func limit(_ rule: any EvidenceRule.Type, _ records: Set<Record>?) -> [Conclusion] {
      guard let records, !records.isEmpty else { return [] }
      return [Conclusion(.limit(.records(records), [.mayBeDamaged]), by: rule)]
    }
    let whole = found[ExternalValue.id].map {
      Conclusion(.uncovered(.records($0), []), by: ExternalValue.self)
    }
    let stale = found[OtherCopy.id].map {
      Conclusion(.stale(.records($0)), by: OtherCopy.self)
    }
    return [whole].compactMap { $0 } + limit(ExternalValue.self, missing)
      + limit(AndroidLikelyCorrection.self, found[AndroidLikelyCorrection.id])
      + limit(AccidentalChecksum.self, found[AccidentalChecksum.id])
      + limit(OtherCopy.self, disputed) + [stale].compactMap { $0 }
  }

  /// Returns the rules by which `record` may be damaged, regardless of other copies.
  private func limits(on record: Record, in copy: AndroidCopy) -> [any EvidenceRule.Type] {
    var rules: [any EvidenceRule.Type] = []
    if !(copy.corrected?.isProven ?? true) { rules.append(AndroidLikelyCorrection.self) }
    if copy.isAccidental || copy.lacksHighBits || isRefused(record, in: copy)
      || copy.hasWrongBit && copy.header.isEncrypted
      || damagedTag(of: record) != nil
    {
      rules.append(AccidentalChecksum.self)
    }
    return rules
  }

  /// Returns those of `records` that decode but are implausible in some byte.
  package func implausible(_ records: [Record]) -> [Record] {
    records.filter { record in
      guard let copy = copy(record.file), let shape = shape(of: record) else { return false }
      return !copy.test.passes(shape, copy.decoded.stored.storageSpan)
    }
  }

  private func isRefused(_ record: Record, in copy: AndroidCopy) -> Bool {
    // If the engine takes the copy, it refuses nothing in it.
    guard !copy.isTaken, let shape = shape(of: record) else { return false }
    if case .refused = RecordJudge(copy: copy.decoded).verdict(on: shape) { return true }
    return false
  }
}
