import KVBytes
import KVModel

/// The findings of a reader, of which a hostile file cannot make more than can be read.
package struct FindingList {
  /// How many findings of one code are kept.
  package static let limit = 1000

  private var findings: [Finding] = []
  private var counts: [FindingCode: Int] = [:]

  /// Whether there is damage among them.
  var hasDamage: Bool { findings.contains { $0.severity == .damage } }

  /// Adds a finding, or counts it where there are too many of its code.
  mutating func add(_ finding: Finding) {
    counts[finding.kind, default: 0] += 1
    if counts[finding.kind, default: 0] <= Self.limit { findings.append(finding) }
  }

  /// The findings; the last of a code that has too many says how many there are.
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
