import KVBytes

/// Reads the pieces of an XML document, one after the other.
///
/// Entities other than the five of XML are rejected, so nothing expands. The open elements are kept
/// in an array rather than on the call stack.
///
/// `XMLParser` is not used. libxml2 rejects documents of more than ten million bytes, and treats a
/// document that ends early as a success. It also does not provide the byte offsets of elements.
///
/// Reference: Extensible Markup Language 1.0, fifth edition.
struct XMLReader {
  private let document: DecodedXML
  private let dialect: XMLDialect
  private let maximumDepth: Int
  /// The names of the elements around the entries, the outermost one first.
  private let path: [String]
  /// The position of the start tag of the last element that can be an entry or a part of one.
  private var lastEntry = -1
  /// The offset of the first text with such bytes since this was last set to `nil`.
  var repairedOffset: Int?
  /// What was passed over or replaced since this was last emptied.
  var passed: XMLPassed = []
  /// Whether references stand for themselves, as in the elements of a property list that are no
  /// texts.
  var keepsReferences = false
  /// The open elements, the outermost one first, with the position of each start tag.
  private var open: [(name: String, start: Int)] = []
  private var hasRoot = false
  private var hasPendingEnd = false
  /// The offset of the next byte of the document in UTF-8.
  private var position = 0
  /// The number of bytes that may still be read once more after an error.
  private var rereadable: Int
  /// A position, and the number and the start of its line.
  private var knownLine = (position: 0, number: 1, start: 0)

  /// Creates a reader of `image` that reads what readers of `dialect` read, with entries in the
  /// elements of `path`, and allows at most `maximumDepth` nested elements.
  init(
    _ image: FileImage, _ dialect: XMLDialect, entriesIn path: [String], maximumDepth: Int
  ) {
    self.path = path
    document = DecodedXML(image, dialect)
    self.dialect = dialect
    self.maximumDepth = maximumDepth
    rereadable = Self.readings * document.utf8.count
  }

  /// How many times the document is read at most, whatever its errors.
  private static let readings = 16

  /// The offset of the next byte in the file.
  var offset: Int { document.fileOffset(of: position) }

  /// Whether the document lacks the byte order mark that it needs.
  var lacksMark: Bool { document.lacksMark }

  /// The first bytes that are no character of the document's encoding.
  var undecoded: Range<Int>? { document.undecoded }

  /// The document in UTF-8.
  var image: FileImage { document.utf8 }

  /// The number of open elements.
  var depth: Int { open.count }

  /// Returns the next piece, or `nil` at the end of the document.
  mutating func next() throws(XMLError) -> XMLEvent? {
    if hasPendingEnd {
      hasPendingEnd = false
      open.removeLast()
      return .end
    }
    if position == 0 { try begin() }
    while position < image.count {
      if open.isEmpty {
        skipWhitespace()
        guard position < image.count else { break }
        guard image[position] == UInt8(ascii: "<") else {
          throw error("there is text outside the outermost element")
        }
      } else if image[position] != UInt8(ascii: "<") {
        return .text(try text())
      }
      let next = position + 1 < image.count ? image[position + 1] : 0
      switch next {
      case UInt8(ascii: "/"):
        position += 2
        return try endTag()
      case UInt8(ascii: "?"):
        position += 2
        passed.insert(.comments)
        _ = try skip(past: "?>", "a processing instruction")
      case UInt8(ascii: "!"):
        if let event = try declaration() { return event }
      default: return try startTag()
      }
    }
    if let element = open.last { throw error("the document ends inside <\(element.name)>") }
    guard hasRoot else { throw error("the document has no element") }
    return nil
  }

  /// Goes on after an error with the next entry that begins with one of `tags`, and returns the file
  /// offset where it begins.
  ///
  /// That is the first one after the start of the last entry, because an element whose end is lost
  /// seems to contain the entries that follow.
  ///
  /// - Returns: `nil` if there is none, or if the document has so many errors that too much of it was
  ///   read several times.
  mutating func resume(at tags: XMLTags) -> Int? {
    // Where another element is in place of one around the entries, the first entry may begin there.
    let stray = zip(open, path).first { $0.name != $1 }?.0.start
    let start = stray ?? lastEntry + 1
    rereadable -= max(0, position - start)
    guard rereadable >= 0, document.unknownEncoding == nil,
      let next = tags.first(in: image, from: start)
    else { return nil }
    knownLine = line(at: next)
    position = next
    lastEntry = next
    open = path.map { ($0, next) }
    (hasRoot, hasPendingEnd, repairedOffset) = (true, false, nil)
    return offset
  }

  // MARK: The parts of a document

  private mutating func begin() throws(XMLError) {
    if let name = document.unknownEncoding { throw error("the encoding is \"\(name)\"") }
    _ = take([0xef, 0xbb, 0xbf])
    skipWhitespace()
    guard position < image.count, image[position] == UInt8(ascii: "<") else {
      throw error("this is not XML in UTF-8")
    }
  }

  /// Reads what begins with `<!`; returns `nil` for a comment.
  private mutating func declaration() throws(XMLError) -> XMLEvent? {
    if take("<!--") {
      passed.insert(.comments)
      _ = try skip(past: "-->", "a comment")
      return nil
    }
    if open.isEmpty, !hasRoot, take("<!DOCTYPE") { return try doctype() }
    if !open.isEmpty, take("<![CDATA[") {
      passed.insert(.references)
      let range = try skip(past: "]]>", "a CDATA section")
      return .text(try string(lines(image.bytes(in: range)), at: range.lowerBound))
    }
    return try startTag()
  }

  private mutating func doctype() throws(XMLError) -> XMLEvent {
    let start = position
    var quote: UInt8?
    var end = start
    while end < image.count {
      let byte = image[end]
      if let open = quote {
        if byte == open { quote = nil }
      } else if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
        quote = byte
      } else if byte == UInt8(ascii: "[") {
        position = end
        return .doctype(hasSubset: true, isRefused: false)
      } else if byte == UInt8(ascii: ">") {
        break
      }
      end += 1
    }
    if dialect.hasAttributes {
      guard end < image.count else { throw error("the document ends inside its document type") }
      position = end + 1
      return .doctype(hasSubset: false, isRefused: false)
    }
    return try doctype(from: start, to: end)
  }

  /// Returns the document type from `start` on, which by its quotes ends at `end`.
  ///
  /// CoreFoundation knows no quotes: it ends at the first `>`, and is refused for a `[`. One of both
  /// ends is right if a quote is damaged: that before a tag.
  private mutating func doctype(from start: Int, to end: Int) throws(XMLError) -> XMLEvent {
    guard let first = (start..<image.count).first(where: { image[$0] == UInt8(ascii: ">") }) else {
      throw error("the document ends inside its document type")
    }
    position = first + 1
    skipWhitespace()
    let isEnd = position < image.count && image[position] == UInt8(ascii: "<")
    if !isEnd, end < image.count { position = end + 1 }
    let hasBracket = (start..<first).contains { image[$0] == UInt8(ascii: "[") }
    return .doctype(hasSubset: false, isRefused: hasBracket || !isEnd)
  }

  private mutating func startTag() throws(XMLError) -> XMLEvent {
    let start = position
    guard !hasRoot || !open.isEmpty else { throw error("there is a second outermost element") }
    if open.count == path.count { lastEntry = start }
    position += 1
    let name = try self.name()
    guard open.count < maximumDepth else {
      throw error(at: start, "elements are nested more than \(maximumDepth) deep")
    }
    let attributes = dialect.hasAttributes ? try self.attributes(of: name) : []
    if !dialect.hasAttributes { try skipAttributes(of: name) }
    hasRoot = true
    open.append((name, start))
    return .start(
      XMLElementStart(
        name: name, attributes: attributes, offset: document.fileOffset(of: start),
        isEmpty: hasPendingEnd))
  }

  /// Reads the rest of the start tag of the element called `element`.
  private mutating func attributes(
    of element: String
  ) throws(XMLError) -> [(name: String, value: String)] {
    var attributes: [(name: String, value: String)] = []
    while true {
      let hasSpace = skipWhitespace()
      if take(UInt8(ascii: ">")) { break }
      if take("/>") {
        hasPendingEnd = true
        break
      }
      guard hasSpace else { throw error("<\(element)> is not closed") }
      let attribute = try self.name()
      guard attributes.count < 64 else { throw error("<\(element)> has too many attributes") }
      skipWhitespace()
      guard take(UInt8(ascii: "=")) else { throw error("the attribute \(attribute) has no value") }
      skipWhitespace()
      attributes.append((attribute, try attributeValue()))
    }
    return attributes
  }

  /// Passes over the rest of the start tag of the element called `element`.
  private mutating func skipAttributes(of element: String) throws(XMLError) {
    let start = position
    var end = position
    while end < image.count, image[end] != UInt8(ascii: ">") { end += 1 }
    guard end < image.count else { throw error("<\(element)> is not closed") }
    hasPendingEnd = end > start && image[end - 1] == UInt8(ascii: "/")
    let isNamed = start == end || hasPendingEnd && end - start == 1 || skipWhitespace()
    guard isNamed else { throw error("<\(element)> is not closed") }
    position = end + 1
  }

  private mutating func endTag() throws(XMLError) -> XMLEvent {
    let start = position
    let name = try self.name()
    skipWhitespace()
    guard take(UInt8(ascii: ">")) else { throw error("</\(name)> is not closed") }
    guard let last = open.last?.name else {
      throw error(at: start, "</\(name)> has no start tag")
    }
    guard last.utf8.elementsEqual(name.utf8) else {
      throw error(at: start, "<\(last)> ends with </\(name)>")
    }
    open.removeLast()
    return .end
  }

  private mutating func name() throws(XMLError) -> String {
    let start = position
    while position < image.count {
      switch image[position] {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"),
        UInt8(ascii: "."), UInt8(ascii: ":"), 0x80...0xff:
        position += 1
        continue
      default: break
      }
      break
    }
    guard position > start else { throw error("a name is missing") }
    return try string(in: start..<position)
  }

  private mutating func attributeValue() throws(XMLError) -> String {
    guard position < image.count,
      image[position] == UInt8(ascii: "\"") || image[position] == UInt8(ascii: "'")
    else { throw error("the value of an attribute has no quotes") }
    let quote = image[position]
    position += 1
    let start = position
    var value: [UInt8] = []
    while position < image.count {
      let byte = image[position]
      switch byte {
      case quote:
        position += 1
        return try string(value, at: start)
      case UInt8(ascii: "<"): throw error("there is a < in the value of an attribute")
      case UInt8(ascii: "&"): try reference(into: &value)
      case 0x0a, 0x0d:
        // A line end becomes one space, even if it has two bytes. A tab stays, as for KXmlParser of
        // Android, though XML says otherwise: older releases write keys with tabs as they are.
        position += take([0x0d, 0x0a]) ? 0 : 1
        value.append(0x20)
      default:
        value.append(byte)
        position += 1
      }
    }
    throw error("the document ends inside an attribute")
  }

  private mutating func text() throws(XMLError) -> String {
    let start = position
    position = image.storageSpan.extracting(start...).plainCount + start
    if position == image.count || image[position] == UInt8(ascii: "<") {
      return try string(in: start..<position)
    }
    var text = image.bytes(in: start..<position)
    while position < image.count, image[position] != UInt8(ascii: "<") {
      switch image[position] {
      case UInt8(ascii: "&") where !keepsReferences: try reference(into: &text)
      case 0x0d where dialect.normalizesLineEnds:
        position += take([0x0d, 0x0a]) ? 0 : 1
        text.append(0x0a)
      case let byte:
        text.append(byte)
        position += 1
      }
    }
    return try string(text, at: start)
  }

  /// Appends the character to which a reference refers.
  ///
  /// Characters that XML forbids are allowed too, because Android writes and reads `&#1;`.
  private mutating func reference(into text: inout [UInt8]) throws(XMLError) {
    let (name, end) = try reference(at: position)
    passed.insert(.references)
    if let (units, end) = halves(name, end) {
      passed.insert(.halves)
      text.append(contentsOf: String(decoding: units, as: UTF16.self).utf8)
      position = end
      return
    }
    let scalar: Unicode.Scalar?
    switch name {
    case "lt": scalar = "<"
    case "gt": scalar = ">"
    case "amp": scalar = "&"
    case "quot": scalar = "\""
    case "apos": scalar = "'"
    default: scalar = Self.number(of: name).flatMap { Unicode.Scalar($0) }
    }
    guard let scalar else { throw error("&\(name); is not a known character") }
    text.append(contentsOf: String(scalar).utf8)
    position = end
  }

  /// Returns the name and the end of the reference at `start`.
  private mutating func reference(at start: Int) throws(XMLError) -> (name: String, end: Int) {
    let limit = min(image.count, start + 12)
    guard start < limit, image[start] == UInt8(ascii: "&"),
      let end = (start..<limit).first(where: { image[$0] == UInt8(ascii: ";") })
    else { throw error("an & does not begin a reference") }
    return (try string(image.bytes(in: (start + 1)..<end), at: start), end + 1)
  }

  /// Returns the code point in a numeric reference called `name`, or `nil` if it is not numeric.
  private static func number(of name: String) -> UInt32? {
    name.hasPrefix("#x")
      ? UInt32(digits: name.dropFirst(2), radix: 16)
      : name.hasPrefix("#") ? UInt32(digits: name.dropFirst(), radix: 10) : nil
  }

  /// Returns both halves of a surrogate pair, and the end of the second reference.
  ///
  /// The reference called `name`, which ends at `end`, is the first half. XML forbids such
  /// references, but Android reads them.
  private mutating func halves(_ name: String, _ end: Int) -> (units: [UInt16], end: Int)? {
    guard let high = Self.number(of: name).flatMap({ UInt16(exactly: $0) }),
      UTF16.isLeadSurrogate(high), let next = try? reference(at: end),
      let low = Self.number(of: next.name).flatMap({ UInt16(exactly: $0) }),
      UTF16.isTrailSurrogate(low)
    else { return nil }
    return ([high, low], next.end)
  }

  // MARK: Bytes

  @discardableResult
  private mutating func skipWhitespace() -> Bool {
    let start = position
    while position < image.count {
      switch image[position] {
      case 0x20, 0x09, 0x0a, 0x0d:
        position += 1
        continue
      default: break
      }
      break
    }
    return position > start
  }

  private func starts(with bytes: [UInt8]) -> Bool {
    guard bytes.count <= image.count - position else { return false }
    return bytes.indices.allSatisfy { image[position + $0] == bytes[$0] }
  }

  private mutating func take(_ bytes: [UInt8]) -> Bool {
    guard starts(with: bytes) else { return false }
    position += bytes.count
    return true
  }

  private mutating func take(_ text: String) -> Bool { take(Array(text.utf8)) }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard position < image.count, image[position] == byte else { return false }
    position += 1
    return true
  }

  /// Skips past the next `mark`, and returns the range before it.
  private mutating func skip(past mark: String, _ what: String) throws(XMLError) -> Range<Int> {
    let start = position
    let bytes = Array(mark.utf8)
    while position < image.count {
      if image[position] == bytes[0], take(bytes) { return start..<(position - bytes.count) }
      position += 1
    }
    throw error(at: start, "the document ends inside \(what)")
  }

  private func lines(_ bytes: [UInt8]) -> [UInt8] {
    guard dialect.normalizesLineEnds, bytes.contains(0x0d) else { return bytes }
    var text: [UInt8] = []
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0a, index > 0, bytes[index - 1] == 0x0d { continue }
      text.append(byte == 0x0d ? 0x0a : byte)
    }
    return text
  }

  private mutating func string(in range: Range<Int>) throws(XMLError) -> String {
    if let text = image.storageSpan.extracting(range).text { return text }
    return try string(image.bytes(in: range), at: range.lowerBound)
  }

  private mutating func string(_ bytes: [UInt8], at start: Int) throws(XMLError) -> String {
    guard let text = String(utf8: bytes) else {
      guard !dialect.repairsText else {
        repairedOffset = repairedOffset ?? start
        return String(decoding: bytes, as: UTF8.self)
      }
      throw error(at: start, "the text is not UTF-8")
    }
    return text
  }

  private func error(_ message: String) -> XMLError { error(at: position, message) }

  /// Returns an error at `start`, a position in the document in UTF-8.
  private func error(at start: Int, _ message: String) -> XMLError {
    let line = line(at: start)
    return XMLError(
      offset: document.fileOffset(of: start),
      message: "\(message) (line \(line.number), column \(start - line.start + 1))")
  }

  /// Returns the line of `position`, counted from where the reader last went on.
  private func line(at position: Int) -> (position: Int, number: Int, start: Int) {
    var line = knownLine.position <= position ? knownLine : (position: 0, number: 1, start: 0)
    for index in line.position..<min(position, image.count) where image[index] == 0x0a {
      line.number += 1
      line.start = index + 1
    }
    line.position = position
    return line
  }
}

extension Span<UInt8> {
  /// The number of bytes of a text before the first one that may not stand for itself.
  fileprivate var plainCount: Int {
    var index = 0
    while index < count {
      switch self[index] {
      case UInt8(ascii: "<"), UInt8(ascii: "&"), 0x0d: return index
      default: index += 1
      }
    }
    return index
  }
}
