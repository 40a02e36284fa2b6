import KVBytes
import KVModel
import KVSystem

/// A choice among copies with which the checksum over a log matches.
struct ChosenLog: Sendable {
  /// The copy that each run is taken from.
  let donors: [Int]
  /// The log, and what the checksum over it is.
  let claim: ChecksumClaim
  /// The odds of the checksum matching by chance.
  let odds: CoincidenceOdds
  /// The number of full rewrites before the log, if the format counts them.
  let generation: Int
  /// Whether other choices match as well.
  let isAmbiguous: Bool

  /// Whether the choice is proven.
  var isProven: Bool { odds.isProven && !isAmbiguous }

  /// Whether the choice is likely to be right.
  var isLikely: Bool { odds.isLikely && !isAmbiguous }
}

extension ChecksumClaim {
  /// Whether the other claim is about the same bytes, and states the same of them.
  func isSame(as other: ChecksumClaim) -> Bool {
    covered == other.covered && stored == other.stored
  }
}

/// The search for the choices among copies with which the checksum over a log matches.
///
/// 1. Runs of differing bytes are in ever more groups, with the most equal bytes between them: within
///    a damaged area, a few bytes are equal by chance. Each choice among fewer groups is also one among
///    more, so what counts for the odds is the number of choices among the most groups.
/// 2. For the groups in the fields of headers, each choice is read: it states a log and its checksum.
/// 3. For the groups in the log, ``LinearChoice`` solves for the checksum.
struct ChecksumSearch<S: Store> {
  /// The numbers of groups, in the order in which they are tried; first, each file is one.
  private static var groupCounts: [Int] { [1, 8, 14, 20, 26] }
  /// The most choices among fields that are read.
  private static var frameLimit: Int { 256 }

  private let alignment: CopyAlignment
  private let template: S
  private let likeliest: [Int]
  private let copyCount: Int
  private let fields: [(file: Int, range: Range<Int>)]

  /// What a choice among the fields states.
  private struct Frame {
    let donors: [Int]
    let claim: ChecksumClaim
    let generation: Int
    /// What the checksum lacks.
    var syndrome: UInt64 { claim.stored ^ claim.computed }

    /// Returns the same fields with the alternatives of `solution`, one for each part.
    func choosing(_ solution: [Int], among parts: [Part]) -> Frame {
      var donors = donors
      for (part, number) in zip(parts, solution) {
        guard let donor = part.effects[number].donor else { continue }
        for run in part.group { donors[run] = donor }
      }
      return Frame(donors: donors, claim: claim, generation: generation)
    }

  }

  init(_ alignment: CopyAlignment, _ template: S, _ likeliest: [Int]) {
    self.alignment = alignment
    self.template = template
    self.likeliest = likeliest
    copyCount = alignment.files.first?.sources.count ?? 0
    var fields: [(file: Int, range: Range<Int>)] = []
    for donor in 0..<copyCount {
      let files = alignment.files.compactMap { $0.sources[donor] }
      for region in template.reading(files).layout where region.kind == .field {
        let file = alignment.files.firstIndex { $0.file.role == region.extent.file }
        if let file { fields.append((file, region.extent.range)) }
      }
    }
    self.fields = fields
  }

  /// Returns the choice for each log that the copies state, as far as one is found.
  func logs() -> [ChosenLog] {
    var found: [ChosenLog] = []
    var previous: [Range<Int>]?
    let whole = frames(alignment.groups(into: 1, of: Array(alignment.runs.indices)))
    let wanted = whole.prefix(copyCount).map(\.claim)
    let runs = alignment.runs.indices.filter { run in
      isField(run..<run + 1) || whole.contains { overlaps(run..<run + 1, $0.claim.covered) }
    }
    for count in Self.groupCounts where !Deadline.hasPassed {
      let groups = alignment.groups(into: count, of: runs)
      if groups == previous { continue }
      previous = groups
      for log in self.logs(frames(groups.filter(isField)), groups.filter { !isField($0) })
      where !found.contains(where: { $0.claim.isSame(as: log.claim) }) {
        found.append(log)
      }
      let isComplete = wanted.allSatisfy { claim in
        found.contains { $0.claim.covered == claim.covered }
      }
      if isComplete, found.contains(where: \.isProven) { break }
    }
    return found
  }

  private func isField(_ group: Range<Int>) -> Bool {
    group.contains { run in
      let run = alignment.runs[run]
      return fields.contains { $0.file == run.file && $0.range.overlaps(run.range) }
    }
  }

  /// Returns what each choice among `groups` states: first those of one copy.
  private func frames(_ groups: [Range<Int>]) -> [Frame] {
    let alternatives = groups.map { alignment.alternatives(of: $0) }
    let count = alternatives.reduce(1) { min($0 * $1.count, Self.frameLimit + 1) }
    var choices = (0..<copyCount).map { copy in
      zip(groups, alternatives).map { group, all in
        alignment.donors(of: group.lowerBound).contains(copy) ? copy : all[0]
      }
    }
    for number in 0..<(count > Self.frameLimit ? 0 : count) {
      var rest = number
      choices.append(
        alternatives.map { all in
          defer { rest /= all.count }
          return all[rest % all.count]
        })
    }
    return choices.compactMap { choice in
      var donors = likeliest
      for (group, donor) in zip(groups, choice) { for run in group { donors[run] = donor } }
      let store = template.reading(alignment.merged(donors))
      // An empty log has a checksum too, as have zeroed fields.
      guard let claim = store.lengthClaims.first?.checksum,
        claim.covered.count > 0 || groups.isEmpty
      else { return nil }
      return Frame(donors: donors, claim: claim, generation: store.traits.olderLogCount ?? 0)
    }
  }

  /// Returns the logs with which the checksum of one of `frames` matches, by the choice among `groups`.
  private func logs(_ frames: [Frame], _ groups: [Range<Int>]) -> [ChosenLog] {
    var tried = 0.0
    var found: [[Frame]] = []
    var open = frames
    while let first = open.first {
      let covered = first.claim.covered
      let same = open.filter { $0.claim.covered == covered }
      open.removeAll { $0.claim.covered == covered }
      let parts = self.parts(groups.filter { overlaps($0, covered) }, first.claim)
      guard let choice = LinearChoice(parts.map { $0.effects.map(\.effect) }) else { continue }
      tried += Double(Set(same.map(\.claim.stored)).count) * choice.count
      var known: [UInt64: [[Int]]] = [:]
      for frame in same {
        let solutions = known[frame.syndrome] ?? choice.solutions(for: frame.syndrome)
        known[frame.syndrome] = solutions
        let solved = solutions.map { frame.choosing($0, among: parts) }
        if solved.isEmpty { continue }
        if let index = found.firstIndex(where: { $0[0].claim.isSame(as: frame.claim) }) {
          found[index] += solved
        } else {
          found.append(solved)
        }
      }
    }
    return found.compactMap { best(of: $0, tried) }
  }

  /// A group of runs in a log, and what each of its alternatives changes in the checksum.
  private struct Part {
    let group: Range<Int>
    /// The effects, and the copies that have them; the first is none, with the likeliest copies.
    let effects: [(effect: UInt64, donor: Int?)]
  }

  private func parts(_ groups: [Range<Int>], _ claim: ChecksumClaim) -> [Part] {
    groups.map { group in
      var effects: [(effect: UInt64, donor: Int?)] = [(0, nil)]
      for donor in alignment.alternatives(of: group) {
        let effect = effect(of: group, from: donor, on: claim)
        if !effects.contains(where: { $0.effect == effect }) { effects.append((effect, donor)) }
      }
      return Part(group: group, effects: effects)
    }
  }

  private func overlaps(_ group: Range<Int>, _ covered: Extent) -> Bool {
    group.contains { run in
      let run = alignment.runs[run]
      return alignment.files[run.file].file.role == covered.file
        && run.range.overlaps(covered.range)
    }
  }

  /// Returns what changes in the checksum of `claim` if a group is taken from `donor` instead of the
  /// likeliest copy of each run.
  private func effect(of group: Range<Int>, from donor: Int, on claim: ChecksumClaim) -> UInt64 {
    group.reduce(0) { sum, run in
      let (file, range) = (alignment.files[alignment.runs[run].file], alignment.runs[run].range)
      let part = range.clamped(to: claim.covered.range)
      guard !part.isEmpty, file.file.role == claim.covered.file,
        let old = file.sources[likeliest[run]]?.image, let new = file.sources[donor]?.image
      else { return sum }
      if claim.algorithm == .crc32 {
        let change = CRC32.digest(of: old, in: part) ^ CRC32.digest(of: new, in: part)
        return sum ^ UInt64(CRC32.effect(change, before: claim.covered.end - part.upperBound))
      }
      var lanes = XORLanes()
      lanes.update(old.storageSpan, in: part)
      lanes.update(new.storageSpan, in: part)
      return sum ^ lanes.value
    }
  }

  /// Returns the likeliest of several choices with which one checksum matches: other fields agree with
  /// it, its records decode, and other bytes are like those around them.
  private func best(of solved: [Frame], _ tried: Double) -> ChosenLog? {
    var best: (frame: Frame, rank: [Int])?
    for frame in solved.prefix(Self.frameLimit) {
      let store = template.reading(alignment.merged(frame.donors))
      guard let claim = store.lengthClaims.first, claim.isVerified, let log = claim.log else {
        continue
      }
      let claims = store.lengthClaims
      let rank = [
        claims.count(where: \.isVerified) * 2 - claims.count,
        store.access == .readable ? -store.gaps(in: log).reduce(0) { $0 + $1.extent.count } : 0,
        zip(frame.donors, likeliest).count { $0 == $1 },
      ]
      if best.map({ $0.rank.lexicographicallyPrecedes(rank) }) ?? true { best = (frame, rank) }
    }
    guard let (frame, _) = best else { return nil }
    let covered = frame.claim.covered
    let runs = alignment.runs.indices.filter { overlaps($0..<$0 + 1, covered) }
    let isAmbiguous = solved.contains { other in
      runs.contains {
        alignment.bytes(of: $0, from: other.donors[$0])
          != alignment.bytes(of: $0, from: frame.donors[$0])
      }
    }
    return ChosenLog(
      donors: frame.donors, claim: frame.claim,
      odds: CoincidenceOdds(
        checksumBits: frame.claim.algorithm == .crc32 ? 32 : 64, candidates: tried),
      generation: frame.generation, isAmbiguous: isAmbiguous)
  }
}
