import KVBytes
import KVModel

extension Ranking {
  /// Adds the strings that the bytes after an inner length can be, and returns whether they look
  /// like text.
  mutating func addText(_ content: Span<UInt8>) -> Bool {
    guard !content.isEmpty else {
      add(.string(""), .plausible, because: "an inner length of 0, as for an empty text")
      return false
    }
    guard let text = content.text(keeping: limit) else { return false }
    let count = content.count > limit ? content.count : nil
    switch content.controlCount {
    // A line feed is the tag of a first field, and the byte after it the length of exactly the
    // rest; and the printable length of an element seems to be a part of the text.
    case 0
    where ContentType.isMessage(content, from: 1...1)
      || LengthPrefixedList(content)?.isEvident(content) == true:
      add(
        .string(text), count: count, .possible,
        because: "the inner length fits, and the rest is printable text")
    case 0:
      add(
        .string(text), count: count, .likely,
        because: "the inner length fits, and the rest is printable text")
      // The app stored a string; that it is JSON is a closer look at it.
      if JSONSyntax.isContainer(content) {
        add(
          .json(text), count: count, .likely,
          because: "the text is a well-formed JSON object or array")
      }
    case ...(content.count / 8):
      add(
        .string(text), count: count, .possible,
        because: "the inner length fits, and the rest is UTF-8 with a few control characters")
    case let controls:
      add(
        .string(text), count: count, controls <= content.count / 2 ? .possible : .remote,
        because: "the inner length fits, and the rest is UTF-8, but with many control characters")
      return false
    }
    return true
  }

  /// Adds the bytes after an inner length as bytes; `isText` says whether they are printable text
  /// too.
  mutating func addBytes(_ content: Span<UInt8>, besideText isText: Bool) {
    if content.isEmpty {
      add(.bytes([]), .possible, because: "an inner length of 0, as for empty bytes")
    } else {
      let type = ContentType(of: content)
      add(
        .bytes(kept(content)), count: content.count > limit ? content.count : nil,
        type != nil ? .likely : isText && content.count > 3 ? .possible : .plausible,
        because: type.map { "the inner length fits, and the content is \($0.name)" }
          ?? "the inner length fits; any content is possible")
    }
  }

  /// Adds bytes that fit no type.
  mutating func addRemainder(_ body: Span<UInt8>) {
    let reason =
      if body.isEmpty {
        "empty, which no type is stored as"
      } else if body.text(keeping: 0) != nil, body.controlCount == 0 {
        "no type fits; the bytes are printable text without the inner length of a text"
      } else {
        "no type fits; these are the bytes as stored"
      }
    add(
      .bytes(kept(body)), count: body.count > limit ? body.count : nil, .remote, because: reason)
  }

  private func kept(_ bytes: Span<UInt8>) -> [UInt8] {
    bytes.extracting(first: min(limit, bytes.count)).copy
  }

  /// Adds a keyed archive, if the bytes begin like one.
  mutating func addArchive(_ bytes: Span<UInt8>) {
    guard KeyedArchive.begins(bytes) else { return }
    let name = KeyedArchive.rootClassName(of: bytes)
    add(
      .keyedArchive(className: name, kept(bytes)),
      count: bytes.count > limit ? bytes.count : nil, .compelling,
      because: name == nil
        ? "begins with \"bplist00\", as archives do, but no class name was found"
        : "begins with \"bplist00\" and names the class of an archived object")
  }
}
