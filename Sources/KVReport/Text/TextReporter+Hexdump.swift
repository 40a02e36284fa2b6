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
      region.name + (region.meaning.isEmpty ? "" : ": \(region.meaning)"), of: region
    ).trimmingSpaces()
    var last: [UInt8] = []
    var isSqueezing = false
    // Bytes, as a large file has millions of lines.
    var lines: [UInt8] = []
    for start in stride(from: region.extent.offset, to: region.extent.end, by: TextReporter.width) {
      let row = image.bytes(in: start..<min(start + TextReporter.width, region.extent.end))
      if row == last, row.count == TextReporter.width {
        if !isSqueezing { lines.append(utf8Of: "*\n") }
        isSqueezing = true
        continue
      }
      isSqueezing = false
      last = row
      write(row, at: start, owner, to: &lines)
      owner = ""
      if lines.count >= Self.usualCount { emit(lines: &lines) }
    }
    if isSqueezing { lines.append(utf8Of: offset(region.extent.end) + "\n") }
    emit(lines: &lines)
  }

  /// The number of bytes of lines that are printed at once.
  private static let usualCount = 1 << 15

  /// Appends the line of the bytes `row`, the first of which are of `owner`.
  private func write(_ row: [UInt8], at start: Int, _ owner: String, to lines: inout [UInt8]) {
    let room = repeatElement(UInt8(ascii: " "), count: TextReporter.width - row.count)
    lines.append(utf8Of: offset(start) + "  ")
    write(row, to: &lines) { bytes, line in
      for byte in bytes {
        Hexadecimal.append(byte, to: &line)
        line.append(UInt8(ascii: " "))
      }
      line.removeLast()
    } between: {
      $0.append(UInt8(ascii: " "))
    }
    for _ in 0..<3 { lines.append(contentsOf: room) }
    lines.append(utf8Of: "  |")
    write(row, to: &lines) { bytes, line in
      for byte in bytes {
        line.append(byte >= 0x20 && byte < 0x7f ? byte : UInt8(ascii: "."))
      }
    } between: { _ in
    }
    lines.append(UInt8(ascii: "|"))
    if !owner.isEmpty {
      lines.append(contentsOf: room)
      lines.append(utf8Of: "  \(owner)")
    }
    lines.append(UInt8(ascii: "\n"))
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

  /// Appends the bytes of `row`, each run of one class in its color and formatted by `format`.
  private func write(
    _ row: [UInt8], to line: inout [UInt8],
    _ format: (ArraySlice<UInt8>, inout [UInt8]) -> Void, between: (inout [UInt8]) -> Void
  ) {
    guard colors.isOn else { return format(row[...], &line) }
    var rest = row[...]
    while let first = rest.first {
      if rest.startIndex > 0 { between(&line) }
      let kind = Colors.ByteClass(first)
      let run = rest.prefix { Colors.ByteClass($0) == kind }
      var text: [UInt8] = []
      format(run, &text)
      line.append(utf8Of: colors.bytes(kind, String(decoding: text, as: UTF8.self)))
      rest = rest.dropFirst(run.count)
    }
  }
}
