import KVBytes
import KVModel

extension TypeRanking {
  /// Adds the texts that the bytes after an inner length can be, and returns whether they look like
  /// text; `texts` is what they are as a list of texts.
  mutating func addText(_ content: Span<UInt8>, _ texts: LengthPrefixedList?) -> Bool {
    guard !content.isEmpty else {
      add(.string, .plausible, .emptyText)
      return false
    }
    // Most texts are; the general way takes several times as long.
    let isPlain = content.isPrintableASCII
    guard isPlain || content.isUTF8 else { return false }
    switch isPlain ? 0 : content.controlCount {
    // A line feed is the tag of a first field, and the byte after it the length of exactly the
    // rest; and the printable length of an element seems to be a part of the text.
    case 0
    where ContentType.isMessage(content, from: 1...1) || texts?.isEvident(content) == true:
      add(.string, .possible, .text)
    case 0:
      add(.string, .likely, .text)
      // The app stored a string; that it is JSON is a closer look at it.
      if JSONSyntax.isContainer(content) { add(.json, stored: .string, .likely, .json) }
    case ...(content.count / 8): add(.string, .possible, .textWithControls)
    case let controls:
      add(.string, controls <= content.count / 2 ? .possible : .remote, .textOfControls)
      return false
    }
    return true
  }

  /// Adds the bytes after an inner length as bytes; `isText` says whether they are printable text
  /// too.
  mutating func addBytes(_ content: Span<UInt8>, besideText isText: Bool) {
    if content.isEmpty {
      add(.bytes, .possible, .emptyBytes)
    } else {
      let isKnown = ContentType(of: content) != nil
      add(.bytes, isKnown ? .likely : isText && content.count > 3 ? .possible : .plausible, .bytes)
    }
  }

  /// Adds a keyed archive, if the bytes begin like one.
  mutating func addArchive(_ bytes: Span<UInt8>) {
    if KeyedArchive.begins(bytes) { add(.keyedArchive, .compelling, .archive) }
  }
}
