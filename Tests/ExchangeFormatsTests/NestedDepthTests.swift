import ExchangeFormats
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// Opening documents within documents, at any depth.
struct NestedDepthTests {
  // MARK: Documents by hand

  /// A value of a binary property list.
  private indirect enum Item {
    case text(String), number(UInt8), data([UInt8]), reference(UInt8)
    case array([Item]), dictionary([(String, Item)])
  }

  /// Writes binary property lists with references of two bytes, as the format's description has it.
  private struct ListWriter {
    private var objects: [[UInt8]] = []

    static func bytes(_ item: Item) -> [UInt8] {
      var writer = ListWriter()
      let top = writer.add(item)
      var bytes = Array("bplist00".utf8)
      var offsets: [UInt8] = []
      for object in writer.objects {
        offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)]
        bytes += object
      }
      let table = bytes.count
      bytes += offsets + [0, 0, 0, 0, 0, 0, 2, 2]
      for number in [writer.objects.count, Int(top[0]) << 8 | Int(top[1]), table] {
        bytes += (0..<8).map { UInt8(truncatingIfNeeded: number >> (56 - 8 * $0)) }
      }
      return bytes
    }

    /// Returns the reference to the object that it adds.
    private mutating func add(_ item: Item) -> [UInt8] {
      let number = objects.count
      objects.append([])
      switch item {
      case .text(let text): objects[number] = marker(0x50, text.utf8.count) + text.utf8
      case .number(let value): objects[number] = [0x10, value]
      case .data(let bytes): objects[number] = marker(0x40, bytes.count) + bytes
      case .reference(let index): objects[number] = [0x80, index]
      case .array(let items):
        objects[number] = marker(0xa0, items.count) + items.flatMap { add($0) }
      case .dictionary(let members):
        objects[number] =
          marker(0xd0, members.count) + members.flatMap { add(.text($0.0)) }
          + members.flatMap { add($0.1) }
      }
      return [UInt8(number >> 8), UInt8(number & 0xff)]
    }

    private func marker(_ kind: UInt8, _ count: Int) -> [UInt8] {
      count < 15
        ? [kind | UInt8(count)]
        : [kind | 0xf, 0x11, UInt8(count >> 8), UInt8(count & 0xff)]
    }
  }

  /// Returns an archive of `objects`, after the null that each begins with.
  private static func archive(_ objects: [Item], root: UInt8 = 1) -> [UInt8] {
    ListWriter.bytes(
      .dictionary([
        ("$archiver", .text("NSKeyedArchiver")), ("$version", .number(1)),
        ("$top", .dictionary([("root", .reference(root))])),
        ("$objects", .array([.text("$null")] + objects)),
      ]))
  }

  private static func type(_ name: String) -> Item { .dictionary([("$classname", .text(name))]) }

  private static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    var count: [UInt8] = []
    var rest = bytes.count
    repeat {
      count.append(UInt8(rest & 0x7f) | (rest > 0x7f ? 0x80 : 0))
      rest >>= 7
    } while rest > 0
    return [number << 3 | 2] + count + bytes
  }

  /// Returns the content in words: each part with its parts and its document.
  private func words(_ value: Value) -> String? { NestedContent.opened(value).map(words) }

  private func words(_ content: ValueContent) -> String {
    content.media?.type ?? content.form.rawValue + words(content.members)
  }

  private func words(_ members: [ValueContent.Member]) -> String {
    "{"
      + members.map { member in
        let content =
          switch member.content {
          case .value(let reading): "\(reading.value)"
          case .container(let kind, let count): "\(kind) of \(count)"
          case .outer(let kind): "outer \(kind)"
          }
        return (member.name.map { $0 + ": " } ?? "")
          + (member.document == nil ? content : "")
          + (member.parts.isEmpty ? "" : words(member.parts))
          + (member.document.map(words) ?? "")
      }.joined(separator: ", ") + "}"
  }

  private static let inner = ListWriter.bytes(.dictionary([("in", .text("side"))]))

  // MARK: Kinds

  @Test func aListInDataInAListIsOpened() {
    let outer = ListWriter.bytes(
      .dictionary([("list", .array([.number(7), .data(Self.inner)]))]))
    #expect(
      words(.bytes(outer))
        == #"property-list{list: array of 2{int64(7), property-list{in: string("side")}}}"#)
  }

  @Test func theObjectsOfAnArchiveAreFollowed() {
    let bytes = Self.archive([
      .dictionary([
        ("$class", .reference(2)), ("box", .reference(3)), ("none", .reference(0)),
      ]),
      Self.type("Mail"),
      .dictionary([
        ("NS.objects", .array([.reference(4), .reference(1)])), ("$class", .reference(5)),
      ]),
      .dictionary([("NS.data", .data(Self.inner)), ("$class", .reference(6))]),
      Self.type("NSArray"), Self.type("NSMutableData"),
    ])
    // The archive's root is in the array, too.
    #expect(
      words(.keyedArchive(className: nil, bytes))
        == #"keyed-archive{box: NSArray of 2{property-list{in: string("side")}, outer Mail}, none: null}"#
    )
    #expect(NestedContent.opened(.bytes(bytes))?.className == "Mail")
  }

  /// Returns `text` in the form for URLs.
  private static func inURL(_ text: String) -> String {
    String(text.filter { $0 != "=" }.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 })
  }

  /// Tests the token of RFC 7515 § A.1, and what only looks like one.
  @Test func aWebTokenHasAHeaderAndClaims() {
    let parts = [
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9",
      "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
      "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk",
    ]
    #expect(
      words(.string(parts.joined(separator: ".")))
        == #"jwt{header: json{typ: string("JWT"), alg: string("HS256")}, claims: "#
        + #"json{iss: string("joe"), exp: int64(1300819380), http://example.com/is_root: bool(true)}}"#
    )
    let (header, claims, signature) = (parts[0], parts[1], parts[2])
    for texts in [
      [header, claims], ["", header, claims], parts + [""], [signature, claims, header],
      [header, String(claims.dropLast()), signature], [header, "", signature],
    ] {
      let text = texts.joined(separator: ".")
      #expect(NestedContent.opened(.string(text)) == nil, "\(text)")
    }
  }

  @Test func textsThatAreDocumentsAreOpened() {
    let base64 = Base64.text(Self.inner)
    #expect(
      words(.string(Self.inURL(base64))) == #"base64{property-list{in: string("side")}}"#)
    #expect(words(.string(base64)) == #"base64{property-list{in: string("side")}}"#)
    #expect(
      words(.json(#"{"a":[1,{"b":"\#(base64)"}]}"#))
        == #"json{a: array of 2{int64(1), dictionary of 1{b: base64{property-list{in: string("side")}}}}}"#
    )
    #expect(words(.string("[true]")) == "json{bool(true)}")
    for text in ["", "hello world, this is text", "[true", "{x}", "QUJDREVGR0hJSktMTU5PUA=="] {
      #expect(words(.string(text)) == nil, "\(text)")
    }
  }

  /// Tests zlib's headers for the four levels of effort, of which one begins like text.
  @Test(arguments: [0x01, 0x5e, 0x9c, 0xda] as [UInt8])
  func compressedDocumentsAreOpened(effort: UInt8) {
    func packed(_ bytes: [UInt8]) -> [UInt8] {
      [0x78, effort] + Deflate.packed(bytes).dropFirst(2)
    }
    let (inner, name) = (packed(Self.inner), effort == 0x5e ? nil : "application/zlib")
    #expect(words(.bytes(inner)) == #"zlib{property-list{in: string("side")}}"#)
    #expect(words(.bytes(inner.dropLast())) == name)
    #expect(words(.bytes(inner + [0])) == name)
    #expect(words(.bytes(packed(Array("plain text".utf8)))) == #"zlib{string("plain text")}"#)
    // A few bytes that unpack to a hundred megabytes are not unpacked.
    #expect(words(.bytes(packed([UInt8](repeating: 0, count: 100 << 20)))) == name)
    #expect(words(.string("x^2 + y^2")) == nil)
  }

  @Test func aMessageIsOpenedWithAllReadings() throws {
    let bytes =
      [0x08, 0x03] + Self.field(2, Array("some text".utf8))
      + Self.field(3, Self.field(1, Self.inner) + [0x10, 1]) + Self.field(4, [1, 0x80, 1, 9])
    #expect(
      words(.bytes(bytes))
        == #"protobuf{1: int64(3), 2: string("some text"), "#
        + #"3: message of 2{1: property-list{in: string("side")}, 2: int64(1)}, "#
        + "4: bytes([1, 128, 1, 9])}")
    let content = try #require(NestedContent.opened(.bytes(bytes)))
    #expect(content.members[0].others.map { "\($0.value)" } == ["int64(-2)"])
    #expect(
      content.members[3].others.map(\.value).contains {
        $0.isSame(as: .list(.uint64([1, 128, 9])))
      })
  }

  @Test func aValueWithPartsHasTheDocumentsInThem() {
    let value = Value.dictionary([
      Value.Member("plain", .int64(1)), Value.Member("list", .array([.null, .bytes(Self.inner)])),
    ])
    #expect(
      words(value) == #"parts{list: array of 2{null, property-list{in: string("side")}}}"#)
    #expect(NestedContent.opened(.array([.int64(1), .string("text")])) == nil)
    #expect(NestedContent.of(value) == nil)
  }

  // MARK: Limits

  @Test func documentsAreOpenedToALimitedDepth() throws {
    var bytes = Self.inner
    for _ in 0..<20 { bytes = ListWriter.bytes(.array([.data(bytes)])) }
    var depth = 0
    var content = NestedContent.opened(.bytes(bytes))
    while let next = content {
      depth += 1
      content = next.members.first?.document
    }
    #expect(depth == 8)
  }

  /// Tests that objects that double with each level make no more parts than there is room for.
  @Test func sharedObjectsAreBounded() throws {
    var objects: [Item] = []
    for level in UInt8(0)..<40 {
      objects.append(
        .dictionary([
          ("NS.objects", .array([.reference(level + 2), .reference(level + 2)])),
          ("$class", .reference(42)),
        ]))
    }
    objects += [.text("end"), Self.type("NSArray")]
    func count(_ members: [ValueContent.Member]) -> Int {
      members.reduce(members.count) { $0 + count($1.parts) }
    }
    let bytes = Self.archive(objects)
    let content = try #require(NestedContent.opened(.bytes(bytes)))
    #expect((1000...8192).contains(count(content.members)))
  }

  /// Tests that changed bytes in nested documents neither trap nor take long.
  @Test func damagedDocumentsAreBounded() {
    var random = SeededGenerator(seed: RandomSeeds.run)
    let archive = Self.archive([
      .dictionary([("$class", .reference(2)), ("self", .reference(1)), ("data", .reference(3))]),
      Self.type("Node"), .data(Self.inner),
    ])
    let message = Self.field(1, archive) + Self.field(2, Array("text".utf8)) + [0x18, 1]
    let list = ListWriter.bytes(
      .dictionary([("m", .data(message)), ("a", .data(archive)), ("t", .text("[1,{\"a\":2}]"))]))
    let start = ContinuousClock.now
    for seed in [archive, message, list, Deflate.packed(list)] {
      for _ in 0..<1500 {
        var bytes = seed
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          bytes[.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
        }
        bytes.removeLast(Bool.random(using: &random) ? 0 : .random(in: 0...20, using: &random))
        _ = NestedContent.opened(.bytes(bytes))
        _ = NestedContent.opened(.string(Base64.text(bytes)))
      }
    }
    #expect(ContinuousClock.now - start < .seconds(120), "seed \(RandomSeeds.run)")
  }

  // MARK: What is no message

  /// Tests that fewer than one in 1,000 random values is taken for a document.
  @Test func randomBytesAreNoDocument() {
    var random = SeededGenerator(seed: RandomSeeds.run)
    var found = 0
    for index in 0..<20_000 {
      let count = index % 2 == 0 ? 16 : Int.random(in: 16...200, using: &random)
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      if NestedContent.opened(.bytes(bytes))?.form == .protobuf { found += 1 }
      if NestedContent.opened(.string(Base64.text(bytes))) != nil { found += 1 }
    }
    // By the weights, fewer than one in 2,048 is expected: about ten.
    #expect(found < 20, "\(found) of 20,000, seed \(RandomSeeds.run)")
  }

  /// Tests that fewer than one in 1,000 texts is taken for a document, as text and as bytes.
  @Test func textsAreNoDocument() {
    var random = SeededGenerator(seed: RandomSeeds.run)
    let words = [
      "the", "Order", "12", "a", "user", "id", ".\n", "$", "\t", "über", "R2D2", "*", "-",
    ]
    var found = 0
    for _ in 0..<20_000 {
      // Few texts begin with a line feed.
      var text = Int.random(in: 0..<100, using: &random) == 0 ? "\n" : ""
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        text += words.randomElement(using: &random) ?? ""
        if Bool.random(using: &random) { text += " " }
      }
      if NestedContent.opened(.bytes(Array(text.utf8))) != nil { found += 1 }
      if NestedContent.opened(.string(text)) != nil { found += 1 }
    }
    #expect(found < 20, "\(found) of 20,000, seed \(RandomSeeds.run)")
  }
}
