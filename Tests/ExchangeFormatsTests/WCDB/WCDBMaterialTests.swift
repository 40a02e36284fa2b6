import ExchangeFormats
import KVBytes
import KVTestSupport
import Testing

/// Reading intact and damaged materials of WCDB.
struct WCDBMaterialTests {
  private let builder = MaterialBuilder(
    salt: (1, 2),
    tables: [
      .init(
        name: "ü", associated: ["CREATE INDEX i ON t(k)", "CREATE INDEX j ON t(v)"],
        pages: [(3, 0x0102_0304), (4, 5), (1000, 6)]),
      .init(name: "empty"),
    ])

  private func words(_ bytes: [UInt8]) -> String? {
    do throws(MaterialError) {
      _ = try WCDBMaterial(FileImage(bytes))
      return nil
    } catch {
      return error.words
    }
  }

  @Test func exactBytesAreRead() throws {
    let fixture = try HexFixture(
      """
      0000  57 43 44 42  01 00 00 01  00 00 10 00  00 00 00 00   # magic, version, 4096, reserved
      0010  00 00 00 07  00 00 00 08  00 00 00 09  00 00 00 00   # salts, frames, sequence page
      0020  21 42 99 70  17                                       # CRC-32 by Python's zlib, 23 bytes
      0025  01 74  02  81 00  02 73 71  01  01 69                 # "t", page 2, 128, "sq", "i"
      0030  02  05 00 00 00 0a  81 00 00 00 00 0b                 # pages 5 and 133
      """)
    let material = try WCDBMaterial(FileImage(fixture.bytes))
    #expect(material.version == 0x0100_0001)
    #expect(material.pageSize == 4096)
    #expect(material.salt == WALSalt(first: 7, second: 8))
    #expect(material.tables.count == 1)
    let table = try #require(material.tables.first)
    #expect(table.name == "t" && table.rootPage == 2 && table.sequence == 128)
    #expect(table.sql == "sq" && table.associatedSQL == ["i"])
    #expect(table.pages.map(\.number) == [5, 133] && table.pages.map(\.checksum) == [10, 11])
  }

  @Test(arguments: [0x0100_0000, 0x0100_0001] as [UInt32])
  func bothVersionsSayTheSame(_ version: UInt32) throws {
    var builder = builder
    builder.version = version
    let material = try WCDBMaterial(FileImage(builder.bytes))
    #expect(material.tables.map(\.name) == ["ü", "empty"])
    #expect(material.tables[0].pages.map(\.number) == [3, 4, 1000])
    #expect(material.tables[0].pages.map(\.checksum) == [0x0102_0304, 5, 6])
    #expect(material.tables[0].associatedSQL.count == 2)
    #expect(material.tables[0].sequence == 300)
    #expect(material.tables[0].rootPage == (version == 0x0100_0001 ? 2 : nil))
    #expect(material.pageCount == 3)
  }

  @Test func anEmptyMaterialHasNoTables() throws {
    #expect(try WCDBMaterial(FileImage(MaterialBuilder().bytes)).tables == [])
  }

  @Test func bothNumbersAreSaid() {
    var other = builder
    other.magic = 0x5743_4441
    #expect(
      words(other.bytes)
        == "its magic number is 0x57434441, not 0x57434442")
    other = builder
    other.version = 0x0100_0002
    #expect(
      words(other.bytes)?.hasPrefix("its version is 0x01000002; the known versions are 0x01000000")
        == true)
    other = builder
    other.pageSize = 1000
    #expect(words(other.bytes)?.hasPrefix("its page size is 1000") == true)
    var bytes = builder.bytes
    bytes[bytes.count - 1] ^= 1
    #expect(words(bytes)?.contains(", but it stores 0x") == true)
  }

  @Test(arguments: [
    // A name, a root page, a sequence and SQL, followed by impossible counts.
    [1, 0x74, 2, 0, 1, 0x73] + [UInt8](repeating: 0xff, count: 9),
    [1, 0x74, 2, 0, 1, 0x73, 0] + [UInt8](repeating: 0xff, count: 9),
    // A string whose length exceeds the remaining bytes, or the size of any file.
    [5, 0x74], [UInt8](repeating: 0xff, count: 9), [0], [1, 0x74, 2, 0, 0],
    // Page 0, a page number beyond 32 bits, and page numbers whose sum overflows.
    [1, 0x74, 2, 0, 1, 0x73, 0, 1, 0, 0, 0, 0, 0],
    [1, 0x74, 2, 0, 1, 0x73, 0, 1] + [UInt8](repeating: 0xff, count: 13),
    [1, 0x74, 2, 0, 1, 0x73, 0, 2, 1, 0, 0, 0, 0] + [UInt8](repeating: 0xff, count: 13),
    [1, 0x74, 2, 0, 1, 0x73, 0, 2, 1, 0, 0, 0, 0, 0x8f, 0xff, 0xff, 0xff, 0x7f, 0, 0, 0, 0],
  ])
  func contentThatCannotBeIsDamage(_ content: [UInt8]) {
    #expect(words(builder.bytes(content: content)) != nil)
  }

  @Test func everyPrefixIsDamage() {
    let bytes = builder.bytes
    for count in bytes.indices { #expect(words(Array(bytes.prefix(count))) != nil, "\(count)") }
    let content = builder.content
    for count in content.indices {
      // Every prefix with a correct checksum. Some prefixes are valid, because a table may end
      // there.
      _ = words(builder.bytes(content: Array(content.prefix(count))))
    }
  }

  @Test func noChangedByteTraps() {
    let (bytes, content) = (builder.bytes, builder.content)
    for offset in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[offset] ^= 1 << bit
        _ = words(changed)
      }
    }
    for offset in content.indices {
      for byte in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
        var changed = content
        changed[offset] = byte
        _ = words(builder.bytes(content: changed))
      }
    }
  }

  @Test func anIncrementalMaterialOfNoPageIsDamage() {
    let bytes = MaterialBuilder.incremental([(3, 7), (0, 7)])
    #expect(throws: MaterialError.self) { try WCDBIncrementalMaterial(FileImage(bytes)) }
  }

  @Test func incrementalMaterialsAreRead() throws {
    let bytes = MaterialBuilder.incremental([(3, 7), (300, nil)])
    let material = try WCDBIncrementalMaterial(FileImage(bytes))
    #expect(material.pages == [3: .leaf(checksum: 7), 300: .other])
    #expect(material.time == 1_700_000_000)
    for count in bytes.indices {
      #expect(throws: MaterialError.self) {
        try WCDBIncrementalMaterial(FileImage(Array(bytes.prefix(count))))
      }
    }
    for offset in bytes.indices {
      for bit in 0..<8 {
        var changed = bytes
        changed[offset] ^= 1 << bit
        _ = try? WCDBIncrementalMaterial(FileImage(changed))
      }
    }
  }

  @Test(
    arguments: [
      ([0x00], 0), ([0x7f], 127), ([0x81, 0x00], 128), ([0xff, 0x7f], 16383),
      ([0x81, 0x80, 0x00], 16384), ([UInt8](repeating: 0xff, count: 9), UInt64.max),
      ([0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x05], 5),
    ] as [([UInt8], UInt64)])
  func varintsAreThoseOfSQLite(_ bytes: [UInt8], _ value: UInt64) throws {
    let image = FileImage(bytes + [1])
    var input = ByteCursor(image.storageSpan, in: image.range)
    #expect(try input.readBigEndianVarint() == value)
    #expect(input.remaining == 1)
    var cut = ByteCursor(image.storageSpan, in: 0..<bytes.count - 1)
    do throws(ByteError) {
      _ = try cut.readBigEndianVarint()
      Issue.record("a cut varint was read")
    } catch {
      #expect(error == ByteError(.truncated, at: 0))
    }
    #expect(cut.offset == 0)
  }
}
