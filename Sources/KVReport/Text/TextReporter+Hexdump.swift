import KVBytes
import KVModel
import SystemPackage

extension TextReporter {
  private static let width = 16

  /// An annotated hexdump: every byte of every file, with its owner.
  func hexdump(_ map: ByteMap, of store: any Store) {
    let found: any Store = store.applying([])
    for file in store.files {
      emit(
        "\(DisplayText.path(file.path)): \(file.image.count) bytes"
          + (store.isEncrypted && file.role == .data ? ", shown decrypted" : ""))
      // A log is in the first file with its role; the others are as they are stored.
      let image = file.index.ordinal == 0 ? found.decoded(file.role) : file.image
      for region in map.regions where region.extent.index == file.index { dump(region, image) }
    }
  }

  /// Dumps a region of `image`.
  private func dump(_ region: Region, _ image: FileImage) {
    var owner = region.name + (region.meaning.isEmpty ? "" : ": \(region.meaning)")
    var last: [UInt8] = []
    var isSqueezing = false
    for start in stride(from: region.extent.offset, to: region.extent.end, by: TextReporter.width) {
      let row = image.bytes(in: start..<min(start + TextReporter.width, region.extent.end))
      if row == last, row.count == TextReporter.width {
        if !isSqueezing { emit("*") }
        isSqueezing = true
        continue
      }
      isSqueezing = false
      last = row
      let place = offset(start)
      emit("\(place)  \(hex(row))  \(text(row))  \(owner)".trimmingSpaces())
      owner = ""
    }
    if isSqueezing { emit(offset(region.extent.end)) }
  }

  private func offset(_ offset: Int) -> String {
    let text = String(offset, radix: 16)
    return String(repeating: "0", count: max(0, 8 - text.count)) + text
  }

  private func hex(_ row: [UInt8]) -> String {
    let text = row.map { Hexadecimal.text([$0]) }.joined(separator: " ")
    return text + String(repeating: " ", count: 3 * TextReporter.width - 1 - text.count)
  }

  private func text(_ row: [UInt8]) -> String {
    let text = String(
      decoding: row.map { $0 >= 0x20 && $0 < 0x7f ? $0 : UInt8(ascii: ".") }, as: UTF8.self)
    return "|\(text)|" + String(repeating: " ", count: TextReporter.width - row.count)
  }
}

extension String {
  /// The string without spaces at its end.
  fileprivate func trimmingSpaces() -> String {
    var text = self
    while text.last == " " { text.removeLast() }
    return text
  }
}
