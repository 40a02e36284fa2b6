import KVBytes
package import KVModel

extension MMKVStore {
  /// Returns what the records after `log` say about it: where it would end with them, if they are
  /// likely newer, and which of `live`, its entries, may then be stale.
  package func conclusions(after log: Extent, holding live: [Record]) -> [Conclusion] {
    guard let tail = LogTail(after: log, holding: live, of: self) else { return [] }
    func longer(_ reason: String) -> [Conclusion] {
      guard let end = tail.end else { return [] }
      return [
        Conclusion(
          .log(Extent(log.file, log.offset..<end)), by: NewerTail.self, .structure,
          "\(log.count.inBytes)\(reason), and \((end - log.end).grouped) after them that may be newer"
        )
      ]
    }
    // If neither checksum matches, the log may have been rewritten since they were stored.
    guard lengthClaims.first?.isVerified == true else {
      return tail.copyBits > 0 ? longer("") : []
    }
    let bits = tail.bits
    guard bits >= TailPriors.undecided else { return [] }
    let isNewer = bits >= TailPriors.newer
    let newest = Dictionary(tail.appendable.map { (key(of: $0), $0) }) { _, later in later }
    let stale = live.filter { record in
      guard let other = newest[key(of: record)] else { return false }
      return other.operation != .put || !hasSameValue(record, as: other, in: self)
    }
    var found: [Conclusion] = []
    if !stale.isEmpty {
      let rule: any EvidenceRule.Type = isNewer ? NewerTail.self : UndecidedTail.self
      found.append(Conclusion(.uncovered(.records(Set(stale)), [.mayBeStale]), by: rule))
    }
    return found + (isNewer ? longer(", where the checksum matches") : [])
  }
}
