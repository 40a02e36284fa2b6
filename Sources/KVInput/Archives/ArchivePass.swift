import KVBytes
import KVSystem

/// A pass over an archive, member by member.
///
/// Damage is skipped where possible: after a damaged TAR header, the next header is searched for,
/// and after a damaged ZIP member, the archive is reopened.
final class ArchivePass {
  // A class, because it owns an open archive.

  /// The result of a step.
  enum Step {
    /// A member, and its number counted from 0.
    case member(ArchiveHeader, ordinal: Int)
    /// A part of the archive that cannot be read.
    case problem(String)
    case end
  }

  /// The number of steps between two reports of progress.
  private static let stride = 64

  private let bytes: ArchiveBytes
  private let kind: ArchiveKind
  /// Whether what is compressed may be something other than an archive.
  private let isUncertain: Bool
  /// The budget for the bytes of members; `nil` if they were counted by an earlier pass.
  private let budget: UnpackBudget?
  #if Archives && canImport(CArchive)
    private var handle: ArchiveHandle
    private var input: ArchiveInput
    private var pending: ArchiveStep?
    /// The directory of a ZIP archive; `nil` if it is read without one.
    private var directory: ZIPDirectory?
  #endif
  /// Whether a ZIP archive is read without its directory.
  private var isStream = false
  /// A problem to be reported before the first member.
  private var problemAtStart: String?
  private var restartCount = 0
  /// The number of members and pieces of members that were begun.
  private var stepCount = 0
  private var ordinal = -1
  private var hasEnded = false
  private var isGivenUp = false
  /// Why the archive has to be reopened.
  private var interruption: String?

  /// The bytes of the current member that have been read.
  private(set) var member: [UInt8] = []
  /// What is wrong with the current member; `nil` if nothing is known to be wrong.
  private(set) var problem: String?
  private var header: ArchiveHeader?
  private var isComplete = true

  /// Opens an archive of type `kind`, and counts the bytes that are unpacked against `budget`.
  ///
  /// If `isUncertain` is `true`, it may be a compressed file of another kind.
  ///
  /// - Throws: If it cannot be opened, so that no member can be read.
  init(
    _ bytes: ArchiveBytes, _ kind: ArchiveKind, _ budget: UnpackBudget?, isUncertain: Bool
  ) throws(ArchiveFailure) {
    self.bytes = bytes
    self.kind = kind
    self.budget = budget
    self.isUncertain = isUncertain
    #if Archives && canImport(CArchive)
      input = try Self.open(bytes, kind, budget)
      directory = kind == .zip ? ZIPDirectory(input) : nil
      let changes = directory?.changes ?? []
      input.changes = changes
      // The library does not find a directory that is all that there is.
      hasEnded = directory?.isBlank ?? false
      if kind == .zip, !hasEnded,
        let seekable = try? ArchiveHandle(input, kind, isStream: false, isUncertain: isUncertain)
      {
        handle = seekable
        return
      }
      isStream = kind == .zip
      input = try Self.open(bytes, kind, budget)
      handle = try ArchiveHandle(input, kind, isStream: isStream, isUncertain: isUncertain)
      problemAtStart = isStream ? Self.directoryProblem : Self.missingHeader(kind, input)
    #else
      throw ArchiveFailure(
        reason: "it is an archive, but this kvfsck was built without the trait Archives")
    #endif
  }

  #if Archives && canImport(CArchive)
    private static func open(
      _ bytes: ArchiveBytes, _ kind: ArchiveKind, _ budget: UnpackBudget?
    ) throws(ArchiveFailure) -> ArchiveInput {
      do throws(FileError) {
        return try ArchiveInput(bytes, kind, budget)
      } catch {
        throw ArchiveFailure(reason: error.cause)
      }
    }

    /// Returns the problem of a TAR archive that begins with zeros, which the library passes over;
    /// `nil` if it does not.
    private static func missingHeader(_ kind: ArchiveKind, _ input: ArchiveInput) -> String? {
      guard kind == .tar else { return nil }
      let isMissing = input.bytes(at: 0, count: ArchiveKind.tarCount).allSatisfy { $0 == 0 }
      return isMissing ? "it begins with zeros instead of a header: a member may be missing" : nil
    }

    private static let directoryProblem =
      "its directory, which is at its end, is missing or damaged: members are read without it, and a "
      + "member whose own header is damaged is not found"

    /// Reports how much of the archive has been read, at the first step and once in many.
    private func reportProgress() {
      if stepCount % Self.stride == 0 {
        let count = input.packedCount
        WorkProgress.report(.archive, min(max(0, input.position), count), of: count)
      }
      stepCount += 1
    }

    // MARK: Members

    /// Advances to the next member, or to the problem in its place.
    func next() -> Step {
      guard !hasEnded else { return .end }
      reportProgress()
      if let problem = problemAtStart {
        problemAtStart = nil
        return .problem(problem)
      }
      if let problem = leave() { return .problem(problem) }
      let step = pending ?? handle.next()
      pending = nil
      switch step {
      case .member(let header):
        ordinal += 1
        return .member(enter(header), ordinal: ordinal)
      case .damaged(let reason):
        let problem = "\(reason), at byte \(Hexadecimal.text(handle.headerOffset, digits: 1))"
        // Report one problem for all blocks up to the next header.
        var next = handle.next()
        while case .damaged = next { next = handle.next() }
        pending = next
        return .problem(problem)
      case .failed(let reason):
        let place = after
        if kind == .zip, !isStream, reopen(isStream: true) {
          return .problem(
            ordinal < 0 && directory?.isEmpty ?? true
              ? Self.directoryProblem
              : "\(place), its directory or the header of a member is damaged: what follows is read "
                + "without the directory, and a member whose own header is damaged is not found")
        }
        hasEnded = true
        return .problem("it ends \(place): \(explained(reason))")
      case .end:
        hasEnded = true
        if let damage = input.damage { return .problem("it ends \(after): \(damage)") }
        return isCut
          ? .problem("it ends \(after) without the zeros that end an archive: more may be missing")
          : .end
      }
    }

    /// Whether a TAR archive ends after a member, where a cut leaves no other trace.
    private var isCut: Bool {
      kind != .zip && ordinal >= 0 && handle.countAfterHeaderOffset < ArchiveKind.tarCount
    }

    /// Begins with the member whose header was read, and returns the header with the names that it
    /// has in the archive.
    private func enter(_ stored: ArchiveHeader) -> ArchiveHeader {
      let header = kind == .zip ? named(stored) : stored
      self.header = header
      member = []
      problem = header.isEncrypted ? "it is encrypted" : nil
      // The library takes the end of a packed member without bytes for damage.
      let hasNoBytes = !isStream && directory?.hasNoBytes(ordinal) ?? false
      isComplete = header.kind != .file || header.isEncrypted || hasNoBytes
      return header
    }

    /// Returns the header of a member of a ZIP archive with the names that it has there, because the
    /// library converts names.
    private func named(_ stored: ArchiveHeader) -> ArchiveHeader {
      if !isStream, let known = directory?.names(of: ordinal, named: stored.name) {
        return stored.named(known.names, against: known.other?.meant)
      }
      guard stored.name.isEmpty || ZIPName.isConverted(stored.name),
        let name = ZIPName(input, inHeaderFrom: handle.headerOffset)
      else { return stored }
      return stored.named([name.meant])
    }

    /// Finishes the current member.
    ///
    /// - Returns: Why no later member can be read; `nil` if one can.
    private func leave() -> String? {
      if !isComplete {
        // Skipping a part of a stream unpacks it, so it counts against the budget.
        if input.isSeekable, header?.count != nil {
          if let reason = handle.skip() { interruption = reason }
        } else {
          read(upTo: nil)
        }
      } else if header?.isEncrypted == true, handle.skip() != nil {
        interruption = "an encrypted member cannot be skipped"
      }
      header = nil
      guard let reason = interruption else { return nil }
      interruption = nil
      if kind == .zip, !isGivenUp, reopen(isStream: isStream) { return nil }
      hasEnded = true
      return "it ends \(after): \(reason)"
    }

    /// Reopens the archive and moves to the end of the last member that was read.
    private func reopen(isStream: Bool) -> Bool {
      restartCount += 1
      guard restartCount <= ArchiveLimits.restartCount,
        let fresh = try? Self.open(bytes, kind, budget)
      else { return false }
      fresh.changes = isStream ? [] : directory?.changes ?? []
      guard
        let opened = try? ArchiveHandle(
          fresh, kind, isStream: isStream, isUncertain: isUncertain)
      else { return false }
      (handle, input) = (opened, fresh)
      self.isStream = isStream
      for _ in 0..<(ordinal + 1) {
        guard case .member = handle.next() else { return false }
      }
      return true
    }

    // MARK: Bytes

    /// Reads until ``member`` has `count` bytes or the member ends; skips the rest if `count` is
    /// `nil`.
    func read(upTo count: Int?) {
      while !isComplete, member.count < count ?? .max {
        reportProgress()
        switch handle.piece() {
        case .bytes(let bytes, let offset, let warning):
          if let warning { problem = warning }
          // Zeros that are not stored take memory too.
          let zeroCount = count.map { gap(before: offset, upTo: $0) } ?? 0
          guard budget?.take(bytes.count + zeroCount) ?? true else { return giveUp() }
          if let count { append(bytes, at: offset, upTo: count) }
          if let stated = header?.count, member.count > stated {
            problem =
              "it has more than the \(stated.inBytes) recorded in the archive"
            member.removeSubrange(stated...)
            return leaveUnread()
          }
        case .failed(let reason, let isFinal):
          problem = explained(reason)
          isComplete = true
          if isFinal { interruption = problem }
        case .end(let offset):
          isComplete = true
          let zeroCount = count.map { gap(before: offset, upTo: $0) } ?? 0
          guard budget?.take(zeroCount) ?? true else { return giveUp() }
          if let count { append([], at: offset, upTo: count) }
          if let stated = header?.count, count ?? 0 > stated, member.count < stated {
            problem =
              problem
              ?? "only \(member.count.grouped) of its \(stated.counted("byte is", "bytes are")) present"
          }
        }
      }
    }

    // MARK: Limits

    /// Returns whether `count` more bytes may be unpacked.
    func hasRoom(for count: Int) -> Bool { budget?.has(count) ?? true }

    /// Counts the rest of the member against the budget, because a later pass reads it.
    ///
    /// In a stream, this pass counts it, because it has to unpack the member in order to skip it.
    func reserve() {
      guard input.isSeekable, let stated = header?.count else { return }
      _ = budget?.take(max(0, stated - member.count))
    }

    /// Counts `count` bytes that are examined again under another name.
    ///
    /// - Returns: Whether that many were left.
    func takeAgain(_ count: Int) -> Bool { budget?.take(count) ?? true }

    private func append(_ bytes: [UInt8], at offset: Int, upTo count: Int) {
      // Bytes that are not stored are zeros.
      let gap = gap(before: offset, upTo: count)
      if gap > 0 { member += [UInt8](repeating: 0, count: gap) }
      guard offset == member.count else { return }
      if member.isEmpty { member = bytes } else { member += bytes }
    }

    /// Returns the number of unstored zeros before `offset` in the member.
    private func gap(before offset: Int, upTo count: Int) -> Int {
      max(0, min(offset, max(count, member.count)) - member.count)
    }

    /// Treats the member as read and continues after it.
    private func leaveUnread() {
      isComplete = true
      if let reason = handle.skip() { interruption = reason }
    }

    /// The reason for not unpacking more, for people.
    var refusal: String { budget?.refusal ?? "" }

    private func giveUp() {
      problem = refusal
      interruption = problem
      isComplete = true
      isGivenUp = true
    }

    // MARK: Messages

    private var after: String {
      switch ordinal {
      case ..<0: "before its first member"
      case 0: "after its first member"
      default: "after \((ordinal + 1).grouped) members"
      }
    }

    private func explained(_ reason: String) -> String {
      input.damage.map { "\(reason) (\($0))" } ?? reason
    }
  #else
    func next() -> Step { .end }
    func read(upTo count: Int?) {}
    func hasRoom(for count: Int) -> Bool { true }
    func reserve() {}
    func takeAgain(_ count: Int) -> Bool { true }
    var refusal: String { "" }
  #endif
}
