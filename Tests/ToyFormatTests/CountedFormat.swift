import KVBytes
import KVInput
import KVModel
import KVSystem
import SystemPackage

extension FileRole {
  /// The file with the number of lines, a role that no other format has.
  static let count = FileRole(16)
}

/// A format made up for tests: the line `COUNTED`, followed by a key and a value on each line.
///
/// A second file, whose name ends in `.count`, has the number of lines.
struct CountedFormat: EntryReader {
  static let name = "counted"
  static let roleNames: [FileRole: String] = [.count: "line count"]
  static let wrongCount = FindingCode(
    "counted.count", .damage, means: "Miscounted", remedy: "None")

  func discover(
    at path: FilePath, in source: any FileSource
  ) throws(DiscoveryError) -> [StoreFile] {
    let count = FilePath(path.string + ".count")
    let folder = source.folder(of: path, named: path)
    return [try source.file(at: path)]
      + (source.isTaken(count) ? [source.file(.count, at: count, in: folder)] : [])
  }

  func recognition(of files: [StoreFile]) -> Recognition {
    Recognition(
      files.first?.image.bytes.starts(with: "COUNTED\n".utf8) == true ? 100 : 0, because: [])
  }

  func read(_ files: [StoreFile]) -> EntryTable {
    var entries: [TypedEntry] = []
    var start = 8
    for line in (files.first?.image.bytes ?? []).dropFirst(8).split(separator: 0x0a) {
      let fields = line.split(separator: 0x20, maxSplits: 1)
      entries.append(
        TypedEntry(
          key: Key(Array(fields[0])), value: .bytes(Array(fields.dropFirst().joined())),
          origin: EntryOrigin(.structure, at: files[0].place(start..<start + line.count))))
      start += line.count + 1
    }
    let findings = files.dropFirst().filter { $0.image.bytes != Array("\(entries.count)".utf8) }.map
    {
      Finding(Self.wrongCount, at: $0.extent, "there are \(entries.count) lines")
    }
    return EntryTable(formatName: Self.name, files: files, entries: entries, findings: findings)
  }
}
