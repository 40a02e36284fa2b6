import Dispatch
import KVSystem
import Testing

@Suite struct ReadAheadTests {
  /// Tests that work is done although all threads that queues share are waiting for such work.
  @Test func workIsDoneWhereNoOtherThreadIsFree() {
    let group = DispatchGroup()
    let sums = Guarded<[Int]>([])
    for _ in 0..<300 {
      DispatchQueue.global().async(group: group) {
        var work = ParallelWork<Int, Int> { $0 * 2 }
        for part in 0..<8 { work.give(part) }
        var sum = 0
        while work.pendingCount > 0 { sum += work.take() }
        ReadAhead.pass { give in
          for value in 1...3 { give(value) }
        } to: {
          sum += $0
        }
        sums.use { $0.append(sum) }
      }
    }
    group.wait()
    #expect(sums.use { $0 } == [Int](repeating: 62, count: 300))
  }

  @Test(arguments: [0, 1, 7, 8, 9, 5000])
  func valuesArriveInTheOrderInWhichTheyAreMade(_ count: Int) {
    var used: [Int] = []
    ReadAhead.pass { give in
      for value in 0..<count { give(value) }
    } to: {
      used.append($0)
    }
    #expect(used == Array(0..<count))
  }

  @Test func absenceIsAValueToo() {
    var used: [Int?] = []
    ReadAhead.pass { give in
      for value in [1, nil, 2] { give(value) }
    } to: {
      used.append($0)
    }
    #expect(used == [1, nil, 2])
  }

  @Test func deadlineHoldsForWhatIsReadAhead() {
    func hasPassed(within limit: Duration?) -> [Bool] {
      var answers: [Bool] = []
      Deadline.within(limit) {
        ReadAhead.pass {
          $0(Deadline.hasPassed)
        } to: {
          answers.append($0)
        }
      }
      return answers
    }
    #expect(hasPassed(within: .zero) == [true])
    #expect(hasPassed(within: .seconds(3600)) == [false])
    #expect(hasPassed(within: nil) == [false])
  }

  @Test func progressOfWhatIsReadAheadIsReported() {
    let steps = Guarded<[WorkProgress.Step]>([])
    WorkProgress.told(to: { step in steps.use { $0.append(step) } }) {
      ReadAhead.pass { give in
        WorkProgress.report(.records, 1, of: 2)
        give(0)
      } to: { _ in
        WorkProgress.report(.records, 2, of: 2)
      }
    }
    #expect(steps.use { $0 }.map(\.done) == [1, 2])
  }
}
