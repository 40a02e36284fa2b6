import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A search for what the files of a store were before a tool changed all of their bytes while it
/// copied them.
///
/// Changes are undone only in memory, and only where that is proved: a stored checksum matches
/// then, or, in a format without checksums, all of the file can be read, and neither was so before.
struct CopySearch {
  /// The number of bytes up to which files are searched, and to which they may be unpacked.
  static let byteLimit = 1 << 27
  /// The number of changes that may have been made one after the other.
  private static let depth = 2
  /// The number of trials, and of bytes in all of them, after which the search gives up, and of
  /// bytes after which only one change is undone.
  private static let limits = (trialCount: 4000, byteCount: 1 << 29, nestedByteCount: 1 << 26)

  private let path: FilePath
  private let formats: Formats?
  private let readers: (() -> Readers)?
  /// Whether `readers` are of the format that the user named, so that nothing is recognized.
  private let isNamed: Bool
  private var trialCount = 0
  private var byteCount = 0

  /// Creates a search at `path` for stores of `formats`, and for files of the formats of `readers`.
  init(
    at path: FilePath, _ formats: Formats?, _ readers: (() -> Readers)?, isNamed: Bool = false
  ) {
    self.path = path
    self.formats = formats
    self.readers = readers
    self.isNamed = isNamed
  }

  /// Returns what `files`, which were found at the path in `source`, were before they were copied;
  /// `nil` if nothing proves that a copy changed them.
  ///
  /// `isSound` is asked, if they show signs of a change, whether nothing needs to be undone.
  mutating func found(
    _ files: [StoreFile], in source: any FileSource, unless isSound: () -> Bool
  ) -> FoundFiles? {
    var isAsked = false
    var layer: [(source: any FileSource, proof: CopyChange.Proof)] = [(source, .contents)]
    for depth in 1...Self.depth {
      var next: [(source: any FileSource, proof: CopyChange.Proof)] = []
      for (base, earlierProof) in layer {
        let images =
          depth == 1
          ? files.map { (path: $0.path, image: $0.image) }
          : files.compactMap { file in
            (try? base.read(file.path)).map { (path: file.path, image: $0) }
          }
        for change in CopyChange.all {
          // Where bytes were added, the size no longer shows that CRs are missing.
          if change.proof == .checksum, earlierProof == .end { continue }
          let choices = choices(for: change, images)
          guard !choices.isEmpty else { continue }
          let proof = max(change.proof, earlierProof)
          if !isAsked, isSound() { return nil }
          isAsked = true
          for choice in choices {
            guard takeTrial(of: images.map(\.image.count)) else { return nil }
            let undone = UndoneSource(base, undoing: change, choice)
            if let found = found(in: undone, by: proof) { return found }
            if !change.isPerFile, byteCount <= Self.limits.nestedByteCount {
              next.append((undone, proof))
            }
          }
        }
      }
      layer = next
    }
    return nil
  }

  /// Counts a trial with files of these sizes, and returns whether it may be made.
  private mutating func takeTrial(of counts: [Int]) -> Bool {
    trialCount += 1
    byteCount += counts.reduce(0, +)
    return trialCount <= Self.limits.trialCount && byteCount <= Self.limits.byteCount
  }

  /// Returns which of the possible contents of each of `files` are tried together; none if no file
  /// shows `change`.
  private func choices(
    for change: CopyChange, _ files: [(path: FilePath, image: FileImage)]
  ) -> [[FilePath: Int?]] {
    let counts = files.map { file in
      file.image.count > Self.byteLimit ? 0 : change.originals(file.image).count
    }
    let changed = zip(files, counts).filter { $0.1 > 0 }.map { (path: $0.0.path, count: $0.1) }
    let others = zip(files, counts).filter { $0.1 == 0 }
      .map { (path: $0.0.path, choice: Optional<Int>.none) }
    let asFound = Dictionary(others.map { ($0.path, $0.choice) }) { $1 }
    guard let most = changed.map(\.count).max() else { return [] }
    func choosing(_ index: Int) -> [FilePath: Int?] {
      asFound.merging(changed.map { ($0.path, min(index, $0.count - 1)) }) { $1 }
    }
    guard !change.isPerFile else {
      var combined = [asFound]
      for file in changed {
        guard combined.count * file.count <= Self.limits.trialCount else { return [] }
        combined = combined.flatMap { choice in
          (0..<file.count).map { choice.merging([file.path: $0]) { $1 } }
        }
      }
      return combined
    }
    let together = (0..<most).map(choosing)
    guard changed.count > 1 else { return together }
    // A file may look changed by chance.
    return together
      + changed.flatMap { file in
        (0..<file.count).map { index in
          asFound.merging(changed.map { ($0.path, $0.path == file.path ? index : nil) }) { $1 }
        }
      }
  }

  /// Returns what the files in `source` are, if `proof` holds.
  private func found(in source: UndoneSource, by proof: CopyChange.Proof) -> FoundFiles? {
    if let best = try? formats?.candidates(at: path, in: source).best,
      best.files.areUndone,
      best.found.isProvedByChecksum(overAll: proof == .checksum)
    {
      return .store(best, others: [])
    }
    guard proof < .checksum, let readers = readers?() else { return nil }
    let table: (reader: any EntryReader, files: [StoreFile])?
    do throws(DiscoveryError) {
      table =
        isNamed
        ? try readers.first(at: path, in: source)
        : try readers.likeliest(at: path, in: source).map { ($0.reader, $0.files) }
    } catch {
      return nil
    }
    guard let table, table.files.areUndone else { return nil }
    let statesEnd = Self.statesEnd(table.files)
    guard proof < .end || statesEnd, let read = try? table.reader.table(table.files),
      !read.entries.isEmpty
    else { return nil }
    // Bytes of another kind can be read as fields that a format does not know.
    let limit: Finding.Severity = statesEnd ? .damage : .note
    return read.isFree(of: limit) ? .table(table.reader, table.files) : nil
  }

  /// Returns whether `reader` can read all of `files`.
  static func isSound(_ reader: any EntryReader, _ files: [StoreFile]) -> Bool {
    (try? reader.table(files))?.isFree(of: .damage) ?? false
  }

  /// Returns whether a field of the first of `files` says where it ends.
  private static func statesEnd(_ files: [StoreFile]) -> Bool {
    guard let image = files.first?.image else { return false }
    return ["SQLite format 3\0", "bplist00", "<?xml"].contains { beginning in
      image.bytes(in: 0..<min(16, image.count)).starts(with: beginning.utf8)
    }
  }
}

extension EntryTable {
  /// Returns whether no finding is as severe as `severity`, apart from that about an undone change.
  fileprivate func isFree(of severity: Finding.Severity) -> Bool {
    !findings.contains { $0.severity >= severity && $0.kind != LogFindings.copyUndone }
  }
}
