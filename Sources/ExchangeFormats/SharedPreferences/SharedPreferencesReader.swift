import KVBytes
import KVModel

/// Reads the elements of the map, one by one.
struct SharedPreferencesReader {
  /// The elements that Android reads; those that preferences have no getter for are not read here.
  private static let knownElements = [
    "null", "string", "int", "long", "float", "double", "boolean", "byte-array", "int-array",
    "long-array", "double-array", "string-array", "boolean-array", "map", "list", "set",
  ]
  /// The maximum number of nested elements.
  private static let maximumDepth = 64

  /// The entries read so far.
  private(set) var entries = LatestEntries()
  /// The findings so far.
  var findings = FindingList()
  /// The names of the entries in which EncryptedSharedPreferences keeps its wrapped keys.
  private static let keysets = [
    "__androidx_security_crypto_encrypted_prefs_key_keyset__",
    "__androidx_security_crypto_encrypted_prefs_value_keyset__",
  ]

  /// Where the first of them is.
  private var keyset: Range<Int>?
  /// Whether the outermost element is a map.
  private(set) var hasMap = false
  /// Whether `XmlUtils` throws an exception, so that Android has no entry of the file.
  private(set) var isRefused = false
  /// Whether a part of the entry that is being read is left out.
  private var leavesOut = false
  private let file: StoreFile
  /// The runs of zeros: Android writes none.
  private let zeros: ZeroRuns
  /// What became of the rest of the file where reading stopped in such a run.
  private var stops: [Range<Int>: String] = [:]
  private var input: XMLReader

  /// Creates a reader of `file`.
  init(_ file: StoreFile) {
    self.file = file
    zeros = ZeroRuns(in: file.image.storageSpan, file.image.range)
    input = XMLReader(
      file.image, .preferences, entriesIn: [SharedPreferencesFormat.root],
      maximumDepth: Self.maximumDepth)
  }

  private mutating func reportDoctype(declaring hasSubset: Bool) {
    add(
      SharedPreferencesFindings.doctype, hasSubset ? file.image.range : 0..<input.offset,
      hasSubset
        ? "the document has a DOCTYPE that declares entities; nothing is read"
        : "the document has a DOCTYPE, which preferences never have; Android ignores it",
      severity: hasSubset ? .damage : .warning)
  }

  /// Reads the file; after a syntax error, from the next entry on.
  mutating func readAll() {
    reportSpaces()
    defer { reportEncryption() }
    var isInMap = false
    while true {
      do throws(XMLError) {
        if !isInMap, try !findMap() { return }
        try readMap()
        hasMap = true
        reportTheRest()
        break
      } catch {
        isRefused = true
        entries.cautionLast()
        entries.keepAll()
        isInMap = true
        let next = input.resume(at: Self.starts)
        report(error, upTo: next)
        if next == nil { break }
      }
    }
    reportZeros()
  }

  /// The start tags of entries as Android writes them.
  private static let starts = XMLTags(
    ["string", "int", "long", "float", "boolean", "set"].map { "<\($0) name=" })

  /// Reads up to the start of the map, and returns whether there is one.
  private mutating func findMap() throws(XMLError) -> Bool {
    while let event = try input.next() {
      switch event {
      case .doctype(let hasSubset, _):
        reportDoctype(declaring: hasSubset)
        // A document type that declares entities can expand to gigabytes.
        if hasSubset { return false }
      case .start(let element):
        guard element.name == SharedPreferencesFormat.root else {
          throw XMLError(
            offset: element.offset,
            message:
              "the outermost element is <\(element.name)>, not <\(SharedPreferencesFormat.root)>")
        }
        hasMap = true
        return true
      case .end, .text: break
      }
    }
    return false
  }

  /// Reports `error`, after which the next entry that is read begins at `next`.
  private mutating func report(_ error: XMLError, upTo next: Int?) {
    let rest =
      "; "
      + (next.map { "reading goes on at \(Hexadecimal.text($0, digits: 2))" }
        ?? "the rest of the file is not read") + ". \(Self.consequence)"
    if let run = zeros.ranges.first(where: {
      ($0.lowerBound...$0.upperBound).contains(error.offset)
    }) {
      stops[run] = rest
      return
    }
    let start = min(error.offset, file.image.count)
    add(
      SharedPreferencesFindings.malformed, start..<max(start, next ?? file.image.count),
      error.message + rest)
  }

  /// Reports spaces before the XML declaration, with which a document must begin.
  private mutating func reportSpaces() {
    let spaces = file.image.bytes.prefix { $0 == 0x20 || (0x09...0x0d).contains($0) }
    guard !spaces.isEmpty, file.image.bytes.dropFirst(spaces.count).starts(with: "<?xml".utf8)
    else { return }
    isRefused = true
    add(
      SharedPreferencesFindings.malformed, 0..<spaces.count,
      "the XML declaration is not at the start of the file. \(Self.consequence)")
  }

  private static let consequence =
    "Android reads nothing from such a file, and the app starts with no preferences"

  /// Reports that names and values are encrypted, if they are.
  private mutating func reportEncryption() {
    guard let keyset else { return }
    let count = entries.all.count { !Self.keysets.contains($0.key.text ?? "") }
    add(
      SharedPreferencesFindings.encrypted, keyset,
      "\(count.grouped) \(count == 1 ? "entry is" : "entries are") encrypted by "
        + "EncryptedSharedPreferences, names and values both. The file has the keysets for them, but "
        + "encrypted with a key of the Android Keystore, which does not leave the device: the entries "
        + "cannot be read from this file")
  }

  /// Reports bytes after the end of the map, which Android does not read.
  private mutating func reportTheRest() {
    let rest = input.offset..<file.image.count
    let spaces: [UInt8] = [0x20, 0x09, 0x0a, 0x0d, 0]
    guard file.image.bytes(in: rest).contains(where: { !spaces.contains($0) }) else { return }
    unknown("what follows the map, \(rest.count.inBytes),", rest)
  }

  /// Reports the runs of zeros.
  private mutating func reportZeros() {
    if zeros.ranges == [file.image.range] {
      add(
        ZeroFindings.zeros, file.image.range,
        "only zeros: the contents of \(file.image.count.inBytes) never reached the disk. "
          + Self.consequence)
      return
    }
    for run in zeros.ranges {
      let entry = entries.all.first { $0.origin.extent?.range.overlaps(run) ?? false }
      let finding = ZeroRuns.finding(
        of: run, in: file, entry.map { "the entry \(Value.mentioned($0.key))" } ?? "the document")
      findings.add(stops[run].map(finding.adding) ?? finding)
    }
  }

  private mutating func readMap() throws(XMLError) {
    while true {
      let start = input.offset
      guard let event = try input.next() else { return }
      switch event {
      case .start(let element): try readEntry(element)
      case .end: return
      case .text(let text): passOver(text, from: start)
      case .doctype: break
      }
    }
  }

  /// Passes over `text` between elements, and reports it unless it is space.
  private mutating func passOver(_ text: String, from start: Int) {
    if text.isOnlySpace || text.allSatisfy(\.isWhitespace) { return }
    unknown("text", start..<input.offset)
  }

  private mutating func readEntry(_ element: XMLElementStart) throws(XMLError) {
    // The attributes of the element have been read already.
    defer { input.repairedOffset = nil }
    leavesOut = false
    guard let value = try readValue(element) else { return }
    reportAttributes(of: element)
    let range = element.offset..<input.offset
    guard let name = element["name"] else {
      // As SharedPreferencesImpl: its map may have the key null, which XmlUtils.writeValueXml leaves
      // out.
      add(
        SharedPreferencesFindings.nullKey, range,
        "<\(element.name)> has no name, as its key is null; it is not read", losesContent: true)
      return
    }
    let origin = EntryOrigin(
      .structure, cautions: isDoubtful(name, range) ? [.mayBeDamaged] : [], at: file.place(range))
    if keyset == nil, Self.keysets.contains(name) { keyset = range }
    var own = value
    if case .string(let text) = value, FlutterValue.isKey(name) {
      own = FlutterValue.value(of: text) ?? value
    }
    let entry = TypedEntry(key: Key(Array(name.utf8)), value: own, origin: origin)
    if let (earlier, isKept) = entries.add(entry) {
      add(
        SharedPreferencesFindings.duplicateKey, range,
        "\"\(name)\" already appeared at "
          + "\(Hexadecimal.text(earlier.origin.extent?.offset ?? 0, digits: 2)); "
          + "the \(isKept ? "first" : "last") one is used",
        losesContent: true)
    }
  }

  /// Returns the value of `element`, or `nil` after a finding.
  private mutating func readValue(_ element: XMLElementStart) throws(XMLError) -> Value? {
    switch element.name {
    case "string": return .string(try readText())
    case "byte-array": return try readBytes(element)
    case "set": return .set(try readTexts())
    case "null":
      try readNothing(element)
      return .null
    case "int": return try scalar(element) { Int32($0).map { .int32($0) } }
    case "long": return try scalar(element) { Int64($0).map { .int64($0) } }
    case "float": return try scalar(element) { JavaNumber.number($0).map { .float($0) } }
    case "double": return try scalar(element) { JavaNumber.number($0).map { .double($0) } }
    case "boolean": return try scalar(element, Self.bool)
    default:
      try skip()
      unknown(element, "<\(element.name)>")
      return nil
    }
  }

  /// Returns the bytes of `element`, or `nil` after a finding.
  ///
  /// As `XmlUtils.readThisByteArrayXml`, which throws an exception if there are more or fewer than the
  /// attribute says, but for an element without text.
  private mutating func readBytes(_ element: XMLElementStart) throws(XMLError) -> Value? {
    let text = try readText()
    guard let bytes = Hexadecimal.bytes(text) else {
      malformed(element, text)
      return nil
    }
    let count = element["num"].flatMap { Int32($0) }
    let isCounted = count.map { bytes.isEmpty || bytes.count == $0 } ?? false
    if !isCounted {
      isRefused = true
      leavesOut = true
      add(
        SharedPreferencesFindings.value, element.offset..<input.offset,
        "<byte-array name=\"\(element["name"] ?? "")\"> has \(bytes.count.inBytes), but says "
          + "num=\"\(element["num"]?.prefix(80) ?? "")\"")
    }
    return .bytes(bytes)
  }

  /// Returns whether the element at `range` called `name` shows signs of damage, and adds findings.
  private mutating func isDoubtful(_ name: String, _ range: Range<Int>) -> Bool {
    if let offset = input.repairedOffset {
      add(
        SharedPreferencesFindings.malformed, offset..<input.offset,
        "bytes of \"\(name)\" are not UTF-8; Android reads them as U+FFFD")
    }
    if zeros.touch(range) { return true }
    if let unclear = TrailingZeros.ofText(at: range, in: file.image.storageSpan) {
      findings.add(TrailingZeros.finding(of: unclear, in: file, "\"\(name)\""))
      return true
    }
    return leavesOut || input.repairedOffset != nil
  }

  /// Reports the attributes of `element`, which has been read, that preferences do not have.
  private mutating func reportAttributes(of element: XMLElementStart) {
    let own =
      switch element.name {
      case "string", "set", "null": ["name"]
      case "byte-array": ["name", "num"]
      default: ["name", "value"]
      }
    for attribute in element.attributes where !own.contains(attribute.name) {
      unknown(
        "\(attribute.name)=\"\(attribute.value.prefix(80))\" in <\(element.name)>",
        element.offset..<input.offset)
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
    try readNothing(element)
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
        isRefused = true
        unknown("<\(element.name)>", element.offset..<input.offset)
      case .end: return text
      case .doctype: break
      }
    }
    return text
  }

  /// Reads up to the end of `element`, which has no content.
  private mutating func readNothing(_ element: XMLElementStart) throws(XMLError) {
    guard try !readText().isEmpty else { return }
    isRefused = true
    unknown("text in <\(element.name)>", element.offset..<input.offset)
  }

  private mutating func readTexts() throws(XMLError) -> [String?] {
    var texts: [String] = []
    var hasNull = false
    while true {
      let start = input.offset
      guard let event = try input.next() else { return [] }
      switch event {
      case .start(let element) where element.name == "string":
        texts.append(try readText())
        reportAttributes(of: element)
      case .start(let element) where element.name == "null":
        hasNull = true
        try readNothing(element)
        reportAttributes(of: element)
      case .start(let element):
        try skip()
        unknown(element, "<\(element.name)> in a set")
      case .end: return Fitting.unique(texts) + (hasNull ? [nil] : [])
      case .text(let text): passOver(text, from: start)
      case .doctype: break
      }
    }
  }

  /// Skips the rest of the innermost element.
  private mutating func skip() throws(XMLError) {
    let depth = input.depth
    while input.depth >= depth, let event = try input.next() {
      if case .start(let element) = event, !Self.knownElements.contains(element.name) {
        isRefused = true
      }
    }
  }

  // MARK: Findings

  private mutating func malformed(_ element: XMLElementStart, _ text: String?) {
    // Before Android 12, other texts were false, and no error.
    isRefused = true
    let value = text.map { "\"\($0.prefix(80))\"" } ?? "nothing"
    add(
      SharedPreferencesFindings.value, element.offset..<input.offset,
      "<\(element.name) name=\"\(element["name"] ?? "")\"> has the value \(value); it is not read"
    )
  }

  /// Reports `element`, at which `XmlUtils` throws an exception unless it knows the name.
  private mutating func unknown(_ element: XMLElementStart, _ what: String) {
    if !Self.knownElements.contains(element.name) { isRefused = true }
    unknown(what, element.offset..<input.offset)
  }

  private mutating func unknown(_ what: String, _ range: Range<Int>) {
    leavesOut = true
    add(
      SharedPreferencesFindings.unknownElement, range,
      "\(what) is no part of preferences; it is ignored", losesContent: true)
  }

  private mutating func add(
    _ code: FindingCode, _ range: Range<Int>, _ message: String,
    severity: Finding.Severity? = nil, losesContent: Bool = false
  ) {
    findings.add(
      Finding(code, severity, at: Extent(file.role, range), message, losesContent: losesContent))
  }
}
