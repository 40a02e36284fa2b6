import KVBytes
import KVModel

/// Reads the outermost dictionary, entry by entry.
struct PropertyListReader {
  static let magic = Array("bplist".utf8)
  /// CoreFoundation reads each version that begins with 0, and writes `00`.
  static let version = Array("bplist0".utf8)

  /// The findings so far.
  private(set) var findings = FindingList()
  /// Whether CoreFoundation cannot parse the file; it ignores what follows a list in XML.
  private(set) var isRefused = false
  /// Whether the file is a property list with a dictionary.
  private(set) var hasDictionary = false
  private var latest = LatestEntries()
  private let file: StoreFile
  /// The bytes that may be damaged; of a list in XML.
  private var damage: [Range<Int>] = []

  /// Creates a reader of `file`.
  init(_ file: StoreFile) { self.file = file }

  private var isBinary: Bool { file.image.bytes.starts(with: Self.magic) }

  /// The entries read so far, in the order of the file.
  ///
  /// Entries in damaged bytes have a caution, and so has the last one before them.
  var entries: [TypedEntry] {
    guard !damage.isEmpty else { return latest.all }
    let entries = latest.all
    let damage = ByteRanges(damage)
    var isDoubtful = Set(
      entries.indices.filter {
        entries[$0].origin.extent.map { damage.touch($0.range) } ?? false
      })
    for range in damage.all {
      let last = entries.lastIndex { ($0.origin.extent?.end ?? 0) <= range.lowerBound }
      if let last { isDoubtful.insert(last) }
    }
    return entries.enumerated().map { index, entry in
      isDoubtful.contains(index) ? entry.doubted : entry
    }
  }

  /// Reads the whole file.
  mutating func readAll() {
    let image = file.image
    if image.count == 0 {
      malformed(image.range, "the file is empty: it has 0 bytes")
    } else if image.isZero(in: image.range) {
      findings.add(ZeroRuns.finding(of: image.range, in: file, "the file, which has nothing else"))
    } else if isBinary {
      readBinary()
      isRefused = !BinaryListCheck.isRead(image.storageSpan)
    } else {
      readXML()
    }
    if !isBinary { isRefused = isRefused || !hasDictionary }
  }

  // MARK: Binary

  private mutating func readBinary() {
    guard file.image.bytes.starts(with: Self.version) else {
      malformed(file.image.range, "it is a binary property list of a version other than 00")
      return
    }
    guard let objects = BinaryObjects(file.image) else {
      malformed(
        file.image.range,
        "no trailer describes a table within the file, and no dictionary is found without one")
      return
    }
    for fault in objects.faults { malformed(fault.range, fault.message) }
    var reader = BinaryValueReader(objects, in: file.image)
    var zeros = objects.zeros.all
    do throws(PropertyListError) {
      guard let members = try reader.topMembers() else {
        notDictionary(reader.range(of: objects.list.topObject) ?? file.image.range)
        return
      }
      hasDictionary = true
      let isUnverified =
        objects.isUnverified
        || (reader.range(of: objects.list.topObject).map { objects.damage.touch($0) } ?? false)
      for member in members {
        try read(member, &reader, isUnverified: isUnverified, &zeros)
      }
    } catch {
      malformed(error.range, error.message)
    }
    for run in zeros {
      findings.add(ZeroRuns.finding(of: run, in: file, "the objects of the list"))
    }
  }

  /// Reads an entry, and removes the zeros in its bytes from `zeros`, with a finding.
  ///
  /// - Throws: An error if reading cannot continue.
  private mutating func read(
    _ member: (key: Int, value: Int), _ reader: inout BinaryValueReader, isUnverified: Bool,
    _ zeros: inout [Range<Int>]
  ) throws(PropertyListError) {
    var name = "a key"
    reader.notes = ValueNotes()
    reader.notes.isDamaged = isUnverified
    do throws(PropertyListError) {
      let key = try reader.text(member.key)
      name = "the value of \(Value.mentioned(key))"
      let value = try reader.value(member.value)
      add(key, value, reader.range(of: member.value), reader.notes)
    } catch {
      if error.isFinal { throw error }
      damaged(error.range, name, error.message)
    }
    zeros.removeAll { run in
      guard reader.notes.damaged.contains(where: { ByteRanges([run]).touch($0) }) else {
        return false
      }
      findings.add(ZeroRuns.finding(of: run, in: file, name))
      return true
    }
  }

  // MARK: XML

  private mutating func readXML() {
    let image = file.image
    let zeros = ZeroRuns(in: image.storageSpan, image.range)
    var reader = XMLValueReader(image)
    if reader.lacksMark {
      malformed(
        0..<min(4, image.count),
        "it is in UTF-16 or UTF-32 without a byte order mark, which Apple's reader does not read")
    }
    if let range = reader.undecoded {
      malformed(
        range, "bytes are not characters of the encoding; Apple's reader refuses such a file")
    }
    readDocument(&reader, zeros)
    for text in reader.strayTexts where !zeros.touch(text) {
      damage.append(text)
      malformed(text, "there is text where only elements can be; it is not read")
    }
    for run in zeros.ranges {
      damage.append(run)
      findings.add(ZeroRuns.finding(of: run, in: file, "the document"))
    }
  }

  /// Reads all of the document; after an error, from the next entry on.
  private mutating func readDocument(_ reader: inout XMLValueReader, _ zeros: ZeroRuns) {
    var (hasEnded, isInList, isBare) = (false, false, false)
    while true {
      do throws(XMLError) {
        if !isInList, try !begin(&reader, &isBare) { return }
        try readMembers(&reader, zeros)
        hasDictionary = true
        hasEnded = isBare
        try readRest(&reader, &hasEnded)
        break
      } catch {
        isInList = true
        let start = min(error.offset, file.image.count)
        let next = hasEnded ? nil : reader.resume()
        // An entry with the next one in it lacks its end.
        if let next { latest.removeLast(containing: next) }
        latest.keepAll()
        let rest = start..<max(start, next ?? file.image.count)
        // Behind the end of the list, nothing was a part of an entry.
        if !hasEnded { damage.append(rest) }
        malformed(
          rest,
          "\(error.message); "
            + (next.map { "reading goes on at \(Hexadecimal.text($0, digits: 2))" }
              ?? "the rest of the file is not read"),
          isRefused: !hasEnded)
        if next == nil { break }
      }
    }
  }

  /// Reads the entries up to the end of the dictionary.
  private mutating func readMembers(
    _ reader: inout XMLValueReader, _ zeros: ZeroRuns
  ) throws(XMLError) {
    var isInSync = true
    let strayCount = reader.strayTexts.count
    while let member = try reader.nextMember() {
      isInSync = isInSync && !member.losesSync && reader.strayTexts.count == strayCount
      if let damage = member.damage {
        damaged(
          damage.range, "the value of \(Value.mentioned(member.key ?? ""))", damage.message)
      } else if let key = member.key, let value = member.value {
        var notes = ValueNotes(repetitions: member.repetitions)
        notes.oddities = member.oddities
        notes.isDamaged = !isInSync || zeros.touch(member.start..<member.range.upperBound)
        add(key, value, member.range, notes)
      }
    }
  }

  /// Reads the rest of the document after the outermost value.
  ///
  /// The rest must be XML too, and must not contain another value.
  ///
  /// `hasEnded` becomes `true` at the end of the outermost element.
  private mutating func readRest(
    _ reader: inout XMLValueReader, _ hasEnded: inout Bool
  ) throws(XMLError) {
    var surplus: Int?
    while let event = try reader.nextElement() {
      if case .end = event, surplus == nil { hasEnded = true }
      guard case .start(let element) = event else { continue }
      surplus = surplus ?? element.offset
      try reader.skip()
    }
    guard let surplus else { return }
    malformed(
      surplus..<file.image.count,
      "another value follows the outermost dictionary; it is not read", isRefused: !hasEnded)
  }

  /// Reads up to the start of the outermost dictionary, and returns whether there is one.
  ///
  /// The dictionary `isBare` if it is itself the outermost element, as CoreFoundation allows.
  private mutating func begin(
    _ reader: inout XMLValueReader, _ isBare: inout Bool
  ) throws(XMLError) -> Bool {
    var isList = false
    while let event = try reader.nextElement() {
      switch event {
      case .doctype(let hasSubset, let isRefused):
        guard !hasSubset else {
          reportEntities()
          return false
        }
        if isRefused { malformed(0..<reader.offset, "the document type is damaged") }
      case .start(let element) where isList && element.name == "key":
        throw XMLError(offset: element.offset, message: "there is a key outside of a dictionary")
      case .start(let element) where isList || element.name == "dict":
        isBare = !isList
        hasDictionary = element.name == "dict"
        if !hasDictionary { notDictionary(element.offset..<reader.offset) }
        return hasDictionary
      case .start(let element):
        guard element.name == "plist" else {
          throw XMLError(
            offset: element.offset,
            message: "the outermost element is <\(element.name)>, not <plist>")
        }
        isList = true
      case .end:
        malformed(file.image.range, "the list has no value")
        return false
      case .text: break
      }
    }
    return false
  }

  // MARK: Findings

  /// As CoreFoundation: a document type is skipped unless it can declare something, which can expand
  /// to gigabytes.
  private mutating func reportEntities() {
    isRefused = true
    findings.add(
      Finding(
        PropertyListFindings.doctype, at: Extent(file.role, file.image.range),
        "the document type can declare entities; nothing is read"))
  }

  private mutating func add(
    _ key: String, _ value: Value, _ range: Range<Int>?, _ notes: ValueNotes
  ) {
    for repetition in notes.repetitions {
      findings.add(
        Finding(
          PropertyListFindings.duplicateKey, at: Extent(file.role, repetition.range),
          "a dictionary in the value of \(Value.mentioned(key)) has the name "
            + "\(Value.mentioned(repetition.name)) more than once; the "
            + "\(isBinary ? "first" : "last") one is used",
          losesContent: true))
    }
    for half in notes.halves {
      findings.add(
        Finding(
          PropertyListFindings.halfSurrogate, at: Extent(file.role, half),
          "a text in the entry \(Value.mentioned(key)) contains half of a surrogate pair, which is "
            + "shown as U+FFFD", losesContent: true))
    }
    for oddity in notes.oddities { report(oddity, key) }
    let place = range.map { file.place($0) }
    let isDoubtful = notes.isDamaged || !notes.halves.isEmpty || !notes.oddities.isEmpty
    let entry = TypedEntry(
      key: Key(Array(key.utf8)), value: value,
      origin: EntryOrigin(.structure, cautions: isDoubtful ? [.mayBeDamaged] : [], at: place))
    // As for CoreFoundation, the first one counts in a binary list.
    if isBinary { latest.keepAll() }
    guard let isKept = latest.add(entry)?.isKept else { return }
    findings.add(
      Finding(
        PropertyListFindings.duplicateKey, at: place?.extent,
        "\(Value.mentioned(key)) appears twice; the \(isKept ? "first" : "last") one is used",
        losesContent: true))
  }

  private mutating func report(_ oddity: PropertyListOddity, _ key: String) {
    isRefused = isRefused || oddity.isRefused
    findings.add(
      Finding(
        PropertyListFindings.oddValue, at: Extent(file.role, oddity.range),
        "in the value of \(Value.mentioned(key)), \(oddity.message); Apple's reader "
          + (oddity.isRefused ? "refuses such a file" : "reads it in this way too")))
  }

  private mutating func damaged(_ range: Range<Int>, _ what: String, _ message: String) {
    isRefused = true
    findings.add(
      Finding(
        PropertyListFindings.damagedValue, at: Extent(file.role, range),
        "\(what) cannot be read, at \(Hexadecimal.text(range.lowerBound, digits: 2)): \(message)"))
  }

  private mutating func malformed(
    _ range: Range<Int>, _ message: String, isRefused: Bool = true
  ) {
    self.isRefused = self.isRefused || isRefused
    findings.add(Finding(PropertyListFindings.malformed, at: Extent(file.role, range), message))
  }

  private mutating func notDictionary(_ range: Range<Int>) {
    findings.add(
      Finding(
        PropertyListFindings.notDictionary, at: Extent(file.role, range),
        "the outermost value is not a dictionary, so there are no entries"))
  }
}
