import KVBytes
import KVSystem

/// How much is unpacked: beyond, an archive or a member is refused, with the reason.
///
/// An archive is small and may unpack to anything, so that these are all that keeps memory and time
/// bounded. `Docs/CLI.md` has the same numbers.
package enum ArchiveLimits {
  /// The most bytes of a member that is read.
  package static let memberByteCount = 1 << 30
  /// How many bytes an archive may unpack to, whatever its size; those of archives in it count too.
  package static let unpackedByteCount = 1 << 28
  /// How many more for each byte that it has.
  ///
  /// Stores are mostly zeros and shrink to a hundredth, but not all of them, and not everything beside
  /// them.
  package static let ratio = 100
  /// The most members of an archive.
  package static let memberCount = 2_000_000
  /// How many archives may be within each other.
  package static let depth = 4
  /// The most bytes of a member's name, and the most folders that it may be below.
  static let name = (byteCount: 4096, depth: 128)
  /// The most bytes that the paths of all folders may have.
  static let folderByteCount = 1 << 28
  /// How many members with the same name are told apart.
  package static let layerCount = 16
  /// How many bytes of members are in memory at a time, but for one member with more.
  static let windowByteCount = 1 << 28
  /// How often an archive is opened anew to go on after a damaged member.
  static let restartCount = 1000
}

/// How many bytes an archive may still unpack to, the archives in it included.
package final class UnpackBudget: Sendable {
  // A class because an archive and those in it share it.

  /// One that nothing was taken from, with the same limit.
  var renewed: UnpackBudget { UnpackBudget(packedCount: packedCount) }

  /// How many bytes the outermost archive has.
  private let packedCount: Int
  private let limit: Int
  private let taken = Guarded(0)

  /// The budget of an archive of `packedCount` bytes.
  init(packedCount: Int) {
    self.packedCount = packedCount
    let (more, isLarge) = packedCount.multipliedReportingOverflow(by: ArchiveLimits.ratio)
    limit = isLarge ? .max : ArchiveLimits.unpackedByteCount + min(more, .max >> 1)
  }

  /// Whether there are `count` bytes left.
  func has(_ count: Int) -> Bool { taken.use { count <= limit - $0 } }

  /// Whether a stream may unpack to `count` bytes, what no member has of them included.
  func allows(_ count: Int) -> Bool { count <= limit }

  /// Takes `count` bytes.
  ///
  /// - Returns: Whether there were as many.
  func take(_ count: Int) -> Bool {
    taken.use { taken in
      taken += count
      return taken <= limit
    }
  }

  /// Why no more is unpacked.
  var refusal: String {
    "no more than \(limit.grouped) bytes are unpacked from an archive of \(packedCount.grouped) bytes: one that has "
      + "more may be made to fill the memory"
  }
}
