import KVCalibration
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// What a diagnosis counts, compared with what it counts.
@Suite("Counts")
struct CountTests {
  @Test(
    "of damaged stores are those of what a repair keeps and sets aside, and of the history",
    arguments: SimulatedFormat.allCases)
  func countsAreThoseOfRepairAndHistory(format: SimulatedFormat) throws {
    var (entryCount, pastCount) = (0, 0)
    _ = try DamagedCases.forEach(of: format, count: TestExtent.count(60, of: 400)) { found, place in
      let diagnosis = try checked(found, as: found.format, place)
      entryCount += diagnosis.entries.entries
      pastCount += diagnosis.past?.recordCount ?? 0
    }
    #expect(entryCount > 0 && pastCount > 0, "seed \(RandomSeeds.run)")
  }

  private func checked<F: StoreFormat>(
    _ found: Calibration.Case, as format: F, _ place: String
  ) throws -> Diagnosis {
    let store = format.open(found.image.storeFiles()).corrected()
    let diagnosis = Diagnosis(of: store, now: found.now)
    guard let best = diagnosis.best else { return diagnosis }
    var planner = RepairPlanner(strategy: .recover)
    planner.leastProbability = .evenOdds
    planner.appliesEngineLimits = true
    let plan = try #require(planner.plan(store, given: diagnosis), "\(place)")
    let guesses = plan.aside.filter(\.isUnlikely)
    #expect(
      diagnosis.entries
        == EntryCount(
          entries: plan.kept.count + plan.aside.count - guesses.count, guesses: guesses.count),
      "\(place)")
    if diagnosis.state(.beforeReset) == nil {
      #expect(diagnosis.recoverable.entries <= plan.kept.count, "\(place)")
      #expect(diagnosis.recoverable.guesses <= guesses.count, "\(place)")
    }
    var counts: [HistoryEvent.RecordState: Int] = [:]
    History(of: store, by: best).forEach { event in
      if case .record(_, let state, _) = event { counts[state, default: 0] += 1 }
    }
    let past = diagnosis.past
    #expect(past?.superseded == counts[.superseded, default: 0], "\(place)")
    #expect(past?.removed == counts[.removed, default: 0], "\(place)")
    if let residual = past?.residual {
      #expect(residual == counts[.slack, default: 0], "\(place)")
    } else {
      // Records are not counted in a long slack alone.
      #expect(past?.residualBytes ?? 0 > 16 << 10, "\(place)")
    }
    return diagnosis
  }

  @Test("are in words, with guesses apart")
  func words() {
    let counts = [(1, 0), (2, 0), (0, 1), (2, 2), (1_000, 1)].map {
      EntryCount(entries: $0, guesses: $1)
    }
    #expect(
      counts.map(\.words) == [
        "1 entry", "2 entries", "0 entries, and 1 guess", "2 entries, and 2 guesses",
        "1,000 entries, and 1 guess",
      ])
    #expect(
      counts.map(\.text) == ["1", "2", "0, and 1 guess", "2, and 2 guesses", "1,000, and 1 guess"])
    let all = EntryCount(entries: 3, guesses: 2)
    #expect(all.words(of: all) == "all 3 entries, and all 2 guesses")
    #expect(
      EntryCount(entries: 1, guesses: 0).words(of: all) == "1 of 3 entries, and 0 of 2 guesses")
    #expect(EntryCount(guesses: 1).words(of: EntryCount(guesses: 1)) == "the one guess")
  }
}
