import KVBytes
import KVModel
import KVRecovery
import KVReport
import KVTestSupport
import MMKVFormat
import Testing

/// Most lines about records are written on other threads, in groups: nothing of that shows.
@Suite struct RecordLinesTests {
  /// A store with several groups of records, gaps between them, and two values so long that their
  /// lines are not written ahead.
  private var builder: MMKVFixtureBuilder {
    var builder = MMKVFixtureBuilder()
    for index in 0..<3000 {
      builder.put("key \(index % 2000)", text: "value \(index)")
      if index % 700 == 0 { builder.records += [UInt8](repeating: 0xff, count: 30) }
      if index % 1300 == 0 {
        builder.put("long \(index)", text: String(repeating: "v", count: 100_000))
      }
    }
    builder.digest = 1
    return builder
  }

  /// Returns the lines of `body`, which reports to a reporter of text, and to one of JSON.
  private func lines(
    of store: MMKVStore, _ body: (any Reporter) -> Void
  ) -> (text: [String], json: [String]) {
    var (text, json): ([String], [String]) = ([], [])
    let sink = TextReporter.Sink.ofLines { text.append($0) }
    let reporters: [any Reporter] = [
      TextReporter(.dump, to: sink, errors: sink, advice: { "\($0)" }),
      JSONLinesReporter.ofLines { json.append($0) },
    ]
    for reporter in reporters {
      reporter.report(.opened(store, clock: 0))
      body(reporter)
      reporter.finish()
    }
    return (text, json)
  }

  @Test func aHistoryInGroupsIsThatOfSingleEvents() throws {
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let history = History(of: store, by: try #require(Diagnosis(of: store, now: 0).best))
    var events: [HistoryEvent] = []
    history.forEach { events.append($0) }
    let single = lines(of: store) { reporter in
      for event in events {
        reporter.report(.history([event]))
        reporter.finish()
      }
    }
    let grouped = lines(of: store) { reporter in
      history.forEachGroup { reporter.report(.history($0)) }
    }
    #expect(events.count > 3000)
    #expect(single.text.count == events.count)
    #expect(single.json.count == events.count + 1)
    #expect(grouped.text == single.text)
    #expect(grouped.json == single.json)
    #expect(grouped.text.contains { $0.contains("  gap  ") })
    let offsets = grouped.text.map { $0.prefix { $0 != " " } }
    #expect(offsets.sorted { $0.count == $1.count ? $0 < $1 : $0.count < $1.count } == offsets)
  }

  @Test func theEntriesOfAPlanAreThoseOfSingleOnes() throws {
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let diagnosis = Diagnosis(of: store, now: 0)
    let plan = try #require(RepairPlanner(strategy: .recover).plan(store, given: diagnosis))
    let single = lines(of: store) { reporter in
      for entry in plan.kept {
        reporter.report(.entries([entry]))
        reporter.finish()
      }
    }
    let grouped = lines(of: store) { $0.report(.entries(plan.kept)) }
    #expect(plan.kept.count > 2000)
    #expect(single.text.count == plan.kept.count)
    #expect(grouped.text == single.text)
    #expect(grouped.json == single.json)
  }

  @Test func groupsHaveAllEventsInOrderAndAreNotLarge() throws {
    let store = MMKVFormat(now: 0).open(builder.files()).corrected()
    let history = History(of: store, by: try #require(Diagnosis(of: store, now: 0).best))
    var (events, grouped): ([Int], [Int]) = ([], [])
    history.forEach { events.append($0.offset) }
    history.forEachGroup { group in
      #expect(group.count <= 512)
      #expect(group.dropLast().reduce(0) { $0 + $1.count } < 1 << 15)
      grouped += group.map(\.offset)
    }
    #expect(grouped == events)
  }
}

extension HistoryEvent {
  fileprivate var offset: Int {
    switch self {
    case .record(let record, _, _): record.offset
    case .gap(let gap): gap.extent.offset
    }
  }
}
