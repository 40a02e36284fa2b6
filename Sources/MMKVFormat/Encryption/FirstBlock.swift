import KVBytes
import KVCryptography
import KVModel

/// The first block of an encrypted payload, the only one that needs the vector.
///
/// The digest is over the ciphertext, so it holds with any vector. A damaged one turns the first block
/// into noise, and noise can decode: a wrong length then swallows records that are whole. So the
/// records that begin in this block are held against what apps write.
struct FirstBlock {
  /// The block, as far as the log reaches; nothing in a plain store.
  let extent: Extent?
  /// Whether the first record is one that no app writes.
  let isDoubtful: Bool

  /// The first block of the log of `view`.
  init(_ view: MMKVView) {
    let image = view.plain
    guard view.key != nil, let log = view.accounts.first?.log, log.count > 0 else {
      extent = nil
      isDoubtful = false
      return
    }
    let block = log.offset..<min(log.offset + Cryptography.blockCount, log.end)
    extent = Extent(.data, block)
    // The flag that says whether values have a suffix may itself be damaged.
    let plausibility = Resynchronizer(image, expiry: .unknown).plausibility
    var events = MMKVRecords(image, in: log.range, mode: .plain, isEncrypted: true).makeIterator()
    var isDoubtful = false
    while let event = events.next(), block.contains(event.extent.offset) {
      guard case .record(let record) = event, !plausibility.accepts(record, in: image) else {
        continue
      }
      isDoubtful =
        !FirstBlock.hasBinaryKey(record, behind: block.upperBound, in: image)
        || !FirstBlock.isInStep(&events, plausibility, in: image)
      break
    }
    self.isDoubtful = isDoubtful
  }

  /// Whether the key is no text for bytes behind the block, which need no vector.
  private static func hasBinaryKey(
    _ record: Record, behind end: Int, in image: FileImage
  ) -> Bool {
    record.offset == DataHeader.byteCount + DataHeader.prefixCount && record.key.upperBound > end
      && !Plausibility.isText(image, end..<record.key.upperBound)
  }

  /// Whether the next two records are such as apps write: the lengths in front of them are right.
  private static func isInStep(
    _ events: inout MMKVRecords, _ plausibility: Plausibility, in image: FileImage
  ) -> Bool {
    (0..<2).allSatisfy { _ in
      guard case .record(let record) = events.next() else { return false }
      return plausibility.accepts(record, in: image)
    }
  }
}
