import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// Reads the files that a crash left of a format without a log, and compares what is found with what
/// may be found, and the prediction with what the library would load.
struct TableJudge: StateJudge {
  let settings: StoreSettings
  private let format: TableFormat
  private let reader: any EntryReader
  /// What the library loads from each file that was written completely.
  private var known: [[UInt8]: [Key: Part]] = [:]
  /// The keys by the names of the files with their values.
  private var keys: [ByteText: Key] = [:]

  /// What identifies a value.
  private struct Part {
    let identity: [UInt8]
    /// The name of the file that holds ``identity``; `nil` for the main one.
    let file: String?
  }

  init(_ settings: StoreSettings, _ format: TableFormat, reader: any EntryReader) {
    self.settings = settings
    self.format = format
    self.reader = reader
  }

  mutating func note(_ step: SimulationStep) -> [Key: [UInt8]] {
    var parts: [Key: Part] = [:]
    for (key, identity) in step.entriesAfter {
      let file = step.after.files.first { $0.role == .external && isFile($0.name, of: key) }
      if let file { keys[ByteText(file.name)] = key }
      parts[key] = Part(identity: identity, file: file?.name)
    }
    if let main = step.after[format.fileName(of: settings.name)] {
      known[format.loadedPart(of: main.bytes)] = parts
    }
    return step.entriesAfter
  }

  private func isFile(_ name: String, of key: Key) -> Bool {
    (try? ManifestEncoder.name(of: key))?.hasSameBytes(as: name) ?? false
  }

  func judge(
    _ image: DiskImage, _ step: SimulationStep, _ truth: CrashTruth
  ) -> CrashFinding {
    var finding = CrashFinding()
    finding.tally.states = 1
    let table = read(image)
    let found = table.map { entries($0.newest) } ?? [:]
    for (key, acceptable) in truth.acceptable {
      let identity = found[key].map(identity)
      if acceptable.contains(identity), identity != nil {
        finding.tally.kept += 1
        continue
      }
      let isRequired = step.entriesBefore[key] != nil && step.entriesAfter[key] != nil
      if identity == nil, acceptable.contains(nil), !isRequired { continue }
      let isThere = acceptable.contains { value in
        value.map { self.isThere(key, $0, in: table?.files ?? []) } ?? false
      }
      count(key, found[key], isThere: isThere, truth, &finding)
    }
    for (key, entry) in found where truth.acceptable[key] == nil {
      count(key, entry, isThere: false, truth, &finding)
    }
    let predicted = table.map { $0.loads.first } ?? LibraryLoad(.loaded, [])
    finding.tally.engine = [tally(predicted, truth)]
    if let key = firstDifference(predicted, from: image) {
      finding.problems.append((.mispredicted, key))
    }
    return finding
  }

  /// Returns what is read of the files; `nil` if no file is one that a reader looks for.
  private func read(_ image: DiskImage) -> EntryTable? {
    let source = ImageSource(image)
    return try? reader.table(reader.discover(at: ImageSource.folder, in: source))
  }

  /// Returns the entries by their keys, of which a file of a value may show only the digest.
  private func entries(_ entries: [TypedEntry]) -> [Key: TypedEntry] {
    var found: [Key: TypedEntry] = [:]
    for entry in entries {
      found[entry.key.text.flatMap { keys[ByteText($0)] } ?? entry.key] = entry
    }
    return found
  }

  private func identity(_ entry: TypedEntry) -> [UInt8] {
    let key = entry.key.text.flatMap { keys[ByteText($0)] } ?? entry.key
    guard let held = format.held(entry.value) else {
      // A text that is not UTF-8 is read as bytes.
      if case .bytes(let bytes) = entry.value { return bytes }
      return []
    }
    return (try? format.identity(of: TypedEntry(key: key, value: held))) ?? []
  }

  /// Returns whether all bytes of a value are in the files.
  private func isThere(_ key: Key, _ identity: [UInt8], in files: [StoreFile]) -> Bool {
    let main = files.filter { $0.role != .external }
    if format == .propertyList {
      return main.contains { known[$0.image.bytes]?[key]?.identity == identity }
    }
    var part = identity
    if format == .asyncStorage {
      let text = String(decoding: identity, as: UTF8.self)
      guard !ManifestEncoder.isInFile(text) else {
        return files.contains { isFile($0.path.name, of: key) && $0.image.bytes == identity }
      }
      part = ManifestEncoder.item(key, text)
    }
    return main.contains { $0.image.firstOccurrence(of: part, in: $0.image.range) != nil }
  }

  /// Counts an entry that was not found, or was found with an unacceptable value.
  private func count(
    _ key: Key, _ entry: TypedEntry?, isThere: Bool, _ truth: CrashTruth,
    _ finding: inout CrashFinding
  ) {
    guard let entry else {
      finding.tally.missed += isThere ? 1 : 0
      finding.tally.destroyed += isThere ? 0 : 1
      if isThere { finding.problems.append((.missed, key)) }
      return
    }
    let isCautioned = !entry.origin.cautions.isEmpty
    if truth.written[key]?.contains(identity(entry)) ?? false {
      finding.tally.stale += isThere ? 0 : 1
      finding.tally.staleThoughThere += isThere ? 1 : 0
      if isThere { finding.problems.append((.staleThoughThere, key)) }
      guard !isCautioned else { return }
      finding.tally.staleAsSound += 1
      finding.problems.append((.staleAsSound, key))
    } else if isCautioned, !isThere {
      // What is left of a value, and said to be.
      finding.tally.destroyed += 1
    } else {
      finding.tally.invented += 1
      finding.problems.append((.invented, key))
    }
  }

  // MARK: The library

  private func tally(_ load: LibraryLoad?, _ truth: CrashTruth) -> CrashTally.EngineTally {
    let found = entries(load?.entries ?? []).mapValues(identity)
    return CrashTally.EngineTally(found, truth)
  }

  /// Returns the first key whose value is not predicted correctly; `nil` if there is none.
  ///
  /// The key is empty if the library is wrongly said to accept a file, or to refuse it.
  private func firstDifference(_ load: LibraryLoad?, from image: DiskImage) -> Key? {
    guard let load else { return Key([]) }
    let expected = loaded(from: image)
    let isRefused = ![.loaded, .rolledBack].contains(load.load.outcome)
    // An empty property list is refused, and has no values either.
    if isRefused != (expected == nil) { return Key([]) }
    let predicted = entries(load.entries).mapValues(identity)
    return Set(predicted.keys).union((expected ?? [:]).keys).sorted()
      .first { predicted[$0] != expected?[$0] }
  }

  /// Returns what the library loads; `nil` if it refuses the file.
  private func loaded(from image: DiskImage) -> [Key: [UInt8]]? {
    let main = format.fileName(of: settings.name)
    let backup = format == .sharedPreferences ? image[main + ".bak"] : nil
    guard let file = backup ?? image[main] else { return [:] }
    guard let parts = known[format.loadedPart(of: file.bytes)] else { return nil }
    return parts.compactMapValues { part in
      guard let name = part.file else { return part.identity }
      return image[name].flatMap { String(utf8: $0.bytes) == nil ? nil : $0.bytes }
    }
  }
}

extension TableFormat {
  /// Returns the bytes up to the tag that ends what the library reads, or all if there is none.
  fileprivate func loadedPart(of bytes: [UInt8]) -> [UInt8] {
    let tag: String
    switch self {
    case .sharedPreferences: tag = "</map>"
    case .xmlPropertyList: tag = "</plist>"
    case .dataStore, .propertyList, .asyncStorage: return bytes
    }
    let image = FileImage(bytes)
    let start = image.firstOccurrence(of: Array(tag.utf8), in: image.range)
    return start.map { Array(bytes.prefix($0 + tag.utf8.count)) } ?? bytes
  }
}
