import KVBytes
import KVSystem
import SystemPackage

/// The origin of an archive's bytes: a file on disk, or a member of another archive, in memory.
enum ArchiveBytes: Sendable {
  case file(FilePath)
  case image(FileImage)
}

/// The bytes of an archive, piece by piece, decompressed if they are in gzip or zlib format.
///
/// These formats are decompressed here, because libarchive discards the last 64 kB before the place
/// where a stream is truncated.
final class ArchiveInput {
  // A class, because libarchive asks for the next piece from its callbacks.

  private static let pieceCount = 1 << 16
  /// The number of compressed bytes passed on at a time: bzip2 can expand them a million times.
  private static let packedPieceCount = 1 << 12

  /// The size of the archive, in bytes.
  let packedCount: Int
  private let start: Int
  private let read: (Int, Int) throws(FileError) -> [UInt8]
  /// The offset of the next compressed piece.
  private var offset: Int
  private let inflater: Inflater?
  private let pieceCount: Int
  /// The limit on everything that is unpacked; `nil` for no limit.
  private let budget: UnpackBudget?
  private var packed: [UInt8] = []
  private var used = 0
  private var isBetweenStreams = false
  private var hasEnded = false
  /// Why reading stopped before the end; `nil` if it did not.
  private(set) var damage: String?

  /// Bytes that are passed on instead of those in an uncompressed archive, sorted by their offsets.
  var changes: [(offset: Int, byte: UInt8)] = []

  /// Creates the input for an archive of type `kind` with the bytes of `origin`.
  ///
  /// The input ends early if the bytes unpack to more than `budget` allows.
  ///
  /// - Throws: If the file cannot be opened.
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

  /// Returns the next piece, which is empty at the end or if reading stops early.
  ///
  /// The pieces returned so far have been unpacked to `count` bytes. Limits are checked here
  /// because libarchive does not return until it has found a header or the end, however far away
  /// that is.
  func next(after count: Int) -> [UInt8] {
    if Deadline.hasPassed { damage = damage ?? Self.delay }
    if let budget, !budget.allows(count) { damage = damage ?? budget.refusal }
    return damage == nil ? next() : []
  }

  /// The reason for stopping when the time limit has passed.
  static let delay = "reading it would take longer than the time limit"

  private func next() -> [UInt8] {
    guard let inflater else { return nextPacked() }
    while !hasEnded {
      if used == packed.count {
        packed = nextPacked()
        used = 0
        if packed.isEmpty {
          hasEnded = true
          if !isBetweenStreams, damage == nil { damage = "it is truncated" }
          return []
        }
      }
      // A stream may be followed by padding zeros or by another stream.
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
      var piece = try read(offset, pieceCount)
      if !changes.isEmpty { change(&piece) }
      offset += piece.count
      return piece
    } catch {
      damage = error.cause
      return []
    }
  }

  /// Makes those of ``changes`` that lie in `piece`, the bytes from ``offset``.
  private func change(_ piece: inout [UInt8]) {
    var (first, end) = (0, changes.count)
    while first < end {
      let middle = (first + end) / 2
      if changes[middle].offset < offset { first = middle + 1 } else { end = middle }
    }
    while first < changes.count, changes[first].offset - offset < piece.count {
      piece[changes[first].offset - offset] = changes[first].byte
      first += 1
    }
  }

  /// Returns the bytes of the file at `offset`, at most `count`; none if they cannot be read.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    guard (0...packedCount).contains(offset) else { return [] }
    return (try? read(offset, min(count, packedCount - offset))) ?? []
  }

  /// Moves to `position`, counted from the start of what ``next()`` returns, or to the end if
  /// `position` is `nil`.
  ///
  /// - Returns: The new position; `nil` if it does not exist or the input is not seekable.
  func seek(to position: Int?) -> Int? {
    guard isSeekable else { return nil }
    let count = packedCount - start
    let position = position ?? count
    guard (0...max(0, count)).contains(position) else { return nil }
    offset = start + position
    return position
  }

  /// Whether any position can be moved to.
  var isSeekable: Bool { inflater == nil }

  /// The position of the next piece, counted as in ``seek(to:)``.
  var position: Int { offset - start }
}
