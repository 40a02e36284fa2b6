import KVBytes
package import KVModel
import KVSystem
import SystemPackage

extension AndroidFastKVStore {
  /// The regions of every file; together they cover every byte.
  ///
  /// The records of a copy are one region.
  package var layout: [Region] { copies.flatMap(regions) + externalRegions }

  private func regions(of copy: AndroidCopy) -> [Region] {
    let count = copy.file.image.count
    let header = copy.header
    let size = header.count.map {
      "\(($0).inBytes)\(header.isEncrypted ? ", encrypted" : "")"
    }
    let log = (copy.log?.range ?? copy.area.range).clamped(to: copy.area.range)
    let slack = log.upperBound..<count
    let parts: [(Range<Int>, Region.Kind, String, String)] = [
      (AndroidHeader.countField, .field, "length", size ?? "being written"),
      (
        AndroidHeader.checksumField, .field, "checksum",
        Hexadecimal.text(header.checksum, digits: 16)
      ),
      (log, .log, "log", ""),
      (
        slack, .slack, "slack",
        copy.file.image.isZero(in: slack) ? "zeros" : "old data"
      ),
    ]
    return parts.compactMap { range, kind, name, meaning in
      let there = range.clamped(to: 0..<count)
      guard !there.isEmpty else { return nil }
      return Region(
        Extent(copy.file.role, there), kind, name,
        there.count < range.count ? "truncated" : meaning,
        isChecksum: range == AndroidHeader.checksumField)
    }
  }

  private var externalRegions: [Region] {
    externals.files.filter { $0.image.count > 0 }.map { file in
      let name = file.path.lastComponent?.string ?? ""
      let owner = AndroidFileNames.isExternal(name) ? "external value" : "unread file"
      return Region(file.extent, .file, owner, name)
    }
  }
}
