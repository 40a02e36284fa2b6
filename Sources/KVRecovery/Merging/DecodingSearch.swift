import KVBytes
import KVModel
import KVSystem

/// The search for the choice among copies with which most of a log decodes.
///
/// It starts with one choice, and changes a few neighboring groups of runs at a time as long as that
/// makes more bytes decode. Where records have checksums of their own, each is decided by itself.
struct DecodingSearch<S: Store> {
  /// The numbers of equal bytes between two runs of one group, in the order in which they are tried.
  private static var gaps: [Int] { [64, 8, 0] }
  /// The most groups that are changed together.
  private static var widest: Int { 3 }
  /// The most bytes that are read for all trials.
  private static var byteLimit: Int { 1 << 28 }
  /// The most trials.
  private static var trialLimit: Int { 2000 }

  private let alignment: CopyAlignment
  private let template: S
  /// The choice.
  private(set) var donors: [Int]
  /// What decodes with it.
  private(set) var score: Score
  /// The number of choices that were tried for each run.
  private(set) var trials: [Int]
  private var trialsLeft: Int

  /// What decodes of a log.
  struct Score: Comparable {
    /// The bytes in records, without those of records that are contradicted or implausible and those
    /// between records.
    var bytes = Int.min
    /// The records whose own checksums match.
    var verified: [Extent] = []

    static func < (first: Score, second: Score) -> Bool { first.bytes < second.bytes }
  }

  init(_ alignment: CopyAlignment, _ template: S, from donors: [Int]) {
    self.alignment = alignment
    self.template = template
    self.donors = donors
    trials = [Int](repeating: 1, count: alignment.runs.count)
    score = Self.score(of: alignment.merged(donors), template)
    let count = alignment.files.reduce(1) { $0 + $1.count }
    trialsLeft = min(Self.trialLimit, max(1, Self.byteLimit / count))
  }

  /// Returns what decodes of the log of a store.
  private static func score(of files: [StoreFile], _ template: S) -> Score {
    let store = template.reading(files)
    guard store.access == .readable else { return Score() }
    let area = store.logArea
    let stated = store.lengthClaims.first?.log
    let end = store.lastNonzero(in: area).map { $0 + 1 } ?? area.offset
    let log = stated ?? Extent(area.index, area.offset..<end)
    var score = Score(bytes: stated == nil ? -area.count : 0)
    var records: [Record] = []
    store.forEachRecord(in: log, scan: .plain, around: store.gaps(in: log)) { event in
      switch event {
      case .record(let record):
        records.append(record)
        score.bytes += record.integrity == .contradicted ? -record.count : record.count
        if record.integrity == .verified { score.verified.append(record.extent) }
      case .gap(let gap): score.bytes -= gap.extent.count
      case .filler: break
      }
    }
    for record in store.implausible(records) { score.bytes -= 2 * record.count }
    return score
  }

  /// Changes the choice for the runs that `isOpen` holds for, and that no record's checksum has decided.
  mutating func improve(_ isOpen: (Int) -> Bool) {
    for gap in Self.gaps {
      let groups = alignment.groups(joining: gap).filter { $0.contains(where: isOpen) }
      for width in 1...Self.widest {
        for start in groups.indices where start + width <= groups.count && trialsLeft > 0 {
          let window = groups[start..<start + width]
          if !window.contains(where: { $0.contains(where: isVerified) }) { change(window) }
        }
        if !template.traits.hasRecordChecksums { break }
      }
    }
  }

  /// Returns whether a record whose own checksum matches holds all of a run.
  func isVerified(_ run: Int) -> Bool {
    let (file, range) = (alignment.files[alignment.runs[run].file], alignment.runs[run].range)
    let index = score.verified.partitioningIndex { $0.end >= range.upperBound }
    return index < score.verified.count && score.verified[index].offset <= range.lowerBound
      && score.verified[index].file == file.file.role
  }

  /// Takes the best choice for a few groups.
  private mutating func change(_ window: ArraySlice<Range<Int>>) {
    let alternatives = window.map { alignment.alternatives(of: $0) }
    let count = alternatives.reduce(1) { min($0 * $1.count, trialsLeft + 1) }
    guard count <= trialsLeft else { return }
    trialsLeft -= count
    for group in window { for run in group { trials[run] += count } }
    for number in 0..<count where !Deadline.hasPassed {
      var rest = number
      var other = donors
      for (group, all) in zip(window, alternatives) {
        for run in group { other[run] = all[rest % all.count] }
        rest /= all.count
      }
      let result = Self.score(of: alignment.merged(other), template)
      if result > score { (donors, score) = (other, result) }
    }
  }
}
