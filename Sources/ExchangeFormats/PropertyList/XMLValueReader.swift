import KVBytes
import KVModel

/// Makes values from the elements of an XML property list.
struct XMLValueReader {
  /// An entry of the outermost dictionary, and the damage to it.
  struct Member {
    /// The key, or `nil` if it is missing.
    let key: String?
    /// The value, or `nil` if it is missing or damaged.
    let value: Value?
    /// The bytes of the value's element.
    let range: Range<Int>
    /// The offset of the key's element, or of the value's if the key is missing.
    let start: Int
    /// The damage to the entry, or `nil` if there is none.
    let damage: PropertyListError?
    /// What no writer writes in this way, although it can be read.
    var oddities: [PropertyListOddity] = []
    /// Whether a key or a value is missing: what follows may be part of a container whose tag is
    /// lost.
    let losesSync: Bool
    /// The names that dictionaries within the value repeat.
    var repetitions: [DictionaryMembers.Repetition] = []
  }

  private var input: XMLReader
  /// The first damage to the current entry.
  private var damage: PropertyListError?
  private var oddities: [PropertyListOddity] = []
  private var repetitions: [DictionaryMembers.Repetition] = []
  /// The text where only elements can be.
  private(set) var strayTexts: [Range<Int>] = []
  /// The key of the next entry, if it was found in place of a value.
  private var nextKey: (text: String, start: Int)?
  /// Whether the end of the outermost dictionary was read.
  private var isOver = false

  /// Creates a reader of `image`.
  init(_ image: FileImage) {
    // The limit leaves room for the list, its dictionary, and a value in the innermost container.
    input = XMLReader(
      image, .propertyList, entriesIn: ["plist", "dict"], maximumDepth: Value.maximumDepth + 8)
  }

  /// Whether the document lacks the byte order mark that it needs.
  var lacksMark: Bool { input.lacksMark }

  /// The first bytes that are no character of the document's encoding.
  var undecoded: Range<Int>? { input.undecoded }

  /// The offset of the next byte.
  var offset: Int { input.offset }

  /// Goes on after an error with the next entry of the outermost dictionary, and returns where it
  /// begins; `nil` if there is none.
  mutating func resume() -> Int? {
    (nextKey, isOver) = (nil, false)
    return input.resume(at: tags)
  }

  /// The start tags of the keys of the outermost dictionary.
  private lazy var tags = XMLTags(leastIndented: "<key>", in: input.image)

  /// Returns the next entry of the dictionary whose start was read last, or `nil` at its end.
  mutating func nextMember() throws(XMLError) -> Member? {
    if isOver { return nil }
    damage = nil
    oddities = []
    repetitions = []
    var key = nextKey
    nextKey = nil
    while let event = try nextElement() {
      switch event {
      case .start(let element) where element.name == "key":
        let text = try self.text(element)
        guard let earlier = key else {
          key = (text, element.offset)
          continue
        }
        note(element, "another key follows instead of a value")
        nextKey = (text, element.offset)
        return Member(
          key: earlier.text, value: nil, range: element.offset..<input.offset,
          start: earlier.start, damage: damage, losesSync: true)
      case .start(let element):
        if key == nil { note(element, "the value has no key") }
        let value = try self.value(element, depth: 1)
        return Member(
          key: key?.text, value: value, range: element.offset..<input.offset,
          start: key?.start ?? element.offset, damage: damage, oddities: oddities,
          losesSync: key == nil, repetitions: repetitions)
      case .end:
        // Another call must not read past the dictionary.
        isOver = true
        guard let key else { return nil }
        let end = input.offset..<input.offset
        return Member(
          key: key.text, value: nil, range: end, start: key.start,
          damage: PropertyListError(end, "it has no value"), losesSync: true)
      case .text, .doctype: break
      }
    }
    return nil
  }

  /// Returns the next piece of the document, where only elements can be.
  mutating func nextElement() throws(XMLError) -> XMLEvent? {
    let start = input.offset
    input.passed = []
    let event = try input.next()
    // Not even a space may be a reference.
    if case .text(let text) = event, !text.isOnlySpace || input.passed.contains(.references) {
      strayTexts.append(start..<input.offset)
    }
    return event
  }

  // MARK: Values

  private mutating func value(
    _ element: XMLElementStart, depth: Int
  ) throws(XMLError) -> Value? {
    switch element.name {
    case "true": return try empty(element, .bool(true))
    case "false": return try empty(element, .bool(false))
    case "string": return .string(try text(element))
    case "integer": return try scalar(element, isRaw: true) { PropertyListNumber.integer($0) }
    case "real": return try scalar(element, isRaw: false) { PropertyListNumber.real($0) }
    case "date":
      return try scalar(element, isRaw: true) { text in
        PropertyListDate.seconds(text).map {
          PropertyListScalar(.date($0.value), $0.exists ? nil : "there is no such date")
        }
      }
    case "data": return try scalar(element, isRaw: true) { PropertyListData.bytes($0) }
    case "array", "dict":
      guard depth <= Value.maximumDepth else {
        try skip()
        note(element, "containers are nested more than \(Value.maximumDepth) deep")
        return nil
      }
      return element.name == "array"
        ? try array(depth: depth) : try dictionary(element, depth: depth)
    default:
      try skip()
      note(element, "<\(element.name)> is not a value")
      return nil
    }
  }

  private mutating func empty(
    _ element: XMLElementStart, _ value: Value
  ) throws(XMLError) -> Value? {
    if try !text(element).isEmpty || !input.passed.isEmpty {
      note(odd: element, "there is something in <\(element.name)>", isRefused: true)
    }
    return value
  }

  /// Returns the value in the text of `element`.
  ///
  /// It `isRaw` if CoreFoundation reads neither references nor CDATA sections in it. Where it refuses
  /// a text, neither those nor spaces at its ends nor another form of number hide the value.
  private mutating func scalar(
    _ element: XMLElementStart, isRaw: Bool, _ parse: (String) -> PropertyListScalar?
  ) throws(XMLError) -> Value? {
    // What is no digit of Base64 is passed over.
    input.keepsReferences = element.name == "data"
    defer { input.keepsReferences = false }
    let text = try self.text(element)
    let scalar = PropertyListScalar.scalar(in: text, parse)
    let value = scalar?.value
    if value == nil { note(element, "<\(element.name)> has \"\(text.prefix(80))\"") }
    if element.isEmpty {
      note(odd: element, "<\(element.name)/> has no text", isRefused: true)
    } else if let oddity = scalar?.oddity {
      note(
        odd: element, "<\(element.name)> has \"\(text.prefix(80))\": \(oddity)",
        isRefused: scalar?.isRefused ?? false)
    }
    if isRaw, input.passed.contains(.references) {
      note(odd: element, "<\(element.name)> has a reference or CDATA", isRefused: true)
    }
    return value
  }

  private mutating func array(depth: Int) throws(XMLError) -> Value? {
    var values: [Value] = []
    while let event = try nextElement() {
      switch event {
      case .start(let element):
        if let value = try value(element, depth: depth + 1) { values.append(value) }
      case .end: return .array(values)
      case .text, .doctype: break
      }
    }
    return nil
  }

  private mutating func dictionary(
    _ dictionary: XMLElementStart, depth: Int
  ) throws(XMLError) -> Value? {
    var members = DictionaryMembers(keepingFirst: false)
    defer { repetitions += members.repetitions }
    var key: String?
    while let event = try nextElement() {
      switch event {
      case .start(let element) where element.name == "key":
        if key != nil { note(element, "a key follows a key: the first has no value") }
        key = try text(element)
      case .start(let element):
        let value = try self.value(element, depth: depth + 1)
        if key == nil { note(element, "the value has no key") }
        if let key, let value {
          members.add(key, value, at: element.offset..<input.offset)
        }
        key = nil
      case .end:
        if key != nil { note(dictionary, "the last key has no value") }
        return members.value.archiveReferenceInXML.map { .archiveReference($0) } ?? members.value
      case .text, .doctype: break
      }
    }
    return nil
  }

  /// Returns the text up to the end of the element.
  private mutating func text(_ outer: XMLElementStart) throws(XMLError) -> String {
    var text = ""
    input.passed = []
    defer {
      if input.passed.contains(.comments) {
        note(odd: outer, "there is a comment in <\(outer.name)>", isRefused: true)
      }
      if input.passed.contains(.halves) {
        note(odd: outer, "a character is two references to halves of it", isRefused: true)
      }
    }
    while let event = try input.next() {
      switch event {
      case .text(let piece): text += piece
      case .start(let element):
        try skip()
        note(element, "there is a <\(element.name)> in <\(outer.name)>")
      case .end: return text
      case .doctype: break
      }
    }
    return text
  }

  /// Skips the rest of the innermost element.
  mutating func skip() throws(XMLError) {
    let depth = input.depth
    while input.depth >= depth, try input.next() != nil {}
  }

  private mutating func note(odd element: XMLElementStart, _ message: String, isRefused: Bool) {
    oddities.add(
      PropertyListOddity(
        range: element.offset..<max(element.offset, input.offset), message: message,
        isRefused: isRefused))
  }

  private mutating func note(_ element: XMLElementStart, _ message: String) {
    guard damage == nil else { return }
    damage = PropertyListError(element.offset..<max(element.offset, input.offset), message)
  }
}
