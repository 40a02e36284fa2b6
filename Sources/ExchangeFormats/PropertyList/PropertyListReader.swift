import KVBytes
import KVModel

/// Reads the outermost dictionary, entry by entry.
struct PropertyListReader {
  private static let magic = Array("bplist".utf8)
  private static let version = Array("bplist00".utf8)

  /// The entries read so far.
  private(set) var entries = LatestEntries()
  /// The findings so far.
  private(set) var findings = FindingList()
  /// Whether the file is a property list with a dictionary.
  private(set) var hasDictionary = false
  private let file: StoreFile

  /// Creates a reader of `file`.
  init(_ file: StoreFile) { self.file = file }

  /// Reads the whole file.
  mutating func readAll() {
    if file.image.bytes.starts(with: Self.magic) {
      readBinary()
    } else {
      readXML()
    }
  }

  // MARK: Binary

  private mutating func readBinary() {
    guard file.image.bytes.starts(with: Self.version) else {
      malformed(file.image.range, "it is a binary property list of a version other than 00")
      return
    }
    guard let list = BinaryPropertyList(file.image.storageSpan) else {
      let trailer = max(0, file.image.count - 32)..<file.image.count
      malformed(trailer, "the trailer does not describe a table within the file")
      return
    }
    var reader = BinaryValueReader(list, in: file.image)
    do throws(PropertyListError) {
      guard let members = try reader.topMembers() else {
        notDictionary(reader.range(of: list.topObject) ?? file.image.range)
        return
      }
      hasDictionary = true
      for member in members {
        try read(member, &reader)
      }
    } catch {
      malformed(error.range, error.message)
    }
  }

  /// Reads an entry.
  ///
  /// - Throws: An error if reading cannot continue.
  private mutating func read(
    _ member: (key: Int, value: Int), _ reader: inout BinaryValueReader
  ) throws(PropertyListError) {
    var name = "a key"
    do throws(PropertyListError) {
      let key = try reader.text(member.key)
      name = "the value of \"\(key)\""
      reader.repetitions = []
      let value = try reader.value(member.value)
      add(key, value, reader.range(of: member.value), reader.repetitions)
    } catch {
      if error.isFinal { throw error }
      damaged(error.range, name, error.message)
    }
  }

  // MARK: XML

  private mutating func readXML() {
    var reader = XMLValueReader(file.image)
    do throws(XMLError) {
      guard let start = try begin(&reader) else { return }
      guard start.name == "dict" else {
        notDictionary(start.offset..<reader.offset)
        return
      }
      hasDictionary = true
      while let member = try reader.nextMember() {
        if let damage = member.damage {
          damaged(damage.range, "the value of \"\(member.key ?? "")\"", damage.message)
        } else if let key = member.key, let value = member.value {
          add(key, value, member.range, member.repetitions)
        }
      }
      try readRest(&reader)
    } catch {
      malformed(
        min(error.offset, file.image.count)..<file.image.count,
        "\(error.message); the rest of the file is not read")
    }
  }

  /// Reads the rest of the document after the outermost value.
  ///
  /// The rest must be XML too, and must not contain another value.
  private mutating func readRest(_ reader: inout XMLValueReader) throws(XMLError) {
    var surplus: Int?
    while let event = try reader.next() {
      if case .start(let element) = event, surplus == nil { surplus = element.offset }
    }
    guard let surplus else { return }
    malformed(
      surplus..<file.image.count,
      "another value follows the outermost dictionary; it is not read")
  }

  /// Returns the start of the outermost value, or `nil` if there is none, with a finding.
  private mutating func begin(
    _ reader: inout XMLValueReader
  ) throws(XMLError) -> XMLElementStart? {
    var isList = false
    while let event = try reader.next() {
      switch event {
      case .doctype(let text, let hasSubset):
        // Apple's document type declares nothing in the file. A document type that does can expand
        // to gigabytes.
        guard !hasSubset, Self.isApples(text)
        else {
          findings.add(
            Finding(
              PropertyListFindings.doctype, at: Extent(file.role, file.image.range),
              "the document type is not that of a property list; nothing is read"))
          return nil
        }
      case .start(let element) where isList: return element
      case .start(let element):
        guard element.name == "plist" else {
          malformed(
            element.offset..<reader.offset,
            "the outermost element is <\(element.name)>, not <plist>")
          return nil
        }
        isList = true
      case .end:
        malformed(file.image.range, "the list has no value")
        return nil
      case .text: break
      }
    }
    return nil
  }

  /// Returns whether a document type names `plist` and one of Apple's public identifiers.
  private static func isApples(_ text: String) -> Bool {
    let words = text.split(whereSeparator: \.isWhitespace)
    return words.count > 2 && words[0] == "plist" && words[1] == "PUBLIC"
      && words[2].dropFirst().hasPrefix("-//Apple")
  }

  // MARK: Findings

  private mutating func add(
    _ key: String, _ value: Value, _ range: Range<Int>?,
    _ repetitions: [DictionaryMembers.Repetition]
  ) {
    for repetition in repetitions {
      findings.add(
        Finding(
          PropertyListFindings.duplicateKey, at: Extent(file.role, repetition.range),
          "a dictionary in the value of \(Value.mentioned(key)) has the name "
            + "\(Value.mentioned(repetition.name)) more than once; the last one is used",
          losesContent: true))
    }
    let place = range.map { file.place($0) }
    let entry = TypedEntry(
      key: Key(Array(key.utf8)), value: value, origin: EntryOrigin(.structure, at: place))
    guard entries.add(entry) != nil else { return }
    findings.add(
      Finding(
        PropertyListFindings.duplicateKey, at: place?.extent,
        "\(Value.mentioned(key)) appears twice; the last one is used", losesContent: true))
  }

  private mutating func damaged(_ range: Range<Int>, _ what: String, _ message: String) {
    findings.add(
      Finding(
        PropertyListFindings.damagedValue, at: Extent(file.role, range),
        "\(what) cannot be read, at \(Hexadecimal.text(range.lowerBound, digits: 2)): \(message)"))
  }

  private mutating func malformed(_ range: Range<Int>, _ message: String) {
    findings.add(Finding(PropertyListFindings.malformed, at: Extent(file.role, range), message))
  }

  private mutating func notDictionary(_ range: Range<Int>) {
    findings.add(
      Finding(
        PropertyListFindings.notDictionary, at: Extent(file.role, range),
        "the outermost value is not a dictionary, so there are no entries"))
  }
}
