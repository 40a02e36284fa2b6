package import KVBytes

/// A way to read bytes otherwise than they are stored, because damage has changed them.
///
/// A format proposes corrections, `KVRecovery` chooses among them, and ``CorrectableStore/applying(_:declining:)``
/// makes the store that is read with the chosen ones. The files are never changed.
package struct Correction: Hashable, Sendable {
  /// One thing that is read otherwise.
  package enum Edit: Hashable, Sendable {
    /// A byte has another value.
    case change(ByteChange)
    /// This byte is missing: those from the offset on move up by one.
    case insertion(of: UInt8, FileRole, at: Int)
    /// This byte is one too many: those after it move down by one.
    case removal(of: UInt8, FileRole, at: Int)
    /// The log is decrypted with this initialization vector.
    case vector([UInt8])
    /// These bytes were never encrypted.
    case plaintext(Extent)
    /// The lengths in these bytes may be damaged: where they lead nowhere, separators and the class
    /// names and keys of other records say how the bytes are divided.
    case ignoredLengths(Extent)

    /// The offset at which a byte is changed, put in or taken out; `nil` if the bytes are the same and only
    /// read otherwise.
    package var offset: Int? {
      switch self {
      case .change(let change): change.offset
      case .insertion(_, _, let offset), .removal(_, _, let offset): offset
      case .vector, .plaintext, .ignoredLengths: nil
      }
    }

    /// The file that has other bytes with it; `nil` if the bytes are the same and only read otherwise.
    package var changedFile: FileRole? {
      switch self {
      case .change(let change): change.file
      case .insertion(_, let file, _), .removal(_, let file, _): file
      case .vector, .plaintext, .ignoredLengths: nil
      }
    }
  }

  /// What a correction is to the others that are proposed with it.
  package enum Rivalry: Hashable, Sendable {
    /// It stands for itself.
    case none
    /// Each explains the same damage in another way, so that one of them is right at most.
    case contradicting
    /// Each restores another copy of the same log, so that the best of them is enough.
    case redundant
  }

  /// The rule that leads to it.
  package let rule: RuleID
  /// What is read otherwise, in the order in which it is applied.
  package let edits: [Edit]
  /// The bytes whose own checksum matches with it; `nil` if no checksum speaks for it.
  package let verified: Extent?
  /// How unlikely it is that it fits by chance; `nil` if that was not measured.
  package let odds: CoincidenceOdds?
  /// How many bits of odds it takes to be chosen.
  ///
  /// None if the bytes are wrong for certain as they are stored: then the only other way to read them
  /// is better, whatever its odds.
  package let neededBits: Int
  /// What it is to the others that are proposed with it.
  package let rivalry: Rivalry
  /// What it does, and what speaks for it, for people.
  package let reason: String

  /// A correction by `rule`.
  package init(
    _ edits: [Edit], by rule: any EvidenceRule.Type, verifying verified: Extent? = nil,
    _ odds: CoincidenceOdds?, neededBits: Int = CoincidenceOdds.likelyBits,
    rivalry: Rivalry = .none, reason: String
  ) {
    self.rule = rule.id
    self.edits = edits
    self.verified = verified
    self.odds = odds
    self.neededBits = neededBits
    self.rivalry = rivalry
    self.reason = reason
  }

  /// The bytes that have other values, in the order of the edits.
  package var changes: [ByteChange] {
    edits.compactMap { if case .change(let change) = $0 { change } else { nil } }
  }

  /// The first file of which the bytes are others; `nil` if they are only read otherwise.
  package var changedFile: FileRole? { edits.lazy.compactMap(\.changedFile).first }

  /// The offsets at which bytes are changed, put in or taken out, in the order of the edits.
  package var offsets: [Int] { edits.compactMap(\.offset) }

  /// Whether entries under it are ``Evidence/corrected``.
  package var isProven: Bool { odds?.isProven ?? false }

  /// Whether it is likely enough to be chosen, its rivals aside.
  package var isAcceptable: Bool { odds?.bits ?? 0 >= neededBits }
}

/// A store that can be read with corrections.
///
/// A corrected store keeps the store as found, and `applying([])` returns it. So whatever takes a store
/// can ask what the app's engine, which corrects nothing, makes of the same files; two stores side by
/// side would go through every signature from the command to the reporter, and could be of two files.
package protocol CorrectableStore: StoreLayout {
  /// The corrections with which the bytes are read, in the order in which they were chosen; none in
  /// a store as found.
  var corrections: [Correction] { get }
  /// The corrections that were proposed and not chosen.
  var declinedCorrections: [Correction] { get }
  /// Returns the next corrections that could be made, without making them.
  ///
  /// Those that depend on others, for they are searched for in bytes that others correct, are proposed
  /// when those are decided: until nothing is proposed, each call returns corrections that are neither
  /// among ``corrections`` nor among ``declinedCorrections``. No search is made twice. In a store that its
  /// checksums verify there is none.
  func proposedCorrections() -> [Correction]
  /// Returns the same files, read with `corrections` and no others; `declined` is kept for findings.
  ///
  /// No other function makes a corrected store. Extents and offsets are the same in both.
  ///
  /// - Precondition: The corrections were proposed for these files.
  func applying(_ corrections: [Correction], declining declined: [Correction]) -> Self
}

extension CorrectableStore {
  /// The corrections with which the bytes are read: none.
  package var corrections: [Correction] { [] }

  /// The corrections that were proposed and not chosen: none.
  package var declinedCorrections: [Correction] { [] }

  /// Returns none: there is nothing that could tell what damage has changed.
  package func proposedCorrections() -> [Correction] { [] }

  /// Returns the store itself: it proposes nothing that could be applied.
  package func applying(_ corrections: [Correction], declining declined: [Correction]) -> Self {
    self
  }

  /// Returns the same files, read with `corrections` and no others; with none, the store as found.
  package func applying(_ corrections: [Correction]) -> Self {
    applying(corrections, declining: [])
  }
}

extension FileImage {
  /// Returns the bytes of `file` with those of `edits` that are of it and that change bytes.
  ///
  /// The count stays the same: a byte put in moves the last one out, and after a byte taken out there is
  /// a zero at the end.
  ///
  /// - Precondition: Their offsets lie within the image.
  package func applying(_ edits: [Correction.Edit], of file: FileRole) -> FileImage {
    let own = edits.filter { $0.changedFile == file }
    guard !own.isEmpty else { return self }
    var bytes = self.bytes
    for edit in own {
      switch edit {
      case .change(let change): bytes[change.offset] ^= change.mask
      case .insertion(let byte, _, let offset):
        bytes.insert(byte, at: offset)
        bytes.removeLast()
      case .removal(_, _, let offset):
        bytes.remove(at: offset)
        bytes.append(0)
      case .vector, .plaintext, .ignoredLengths: continue
      }
    }
    return FileImage(bytes)
  }
}
