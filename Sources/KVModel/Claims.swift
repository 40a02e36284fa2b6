package import KVBytes

/// A claim by one of a store's fields about where the log ends.
package struct LengthClaim: Hashable, Sendable {
  /// What the field is for.
  package enum Role: Hashable, Sendable {
    /// The log as it is now.
    case current
    /// The log as it was at the last full rewrite.
    case confirmed
    /// A field that the format's version does not use, but that may still be right.
    case alternate
    /// Another copy that is consistent in itself. It is older than the copy that the current claim
    /// is about, or its age is unknown.
    case passedOver
  }

  /// What the field is for.
  package let role: Role
  /// The field, for people and without an article ("size in the meta file").
  package let origin: String
  /// The length of the log in bytes, according to the field.
  package let count: Int
  /// Where the field is stored.
  package let statedAt: Extent?
  /// The extent of the log, or `nil` if the file is shorter than ``count`` claims.
  package let log: Extent?
  /// The digest that goes with the field, or `nil` if none is stored.
  package let digest: UInt64?
  /// How that digest is computed.
  package let algorithm: ChecksumClaim.Algorithm
  /// The digest and the bytes that it covers; `nil` if there is no digest, or if ``log`` is `nil`.
  package let checksum: ChecksumClaim?
  /// The rule of the correction that makes the checksum match; `nil` if the checksum matches the
  /// bytes as stored.
  ///
  /// A finding names the correction.
  package let correctedBy: RuleID?
  /// The format's rule that chose this log among several copies or ends; `nil` if the field alone
  /// determines it.
  package let foundBy: RuleID?
  /// Whether the log may end earlier or later than ``count`` says, so that its newest records may
  /// be stale.
  package let isEndUnverified: Bool

  /// Creates a claim about the log.
  package init(
    _ role: Role, origin: String, count: Int, statedAt: Extent?, log: Extent?, digest: UInt64?,
    algorithm: ChecksumClaim.Algorithm = .crc32, checksum: ChecksumClaim?,
    correctedBy: RuleID? = nil, foundBy: RuleID? = nil, isEndUnverified: Bool = false
  ) {
    self.role = role
    self.origin = origin
    self.count = count
    self.statedAt = statedAt
    self.log = log
    self.digest = digest
    self.algorithm = algorithm
    self.checksum = checksum
    self.correctedBy = correctedBy
    self.foundBy = foundBy
    self.isEndUnverified = isEndUnverified
  }

  /// The same claim without its checksum, for a log whose bytes are intact but do not decode.
  package var withoutChecksum: LengthClaim {
    LengthClaim(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest,
      checksum: nil)
  }

  /// Returns the same claim, marked as matching its checksum only after a correction by `rule`.
  package func corrected(by rule: RuleID) -> LengthClaim {
    LengthClaim(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest,
      algorithm: algorithm, checksum: checksum, correctedBy: rule, isEndUnverified: isEndUnverified)
  }

  /// Whether the checksum matches only after a correction.
  package var isCorrected: Bool { correctedBy != nil }

  /// Whether a stored digest shows that the log is whole.
  package var isVerified: Bool { checksum?.isSatisfied ?? false }
}

/// A stored checksum, the bytes that it covers, and the checksum computed over them.
package struct ChecksumClaim: Hashable, Sendable {
  /// How a checksum is computed.
  package enum Algorithm: String, Hashable, Sendable {
    /// The CRC-32 of zlib.
    case crc32 = "CRC-32"
    /// The CRC-16 of XMODEM.
    case crc16 = "CRC-16"
    /// Eight XOR lanes; a byte's offset in the file selects its lane.
    case xorLanes = "XOR checksum"
  }

  /// How it is computed.
  package let algorithm: Algorithm
  /// The bytes that it covers.
  package let covered: Extent
  /// The value as stored.
  package let stored: UInt64
  /// Where it is stored.
  package let storedAt: Extent
  /// The value computed over the covered bytes.
  package let computed: UInt64

  /// Creates a claim about `covered`.
  package init(
    _ algorithm: Algorithm, over covered: Extent, stored: UInt64, at storedAt: Extent,
    computed: UInt64
  ) {
    self.algorithm = algorithm
    self.covered = covered
    self.stored = stored
    self.storedAt = storedAt
    self.computed = computed
  }

  /// Whether the stored value matches the computed one.
  package var isSatisfied: Bool { stored == computed }

  /// Returns whether `change` affects a covered byte or the stored value.
  package func speaks(of change: ByteChange) -> Bool {
    let byte = Extent(change.file, change.offset..<change.offset + 1)
    return covered.contains(byte) || storedAt.contains(byte)
  }
}

/// A byte that is read with a value other than the stored one.
package struct ByteChange: Hashable, Sendable {
  /// The file that the byte is in.
  package let file: FileRole
  /// Its offset in the file.
  package let offset: Int
  /// The mask that the byte is XORed with.
  package let mask: UInt8

  /// Creates a change of the byte at `offset` of `file`.
  package init(_ file: FileRole, at offset: Int, xor mask: UInt8) {
    self.file = file
    self.offset = offset
    self.mask = mask
  }

  /// Returns the changes of bytes of `file` that `burst` implies if the covered bytes begin at
  /// `start`.
  package static func changes(
    of burst: CRC32Syndrome.Burst, in file: FileRole, from start: Int
  ) -> [ByteChange] {
    (0..<4).compactMap { index in
      let mask = UInt8(truncatingIfNeeded: burst.mask >> (8 * UInt32(index)))
      return mask == 0 ? nil : ByteChange(file, at: start + burst.offset + index, xor: mask)
    }
  }
}

extension FileImage {
  /// Returns the image with those of `changes` applied that belong to `file`.
  ///
  /// - Precondition: Their offsets lie within the image.
  package func applying(_ changes: [ByteChange], of file: FileRole) -> FileImage {
    let own = changes.filter { $0.file == file }
    guard !own.isEmpty else { return self }
    var bytes = [UInt8](copyingIntoLargePages: storageSpan)
    for change in own { bytes[change.offset] ^= change.mask }
    return FileImage(bytes)
  }
}

/// What a format knows about a store's log beyond what reading the log shows.
package struct LogTraits: Hashable, Sendable {
  /// What it means if a log does not decode to its end although its checksum matches.
  package struct Undecodable: Hashable, Sendable {
    /// The code of the finding.
    package let code: FindingCode
    /// What happens in this case, for people.
    package let consequence: String

    /// Creates the description of a finding with this code.
    package init(_ code: FindingCode, _ consequence: String) {
      self.code = code
      self.consequence = consequence
    }
  }

  /// Whether each record has its own checksum, so that a log is whole if all its records match.
  package var hasRecordChecksums = false
  /// Whether the engine overwrites live records in place: a lone entry with its new value, and the
  /// whole log with its compacted form.
  package var isRewrittenInPlace = false
  /// Whether each write replaces the file as a whole, so that no page of it can be older than the
  /// rest.
  package var isReplacedAsWhole = false
  /// The number of earlier logs in the same file that can leave bytes after the current one; `nil`
  /// if unknown.
  package var olderLogCount: Int?
  /// The number of bytes that seem to have been inserted into the log's file.
  ///
  /// It is negative if bytes seem to have been deleted, and 0 if nothing suggests either.
  package var displacement = 0
  /// The format's rule for leaving out bytes so that the rest decodes; `nil` if it has none.
  package var segmentation: RuleID?
  /// Bytes that a checksum covers as stored, but that no checksum covers in decoded form.
  ///
  /// This is the first block of an encrypted log, because its initialization vector is stored
  /// elsewhere.
  package var uncovered: Extent?
  /// Whether the files show that entries may exist outside the log in use, although that log is
  /// whole.
  package var mayLackEntries = false
  /// What it means if the log does not decode to its end although its checksum matches; `nil` if it
  /// means nothing beyond the damage itself.
  package var undecodable: Undecodable?

  /// Creates the traits of an append-only log without checksums in its records.
  package init() {}
}
