import ExchangeFormats
import Foundation
import KVBytes
import KVFixtures
import KVModel
import KVTestSupport
import Testing

#if os(Linux)
  /// Damaged property lists, compared with what Foundation reads of them, which on Linux is the
  /// CoreFoundation whose source is public.
  struct PropertyListFoundationTests {
    private static let seeds = RandomSeeds.fresh(2)
    private static let count = TestExtent.count(150, of: 2000)

    /// Entries of each type, whose neighbors by one bit are other values.
    private static var list: [String: Any] {
      [
        "name": "Mia", "hello": "hello world", "wide": "höß😀", "count": 10, "large": 1_234_567_890,
        "negative": -5, "percent": 100, "ratio": 2.5, "temperature": 20.0, "on": true, "off": false,
        "since": Date(timeIntervalSinceReferenceDate: 300_000_000), "token": Data(20..<50),
        "list": [1, 2, 3],
        "window": ["title": "main window", "x": 12.25] as [String: Any], "none": [String](),
      ]
    }

    private static func bytes(_ format: PropertyListSerialization.PropertyListFormat) throws
      -> [UInt8]
    {
      [UInt8](
        try PropertyListSerialization.data(fromPropertyList: list, format: format, options: 0))
    }

    /// Returns whether one of the objects, which come before `end`, may be a set in a binary list.
    ///
    /// Foundation reads one, and ends the process when it is made a `Set` of what is not hashable.
    private static func mayHaveSet(_ bytes: [UInt8], before end: Int) -> Bool {
      bytes.starts(with: "bplist".utf8) && bytes[..<end].contains { $0 >> 4 == 0xc }
    }

    /// Returns the dictionary that Foundation reads.
    private static func dictionary(_ bytes: [UInt8]) -> [AnyHashable: Any]? {
      let list = unsafe try? PropertyListSerialization.propertyList(from: Data(bytes), format: nil)
      return list as? [AnyHashable: Any]
    }

    /// Returns a text of a value that is the same for Foundation's and ours.
    private static func text(_ value: Any) -> String {
      switch value {
      case let value as [AnyHashable: Any]:
        "{\(value.map { "\(text($0.key)): \(text($0.value))" }.sorted().joined(separator: ", "))}"
      case let value as [Any]: "[\(value.map { text($0) }.joined(separator: ", "))]"
      case let value as AnyHashable where value.base is String:
        (value.base as? String ?? "").debugDescription
      case let value as Data: "<\(Hexadecimal.text(value))>"
      case let value as Date: "date \(value.timeIntervalSince1970)"
      case let value as NSNumber: "\(value.doubleValue)"
      default: "\(type(of: value))"
      }
    }

    private static func foundation(_ value: Value) -> Any {
      switch value {
      case .string(let text): text
      case .int64(let number): NSNumber(value: number)
      case .uint64(let number): NSNumber(value: number)
      case .float(let number): NSNumber(value: number)
      case .double(let number): NSNumber(value: number)
      case .bool(let value): NSNumber(value: value)
      case .bytes(let bytes): Data(bytes)
      case .date(let seconds): Date(timeIntervalSince1970: seconds)
      case .array(let values): values.map { foundation($0) }
      case .dictionary(let members):
        Dictionary(
          members.map { (AnyHashable($0.name), foundation($0.value)) }, uniquingKeysWith: { $1 })
      default: NSNull()
      }
    }

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.xml, .binary], seeds)
    func changedBitsAreReadAsByFoundation(
      _ form: PropertyListSerialization.PropertyListFormat, seed: UInt64
    ) throws {
      let whole = try Self.bytes(form)
      // The last two bytes of a binary list are where its table begins.
      let end = form == .binary ? Int(whole[whole.count - 2]) << 8 | Int(whole[whole.count - 1]) : 0
      try #require(Self.dictionary(whole) != nil && !Self.mayHaveSet(whole, before: end))
      var random = SeededGenerator(seed: seed)
      for _ in 0..<Self.count {
        var bytes = whole
        for _ in 0..<Int.random(in: 1...2, using: &random) {
          bytes[Int.random(in: bytes.indices, using: &random)] ^=
            1 << UInt8.random(in: 0..<8, using: &random)
        }
        if Self.mayHaveSet(bytes, before: end) { continue }
        let read = Self.dictionary(bytes)
        let table = PropertyListFormat().table(bytes)
        let isLoaded = !table.isRefused
        #expect(isLoaded == (read != nil), "\(seed): \(Hexadecimal.text(bytes))")
        guard let read, table.verdict == .clean else { continue }
        let own = Dictionary(
          uniqueKeysWithValues: table.entries.map {
            (AnyHashable($0.key.text ?? ""), Self.foundation($0.value))
          })
        #expect(Self.text(own) == Self.text(read), "\(seed): \(Hexadecimal.text(bytes))")
      }
    }
  }
#endif
