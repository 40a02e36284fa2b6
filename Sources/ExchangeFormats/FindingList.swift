import KVBytes
import KVModel

/// The findings of a reader.
///
/// The number is limited, so that a hostile file cannot produce too many to read.
package struct FindingList {
  /// The maximum number of findings that are kept for each code.
  package static let limit = 1000

  private var findings: [Finding] = []
  private var counts: [FindingCode: Int] = [:]

  /// Whether any finding is damage.
  var hasDamage: Bool { findings.contains { $0.severity == .damage } }

  /// Adds a finding, or only counts it if there are already too many with its code.
  mutating func add(_ finding: Finding) {
    counts[finding.kind, default: 0] += 1
    if counts[finding.kind, default: 0] <= Self.limit { findings.append(finding) }
  }

  /// Adds all of `others`.
  mutating func add(_ others: FindingList) {
    for finding in others.findings { add(finding) }
    for (kind, count) in others.counts where count > Self.limit {
      counts[kind, default: 0] += count - Self.limit
    }
  }

  /// Whether there are no findings.
  var isEmpty: Bool { counts.isEmpty }

  /// The findings.
  ///
  /// If there are too many with a code, the last one kept states their number.
  var all: [Finding] {
    var left = counts.filter { $0.value > Self.limit }
    guard !left.isEmpty else { return findings }
    var all = findings
    for index in all.indices.reversed() {
      guard let count = left.removeValue(forKey: all[index].kind) else { continue }
      all[index] = all[index].adding(" (\(count.grouped) of these; the others are not listed)")
    }
    return all
  }
}
