package import KVBytes

/// A way to read bytes differently from how they are stored, because damage has changed them.
///
/// A format proposes corrections, `KVRecovery` chooses among them, and
/// ``CorrectableStore/applying(_:declining:)`` makes the store that is read with the chosen ones.
/// The files are never changed.
package struct Correction: Hashable, Sendable {
  /// A single difference from the stored bytes.
  package enum Edit: Hashable, Sendable {
    /// A byte has another value.
    case change(ByteChange)
    /// The log is decrypted with this initialization vector.
    case vector([UInt8])
    /// These bytes were never encrypted.
    case plaintext(Extent)
    /// The blocks of the cipher begin this many bytes later in these bytes, which have moved.
    case shifted(Extent, by: Int)
    /// The lengths in these bytes may be damaged.
    ///
    /// If the lengths lead to no record, class names and checksums of records show where one is.
    case ignoredLengths(Extent)

    /// The change of a byte; `nil` if the bytes stay the same and are only read differently.
    package var change: ByteChange? { if case .change(let change) = self { change } else { nil } }
  }

  /// The relation of a correction to the others that are proposed with it.
  package enum Rivalry: Hashable, Sendable {
    /// The correction is independent of the others.
    case none
    /// Another correction explains the same damage differently, so at most one of them is right.
    case contradicting
    /// Another correction restores another copy of the same log, so the best one is enough.
    case redundant
  }

  /// The rule that leads to the correction.
  package let rule: RuleID
  /// The edits, in the order in which they are applied.
  package let edits: [Edit]
  /// The bytes whose own checksum matches after the correction; `nil` if no checksum supports it.
  package let verified: Extent?
  /// The odds of the correction fitting by chance; `nil` if they were not measured.
  package let odds: CoincidenceOdds?
  /// The number of bits of odds that the correction needs to be chosen.
  ///
  /// It is 0 if the bytes are certainly wrong as stored. The correction is then better than the
  /// only other reading, whatever its odds.
  let neededBits: Int
  /// The relation to the others that are proposed with it.
  package let rivalry: Rivalry
  /// What the correction does, and the evidence for it, for people.
  package let reason: String

  /// Creates a correction by `rule`.
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

  /// The byte changes, in the order of the edits.
  package var changes: [ByteChange] { edits.compactMap(\.change) }

  /// The first file whose bytes change; `nil` if they are only read differently.
  package var changedFile: FileRole? { edits.lazy.compactMap(\.change).first?.file }

  /// Whether entries that depend on the correction are ``Evidence/corrected``.
  package var isProven: Bool { odds?.isProven ?? false }

  /// Whether the odds are good enough for the correction to be chosen, leaving rivals aside.
  package var isAcceptable: Bool { odds?.bits ?? 0 >= neededBits }
}

/// A store that can be read with corrections.
///
/// A corrected store keeps the store as found, and `applying([])` returns it. So any code that has
/// the store can find out what the app's engine, which corrects nothing, does with the same files.
/// Passing two stores side by side would change every signature from the command to the reporter,
/// and the two could be stores of different files.
package protocol CorrectableStore: StoreLayout {
  /// The corrections that the bytes are read with, in the order in which they were chosen; none in
  /// a store as found.
  var corrections: [Correction] { get }
  /// The corrections that were proposed but not chosen.
  var declinedCorrections: [Correction] { get }
  /// Returns the store with the judgement of its format: what is believed about its files where their
  /// fields are wrong or contradict each other. In a store as found, the fields are believed.
  func judged() -> Self
  /// Returns the next corrections that could be made, without making them.
  ///
  /// Some corrections depend on others, because they are searched for in bytes that the others
  /// correct. They are proposed once the others have been chosen or declined. Until nothing is left
  /// to propose, each call returns corrections that are neither in ``corrections`` nor in
  /// ``declinedCorrections``. No search is made twice. A store whose checksums all match proposes
  /// nothing.
  func proposedCorrections() -> [Correction]
  /// Returns the same files, read with `corrections` and no others; `declined` is kept for
  /// findings.
  ///
  /// No other function creates a corrected store. Extents and offsets are the same in both stores.
  ///
  /// - Precondition: The corrections were proposed for these files.
  func applying(_ corrections: [Correction], declining declined: [Correction]) -> Self
  /// Returns the store that `files` are, other bytes of the same files, opened as this one was.
  func reading(_ files: [StoreFile]) -> Self
}

extension CorrectableStore {
  /// The store as the app's engine would read it: without corrections, and with the bytes that were
  /// found, also if a copy changed them and that was undone.
  package var asFound: Self { files.areUndone ? reading(files.asFound) : applying([]) }

  /// Whether the store is read as it was found.
  package var isReadAsFound: Bool { corrections.isEmpty && !files.areUndone }

  /// The corrections that the bytes are read with: none.
  package var corrections: [Correction] { [] }

  /// The corrections that were proposed but not chosen: none.
  package var declinedCorrections: [Correction] { [] }

  /// Returns the store itself, because the format leaves all judgement to recovery.
  package func judged() -> Self { self }

  /// Returns no corrections, because the format cannot tell what damage has changed.
  package func proposedCorrections() -> [Correction] { [] }

  /// Returns the store itself, because it proposes nothing that could be applied.
  package func applying(_ corrections: [Correction], declining declined: [Correction]) -> Self {
    self
  }

  /// Returns the same files, read with `corrections` and no others; if there are none, the store as
  /// found.
  package func applying(_ corrections: [Correction]) -> Self {
    applying(corrections, declining: [])
  }
}

extension FileImage {
  /// Returns the bytes of `file`, with those of `edits` applied that change its bytes.
  ///
  /// - Precondition: The edits' offsets lie within the image.
  package func applying(_ edits: [Correction.Edit], of file: FileRole) -> FileImage {
    let changes = edits.compactMap(\.change).filter { $0.file == file }
    guard !changes.isEmpty else { return self }
    var bytes = self.bytes
    for change in changes { bytes[change.offset] ^= change.mask }
    return FileImage(bytes)
  }
}
