import KVBytes
import KVModel

/// Finds where the records go on after damage.
///
/// The log is read forwards until a record does not decode, or decodes to something that no app
/// writes. The damage is there or a little before: a wrong length makes the reading jump, and what it
/// lands on may decode for a while. So a window around the place is read again in every possible
/// way, and the cheapest way wins: a plausible record costs nothing, an implausible one about as much
/// as it has bytes, a byte that belongs to no record one, and to lose sync a little on top.
/// The costs are computed from the window's end backwards, each from those after it.
///
/// What it assumes: that most records around the damage are whole. When it is wrong: bytes that look
/// like records by accident are taken for such, which is why what is found after a gap is a guess.
///
/// Time is linear in the log, for windows overlap by less than their length; memory is bounded by
/// ``windowLimit``.
struct Resynchronizer {
  /// The most bytes that are read again at once.
  static let windowLimit = 8 << 20
  /// How many bytes after the damage are read again.
  private static let lookahead = 128 << 10
  /// How many records before the damage are read again.
  private static let lookback = 32
  /// How many zero bytes in a row are a hole: the engine never writes one empty key after the other.
  static let holeCount = 8

  /// How many of the first records have to agree with the others about whether keys are text.
  private static let firstCount = 16

  private let image: FileImage
  private let expiry: Plausibility.Expiry

  /// A resynchronizer for the decrypted `image`.
  init(_ image: FileImage, expiry: Plausibility.Expiry) {
    self.image = image
    self.expiry = expiry
  }

  /// The gaps in `range`, in order; between them the log decodes.
  ///
  /// Keys are taken for text, as nearly all are, unless the file begins with many that are not.
  func gaps(in range: Range<Int>) -> [Gap] {
    gaps(in: range, plausibility)
  }

  /// What records of this file look like.
  var plausibility: Plausibility {
    Plausibility(expiry: expiry, expectsTextKeys: !hasBinaryKeys)
  }

  /// Whether most of the file's first records have keys that are no text.
  ///
  /// Only the start of the file is asked: elsewhere reading may begin inside a record, and go on for
  /// a while out of sync. Where it does so after damage, values seldom have a shape that apps write.
  private var hasBinaryKeys: Bool {
    guard image.count > DataHeader.byteCount else { return false }
    let anyKey = Plausibility(expiry: expiry, expectsTextKeys: false)
    var text = 0
    var other = 0
    let records = MMKVRecords(
      image, in: DataHeader.byteCount..<image.count, mode: .plain, isEncrypted: false)
    for event in records.prefix(200) {
      switch event {
      case .record(let record):
        guard record.operation == .put, anyKey.accepts(record, in: image) else { continue }
        if Plausibility.isText(image, record.key) { text += 1 } else { other += 1 }
        // After damage, reading can stay out of sync where entries are alike.
        if text + other == Self.firstCount, text >= other { return false }
      // After a hole reading may begin inside a record.
      case .filler(let zeros) where zeros.count >= Self.holeCount:
        return other >= 8 && other > text
      case .filler, .gap: continue
      }
    }
    return other >= 8 && other > text
  }

  private func gaps(in range: Range<Int>, _ plausibility: Plausibility) -> [Gap] {
    var gaps = GapList()
    var boundaries: [Int] = []
    var position = range.lowerBound
    if position == DataHeader.byteCount, position < range.upperBound {
      position = prefixEnd(range) ?? position
      boundaries.append(range.lowerBound)
    }
    while position < range.upperBound {
      var cursor = ByteCursor(image.storageSpan, in: position..<range.upperBound)
      if image[position] == 0 {
        let zeros = cursor.readZeros()
        if zeros.count >= Resynchronizer.holeCount { gaps.add(zeros, .zeros) }
        position = zeros.upperBound
        continue
      }
      let cause: Gap.Cause
      switch RecordShape.read(&cursor) {
      case .success(let shape):
        if plausibility.accepts(shape, in: image) {
          boundaries.append(position)
          if boundaries.count > 2 * Resynchronizer.lookback {
            boundaries.removeFirst(Resynchronizer.lookback)
          }
          position = shape.range.upperBound
          continue
        }
        cause = .implausible
      case .failure(let damage):
        cause = damage.cause
      }
      let anchor = anchor(before: position, among: boundaries, notBefore: gaps.end)
      let window = Window(
        image, plausibility, from: anchor, until: windowEnd(anchor, position, range),
        logEnd: range.upperBound)
      position = window.readBest(into: &gaps, cause: cause)
      boundaries.removeAll()
    }
    return gaps.list
  }

  /// Where the prefix ends, if there is one.
  private func prefixEnd(_ range: Range<Int>) -> Int? {
    var cursor = ByteCursor(image.storageSpan, in: range)
    return (try? cursor.readVarint()).map { _ in cursor.offset }
  }

  /// The record boundary from which to read again.
  private func anchor(before position: Int, among boundaries: [Int], notBefore limit: Int) -> Int {
    let reachable = boundaries.suffix(Resynchronizer.lookback).first {
      $0 >= limit && position - $0 <= Resynchronizer.windowLimit / 2
    }
    return reachable ?? position
  }

  private func windowEnd(_ anchor: Int, _ position: Int, _ range: Range<Int>) -> Int {
    min(range.upperBound, position + Resynchronizer.lookahead)
  }
}
