import FastKVFormat
import KVModel
import KVTestSupport
import MMKVFormat
import Testing

/// Tests that each table of weights fits the questions that it is about.
///
/// A table of another length would end the process.
@Suite("The weights of a format")
struct WeightTests {
  @Test("have one for every answer of a question that is about the condition")
  func answers() {
    check(MMKVFormat(now: 0).open([]).entryWeights)
    check(AppleFastKVFormat().open([]).entryWeights)
    check(AndroidFastKVFormat().open([]).entryWeights)
  }

  private func check(_ weights: EntryWeights) {
    for condition in Condition.allCases {
      for witness in Witness.allCases {
        let count = weights[condition].bits(of: witness).count
        // A question about the condition has a weight for each answer, any other has none.
        let expected = witness.conditions.contains(condition) ? witness.answers.count : 0
        #expect(count == expected, "\(witness.name)")
      }
    }
  }
}
