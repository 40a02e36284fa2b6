import Dispatch
import KVSystem
import Testing

@Suite struct ParallelWorkTests {
  /// Returns what is taken of work that gives the numbers up to `count` as the results of one item.
  private static func taken(of count: Int, atMostReady limit: Int?) -> [Int] {
    var work = ParallelWork<Int, Int>(groupsOf: 1, atMostReady: limit) { group, give in
      for count in group {
        for value in 0..<count { give(value) }
      }
    }
    work.add(count)
    var used: [Int] = []
    work.finish { used.append($0) }
    return used
  }

  /// Tests that work is done although all threads that queues share are waiting for such work.
  @Test func workIsDoneWhereNoOtherThreadIsFree() {
    let group = DispatchGroup()
    let sums = Guarded<[Int]>([])
    for _ in 0..<300 {
      DispatchQueue.global().async(group: group) {
        var work = ParallelWork<Int, Int> { $0 * 2 }
        for item in 0..<8 { work.add(item) }
        var sum = 0
        work.finish { sum += $0 }
        sum += Self.taken(of: 4, atMostReady: 8).reduce(0, +)
        sums.use { $0.append(sum) }
      }
    }
    group.wait()
    #expect(sums.use { $0 } == [Int](repeating: 62, count: 300))
  }

  @Test(arguments: [0, 1, 7, 8, 9, 5000], [nil, 1, 8])
  func resultsOfOneItemComeInTheirOrder(_ count: Int, _ limit: Int?) {
    #expect(Self.taken(of: count, atMostReady: limit) == Array(0..<count))
  }

  @Test(arguments: [1, 2, 3, 64], [1, 2, 5])
  func resultsComeInTheOrderOfTheItems(_ groupCount: Int, _ threadCount: Int) {
    var work = ParallelWork<Int, Int>(groupsOf: groupCount, threads: threadCount) { group, give in
      // The later a group, the less work it is.
      for item in group { for number in 0..<(100 - item) where number < 2 { give(item) } }
    }
    var used: [Int] = []
    for item in 0..<99 {
      work.add(item)
      if item % 7 == 0, work.pendingCount > 0 { work.finishFirst { used.append($0) } }
    }
    work.finish { used.append($0) }
    #expect(used == (0..<99).flatMap { [$0, $0] })
    #expect(work.pendingCount == 0)
  }

  @Test(arguments: [0, 1, 511, 512, 513, 5000])
  func smallItemsAreWorkedOnInGroups(_ count: Int) {
    var work = ParallelWork<Int, [Int]>.onSmallItems { $0 }
    var used: [Int] = []
    var groupCount = 0
    let use: ([Int]) -> Void = { group in
      used += group
      groupCount += 1
    }
    for item in 0..<count {
      work.add(item, 1, to: use)
      #expect(work.pendingCount <= 4)
    }
    work.finish(to: use)
    #expect(used == Array(0..<count))
    #expect(groupCount == (count + 511) / 512)
  }

  @Test func groupsOfLargeItemsAreSmall() {
    var work = ParallelWork<Int, [Int]>.onSmallItems { $0 }
    var groups: [[Int]] = []
    for item in 0..<7 { work.add(item, 50_000) { groups.append($0) } }
    work.finish { groups.append($0) }
    #expect(groups == [[0, 1, 2], [3, 4, 5], [6]])
  }

  @Test func atMostSoManyThreadsWorkAtATime() {
    let counts = Guarded((now: 0, most: 0))
    var work = ParallelWork<Int, Void>(groupsOf: 1, threads: 3) { _, give in
      counts.use { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      give(())
      counts.use { $0.now -= 1 }
    }
    for item in 0..<1000 { work.add(item) }
    work.finish {}
    #expect((1...3).contains(counts.use { $0.most }))
  }

  /// Tests that results are taken from a group that is not done.
  @Test func resultsAreTakenBeforeTheGroupIsDone() {
    let isTaken = DispatchSemaphore(value: 0)
    var work = ParallelWork<Int, Int>(groupsOf: 2) { group, give in
      for item in group {
        give(item)
        isTaken.wait()
      }
    }
    work.add(1)
    work.add(2)
    var used: [Int] = []
    while work.pendingCount > 0 {
      _ = work.pass {
        used.append($0)
        isTaken.signal()
      }
    }
    #expect(used == [1, 2])
  }

  @Test func absenceIsAResultToo() {
    var work = ParallelWork<Int?, Int?> { $0 }
    for value in [1, nil, 2] { work.add(value) }
    var used: [Int?] = []
    work.finish { used.append($0) }
    #expect(used == [1, nil, 2])
  }

  @Test func deadlineHoldsForTheWork() {
    func hasPassed(within limit: Duration?) -> [Bool] {
      var answers: [Bool] = []
      Deadline.within(limit) {
        var work = ParallelWork<Int, Bool> { _ in Deadline.hasPassed }
        work.add(0)
        work.finish { answers.append($0) }
      }
      return answers
    }
    #expect(hasPassed(within: .zero) == [true])
    #expect(hasPassed(within: .seconds(3600)) == [false])
    #expect(hasPassed(within: nil) == [false])
  }

  @Test func progressOfTheWorkIsReported() {
    let steps = Guarded<[WorkProgress.Step]>([])
    WorkProgress.told(to: { step in steps.use { $0.append(step) } }) {
      var work = ParallelWork<Int, Int> {
        WorkProgress.report(.records, 1, of: 3)
        WorkProgress.untold { WorkProgress.report(.records, 2, of: 3) }
        return $0
      }
      work.add(0)
      work.finish { _ in WorkProgress.report(.records, 3, of: 3) }
    }
    #expect(steps.use { $0 }.map(\.done) == [1, 3])
  }
}
