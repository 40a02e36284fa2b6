/// The gaps that a scan was told of, and which of them are behind it.
///
/// Every format's scan passes over them in the same way, and reads no record into one.
public struct KnownGaps: Sendable {
  /// What a scan does where it stands.
  public enum Step {
    /// It is at a gap, and passes over it.
    case pass(Gap)
    /// It reads on, up to this offset at most.
    case read(upTo: Int)
  }

  @usableFromInline let gaps: [Gap]
  @usableFromInline var passed = 0

  /// The gaps of a scan, in order.
  @inlinable public init(_ gaps: [Gap]) { self.gaps = gaps }

  /// What a scan that ends at `end` does at `position`.
  ///
  /// - Precondition: `position` is not within a gap, nor in front of one that was passed.
  @inlinable public mutating func step(at position: Int, before end: Int) -> Step {
    guard passed < gaps.count else { return .read(upTo: end) }
    let gap = gaps[passed]
    guard position == gap.extent.offset else { return .read(upTo: gap.extent.offset) }
    passed += 1
    return .pass(gap)
  }
}
