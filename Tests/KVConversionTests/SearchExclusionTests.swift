import ExchangeFormats
import KVBytes
import KVConversion
import KVModel
import Testing

/// Texts that are found in values although they are not in their bytes as they are.
struct SearchExclusionTests {
  struct Hidden: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let text: String
    let bytes: [UInt8]

    /// Creates a text that is found in a value whose bytes are `packed` as Base64.
    init(_ name: String, _ text: String, _ packed: String) {
      testDescription = name
      self.text = text
      bytes = Base64.bytes(of: FileImage(Array(packed.utf8))) ?? []
    }
  }

  /// Property lists and archives as Python's `plistlib` writes them, and JSON.
  static let hidden: [Hidden] = [
    Hidden(
      "escapes in UTF-16", "abcdef",
      "YnBsaXN0MDDRAQJRam8QFAB7ACIA6SCsACIAOgAiAFwAdQAwADAANgAxAGIAYwBkAGUAZgAiAH0ICw0A"
        + "AAAAAAABAQAAAAAAAAADAAAAAAAAAAAAAAAAAAAAOA=="),
    Hidden(
      "XML in UTF-16", "chipsabcd",
      "YnBsaXN0MDDRAQJRam8QawA8AD8AeABtAGwAIAB2AGUAcgBzAGkAbwBuAD0AIgAxAC4AMAAiAD8APgA8"
        + "AHAAbABpAHMAdAAgAHYAZQByAHMAaQBvAG4APQAiADEALgAwACIAPgA8AGQAaQBjAHQAPgA8AGsAZQB5"
        + "AD4A6SCsADwALwBrAGUAeQA+ADwAcwB0AHIAaQBuAGcAPgBjAGgAaQBwAHMAJgAjAHgANgAxADsAYgBj"
        + "AGQAPAAvAHMAdAByAGkAbgBnAD4APAAvAGQAaQBjAHQAPgA8AC8AcABsAGkAcwB0AD4ICw0AAAAAAAAB"
        + "AQAAAAAAAAADAAAAAAAAAAAAAAAAAAAA5g=="),
    Hidden(
      "Base64 in UTF-16", "walrus",
      "YnBsaXN0MDDRAQJRam8QJgB7ACIA6SCsACIAOgAgACIAZQB5AEoAegBaAFcATgB5AFoAWABRAGkATwBp"
        + "AEoAMwBZAFcAeAB5AGQAWABNAGkAZgBRAD0APQAiAH0ICw0AAAAAAAABAQAAAAAAAAADAAAAAAAAAAAA"
        + "AAAAAAAAXA=="),
    Hidden(
      "slashes in JSON", "h?wal",
      "eyJkIjogImV5SndJam9pSWl3aWRTSTZJbWgwZEhCek9pOHZlQzVqYjIwdmQyRjBZMmdcL2QyRnNZWFYw"
        + "Y3oweEluMD0ifQ=="),
    Hidden(
      "gzip with slashes in JSON", "ostrich",
      "eyJkIjogIkg0c0lBQUFBQUFBQ1wvNnRXU2xTeVVzb3ZMaW5LVE01UXFnVUFGVm5JQ0E4QUFBQT0ifQ=="),
    Hidden(
      "lines in JSON", "pelicans",
      "eyJkIjogImV5SmhJam9pZUhoNGVIaDRlSGg0ZUhoNGVIaDRlSGg0ZUhoNGVIaDRlSGg0ZUhoNGVIaDRl"
        + "SGg0ZUhoNGVIaDRlSGg0ZUhCbGJHbGpcbllXNXpJbjA9XG4ifQ=="),
    Hidden(
      "an NSUUID", "ABCD-EFAB",
      "YnBsaXN0MDDUAQIDBAUGExZZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVk"
        + "QXJjaGl2ZXKjBwgNVSRudWxs0gkKCwxWJGNsYXNzXE5TLnV1aWRieXRlc4ACTxAQq83vq83vq83vq83v"
        + "q83vq9IODxARWCRjbGFzc2VzWiRjbGFzc25hbWWiERJWTlNVVUlEWE5TT2JqZWN00RQVVHJvb3SAARIA"
        + "AYagCBEbJCkyREhOU1pnaXyBipWYn6irsLIAAAAAAAABAQAAAAAAAAAXAAAAAAAAAAAAAAAAAAAAtw=="),
    Hidden(
      "an NSURL with a base", "host/path",
      "YnBsaXN0MDDUAQIDBAUGGx5ZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVk"
        + "QXJjaGl2ZXKmBwgPFRYaVSRudWxs0wkKCwwNDlYkY2xhc3NXTlMuYmFzZVtOUy5yZWxhdGl2ZYACgASA"
        + "A9IQERITWCRjbGFzc2VzWiRjbGFzc25hbWWiExRVTlNVUkxYTlNPYmplY3RbcGF0aC9raXR0ZW7TCQoL"
        + "FxgZgAKAAIAFXWh0dHBzOi8vaG9zdC/RHB1Ucm9vdIABEgABhqAIERskKTJES1FYX2dzdXd5foeSlZuk"
        + "sLe5u73LztPVAAAAAAAAAQEAAAAAAAAAHwAAAAAAAAAAAAAAAAAAANo="),
    Hidden(
      "a Boolean key", "true",
      "YnBsaXN0MDDUAQIDBAUGGRxZJGFyY2hpdmVyWCRvYmplY3RzVCR0b3BYJHZlcnNpb25fEA9OU0tleWVk"
        + "QXJjaGl2ZXKlBwgRFxhVJG51bGzTCQoLDA0PViRjbGFzc1dOUy5rZXlzWk5TLm9iamVjdHOAAqEOgAOh"
        + "EIAE0hITFBVYJGNsYXNzZXNaJGNsYXNzbmFtZaIVFlxOU0RpY3Rpb25hcnlYTlNPYmplY3QJU3ZhbNEa"
        + "G1Ryb290gAESAAGGoAgRGyQpMkRKUFdeZnFzdXd5e4CJlJekra6ytbq8AAAAAAAAAQEAAAAAAAAAHQAA"
        + "AAAAAAAAAAAAAAAAAME="),
  ]

  @Test(arguments: hidden, [SearchPattern.Form.literal, .expression])
  func whatIsFoundIsNotExcluded(hidden: Hidden, form: SearchPattern.Form) throws {
    let text = form == .literal ? hidden.text : hidden.text.replacing("?", with: "\\?")
    let pattern = try SearchPattern([text], as: form)
    let search = ContentSearch(for: pattern, opening: NestedContent.searched)
    let value = String(utf8: hidden.bytes).map { Value.string($0) } ?? .bytes(hidden.bytes)
    let table = EntryTable(
      formatName: "test", files: [], entries: [TypedEntry(key: Key([]), value: value)],
      findings: [])
    #expect(!search.result(in: table).hits.isEmpty)
    #expect(pattern.mayOccur(in: hidden.bytes.storageSpan) == true)
  }

  @Test(arguments: ["nan", "^nan$", "inf", "[0-9]"])
  func numbersAreTexts(expression: String) throws {
    let pattern = try SearchPattern([expression], as: .expression)
    let isFound = [Double.nan, .infinity, 1].contains { pattern.match(in: .double($0)) != nil }
    let mayOccur = pattern.mayOccur(in: ([1] as [UInt8]).storageSpan)
    #expect(isFound && mayOccur)
  }
}
