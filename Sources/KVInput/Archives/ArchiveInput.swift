import KVBytes
import KVSystem
import SystemPackage

/// The bytes of an archive, a file of the disk or a member of another one that is in memory.
enum ArchiveBytes: Sendable {
  case file(FilePath)
  case image(FileImage)
}

/// The bytes of an archive, piece by piece, unpacked where it is packed by gzip or zlib.
///
/// Those two are unpacked here, for the library gives nothing of the last 64 kB of a stream that is cut
/// off.
final class ArchiveInput {
  // A class because the library asks for the next piece where and when it likes.

  private static let pieceCount = 1 << 16
  /// How many packed bytes are handed out at a time: bzip2 makes a million times as many of them.
  private static let packedPieceCount = 1 << 12

  /// How many bytes the archive has.
  let packedCount: Int
  private let start: Int
  private let read: (Int, Int) throws(FileError) -> [UInt8]
  /// Where the next packed piece stands.
  private var offset: Int
  private let inflater: Inflater?
  private let pieceCount: Int
  /// What all that it unpacks to has to be within; `nil` for any number.
  private let budget: UnpackBudget?
  private var packed: [UInt8] = []
  private var used = 0
  private var isBetweenStreams = false
  private var hasEnded = false
  /// Why there is nothing more, where that is not the end.
  private(set) var damage: String?

  /// The input for an archive of the sort `kind` with the bytes `origin`, which ends where it unpacks to
  /// more than `budget` has.
  ///
  /// - Throws: When it cannot be opened.
  init(
    _ origin: ArchiveBytes, _ kind: ArchiveKind, _ budget: UnpackBudget?
  ) throws(FileError) {
    self.budget = budget
    pieceCount = kind == .filtered ? Self.packedPieceCount : Self.pieceCount
    switch origin {
    case .file(let path):
      let file = try InputFile(path)
      packedCount = file.count
      read = { (offset, count) throws(FileError) in try file.bytes(at: offset, count: count) }
    case .image(let image):
      packedCount = image.count
      read = { (offset, count) throws(FileError) in
        image.bytes(in: min(offset, image.count)..<min(offset + count, image.count))
      }
    }
    switch kind {
    case .androidBackup(let start, let isPacked):
      self.start = start
      inflater = isPacked ? Inflater() : nil
    case .gzip:
      start = 0
      inflater = Inflater()
    default:
      start = 0
      inflater = nil
    }
    offset = start
  }

  /// Returns the next piece, empty after the last, and where it ends before its end: what the pieces up
  /// to here have unpacked to are `count` bytes.
  ///
  /// The library does not come back before it has found a header or the end, however far that is.
  func next(after count: Int) -> [UInt8] {
    if Deadline.hasPassed { damage = damage ?? Self.delay }
    if let budget, !budget.allows(count) { damage = damage ?? budget.refusal }
    return damage == nil ? next() : []
  }

  /// Why an archive is not read to its end where there is no time left.
  static let delay = "reading it takes more time than there is"

  private func next() -> [UInt8] {
    guard let inflater else { return nextPacked() }
    while !hasEnded {
      if used == packed.count {
        packed = nextPacked()
        used = 0
        if packed.isEmpty {
          hasEnded = true
          if !isBetweenStreams, damage == nil { damage = "it is cut off" }
          return []
        }
      }
      // Zeros may follow, to fill a block; another stream may too.
      if isBetweenStreams {
        guard packed[used] == 0x1f else {
          hasEnded = true
          return []
        }
        inflater.reset()
        isBetweenStreams = false
      }
      let piece = inflater.unpack(packed, from: used, atMost: Self.pieceCount)
      used += piece.usedCount
      isBetweenStreams = piece.isEnd
      if let reason = piece.damage {
        damage = "\(reason), at byte \(Hexadecimal.text(offset - packed.count + used, digits: 1))"
        hasEnded = true
      }
      if !piece.bytes.isEmpty { return piece.bytes }
    }
    return []
  }

  private func nextPacked() -> [UInt8] {
    do throws(FileError) {
      let piece = try read(offset, pieceCount)
      offset += piece.count
      return piece
    } catch {
      damage = error.cause
      return []
    }
  }

  /// Goes to `position`, counted from the start of what ``next()`` returns; `nil` for its end.
  ///
  /// - Returns: Where it is then; `nil` where there is no such place, or one cannot go to any.
  func seek(to position: Int?) -> Int? {
    guard isSeekable else { return nil }
    let count = packedCount - start
    let position = position ?? count
    guard (0...max(0, count)).contains(position) else { return nil }
    offset = start + position
    return position
  }

  /// Whether one can go to any place.
  var isSeekable: Bool { inflater == nil }

  /// Where the next piece stands, counted as in ``seek(to:)``.
  var position: Int { offset - start }
}
