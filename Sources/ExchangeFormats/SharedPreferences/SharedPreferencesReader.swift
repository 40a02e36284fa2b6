import KVBytes
import KVModel

/// Reads the elements of the map, one by one.
struct SharedPreferencesReader {
  /// The maximum number of nested elements.
  private static let maximumDepth = 64

  /// The entries read so far.
  private(set) var entries = LatestEntries()
  /// The findings so far.
  var findings = FindingList()
  /// Whether the outermost element is a map.
  private(set) var hasMap = false
  private let file: StoreFile
  private var input: XMLReader

  /// Creates a reader of `file`.
  init(_ file: StoreFile) {
    self.file = file
    input = XMLReader(file.image, .preferences, maximumDepth: Self.maximumDepth)
  }

  /// Reads the file up to the first syntax error.
  mutating func readAll() {
    do throws(XMLError) {
      while let event = try input.next() {
        switch event {
        case .doctype(_, let hasSubset):
          guard hasSubset else {
            add(
              SharedPreferencesFindings.doctype, 0..<input.offset,
              "the document has a DOCTYPE, which preferences never have; Android ignores it",
              severity: .warning)
            continue
          }
          // A document type that declares entities can expand to gigabytes.
          add(
            SharedPreferencesFindings.doctype, file.image.range,
            "the document has a DOCTYPE that declares entities; nothing is read",
            severity: .damage)
          return
        case .start(let element):
          guard element.name == SharedPreferencesFormat.root else {
            add(
              SharedPreferencesFindings.malformed, element.offset..<input.offset,
              "the outermost element is <\(element.name)>, not <\(SharedPreferencesFormat.root)>")
            return
          }
          hasMap = true
          try readMap()
        case .end, .text: break
        }
      }
    } catch {
      add(
        SharedPreferencesFindings.malformed, min(error.offset, file.image.count)..<file.image.count,
        "\(error.message); the rest of the file is not read")
    }
  }

  private mutating func readMap() throws(XMLError) {
    while let event = try input.next() {
      switch event {
      case .start(let element): try readEntry(element)
      case .end: return
      case .text(let text):
        if !text.allSatisfy(\.isWhitespace) { unknown("text", input.offset..<input.offset) }
      case .doctype: break
      }
    }
  }

  private mutating func readEntry(_ element: XMLElementStart) throws(XMLError) {
    let value: Value?
    switch element.name {
    case "string": value = .string(try readText())
    case "byte-array":
      let text = try readText()
      value = Hexadecimal.bytes(text).map { .bytes($0) }
      if value == nil { malformed(element, text) }
    case "set": value = .set(try readTexts())
    case "null":
      value = .null
      _ = try readText()
    case "int": value = try scalar(element) { Int32($0).map { .int32($0) } }
    case "long": value = try scalar(element) { Int64($0).map { .int64($0) } }
    case "float": value = try scalar(element) { JavaNumber.number($0).map { .float($0) } }
    case "double": value = try scalar(element) { JavaNumber.number($0).map { .double($0) } }
    case "boolean": value = try scalar(element, Self.bool)
    default:
      try skip()
      unknown("<\(element.name)>", element.offset..<input.offset)
      return
    }
    guard let value else { return }
    let range = element.offset..<input.offset
    guard let name = element["name"] else {
      add(SharedPreferencesFindings.value, range, "<\(element.name)> has no name; it is not read")
      return
    }
    let origin = EntryOrigin(.structure, at: file.place(range))
    let entry = TypedEntry(key: Key(Array(name.utf8)), value: value, origin: origin)
    if let earlier = entries.add(entry) {
      add(
        SharedPreferencesFindings.duplicateKey, range,
        "\"\(name)\" already appeared at "
          + "\(Hexadecimal.text(earlier.origin.extent?.offset ?? 0, digits: 2)); the last one is used",
        losesContent: true)
    }
  }

  private static func bool(_ text: String) -> Value? {
    switch text.lowercased() {
    case "true": .bool(true)
    case "false": .bool(false)
    default: nil
    }
  }

  private mutating func scalar(
    _ element: XMLElementStart, _ parse: (String) -> Value?
  ) throws(XMLError) -> Value? {
    _ = try readText()
    let value = element["value"].flatMap(parse)
    if value == nil { malformed(element, element["value"]) }
    return value
  }

  /// Returns the text up to the end of the element, and skips the elements in it.
  private mutating func readText() throws(XMLError) -> String {
    var text = ""
    while let event = try input.next() {
      switch event {
      case .text(let piece): text += piece
      case .start(let element):
        try skip()
        unknown("<\(element.name)>", element.offset..<input.offset)
      case .end: return text
      case .doctype: break
      }
    }
    return text
  }

  private mutating func readTexts() throws(XMLError) -> [String?] {
    var texts: [String] = []
    var hasNull = false
    while let event = try input.next() {
      switch event {
      case .start(let element) where element.name == "string": texts.append(try readText())
      case .start(let element) where element.name == "null":
        hasNull = true
        _ = try readText()
      case .start(let element):
        try skip()
        unknown("<\(element.name)> in a set", element.offset..<input.offset)
      case .end: return Fitting.unique(texts) + (hasNull ? [nil] : [])
      case .text, .doctype: break
      }
    }
    return []
  }

  /// Skips the rest of the innermost element.
  private mutating func skip() throws(XMLError) {
    let depth = input.depth
    while input.depth >= depth, try input.next() != nil {}
  }

  // MARK: Findings

  private mutating func malformed(_ element: XMLElementStart, _ text: String?) {
    let value = text.map { "\"\($0.prefix(80))\"" } ?? "nothing"
    add(
      SharedPreferencesFindings.value, element.offset..<input.offset,
      "<\(element.name) name=\"\(element["name"] ?? "")\"> has the value \(value); it is not read"
    )
  }

  private mutating func unknown(_ what: String, _ range: Range<Int>) {
    add(
      SharedPreferencesFindings.unknownElement, range,
      "\(what) is not a preferences entry; it is ignored", losesContent: true)
  }

  private mutating func add(
    _ code: FindingCode, _ range: Range<Int>, _ message: String,
    severity: Finding.Severity? = nil, losesContent: Bool = false
  ) {
    findings.add(
      Finding(code, severity, at: Extent(file.role, range), message, losesContent: losesContent))
  }
}
