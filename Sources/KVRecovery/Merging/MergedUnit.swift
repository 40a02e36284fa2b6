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
  /// Whether that is at least likely.
  private(set) var isLikely = false

  /// Which copies are older than others.
  let ages: CopyAges

  /// Merges the copies that `files` have, which are stores like `template`.
  init(_ files: [CopiedFile], like template: S) {
    alignment = CopyAlignment(files)
    ages = CopyAges(of: alignment, like: template)
    donors = alignment.likeliestDonors()
    basis = [ChoiceBasis](repeating: .context, count: donors.count)
    if template.traits.hasRecordChecksums {
      takeRecords(like: template)
    } else {
      takeLog(like: template)
    }
  }

  /// The bytes of the files.
  var files: [StoreFile] { alignment.merged(donors) }

  // MARK: Records with checksums

  private mutating func takeRecords(like template: S) {
    guard let search = decoded(like: template, from: [donors] + wholeCopies) else { return }
    donors = search.donors
    let store = template.reading(files)
    let log = store.lengthClaims.first?.log
    let isWhole =
      store.isProvedByChecksum() && !store.check().contains { $0.severity == .damage }
    var worst = 1
    for run in donors.indices {
      if search.isVerified(run) || isWhole && isBefore(log, run) {
        basis[run] = .record
        worst = max(worst, search.trials[run])
      } else if search.trials[run] > 1, isIn(log, run) {
        basis[run] = .decoding
      }
    }
    odds = CoincidenceOdds(checksumBits: 16, candidates: Double(worst))
    isLikely =
      isWhole && odds?.isLikely == true
      && !donors.indices.contains { isIn(log, $0) && basis[$0] != .record }
    isProven = isLikely && odds?.isProven == true
  }

  /// Returns whether a run is in the header before `log`.
  private func isBefore(_ log: Extent?, _ run: Int) -> Bool {
    log.map { alignment.runs[run].range.upperBound <= $0.offset } ?? false
  }

  /// Returns whether a run has bytes of `log`.
  private func isIn(_ log: Extent?, _ run: Int) -> Bool {
    let run = alignment.runs[run]
    return log.map {
      alignment.files[run.file].file.role == $0.file && run.range.overlaps($0.range)
    } ?? false
  }

  // MARK: A checksum over the log

  private mutating func takeLog(like template: S) {
    let logs = ChecksumSearch(alignment, template, donors).logs()
    let found = logs.filter(\.isLikely).map { ($0, age(of: $0)) }
    let best = found.reduce(nil) { best, log in
      best.map { isNewer(log, than: $0) ? log : $0 } ?? log
    }
    guard let (log, age) = best else {
      odds = logs.first?.odds
      takeDecoding(like: template, from: logs.map(\.donors) + [donors])
      return
    }
    odds = log.odds
    if ages.ages.contains(where: { ages.isNewer($0, than: age) }) {
      // The newest log continues this one, or else replaces it.
      let newest = newestDonors
      let continued = donors.indices.map {
        isIn(log.claim.covered, $0) ? log.donors[$0] : newest[$0]
      }
      takeDecoding(like: template, from: [continued, newest])
      return
    }
    donors = log.donors
    for run in donors.indices where isDecided(run, by: log) { basis[run] = .checksum }
    isLikely = true
    isProven = log.isProven
  }

  /// Returns whether a log is newer than another one.
  ///
  /// Of two in the same place, nothing tells: the copy is taken that was named last.
  private func isNewer(
    _ log: (ChosenLog, CopyAges.Age), than other: (ChosenLog, CopyAges.Age)
  ) -> Bool {
    guard log.0.claim.covered == other.0.claim.covered else {
      return ages.isNewer(log.1, than: other.1)
    }
    func copy(_ log: ChosenLog) -> Int {
      donors.indices.filter { isDecided($0, by: log) }.map { log.donors[$0] }.max() ?? 0
    }
    return copy(log.0) > copy(other.0)
  }

  /// Returns the age of a log for which a choice was found.
  private func age(of log: ChosenLog) -> CopyAges.Age {
    let image = alignment.merged(log.donors).first { $0.role == log.claim.covered.file }?.image
    return CopyAges.Age(
      copy: ages.ages.first { $0.log == log.claim.covered }?.copy ?? -1, log: log.claim.covered,
      generation: log.generation, image: image ?? FileImage([]), digest: log.claim.stored)
  }

  private func isDecided(_ run: Int, by log: ChosenLog) -> Bool {
    let place = alignment.runs[run]
    return isIn(log.claim.covered, run)
      || alignment.files[place.file].file.role == log.claim.storedAt.file
        && place.range.overlaps(log.claim.storedAt.range)
  }

  // MARK: What decodes

  /// The choices of each copy alone.
  private var wholeCopies: [[Int]] {
    (0..<(alignment.files.first?.sources.count ?? 0)).map(all)
  }

  /// The choice of the newest copy alone.
  private var newestDonors: [Int] { ages.newest.map { all($0.copy) } ?? donors }

  private func all(_ copy: Int) -> [Int] {
    donors.indices.map { alignment.donors(of: $0).contains(copy) ? copy : donors[$0] }
  }

  /// Returns the choice with which most of the log decodes, beginning with the best of `starts`.
  ///
  /// Where older copies end, the newest ones decide.
  private func decoded(like template: S, from starts: [[Int]]) -> DecodingSearch<S>? {
    let older = ages.older
    var bounds: [Int: Int] = [:]
    for age in older {
      bounds[age.copy] =
        ages.newest.map { ages.isContinued($0, age) ? age.log.end : 0 } ?? 0
    }
    let searches = (older.isEmpty ? starts : starts.map(withNewestFields)).map {
      DecodingSearch(alignment, template, from: $0, limiting: bounds)
    }
    guard var search = searches.reduce(nil, Self.better) else { return nil }
    let end = ages.ages.map(\.log.end).max() ?? .max
    search.improve { alignment.runs[$0].range.lowerBound < end }
    return search
  }

  /// Returns `start` with the fields and the end of the log of the newest copy.
  private func withNewestFields(_ start: [Int]) -> [Int] {
    guard let newest = ages.newest else { return start }
    let own = newestDonors
    let end = ages.older.filter { ages.isContinued(newest, $0) }.map(\.log.end).max() ?? 0
    let known = Extent(newest.log.index, min(newest.log.offset, end)..<end)
    return start.indices.map { isIn(known, $0) ? start[$0] : own[$0] }
  }

  private mutating func takeDecoding(like template: S, from starts: [[Int]]) {
    guard let search = decoded(like: template, from: starts) else { return }
    for run in donors.indices where search.trials[run] > 1 { basis[run] = .decoding }
    donors = search.donors
  }

  private static func better(
    _ first: DecodingSearch<S>?, _ second: DecodingSearch<S>
  ) -> DecodingSearch<S> {
    guard let first, first.score >= second.score else { return second }
    return first
  }
}
