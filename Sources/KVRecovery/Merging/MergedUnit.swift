import KVBytes
import KVModel

/// Why the bytes of one copy were chosen.
package enum ChoiceBasis: String, Hashable, Sendable {
  /// With them, the checksum over the log matches.
  case checksum
  /// With them, the checksum of a record matches.
  case record
  /// With them, more of the log decodes.
  case decoding
  /// They are like the bytes around them.
  case context
  /// No other copy has them.
  case only
}

/// A log, and the files that say how long it is, merged from copies.
struct MergedUnit<S: Store> {
  let alignment: CopyAlignment
  /// The copy that each run is taken from.
  private(set) var donors: [Int]
  /// Why each run is taken from it.
  private(set) var basis: [ChoiceBasis]
  /// The odds of the checksums matching by chance; `nil` if they do not match.
  private(set) var odds: CoincidenceOdds?
  /// Whether checksums show that the log is what one of the copies was, and no copy is newer.
  private(set) var isProven = false

  /// Merges the copies that `files` have, which are stores like `template`.
  init(_ files: [CopiedFile], like template: S) {
    alignment = CopyAlignment(files)
    let likeliest = alignment.likeliestDonors()
    donors = likeliest
    basis = [ChoiceBasis](repeating: .context, count: donors.count)
    if template.traits.hasRecordChecksums {
      takeRecords(like: template)
    } else {
      takeLog(like: template, likeliest)
    }
  }

  /// The bytes of the files.
  var files: [StoreFile] { alignment.merged(donors) }

  // MARK: Records with checksums

  private mutating func takeRecords(like template: S) {
    var search = DecodingSearch(alignment, template, from: donors)
    search.improve { _ in true }
    donors = search.donors
    let store = template.reading(files)
    let log = store.lengthClaims.first?.log
    var worst = 1
    for run in donors.indices {
      if search.isVerified(run) {
        basis[run] = .record
        worst = max(worst, search.trials[run])
      } else if search.trials[run] > 1, isIn(log, run) {
        basis[run] = .decoding
      }
    }
    odds = CoincidenceOdds(checksumBits: 16, candidates: Double(worst))
    isProven =
      store.isProvedByChecksum() && odds?.isProven == true
      && !donors.indices.contains { isIn(log, $0) && basis[$0] != .record }
  }

  /// Returns whether a run has bytes of `log`.
  private func isIn(_ log: Extent?, _ run: Int) -> Bool {
    let run = alignment.runs[run]
    return log.map {
      alignment.files[run.file].file.role == $0.file && run.range.overlaps($0.range)
    } ?? false
  }

  // MARK: A checksum over the log

  private mutating func takeLog(like template: S, _ likeliest: [Int]) {
    let logs = ChecksumSearch(alignment, template, likeliest).logs()
    let best = logs.filter(\.isProven).reduce(nil) { best, log in
      best.map { isNewer(log, than: $0) ? log : $0 } ?? log
    }
    if let best {
      (donors, odds) = (best.donors, best.odds)
      for run in donors.indices where isDecided(run, by: best) { basis[run] = .checksum }
      let newer = newerCopies(than: best, like: template)
      isProven = newer.isEmpty
      if let newest = newer.first { takeAppended(best, from: newest, like: template) }
      return
    }
    if let log = logs.first { (donors, odds) = (log.donors, log.odds) }
    takeDecoding(from: [donors, likeliest], like: template) { _ in true }
  }

  private func isDecided(_ run: Int, by log: ChosenLog) -> Bool {
    let place = alignment.runs[run]
    return isIn(log.claim.covered, run)
      || alignment.files[place.file].file.role == log.claim.storedAt.file
        && place.range.overlaps(log.claim.storedAt.range)
  }

  /// Returns whether `log` was written after `other`: it continues the other, or the store was rewritten
  /// more often before it.
  private func isNewer(_ log: ChosenLog, than other: ChosenLog) -> Bool {
    func isContinued(_ short: ChosenLog, by long: ChosenLog) -> Bool {
      guard short.claim.covered.count < long.claim.covered.count,
        short.claim.covered.offset == long.claim.covered.offset,
        let image = alignment.merged(long.donors).first(where: {
          $0.role == long.claim.covered.file
        })?.image, short.claim.algorithm == .crc32
      else { return false }
      return UInt64(CRC32.digest(of: image, in: short.claim.covered.range)) == short.claim.stored
    }
    if isContinued(other, by: log) { return true }
    if isContinued(log, by: other) { return false }
    return (other.generation, other.claim.covered.count)
      < (log.generation, log.claim.covered.count)
  }

  // MARK: A newer copy that no checksum verifies

  private func copy(_ index: Int) -> [StoreFile] {
    alignment.files.compactMap { file in
      file.sources[index].map { StoreFile(file.file.role, at: file.file.path, $0.image) }
    }
  }

  /// Returns the copies with records that were written after `log`, the one with the longest log first.
  private func newerCopies(than log: ChosenLog, like template: S) -> [Int] {
    let count = alignment.files.first?.sources.count ?? 0
    let found: [(copy: Int, count: Int)] = (0..<count).compactMap { index in
      let store = template.reading(copy(index))
      guard let claim = store.lengthClaims.first, let own = claim.log,
        own != log.claim.covered, claim.digest != log.claim.stored
      else { return nil }
      // A log ends with bytes that are not 0, which damage to its length does not make true.
      let isWritten = store.lastNonzero(in: store.logArea).map { $0 < own.end } ?? false
      let rewrites = (store.traits.olderLogCount ?? 0) - log.generation
      let isLater = own.count > log.claim.covered.count && rewrites >= 0 || rewrites > 0
      guard isLater, isWritten, decodes(own, in: store, after: log.claim.covered, rewrites) else {
        return nil
      }
      return (index, own.count)
    }
    return found.sorted { $0.count > $1.count }.map(\.copy)
  }

  /// Returns whether most of `own` after `known`, or of all of it if the store was rewritten, is
  /// records.
  private func decodes(
    _ own: Extent, in store: S, after known: Extent, _ rewrites: Int
  ) -> Bool {
    guard store.access == .readable else { return rewrites < 1 << 10 }
    let start = rewrites == 0 ? min(known.end, own.end) : own.offset
    let added = Extent(own.index, start..<own.end)
    return store.gaps(in: added).reduce(0) { $0 + $1.extent.count } < added.count / 2
  }

  /// Takes the log of the copy `newest`, and as much of `known` as it continues.
  private mutating func takeAppended(
    _ known: ChosenLog, from newest: Int, like template: S
  ) {
    let own = donors.indices.map { alignment.donors(of: $0).contains(newest) ? newest : donors[$0] }
    let continued = donors.indices.map {
      isIn(known.claim.covered, $0) ? known.donors[$0] : own[$0]
    }
    let isKnown = donors.indices.map { isIn(known.claim.covered, $0) }
    takeDecoding(from: [continued, own], like: template) { !isKnown[$0] }
  }

  /// Takes the choice with which most of the log decodes, beginning with the best of `starts`.
  private mutating func takeDecoding(
    from starts: [[Int]], like template: S, changing isOpen: (Int) -> Bool
  ) {
    let searches = starts.map { DecodingSearch(alignment, template, from: $0) }
    guard var search = searches.reduce(nil, Self.better) else { return }
    search.improve(isOpen)
    for run in donors.indices {
      if donors[run] != search.donors[run] || search.trials[run] > 1 {
        basis[run] = search.trials[run] > 1 ? .decoding : .context
      }
    }
    donors = search.donors
  }

  private static func better(
    _ first: DecodingSearch<S>?, _ second: DecodingSearch<S>
  ) -> DecodingSearch<S> {
    guard let first, first.score >= second.score else { return second }
    return first
  }
}
