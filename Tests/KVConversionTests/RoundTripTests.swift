import KVModel
import KVTestSupport
import Testing

/// Checks that written entries are read back exactly as announced.
struct RoundTripTests {
  private static let entries =
    Samples.entries + [
      TypedEntry(key: Key(Array("later".utf8)), value: .int32(7), expiry: 2_000_000_000),
      TypedEntry(key: Key(Array("ключ 😀 \"quoted\"".utf8)), value: .string("x")),
      TypedEntry(key: Key([0xff, 0xfe]), value: .bool(true)),
      TypedEntry(key: Key([]), value: .bool(true)),
    ]

  @Test(arguments: WritableFormat.all)
  func whatIsReadBackIsWhatFits(_ format: WritableFormat) throws {
    let fitted = format.fitted(Self.entries).sorted { $0.key < $1.key }
    #expect(!fitted.isEmpty)
    expectSame(try format.roundTrip(fitted), fitted)
  }

  @Test(arguments: WritableFormat.all)
  func whatFitsOnceFitsAgain(_ format: WritableFormat) {
    for entry in format.fitted(Self.entries) {
      let again = format.encoder.fit(entry)
      #expect(again.entry?.hasSameContent(as: entry) ?? false, "\(entry.value) → \(again)")
    }
  }

  /// All pairs of formats.
  private static let pairs = WritableFormat.all.flatMap { first in
    WritableFormat.all.map { (first, $0) }
  }

  @Test(arguments: TestExtent.share(48, of: pairs))
  func thereAndBackIsWhatBothSayOfIt(_ first: WritableFormat, _ second: WritableFormat) throws {
    let start = try first.roundTrip(first.fitted(Self.entries))
    let there = try second.roundTrip(second.fitted(start))
    let back = try first.roundTrip(first.fitted(there))
    let expected = first.fitted(second.fitted(first.fitted(Self.entries)))
    expectSame(back, expected.sorted { $0.key < $1.key })
  }

  /// Tests that the fit of an entry reports a loss exactly if the entry changes.
  @Test(arguments: WritableFormat.all)
  func everyDifferenceIsSaid(_ format: WritableFormat) {
    for entry in Self.entries {
      let fit = format.encoder.fit(entry)
      let isSame = fit.entry?.hasSameContent(as: entry) ?? false
      let isSaid = fit.losses.contains { $0.code != "convert.fragile-value" }
      #expect(isSame != isSaid, "\(entry) → \(fit)")
      if fit.entry == nil { #expect(fit.losses.contains { $0.severity == .warning }) }
    }
  }

  private func expectSame(
    _ found: [TypedEntry], _ expected: [TypedEntry],
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      found.map(\.key) == expected.map(\.key), sourceLocation: sourceLocation)
    for (one, other) in zip(found, expected) where !one.hasSameContent(as: other) {
      Issue.record(
        "\(one.value) for \(other.value), expiry \(one.expiry) for \(other.expiry)",
        sourceLocation: sourceLocation)
    }
  }
}
