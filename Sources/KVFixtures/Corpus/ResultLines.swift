package import KVBytes
import KVModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The entries that a tool returned for one case, as JSON Lines.
package struct ResultLines {
  /// The entries, in the order of the lines.
  package private(set) var entries: [ReturnedEntry] = []
  /// The lines that cannot be read, by line number from 1, each with a reason.
  package private(set) var faults: [(line: Int, reason: String)] = []

  /// Reads the entries in `image`.
  ///
  /// JSON lines that are not entries are ignored.
  package init(_ image: FileImage) {
    let lines = image.bytes.split(
      separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() { read(Array(line), number: index + 1) }
  }

  private mutating func read(_ line: [UInt8], number: Int) {
    guard line.contains(where: { $0 != 0x20 && $0 != 0x09 && $0 != 0x0d }) else { return }
    guard String(utf8: line) != nil, JSONSyntax.isContainer(line.storageSpan) else {
      faults.append((number, "it is not JSON"))
      return
    }
    // JSON that is not an object of the type `entry` is some other line.
    guard let kind = try? JSONDecoder().decode(Kind.self, from: Data(line)), kind.type == "entry"
    else { return }
    guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(line)),
      let key = Hexadecimal.bytes(entry.key), let value = Hexadecimal.bytes(entry.value)
    else {
      faults.append((number, "key_hex or raw_hex is missing or not hexadecimal"))
      return
    }
    entries.append(
      ReturnedEntry(
        key: Key(key), value: value,
        isMarked: entry.evidence == Evidence.guess.rawValue || entry.cautions?.isEmpty == false))
  }

  private struct Kind: Decodable {
    let type: String
  }

  private struct Entry: Decodable {
    enum CodingKeys: String, CodingKey {
      case evidence, cautions
      case key = "key_hex"
      case value = "raw_hex"
    }

    let key: String
    let value: String
    let evidence: String?
    let cautions: [String]?
  }
}
