package import KVBytes

/// The parts that both kinds of WCDB materials share.
///
///     offset  count  field
///          0      4  magic    0x57434442, or 0x57434441 of an incremental one, big-endian
///          4      4  version  big-endian
///          8         info     by kind
///                 4  CRC-32 of the content, 0 if that is empty, big-endian
///                    byte count of the content, a SQLite varint
///                    content  by kind
///
/// Reference: WCDB's `Material::serialize` and `IncrementalMaterial::serialize`.
package enum MaterialLayout {
  /// Reads the magic number and the version, and returns the version.
  package static func readVersion(
    of input: inout ByteCursor, magic: UInt32, versions: [UInt32]
  ) throws(MaterialError) -> UInt32 {
    let start = input.offset
    let stored = try readWord(of: &input, "magic number")
    guard stored == magic else {
      throw MaterialError(
        "its magic number is \(hex(stored)), not \(hex(magic))",
        at: start..<input.offset)
    }
    let version = try readWord(of: &input, "version")
    guard versions.contains(version) else {
      throw MaterialError(
        "its version is \(hex(version)); the known versions are "
          + versions.map { hex($0) }.joined(separator: " and "), at: start + 4..<input.offset)
    }
    return version
  }

  /// Reads the content, and returns its range.
  package static func readContent(
    of input: inout ByteCursor, in image: FileImage
  ) throws(MaterialError) -> Range<Int> {
    let start = input.offset
    let stored = try readWord(of: &input, "checksum")
    let content: Range<Int>
    do {
      content = try input.readCountedRange()
    } catch {
      throw MaterialError(error, "content", end: input.end)
    }
    let computed = CRC32.digest(of: image, in: content)
    guard computed == stored else {
      throw MaterialError(
        "the CRC-32 of its content is \(hex(computed)), but it stores \(hex(stored))",
        at: start..<content.upperBound)
    }
    return content
  }

  /// Reads a big-endian word, which error messages call `what`.
  package static func readWord(
    of input: inout ByteCursor, _ what: String
  ) throws(MaterialError) -> UInt32 {
    do {
      return try input.readInteger(UInt32.self, as: .big)
    } catch {
      throw MaterialError(error, what, end: input.end)
    }
  }

  /// Reads a varint, which error messages call `what`.
  package static func readVarint(
    of input: inout ByteCursor, _ what: String
  ) throws(MaterialError) -> UInt64 {
    do {
      return try input.readBigEndianVarint()
    } catch {
      throw MaterialError(error, what, end: input.end)
    }
  }

  /// Reads the salts of a log.
  package static func readSalt(of input: inout ByteCursor) throws(MaterialError) -> WALSalt {
    WALSalt(
      first: try readWord(of: &input, "salt"), second: try readWord(of: &input, "salt"))
  }

  /// Returns a word in the form in which messages show it.
  package static func hex(_ word: UInt32) -> String {
    let digits = String(word, radix: 16)
    return "0x" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
