import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension TextReporter {
  private static let width = 16

  /// Prints an annotated hexdump: every byte of every file, with its owner.
  func hexdump(_ map: ByteMap, of store: any Store) {
    let found: any Store = store.applying([])
    for file in store.files {
      emit(
        "\(DisplayText.path(file.path)): \(file.image.count.inBytes)"
          + (store.isEncrypted && file.role == .data ? ", shown decrypted" : ""))
      // A log is in the first file with its role; other files are shown as stored.
      let image = file.index.ordinal == 0 ? found.decoded(file.role) : file.image
      WorkProgress.forEach(of: map.regions.filter { $0.extent.index == file.index }, .parts) {
        dump($0, image)
      }
    }
  }

  /// Prints a region of `image`.
  private func dump(_ region: Region, _ image: FileImage) {
    var owner = painted(
      region.name + (region.meaning.isEmpty ? "" : ": \(region.meaning)"), of: region)
    var last: [UInt8] = []
    var isSqueezing = false
    for start in stride(from: region.extent.offset, to: region.extent.end, by: TextReporter.width) {
      let row = image.bytes(in: start..<min(start + TextReporter.width, region.extent.end))
      if row == last, row.count == TextReporter.width {
        if !isSqueezing { emit(verbatim: "*") }
        isSqueezing = true
        continue
      }
      isSqueezing = false
      last = row
      let place = offset(start)
      emit(verbatim: "\(place)  \(hex(row))  \(text(row))  \(owner)".trimmingSpaces())
      owner = ""
    }
    if isSqueezing { emit(verbatim: offset(region.extent.end)) }
  }

  /// Returns the name of `region` in the color of its kind.
  private func painted(_ name: String, of region: Region) -> String {
    switch region.kind {
    case .gap: colors.gap(name)
    case .slack: colors.past(name)
    default: name
    }
  }

  /// Returns `offset` in hexadecimal, padded for a column.
  func offset(_ offset: Int) -> String {
    let text = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 8 - text.count)) + text
  }

  private func hex(_ row: [UInt8]) -> String {
    painted(row, separator: " ") { Hexadecimal.text([$0]) }
      + String(repeating: " ", count: 3 * (TextReporter.width - row.count))
  }

  private func text(_ row: [UInt8]) -> String {
    let text = painted(row, separator: "") { byte in
      byte >= 0x20 && byte < 0x7f ? String(UnicodeScalar(byte)) : "."
    }
    return "|\(text)|" + String(repeating: " ", count: TextReporter.width - row.count)
  }

  /// Returns the bytes of `row`, each formatted by `text`, with each run of one class in its color.
  private func painted(
    _ row: [UInt8], separator: String, _ text: (UInt8) -> String
  ) -> String {
    guard colors.isOn else { return row.map(text).joined(separator: separator) }
    var runs: [String] = []
    var rest = row[...]
    while let first = rest.first {
      let kind = Colors.ByteClass(first)
      let run = rest.prefix { Colors.ByteClass($0) == kind }
      runs.append(colors.bytes(kind, run.map(text).joined(separator: separator)))
      rest = rest.dropFirst(run.count)
    }
    return runs.joined(separator: separator)
  }
}
