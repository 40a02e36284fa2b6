import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Bytes in which copies of a store differ, taken from one of them.
package struct CopyChoice: Hashable, Sendable {
  /// The file of the copy.
  package let path: FilePath
  /// The bytes, in the merged file.
  package let place: Place
  /// Why they were taken from this copy.
  package let basis: ChoiceBasis
}

/// One store, merged from copies that are damaged in different places.
///
/// Where the copies differ, checksums show which one is right. They cover the bytes as stored, so
/// encrypted stores need no key. If the checksums over a log and the choices that were tried leave odds
/// of 1 in 2^12, the bytes are ``isProven`` to be those of the store. Otherwise the choice is the one
/// with which most of the log decodes.
package struct MergedCopies<S: Store>: Sendable {
  /// The merged files.
  package let files: [StoreFile]
  /// What was chosen where the copies differ, in order.
  package let choices: [CopyChoice]
  /// The odds of the checksums matching by chance; `nil` if not all of them match.
  package let odds: CoincidenceOdds?
  /// Whether the checksums show that the logs are right, and no copy has a newer one.
  package let isProven: Bool
  /// Whether that is at least likely, so that the files are written as they are.
  package let isLikely: Bool
  /// The copies that are older than others.
  let older: Set<Int>
  /// Whether the newer copies continue the logs of the older ones.
  let isContinued: Bool

  /// Whether older copies may have entries that are not in the merged files: their logs were rewritten
  /// since, or they are of another store.
  package var passesOver: Bool { !older.isEmpty && !isContinued }

  /// Merges `copies`, the files of stores like `template`; the new files have the names of the first.
  package init(_ copies: [[StoreFile]], like template: S) {
    let all = Self.files(of: copies)
    let plain = Self.unitFiles(all, copies, like: template).map { MergedUnit($0, like: template) }
    let units = plain.map { Self.withMirrors($0, plain, like: template) }
    let ages = plain.first?.ages
    let past = ages?.older ?? []
    let newest = past.isEmpty ? nil : ages?.newest
    older = Set(past.map(\.copy))
    isContinued = past.allSatisfy { age in
      newest.map { ages?.isContinued($0, age) ?? false } ?? false
    }
    // A log that only older copies have is not that of the merged store.
    let current = units.filter { unit in
      newest.map { unit.alignment.files.first?.sources[$0.copy] != nil } ?? true
    }
    let rest = CopyAlignment(all.filter { $0.file.role == .external })
    files = current.flatMap(\.files) + rest.merged(rest.likeliestDonors())
    let names = copies.flatMap { template.reading($0).files }.roleNames
    choices = current.flatMap { Self.choices($0, names) }
    odds = current.contains { $0.odds == nil } ? nil : current.compactMap(\.odds).min()
    isProven = current.allSatisfy(\.isProven)
    isLikely = current.allSatisfy(\.isLikely)
  }

  /// Returns the files that belong to each log.
  private static func unitFiles(
    _ all: [CopiedFile], _ copies: [[StoreFile]], like template: S
  ) -> [[CopiedFile]] {
    let roles = Set(copies.flatMap { template.reading($0).logAreas.map(\.file) })
      .intersection(all.map(\.file.role))
    guard roles.count > 1 else { return [all.filter { $0.file.role != .external }] }
    return roles.sorted { $0.number < $1.number }
      .map { role in all.filter { $0.file.role == role } }
  }

  /// Returns `unit`, or the same log merged with the other copies of it within each store too, if only
  /// that makes its checksum match.
  private static func withMirrors(
    _ unit: MergedUnit<S>, _ units: [MergedUnit<S>], like template: S
  ) -> MergedUnit<S> {
    guard !unit.isLikely, units.count > 1, let own = unit.alignment.files.first else { return unit }
    let mirrors = units.flatMap(\.alignment.files).filter { $0.file != own.file }
    let wider = MergedUnit(
      [CopiedFile(file: own.file, sources: own.sources + mirrors.flatMap(\.sources))],
      like: template)
    return wider.isLikely ? wider : unit
  }

  /// Returns the files of all copies, each by its role and, if there are several with it, its name.
  private static func files(of copies: [[StoreFile]]) -> [CopiedFile] {
    var files: [CopiedFile] = []
    func isSame(_ file: StoreFile, as other: StoreFile) -> Bool {
      file.role == other.role
        && (file.role != .external || file.path.lastComponent == other.path.lastComponent)
    }
    for copy in copies {
      for file in copy.read where !files.contains(where: { isSame(file, as: $0.file) }) {
        let sources = copies.map { $0.read.first { isSame(file, as: $0) } }
        let path = path(of: file, beside: copy.first?.path, as: copies.first?.first?.path)
        files.append(
          CopiedFile(
            file: StoreFile(file.role, at: path, FileImage([])), sources: sources))
      }
    }
    return files
  }

  /// Returns the path that `file`, one of the files of the store at `own`, has beside the store at
  /// `first`.
  private static func path(
    of file: StoreFile, beside own: FilePath?, as first: FilePath?
  ) -> FilePath {
    guard let own, let first, own != first, file.role != .external,
      let name = file.path.lastComponent?.string, let ownName = own.lastComponent?.string,
      let firstName = first.lastComponent?.string
    else { return file.path }
    let shared = zip(name, ownName).prefix { $0 == $1 }.count
    let stem = firstName.dropLast(ownName.count - shared)
    return first.parent.appending(String(stem) + name.dropFirst(shared))
  }

  private static func choices(_ unit: MergedUnit<S>, _ names: RoleNames) -> [CopyChoice] {
    let alignment = unit.alignment
    var choices: [CopyChoice] = []
    func add(_ source: StoreFile?, _ index: Int, _ range: Range<Int>, _ basis: ChoiceBasis) {
      guard let source else { return }
      let place = names.place(Extent(alignment.files[index].file.role, range))
      choices.append(CopyChoice(path: source.path, place: place, basis: basis))
    }
    for (index, run) in alignment.runs.enumerated() {
      add(
        alignment.files[run.file].sources[unit.donors[index]], run.file, run.range,
        unit.basis[index])
    }
    for (index, file) in alignment.files.enumerated() {
      let longest = file.sources.compactMap { $0 }.sorted { $0.image.count > $1.image.count }
      guard let first = longest.first else { continue }
      let others = longest.count == file.sources.count ? longest.dropFirst().first?.image.count : 0
      guard let others, others < first.image.count else { continue }
      add(first, index, others..<first.image.count, .only)
    }
    return choices
  }
}
