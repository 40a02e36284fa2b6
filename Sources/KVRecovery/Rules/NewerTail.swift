import KVBytes
import KVModel

/// Whole records directly after a sound log, which are newer than it.
enum NewerTail: LogRule {
  static let id: RuleID = "log.newer-tail"
  static let premise = """
    whole records follow directly on a sound log, up to bytes that were never written to; more \
    than two thirds of their keys disagree with the last full rewrite, and the log was rewritten \
    once at most
    """
  static let conclusion =
    "they were appended after the length was stored; no checksum covers the whole log"
  static let ceiling = Evidence.structure
  static let failure =
    "where an older log is in sync with the end of this one: 2 of 100,000 healthy stores of MMKV were called damaged"

  static func conclusions<S: Store>(_ investigation: Investigation<S>) -> [Conclusion] {
    guard let log = investigation.confirmedLog, let confirmed = investigation.confirmed,
      let tail = TailSearch(after: log, of: investigation.store, confirmed: confirmed.snapshot)
    else { return [] }
    return [
      Conclusion(
        .log(Extent(log.file, log.offset..<tail.extent.end)), by: Self.self, .structure,
        "\(log.count.grouped) bytes, for which the checksum holds, and \(tail.extent.count.grouped) after them that "
          + "were written later")
    ]
  }
}

/// Records directly after a log that is whole, which were appended after its size was stored: the
/// app was killed in between, or the two files were copied at different times.
///
/// What is left of an older log can stand there as well, and even begin with a whole record: see
/// ``RewriteAgreement`` for how they are told apart.
///
/// Only where the log was rewritten once at most can anything be told. Of a second older log, older values can
/// be left, which agree with nothing; and where records are alike in length, they stand in sync after
/// every healthy log.
struct TailSearch<S: Store> {
  /// How many bytes must never have been written to at the end of the file.
  private static var endCount: Int { 16 }

  /// Where it is.
  let extent: Extent

  /// The tail after `log`, where there is one; `confirmed` is what the last full rewrite left.
  init?(after log: Extent, of store: S, confirmed: Snapshot) {
    let area = store.logArea
    guard store.traits.olderLogCount ?? .max <= 1, log.file == area.file, log.end < area.end else {
      return nil
    }
    let written = WrittenArea(Extent(area.file, log.end..<area.end), of: store)
    // An older log that filled the file may have gone on in a part that was cut off since.
    guard written.extent.end + Self.endCount <= area.end else { return nil }
    // After the newer records there can still be older ones, which they were written over.
    let end = written.gaps.first?.extent.offset ?? written.extent.end
    guard let whole = Self.wholeEnd(log.end..<end, area, of: store) else { return nil }
    extent = Extent(area.file, log.end..<whole)
    guard RewriteAgreement(of: extent, in: store, with: confirmed).isNewer else { return nil }
  }

  /// Where the last record ends that is known to be whole, of those in `range`; `nil` without one.
  ///
  /// An app that is killed has stored the size of all appends but one: a lone record may be half
  /// stored. Its lengths come first, and the rest of its value is what stood there before. Its last byte
  /// was stored where it is not zero and nothing but zeros is after it; under a cipher, nothing can be
  /// told. Where there are more records, the meta file is older; then the last may lack a page.
  private static func wholeEnd(_ range: Range<Int>, _ area: Extent, of store: S) -> Int? {
    var records: [Record] = []
    for case .record(let record) in store.records(in: Extent(area.file, range), scan: .plain) {
      records.append(record)
    }
    guard let last = records.last?.extent, store.implausible(records).isEmpty else { return nil }
    let isStored =
      !store.isEncrypted
      && store.lastNonzero(in: Extent(area.file, last.offset..<area.end)) == last.end - 1
    let isWhole = isStored || records.count > 1 && !DiskPage.divides(last)
    let end = isWhole ? last.end : last.offset
    return end > range.lowerBound ? end : nil
  }
}
