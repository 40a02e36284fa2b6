import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The values that Flutter's shared_preferences keeps as texts, because Android has no type for them.
///
///     value                text, after the Base64 of a sentence
///     double               the number in Java's form
///     integer, once        the digits to the base 36
///     list of strings      Base64 of a `java.util.ArrayList`, as ObjectOutputStream writes it
///     the same, newer      "!" and a JSON array
///
/// A list is written in the older form, which all releases of the plugin read.
///
/// Reference: `LegacySharedPreferencesPlugin` of `shared_preferences_android`.
enum FlutterValue {
  /// The beginning of the keys of Flutter's preferences.
  private static let keyPrefix = "flutter."
  /// The Base64 of "This is the prefix for Double", with a period.
  private static let double = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBEb3VibGUu"
  /// The Base64 of "This is the prefix for BigInteger".
  private static let integer = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBCaWdJbnRlZ2Vy"
  /// The Base64 of "This is the prefix for a list", with a period.
  private static let list = "VGhpcyBpcyB0aGUgcHJlZml4IGZvciBhIGxpc3Qu"

  /// Returns whether `key` is one of Flutter's preferences.
  static func isKey(_ key: String) -> Bool { key.hasPrefix(keyPrefix) }

  /// Returns the value that `text` stands for; `nil` if it stands for itself, or is damaged.
  static func value(of text: String) -> Value? {
    if let rest = text.after(double) {
      return JavaNumber.number(String(rest)).map { .double($0) }
    }
    if let rest = text.after(integer) { return Int64(rest, radix: 36).map { .int64($0) } }
    guard let rest = text.after(list) else { return nil }
    if rest.first == "!" { return strings(inJSON: Array(rest.dropFirst().utf8)) }
    let data = Data(base64Encoded: String(rest), options: .ignoreUnknownCharacters)
    return data.flatMap { strings(inJava: [UInt8]($0)) }.map { .list(.string($0)) }
  }

  /// Returns the text that stands for `value`; `nil` if Android has a type for it, or Flutter has none.
  static func text(of value: Value) -> String? {
    switch value {
    case .double(let number): double + JavaNumber.text(number)
    case .list(.string(let strings)): list + lines(of: Base64.text(java(strings)))
    default: nil
    }
  }

  /// Returns `text` in lines of 76 characters, as Android's Base64 writes it by default.
  private static func lines(of text: String) -> String {
    var output = ""
    var rest = text[...]
    while !rest.isEmpty {
      output += rest.prefix(76) + "\n"
      rest = rest.dropFirst(76)
    }
    return output
  }

  private static func strings(inJSON bytes: [UInt8]) -> Value? {
    var scanner = JSONScanner(bytes)
    guard case .array(let values)? = try? scanner.value(), (try? scanner.end()) != nil
    else { return nil }
    let strings = values.compactMap { value -> String? in
      if case .string(let string) = value { string } else { nil }
    }
    return strings.count == values.count ? .list(.string(strings)) : nil
  }

  // MARK: Java's serialization

  /// The stream up to the number of elements: the magic number, the version, an object, and the
  /// description of its class.
  private static let header: [UInt8] =
    [0xac, 0xed, 0, 5, 0x73, 0x72, 0, 19] + Array("java.util.ArrayList".utf8)
    + [0x78, 0x81, 0xd2, 0x1d, 0x99, 0xc7, 0x61, 0x9d, 3, 0, 1, 0x49, 0, 4]
    + Array("size".utf8) + [0x78, 0x70]
  private static let reference: UInt8 = 0x71
  private static let string: UInt8 = 0x74
  private static let longString: UInt8 = 0x7c
  private static let end: UInt8 = 0x78
  /// The number by which a stream refers to its first string: the class and the list come before.
  private static let firstHandle = 0x7e_0002

  /// Returns the strings of a list; `nil` if `bytes` are anything else.
  private static func strings(inJava bytes: [UInt8]) -> [String]? {
    guard bytes.starts(with: header) else { return nil }
    let span = bytes.storageSpan
    var input = ByteCursor(span, in: header.count..<bytes.count)
    do throws(ByteError) {
      let count = Int(try input.readInteger(UInt32.self, as: .big))
      // A block of data with the capacity.
      guard try input.readInteger(UInt16.self, as: .big) == 0x7704 else { return nil }
      _ = try input.readRange(count: 4)
      var strings: [String] = []
      var known: [String] = []
      while strings.count < count {
        switch try input.readByte() {
        case string:
          let length = Int(try input.readInteger(UInt16.self, as: .big))
          known.append(text(bytes[try input.readRange(count: length)]))
          strings.append(known[known.count - 1])
        case longString:
          let length = try input.readInteger(UInt64.self, as: .big)
          known.append(text(bytes[try input.readRange(count: Int(clamping: length))]))
          strings.append(known[known.count - 1])
        case reference:
          let index = Int(try input.readInteger(UInt32.self, as: .big)) - firstHandle
          guard known.indices.contains(index) else { return nil }
          strings.append(known[index])
        default: return nil
        }
      }
      return try input.readByte() == end && input.isAtEnd ? strings : nil
    } catch {
      return nil
    }
  }

  /// Returns the text in Java's modified UTF-8: U+0000 takes two bytes, and each half of a surrogate
  /// pair three.
  private static func text(_ bytes: ArraySlice<UInt8>) -> String {
    var units: [UInt16] = []
    var rest = bytes
    while let first = rest.popFirst() {
      func next() -> UInt16 { UInt16(rest.popFirst() ?? 0) & 0x3f }
      switch first {
      case 0..<0x80: units.append(UInt16(first))
      case 0xc0..<0xe0: units.append(UInt16(first & 0x1f) << 6 | next())
      default:
        let middle = next()
        units.append(UInt16(first & 0xf) << 12 | middle << 6 | next())
      }
    }
    return String(decoding: units, as: UTF16.self)
  }

  private static func java(_ strings: [String]) -> [UInt8] {
    var output = ByteWriter()
    output.writeBytes(header)
    output.writeInteger(UInt32(clamping: strings.count), as: .big)
    output.writeBytes([0x77, 4])
    output.writeInteger(UInt32(clamping: strings.count), as: .big)
    for text in strings {
      let bytes = modified(text)
      if let count = UInt16(exactly: bytes.count) {
        output.writeByte(string)
        output.writeInteger(count, as: .big)
      } else {
        output.writeByte(longString)
        output.writeInteger(UInt64(bytes.count), as: .big)
      }
      output.writeBytes(bytes)
    }
    output.writeByte(end)
    return output.bytes
  }

  private static func modified(_ text: String) -> [UInt8] {
    text.utf16.flatMap { unit -> [UInt8] in
      switch unit {
      case 1..<0x80: [UInt8(unit)]
      case 0..<0x800: [0xc0 | UInt8(unit >> 6), 0x80 | UInt8(unit & 0x3f)]
      default:
        [0xe0 | UInt8(unit >> 12), 0x80 | UInt8(unit >> 6 & 0x3f), 0x80 | UInt8(unit & 0x3f)]
      }
    }
  }
}

extension String {
  /// Returns what follows `prefix`; `nil` if the text does not begin with it.
  fileprivate func after(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}
