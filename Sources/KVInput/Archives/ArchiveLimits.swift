import KVBytes
import KVSystem

/// The limits on what is unpacked; anything beyond them is refused, with a reason.
///
/// A small archive can unpack to any number of bytes, so only these limits bound memory and time.
/// `Docs/CLI.md` lists the same numbers.
enum ArchiveLimits {
  /// The size, in bytes, of the largest member that is read.
  static let memberByteCount = 1 << 30
  /// The number of bytes that any archive may unpack to, including the archives in it.
  static let unpackedByteCount = 1 << 28
  /// The number of additional bytes allowed for each byte of the archive.
  ///
  /// Stores are mostly zeros and shrink to a hundredth of their size, but not all of them do, and
  /// the files beside them do not.
  static let ratio = 100
  /// The largest number of members in an archive.
  static let memberCount = 2_000_000
  /// The deepest nesting of archives.
  static let depth = 4
  /// The longest name of a member, in bytes, and the largest number of folders in it.
  static let name = (byteCount: 4096, depth: 128)
  /// The total number of bytes in the paths of all folders.
  static let folderByteCount = 1 << 26
  /// The largest number of members with the same name that are kept, each in its own layer.
  static let layerCount = 16
  /// The largest number of links that lead to a file one after another, as for the systems of phones.
  static let linkCount = 40
  /// The number of names that are followed in all links of an archive.
  static let linkStepCount = 1_000_000
  /// The number of bytes of members kept in memory at a time; a single larger member is kept too.
  static let windowByteCount = 1 << 28
  /// The number of times an archive is reopened to continue after a damaged member.
  static let restartCount = 1000
}

/// The number of bytes that an archive, with the archives in it, may still unpack to.
package final class UnpackBudget: Sendable {
  // A class, because an archive and those in it share one budget.

  /// A new budget with the same limit, none of which has been used.
  var renewed: UnpackBudget { UnpackBudget(packedCount: packedCount) }

  /// The size of the outermost archive, in bytes.
  private let packedCount: Int
  private let limit: Int
  private let taken = Guarded(0)

  /// Creates the budget of an archive of `packedCount` bytes.
  init(packedCount: Int) {
    self.packedCount = packedCount
    let (more, isLarge) = packedCount.multipliedReportingOverflow(by: ArchiveLimits.ratio)
    limit = isLarge ? .max : ArchiveLimits.unpackedByteCount + min(more, .max >> 1)
  }

  /// Returns whether `count` bytes are left.
  func has(_ count: Int) -> Bool { taken.use { count <= limit - $0 } }

  /// Returns whether a stream may unpack to `count` bytes, including those that belong to no
  /// member.
  func allows(_ count: Int) -> Bool { count <= limit }

  /// Uses `count` bytes.
  ///
  /// - Returns: Whether that many were left.
  func take(_ count: Int) -> Bool {
    taken.use { taken in
      taken += count
      return taken <= limit
    }
  }

  /// The reason for not unpacking more, for people.
  var refusal: String {
    "at most \(limit.grouped) bytes are unpacked from an archive of \(packedCount.inBytes); one that has "
      + "more may be a decompression bomb"
  }
}
