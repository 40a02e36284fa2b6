/// What vouches for an entry.
public enum Evidence: String, Hashable, Sendable, Comparable, CaseIterable {
  /// The bytes were found by resynchronising or carving.
  case guess
  /// No checksum vouches for the bytes; the records around them decode without a gap.
  case structure
  /// The bytes lie under a stored checksum that matches, after a correction that is named.
  case corrected
  /// The bytes lie under a stored checksum that matches.
  case checksum

  private var rank: Int {
    switch self {
    case .guess: 0
    case .structure: 1
    case .corrected: 2
    case .checksum: 3
    }
  }

  /// The weaker evidence is less.
  public static func < (first: Evidence, second: Evidence) -> Bool { first.rank < second.rank }
}
