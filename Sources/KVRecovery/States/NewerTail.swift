import KVModel

/// Records directly behind a log that is whole, which were appended after its size was stored: the
/// app was killed in between, or the two files were copied at different times.
///
/// What is left of an older log can stand there as well, and even begin with a whole record: see
/// ``RewriteAgreement`` for how they are told apart.
///
/// What it assumes: that the bytes behind the older log, if they are of a still older one, do not
/// begin with a whole record as well. Only where a full rewrite is known of can anything be told.
struct NewerTail<S: Store> {
  /// How many bytes must never have been written to at the end of the file.
  private static var endCount: Int { 16 }

  /// Where it is.
  let extent: Extent

  /// The tail behind `log`, where there is one; `confirmed` is what the last full rewrite left.
  init?(behind log: Extent, of store: S, confirmed: Snapshot) {
    let area = store.logArea
    guard log.file == area.file, log.end < area.end else { return nil }
    let written = WrittenArea(Extent(area.file, log.end..<area.end), of: store)
    // An older log that filled the file may have gone on in a part that was cut off since.
    guard written.extent.end + Self.endCount <= area.end else { return nil }
    // Behind the newer records there can still be older ones, which they were written over.
    let end = written.gaps.first?.extent.offset ?? written.extent.end
    guard end > log.end else { return nil }
    extent = Extent(area.file, log.end..<end)
    guard RewriteAgreement(of: extent, in: store, with: confirmed).isNewer else { return nil }
  }
}
