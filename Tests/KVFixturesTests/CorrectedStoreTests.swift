import KVBytes
import KVCalibration
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

/// Correcting the bytes of damaged stores of every format.
@Suite("Corrected stores")
struct CorrectedStoreTests {
  private static let storeCount = 120

  @Test("open changes no byte", arguments: SimulatedFormat.allCases)
  func openChangesNoByte(format: SimulatedFormat) {
    forEachDamagedStore(of: format) { store, place in
      #expect(store.corrections.isEmpty && store.declinedCorrections.isEmpty, "\(place)")
      for file in store.files where file.index.ordinal == 0 {
        let count = file.image.count
        let stored = store.stored(file.role).bytes
        #expect(stored.prefix(count).elementsEqual(file.image.bytes), "\(place): \(file.path)")
        #expect(stored.dropFirst(count).allSatisfy { $0 == 0 }, "\(place): \(file.path)")
        // Each copy of FastKV for Android can be encrypted or not. `isEncrypted` is that of the
        // first copy.
        let others = store.logAreas.dropFirst().map(\.file)
        guard !store.isEncrypted, !others.contains(file.role) else { continue }
        #expect(store.decoded(file.role).bytes == stored, "\(place): \(file.path)")
      }
    }
  }

  @Test("proposing corrections changes nothing", arguments: SimulatedFormat.allCases)
  func proposingIsPure(format: SimulatedFormat) {
    forEachDamagedStore(of: format) { store, place in
      let before = Bytes(of: store)
      let proposed = store.proposedCorrections()
      #expect(Bytes(of: store) == before && store.corrections.isEmpty, "\(place)")
      #expect(store.proposedCorrections() == proposed, "\(place)")
    }
  }

  @Test(
    "a corrected store is the one found with what was chosen, and leads back to it",
    arguments: SimulatedFormat.allCases)
  func correctedStoreIsTheFoundOneWithTheChosen(format: SimulatedFormat) {
    var count = 0
    forEachDamagedStore(of: format) { store, place in
      let corrected = store.corrected()
      #expect(corrected.proposedCorrections().isEmpty, "\(place)")
      let declined = corrected.declinedCorrections
      #expect(Set(corrected.corrections).isDisjoint(with: declined), "\(place)")
      #expect(corrected.files == store.files, "\(place)")
      let found = corrected.applying([])
      #expect(Bytes(of: found) == Bytes(of: store) && found.corrections.isEmpty, "\(place)")
      #expect(found.judged().check() == store.judged().check(), "\(place)")
      let again = store.judged().applying(corrected.corrections, declining: declined)
      #expect(Bytes(of: again) == Bytes(of: corrected), "\(place)")
      #expect(again.lengthClaims == corrected.lengthClaims, "\(place)")
      #expect(again.check() == corrected.check(), "\(place)")
      if !corrected.corrections.isEmpty { count += 1 }
    }
    #expect(count > 0)
  }

  @Test("what the engine does is asked of the store as found", arguments: SimulatedFormat.allCases)
  func engineReadsTheStoreAsFound(format: SimulatedFormat) {
    forEachDamagedStore(of: format) { store, place in
      for answers in [EngineAnswers(always: .recover), EngineAnswers(always: .discard)] {
        #expect(
          store.corrected().engineLoad(answering: answers) == store.engineLoad(answering: answers),
          "\(place)")
      }
    }
  }

  /// The stored and decoded bytes of a store, by file.
  private struct Bytes: Equatable {
    private let stored: [[UInt8]]
    private let decoded: [[UInt8]]

    init(of store: some Store) {
      stored = store.files.map { store.stored($0.role).bytes }
      decoded = store.files.map { store.decoded($0.role).bytes }
    }
  }

  private func forEachDamagedStore(
    of format: SimulatedFormat, _ body: (any Store, String) -> Void
  ) {
    let count = DamagedCases.forEach(of: format, count: Self.storeCount) { found, place in
      body(open(found.image, as: found.format), place)
    }
    #expect(count > Self.storeCount / 2, "seed \(RandomSeeds.run)")
    DamagedCases.forEachChangedBit(of: format) { found, place in
      body(open(found.image, as: found.format), place)
    }
  }

  private func open(_ image: DiskImage, as format: some StoreFormat) -> any Store {
    format.open(image.storeFiles())
  }
}
