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
  private static var byteLimit: Int { 1 << 25 }
  /// The most trials.
  private static var trialLimit: Int { 300 }

  private let alignment: CopyAlignment
  private let template: S
  /// The choice.
  private(set) var donors: [Int]
  /// What decodes with it.
  private(set) var score: Score
  /// The number of choices that were tried for each run.
  private(set) var trials: [Int]
  private var trialsLeft: Int
  /// The offset up to which the bytes of some copies are used.
  private let bounds: [Int: Int]

  /// What decodes of a log.
  struct Score: Comparable {
    /// The bytes in records, without those of records that are contradicted or implausible and those
    /// between records.
    var bytes = Int.min
    /// The records whose own checksums match.
    var verified: [Extent] = []

    static func < (first: Score, second: Score) -> Bool { first.bytes < second.bytes }
  }

  /// Begins with `donors`; copies in `bounds` are used up to an offset only.
  init(
    _ alignment: CopyAlignment, _ template: S, from donors: [Int], limiting bounds: [Int: Int]
  ) {
    self.bounds = bounds
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
    if store.traits.hasRecordChecksums {
      // A checksum does not cover what separates two records.
      let damage = store.check().filter { $0.severity > .note }.compactMap(\.extent)
      score.bytes -= damage.count
      score.verified.removeAll { record in damage.contains { $0.overlaps(record) && $0 != log } }
    }
    return score
  }

  /// Changes the choice for the runs that `isOpen` holds for, and that no record's checksum has decided.
  mutating func improve(_ isOpen: (Int) -> Bool) {
    for gap in Self.gaps {
      let groups = alignment.groups(joining: gap, of: Array(donors.indices))
        .filter { $0.contains(where: isOpen) }
      for width in 1...Self.widest {
        for start in groups.indices where start + width <= groups.count && trialsLeft > 0 {
          let window = groups[start..<start + width]
          if !window.contains(where: { $0.contains(where: isVerified) }) { change(window) }
        }
        if !template.traits.hasRecordChecksums { break }
      }
    }
  }

  /// Returns whether records whose own checksums match hold all bytes of a run that are not in headers.
  func isVerified(_ run: Int) -> Bool {
    let file = alignment.files[alignment.runs[run].file]
    let range = alignment.runs[run].range.clamped(to: template.logArea.offset..<file.count)
    guard !range.isEmpty, file.file.role == template.logArea.file else { return false }
    var offset = range.lowerBound
    for record in score.verified[score.verified.partitioningIndex { $0.end > offset }...] {
      guard record.offset <= offset else { return false }
      offset = record.end
      if offset >= range.upperBound { return true }
    }
    return false
  }

  /// Takes the best choice for a few groups.
  private mutating func change(_ window: ArraySlice<Range<Int>>) {
    let alternatives = window.map { group in
      let end = alignment.runs[group.upperBound - 1].range.upperBound
      let start = alignment.runs[group.lowerBound].range.lowerBound
      return alignment.alternatives(of: group).filter { copy in
        bounds[copy].map { end <= $0 && start >= template.logArea.offset } ?? true
      }
    }
    if alternatives.contains(where: \.isEmpty) { return }
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
