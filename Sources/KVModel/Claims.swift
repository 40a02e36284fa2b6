package import KVBytes

/// What one of a store's fields says about where the log ends.
package struct LengthClaim: Hashable, Sendable {
  /// What the field is for.
  package enum Role: Hashable, Sendable {
    /// The log as it is now.
    case current
    /// The log as it was at the last full rewrite.
    case confirmed
    /// A field that the format's version does not go by, and that may be right all the same.
    case alternate
    /// Another copy that is right about itself, and older than what the current claim is about.
    case older
  }

  /// What the field is for.
  package let role: Role
  /// The field, for people ("the meta file's actual size").
  package let origin: String
  /// How many bytes the log has, by the field.
  package let count: Int
  /// Where that is stored.
  package let statedAt: Extent?
  /// The log, or `nil` when so many bytes are not there.
  package let log: Extent?
  /// The digest that goes with the field, or `nil` where none is stored.
  package let digest: UInt64?
  /// How that digest is computed.
  package let algorithm: ChecksumClaim.Algorithm
  /// The digest held against the bytes, or `nil` when there is no digest or no such log.
  package let checksum: ChecksumClaim?
  /// The rule of the correction without which the checksum does not match, and which a finding names;
  /// `nil` where it matches as the bytes are.
  package let correctedBy: RuleID?
  /// The format's rule by which that is the log, of several copies or ends that it could have; `nil`
  /// where the field alone says so.
  package let foundBy: RuleID?
  /// Whether the log may end earlier or later than that, so that its newest records may be older ones.
  package let isEndUnverified: Bool

  /// A claim about the log.
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

  /// The claim without its checksum, for a log of which the bytes are whole and the decoding is not.
  package var withoutChecksum: LengthClaim {
    LengthClaim(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest,
      checksum: nil)
  }

  /// Returns the claim where its checksum matches only after a correction by `rule`.
  package func corrected(by rule: RuleID) -> LengthClaim {
    LengthClaim(
      role, origin: origin, count: count, statedAt: statedAt, log: log, digest: digest,
      algorithm: algorithm, checksum: checksum, correctedBy: rule, isEndUnverified: isEndUnverified)
  }

  /// Whether the checksum matches only after a correction.
  package var isCorrected: Bool { correctedBy != nil }

  /// Whether a stored digest says that the log is whole.
  package var isVerified: Bool { checksum?.isSatisfied ?? false }
}

/// A stored checksum, the bytes it speaks of, and what those bytes really give.
package struct ChecksumClaim: Hashable, Sendable {
  /// How a checksum is computed.
  package enum Algorithm: String, Hashable, Sendable {
    /// The CRC-32 of zlib.
    case crc32 = "CRC-32"
    /// The CRC-16 of XMODEM.
    case crc16 = "CRC-16"
    /// Eight XOR lanes, by the offset in the file.
    case xorLanes = "XOR checksum"
  }

  /// How it is computed.
  package let algorithm: Algorithm
  /// The bytes that it speaks of.
  package let covered: Extent
  /// The value as stored.
  package let stored: UInt64
  /// Where it is stored.
  package let storedAt: Extent
  /// The value that the covered bytes give.
  package let computed: UInt64

  /// A claim about `covered`.
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

  /// Whether the bytes give the stored value.
  package var isSatisfied: Bool { stored == computed }

  /// Whether `change` is of a covered byte, or of the stored value.
  package func speaks(of change: ByteChange) -> Bool {
    let byte = Extent(change.file, change.offset..<change.offset + 1)
    return covered.contains(byte) || storedAt.contains(byte)
  }
}

/// A byte that is read as another one than is stored.
package struct ByteChange: Hashable, Sendable {
  /// The file that the byte is in.
  package let file: FileRole
  /// Its offset in the file.
  package let offset: Int
  /// What it is XORed with.
  package let mask: UInt8

  /// A change of the byte at `offset` of `file`.
  package init(_ file: FileRole, at offset: Int, xor mask: UInt8) {
    self.file = file
    self.offset = offset
    self.mask = mask
  }

  /// The bytes that a burst changes, in `file`, in which the covered bytes begin at `start`.
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
  /// The image with those of `changes` that are of `file`.
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

/// What a format knows about a store's log that reading the log does not show.
package struct LogTraits: Hashable, Sendable {
  /// What it means that a log does not decode to its end though its checksum matches.
  package struct Undecodable: Hashable, Sendable {
    /// The code of the finding.
    package let code: FindingCode
    /// What happens then, for people.
    package let consequence: String

    /// A finding of this code.
    package init(_ code: FindingCode, _ consequence: String) {
      self.code = code
      self.consequence = consequence
    }
  }

  /// Whether each record has a checksum of its own, so that a log is whole when all its records are.
  package var hasRecordChecksums = false
  /// Whether the engine writes over live records in place: the new value of a lone entry over the old
  /// one, and the log that it compacts over itself.
  package var isRewrittenInPlace = false
  /// How many logs there were before the current one in the same file, of which bytes can be left
  /// after it; `nil` if that is not known.
  package var olderLogCount: Int?
  /// How many bytes too long the log's file is, if it looks as if some had been put into it; negative
  /// if some seem to have been taken out; 0 if nothing says so.
  package var displacement = 0
  /// The format's rule by which bytes are left out so that the rest decodes; `nil` if it has none.
  package var segmentation: RuleID?
  /// Bytes that no stored checksum covers as they are decoded, though it covers them as stored: the
  /// first block under a cipher, whose vector is stored elsewhere.
  package var uncovered: Extent?
  /// Whether the files show that there may be entries that the log to go by does not hold, though it
  /// is whole.
  package var mayLackEntries = false
  /// What it means that the log does not decode to its end though its checksum matches; `nil` if that
  /// says no more than the damage itself.
  package var undecodable: Undecodable?

  /// The traits of a log that is appended to, without checksums in its records.
  package init() {}
}
