/// One operation in a log: its place, but not its key or value.
///
/// A record is trivial and small (24 bytes), because a store has one for each write. Its key and
/// value are read from the store on demand.
public struct Record: Hashable, Sendable {
  /// What a record does to its key.
  public enum Operation: UInt8, Hashable, Sendable {
    /// Sets the key to a value.
    case put
    /// Removes the key.
    case remove
    /// Sets the key to a value, but was later marked as deleted in place.
    ///
    /// The engine skips it, and it does not show whether the key still has an entry.
    case struckPut

    /// The operation's name in JSON.
    package var name: String { self == .remove ? "remove" : "put" }
  }

  /// Whether the record's own checksum matches.
  public enum Integrity: UInt8, Hashable, Sendable, CaseIterable {
    /// It has no checksum, or one that does not cover all of it.
    case unchecked
    /// It matches.
    case verified
    /// It matches after bytes of the record were corrected; a finding names the correction.
    case corrected
    /// It does not match, although the record's lengths agree with the surrounding bytes.
    case contradicted
  }

  /// The file that holds the record.
  public let file: FileRole
  /// What the record does to its key.
  public let operation: Operation
  /// The integrity, in two bits, and in the others the number of bytes between key and value.
  @usableFromInline let integrityAndGap: UInt16
  @usableFromInline let start: UInt32
  @usableFromInline let end: UInt32
  @usableFromInline let keyStart: UInt32
  @usableFromInline let keyEnd: UInt32
  @usableFromInline let valueEnd: UInt32

  /// Creates a record at `range` of `file`; `key` and `value` are offsets from the start of the
  /// file.
  ///
  /// - Precondition: The ranges end within the 4 GiB that a `FileImage` can have. The value begins
  ///   where the key ends, or at most 16,383 bytes later.
  @inlinable public init(
    _ operation: Operation, in file: FileRole, at range: Range<Int>, key: Range<Int>,
    value: Range<Int>, integrity: Integrity = .unchecked
  ) {
    self.file = file
    self.operation = operation
    let gap = value.lowerBound - key.upperBound
    precondition(0..<1 << 14 ~= gap, "the value does not begin behind the key")
    integrityAndGap = UInt16(integrity.rawValue) | UInt16(gap) << 2
    start = UInt32(range.lowerBound)
    end = UInt32(range.upperBound)
    keyStart = UInt32(key.lowerBound)
    keyEnd = UInt32(key.upperBound)
    valueEnd = UInt32(value.upperBound)
  }

  @inlinable var valueStart: Int { Int(keyEnd) + Int(integrityAndGap >> 2) }
  /// Whether the record's own checksum matches.
  @inlinable public var integrity: Integrity {
    switch UInt8(integrityAndGap & 3) {
    case Integrity.unchecked.rawValue: .unchecked
    case Integrity.verified.rawValue: .verified
    case Integrity.corrected.rawValue: .corrected
    default: .contradicted
    }
  }
  /// The offset of the record's first byte.
  @inlinable public var offset: Int { Int(start) }
  /// The number of bytes of the whole record.
  @inlinable public var count: Int { Int(end - start) }
  /// The bytes of the whole record.
  @inlinable public var extent: Extent { Extent(file, Int(start)..<Int(end)) }
  /// The range of the key's bytes, from the start of the file.
  @inlinable public var key: Range<Int> { Int(keyStart)..<Int(keyEnd) }
  /// The range of the value's bytes, from the start of the file; empty for a removal.
  @inlinable public var value: Range<Int> { valueStart..<Int(valueEnd) }
}

/// One step of a scan.
///
/// The extents of the events of a scan, in order, cover the scanned extent exactly and do not
/// overlap.
public enum RecordEvent: Hashable, Sendable {
  /// A record.
  case record(Record)
  /// Bytes that belong to the format but contain no record, which the scan skips.
  case filler(Extent)
  /// Bytes in which no record could be read.
  case gap(Gap)

  /// The bytes that the event covers.
  @inlinable public var extent: Extent {
    switch self {
    case .record(let record): record.extent
    case .filler(let extent): extent
    case .gap(let gap): gap.extent
    }
  }
}

/// How strict a scan is.
package struct ScanMode: Hashable, Sendable {
  /// Whether records that the engine refuses count as damage.
  package var appliesEngineLimits: Bool

  /// Treats records that the engine refuses as damage.
  package static let engine = ScanMode(appliesEngineLimits: true)
  /// Reads every record whose lengths are consistent.
  package static let plain = ScanMode(appliesEngineLimits: false)
}

/// Bytes of a log in which no record could be read.
public struct Gap: Hashable, Sendable {
  /// Why no record could be read at the gap's start.
  public enum Cause: UInt8, Hashable, Sendable, CaseIterable {
    /// A length says that more bytes follow than there are.
    case lengthBeyondEnd
    /// A length is negative in the 32 bits of it that the engine keeps.
    case negativeLength
    /// A length continues after its tenth byte, or the log ends inside it.
    case malformedLength
    /// The engine refuses the record, although its lengths are consistent.
    case refusedByEngine
    /// There are more zeros where records should be than the engine ever writes.
    case zeros
    /// The bytes decode by accident: the key and value are not plausible.
    case implausible
    /// The record's own checksum does not match, and nothing else shows where the record ends.
    case checksum

    /// The cause as it appears in a finding's code.
    package var code: String { kind.name }

    /// The kind of finding that names the cause.
    package var kind: FindingCode {
      switch self {
      case .lengthBeyondEnd: LogFindings.lengthBeyondEnd
      case .negativeLength: LogFindings.negativeLength
      case .malformedLength: LogFindings.malformedLength
      case .refusedByEngine: LogFindings.refusedByEngine
      case .zeros: LogFindings.zeros
      case .implausible: LogFindings.implausible
      case .checksum: LogFindings.checksumMismatch
      }
    }
  }

  // The cause comes first. Behind the extent, its byte would also tell what an event is, which
  // valgrind takes for uninitialised in the event of a record.

  /// Why no record could be read there.
  public let cause: Cause
  /// The bytes without a record.
  public let extent: Extent

  /// Creates a gap at `extent`.
  public init(_ extent: Extent, _ cause: Cause) {
    self.extent = extent
    self.cause = cause
  }
}

/// The gaps that a scan skips, and its position among them.
///
/// The scans of all formats use this type, so none of them reads a record that reaches into a gap.
public struct KnownGaps: Sendable {
  /// The next step of a scan.
  public enum Step {
    /// The scan is at a gap and skips it.
    case pass(Gap)
    /// The scan reads on, at most up to this offset.
    case read(upTo: Int)
  }

  @usableFromInline let gaps: [Gap]
  @usableFromInline var passed = 0

  /// Creates the known gaps of a scan, in order.
  @inlinable public init(_ gaps: [Gap]) { self.gaps = gaps }

  /// Returns the next step of a scan at `position` that ends at `end`.
  ///
  /// - Precondition: `position` is neither within a gap nor before one that was skipped.
  @inlinable public mutating func step(at position: Int, before end: Int) -> Step {
    guard passed < gaps.count else { return .read(upTo: end) }
    let gap = gaps[passed]
    guard position == gap.extent.offset else { return .read(upTo: gap.extent.offset) }
    passed += 1
    return .pass(gap)
  }
}
