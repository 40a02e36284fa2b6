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
      #expect(!weights[condition].answers.isEmpty)
      for (witness, bits) in weights[condition].answers {
        #expect(bits.count == witness.answers.count, "\(witness.name)")
        #expect(witness.conditions.contains(condition), "\(witness.name)")
      }
    }
  }
}
