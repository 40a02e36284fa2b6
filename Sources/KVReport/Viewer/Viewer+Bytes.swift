import KVBytes
import KVModel
import KVRecovery

/// A byte of a store's file, and the rows of bytes around it on the screen.
struct BytePosition {
  /// The files of the store, and their bytes as shown.
  let images: [(file: StoreFile, image: FileImage)]
  /// The regions of the files, except records.
  private let layout: [Region]
  private(set) var number: Int
  private(set) var offset: Int
  /// The offset of the first byte on the screen.
  private(set) var top = 0
  /// The number of bytes in a row.
  private(set) var width = 16

  /// Creates the position of the first byte of `record`.
  init(at record: Record, in store: some Store) {
    // Show the bytes as found: corrections are not applied.
    let found: any Store = store.applying([])
    images = store.files.map { file in
      // A log is in the first file with its role; other files are shown as stored.
      (file, file.index.ordinal == 0 ? found.decoded(file.role) : file.image)
    }
    layout = store.layout
    number = images.firstIndex { $0.file.role == record.file } ?? 0
    offset = record.offset
  }

  var file: StoreFile { images[number].file }
  var image: FileImage { images[number].image }

  /// Returns the region of the byte at `offset`, regardless of records.
  func region(at offset: Int) -> Region? {
    layout.first { $0.extent.index == file.index && $0.extent.range.contains(offset) }
  }

  /// Moves by `key`, with `height` rows on the screen; returns `false` if the key has another
  /// function.
  mutating func move(_ key: ScreenKey, _ height: Int) -> Bool {
    let page = max(1, height - 1)
    switch key {
    case .left: offset -= 1
    case .right, "l": offset += 1
    case .up, "k": move(byRows: -1)
    case .down, "j": move(byRows: 1)
    case .pageUp, "b": move(byRows: -page)
    case .pageDown, " ": move(byRows: page)
    case .home, "g": offset = 0
    case .end, "G": offset = image.count
    case .tab:
      number = (number + 1) % images.count
      (offset, top) = (0, 0)
    default: return false
    }
    offset = min(max(offset, 0), max(0, image.count - 1))
    return true
  }

  /// Moves to another row, no further than the first or the last one, and stays in the column.
  private mutating func move(byRows count: Int) {
    let last = max(0, image.count - 1)
    let row = min(max(offset / width + count, 0), last / width)
    offset = min(row * width + offset % width, last)
  }

  /// Chooses the number of bytes per row to fit `columns`, and scrolls the byte into `height` rows
  /// of view.
  mutating func fit(to columns: Int, height: Int) {
    width = [32, 16, 8].first { Self.columns($0) <= columns } ?? 4
    let row = offset / width
    let rows = max(height, 1)
    let last = max(0, (image.count - 1) / width)
    top = min(max(top / width, row - rows + 1), row, max(0, last - rows + 1)) * width
  }

  /// Returns the width of a row of `count` bytes.
  private static func columns(_ count: Int) -> Int { 10 + 4 * count + 1 }

  func heading(of store: some Store) -> String {
    // The path comes last, as a narrow screen cuts the line and the offset matters more.
    "byte \(offset.grouped) of \(image.count.grouped) of \(DisplayText.path(file.path))"
      + (store.isEncrypted && file.role == .data ? ", decrypted" : "")
  }
}

/// The page with the bytes of a file.
extension Viewer {
  func byteLines(_ position: BytePosition) -> [ScreenLine] {
    let end = min(position.image.count, position.top + bodyHeight * position.width)
    return stride(from: position.top, to: end, by: position.width).map { start in
      byteLine(start..<min(start + position.width, end), position).fitted(to: size.width)
    }
  }

  private func byteLine(_ range: Range<Int>, _ position: BytePosition) -> ScreenLine {
    let digits = String(range.lowerBound, radix: 16)
    var line = ScreenLine(
      String(repeating: "0", count: max(0, 8 - digits.count)) + digits + "  ", .dim)
    let styles = range.map { offset in
      var style = style(at: offset, position)
      style.isReversed = offset == position.offset
      return style
    }
    for (offset, style) in zip(range, styles) {
      line.add(Hexadecimal.text([position.image[offset]]), style)
      line.add(" ")
    }
    line.add(String(repeating: " ", count: 3 * (position.width - range.count) + 1))
    for (offset, style) in zip(range, styles) {
      let byte = position.image[offset]
      line.add(byte >= 0x20 && byte < 0x7f ? String(UnicodeScalar(byte)) : ".", style)
    }
    return line
  }

  private func style(at offset: Int, _ position: BytePosition) -> ScreenStyle {
    let file = position.file
    if let row = record(at: offset, of: file) {
      let isLive = row.fate == .live
      if row.record.key.contains(offset) { return ScreenStyle(color: .cyan, isDim: !isLive) }
      if row.record.value.contains(offset) { return ScreenStyle(color: .green, isDim: !isLive) }
      return ScreenStyle(color: .blue, isDim: !isLive)
    }
    if gap(at: offset, of: file) != nil { return .color(.red) }
    switch position.region(at: offset)?.kind {
    case .field, .vector, .prefix: return .color(.magenta)
    case .gap: return .color(.red)
    default: return .dim
    }
  }

  /// Returns a description of the byte at `position`.
  func meaning(at position: BytePosition) -> String {
    let offset = position.offset
    let file = position.file
    let place = Hexadecimal.text(offset, digits: 6) + ": "
    if let row = record(at: offset, of: file) {
      let part =
        row.record.key.contains(offset)
        ? "key" : row.record.value.contains(offset) ? "value" : "lengths"
      return place + "\(part) of \(DisplayText.key(viewed.key(of: row))), "
        + "\(row.fate.rawValue) \(row.record.operation.name) at \(Hexadecimal.text(row.record.offset, digits: 6))"
    }
    if let gap = gap(at: offset, of: file) { return place + "gap [\(gap.cause.code)]" }
    guard let region = position.region(at: offset) else { return place + "empty file" }
    return place + region.name + (region.meaning.isEmpty ? "" : ": \(region.meaning)")
  }

  private func record(at offset: Int, of file: StoreFile) -> ViewedState<S>.Row? {
    file.index.ordinal == 0 ? viewed.row(at: offset, of: file.role) : nil
  }

  private func gap(at offset: Int, of file: StoreFile) -> Gap? {
    guard file.index.ordinal == 0 else { return nil }
    return viewed.history?.gaps.first {
      $0.extent.file == file.role && $0.extent.range.contains(offset)
    }
  }
}
