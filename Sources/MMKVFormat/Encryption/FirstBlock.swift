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
    var isDoubtful = false
    for event in MMKVRecords(image, in: log.range, mode: .plain, isEncrypted: true) {
      guard block.contains(event.extent.offset) else { break }
      if case .record(let record) = event, !plausibility.accepts(record, in: image) {
        isDoubtful = true
      }
    }
    self.isDoubtful = isDoubtful
  }
}
