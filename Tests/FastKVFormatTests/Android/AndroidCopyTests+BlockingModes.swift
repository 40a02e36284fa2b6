import FastKVFormat
import KVBytes
import KVFixtures
import KVModel
import KVRecovery
import KVTestSupport
import Testing

// Pairs beside a `.kvc`, the only file that the blocking modes write.
extension AndroidCopyTests {
  @Test(arguments: [0, 7])
  func pairBesideAnUnreadableNewerFileMayBeStale(count: Int) {
    let image = texts(("a", "1")).bytes
    let store = AndroidBuilder.open(a: image, b: image, c: Array(image.prefix(count)))
    #expect(kept(store) == ["a": stale("1")])
  }

  @Test func cThatGoesOnWhereThePairEndsIsNotDoubted() {
    let pair = texts(("a", "old")).bytes
    let store = AndroidBuilder.open(a: pair, b: pair, c: unpadded(("a", "new"), ("c", "C")))
    #expect(kept(store) == ["a": proven("new"), "c": proven("C")])
    #expect(severity(of: "fastkv-android.copy-c-differs", in: store) == .warning)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
  }

  /// Tests that a `.kvc` with which the pair begins is believed: in the blocking modes, it was emptied
  /// and has a default again, or it was compacted.
  @Test func ofAPairThatGoesOnWhereCEndsTheCIsTaken() {
    let pair = texts(("a", "1"), ("b", "2")).bytes
    let store = AndroidBuilder.open(a: pair, b: pair, c: unpadded(("a", "1")))
    #expect(kept(store) == ["a": proven("1")])
    #expect(store.engineLoad(answering: .init(always: .recover)).log?.file == .copyC)
    #expect(severity(of: "fastkv-android.copy-c-differs", in: store) == .warning)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
  }

  /// Tests that a pair of which one copy is damaged, but not cut, is no reason for the engine to start
  /// an empty `.kvc`: it reads the other one.
  @Test(arguments: [true, false])
  func aCIsBelievedBesideAPairWithOneDamagedCopy(isA: Bool) {
    let pair = texts(("a", "1"), ("b", "2"), ("c", "3")).bytes
    var damaged = pair
    damaged[18] ^= 1
    let c = unpadded(("a", "new"))
    let store =
      isA
      ? AndroidBuilder.open(a: damaged, b: pair, c: c)
      : AndroidBuilder.open(a: pair, b: damaged, c: c)
    #expect(kept(store) == ["a": stale("new")])
  }

  /// Tests that a `.kvc` that was started empty, as by `clear()` in the blocking modes, is believed.
  @Test(arguments: [("a", "STALE"), ("a", "2"), ("z", "1")])
  func ofAWholePairAndACTheCIsTaken(key: String, value: String) {
    let pair = texts(("a", "1"), ("b", "2"), ("c", "3")).bytes
    let store = AndroidBuilder.open(a: pair, b: pair, c: unpadded((key, value)))
    #expect(kept(store) == [key: stale(value)])
    #expect(severity(of: "fastkv-android.copy-c-differs", in: store) == .warning)
    #expect(Diagnosis(of: store, now: 0).verdict == .clean)
  }

  /// Tests that the engine cannot have read a pair of which one file is shorter than a header, and may
  /// have started the `.kvc` for that reason.
  @Test func ofACutPairAndACWithNothingInCommonTheFullerIsTaken() {
    let pair = texts(("a", "1"), ("b", "2"), ("c", "3")).bytes
    let c = unpadded(("a", "STALE"))
    let store = AndroidBuilder.open(a: pair, b: Array(pair.prefix(7)), c: c)
    #expect(kept(store) == ["a": stale("1"), "b": stale("2"), "c": stale("3")])
    let few = texts(("z", "0")).bytes
    #expect(
      kept(AndroidBuilder.open(a: few, b: Array(few.prefix(7)), c: c)) == ["a": stale("STALE")])
  }

  /// Tests that a `.kvc` with which nothing of the pair agrees is believed whatever the sizes of the
  /// pair are, because the engine reads copy A, or else copy B, before it writes a `.kvc`.
  @Test(arguments: RandomSeeds.fresh(20))
  func aPairOfUnequalSizesIsReadBeforeACIsWritten(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var (pair, c) = (AndroidBuilder(), AndroidBuilder())
    let count = Int.random(in: 2...8, using: &random)
    for index in 0..<count { pair.text("k\(index)", random.text(12)) }
    for index in 0..<Int.random(in: 1..<count, using: &random) {
      c.text("k\(index)", random.text(12))
    }
    c.capacity = nil
    let whole = pair.bytes
    let other =
      switch Int.random(in: 0...2, using: &random) {
      case 0: whole + [UInt8](repeating: 0, count: 256)
      case 1: Array(whole.prefix(Int.random(in: 12...60, using: &random)))
      default: Array(whole.dropLast(64))
      }
    for (a, b) in [(whole, other), (other, whole)] {
      let store = AndroidBuilder.open(a: a, b: b, c: c.bytes)
      let diagnosis = expectSound(store, now: 0, "seed \(seed)")
      #expect(diagnosis.best?.log?.file == .copyC, "seed \(seed)")
    }
  }

  @Test func aCThatIsDamagedBesideAFullerPairIsNotClean() {
    var damaged = unpadded(("a", "new"))
    damaged[18] ^= 1
    let pair = texts(("a", "old"), ("b", "1"), ("c", "3")).bytes
    let store = AndroidBuilder.open(a: pair, b: pair, c: damaged)
    #expect(severity(of: "fastkv-android.checksum-mismatch", in: store) == .damage)
    #expect(Diagnosis(of: store, now: 0).verdict == .damaged)
  }

  @Test func damagedCIsTakenBeforeAPairThatHasNoMoreEntries() {
    // If there is a C, it is written last. Its contents count even if its checksum does not match.
    var damaged = unpadded(("a", "new"), ("b", "2"))
    for offset in 4..<12 { damaged[offset] ^= 0xff }
    let equal = texts(("a", "old"), ("b", "1")).bytes
    #expect(kept(AndroidBuilder.open(a: equal, b: equal, c: damaged))["a"]?.value == .string("new"))
    let fuller = texts(("a", "old"), ("b", "1"), ("c", "3")).bytes
    let store = AndroidBuilder.open(a: fuller, b: fuller, c: damaged)
    #expect(kept(store)["a"]?.value == .string("old"))
  }

  @Test func emptyCIsBelieved() {
    let pair = texts(("a", "1")).bytes
    let store = AndroidBuilder.open(a: pair, b: pair, c: [UInt8](repeating: 0, count: 12))
    #expect(kept(store).isEmpty)
  }
}
