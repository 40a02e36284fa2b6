import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension AsyncStorageReader {
  /// Returns the entries of the manifest, if it is there, and of the files beside it.
  func readManifest(_ files: [StoreFile]) -> EntryTable {
    let main = files.first { $0.role == .data }
    let manifest = main.map { AsyncStorageManifest(parsing: $0.image) }
    let items = manifest?.items ?? []
    var reading = ManifestReading(
      whole: main.map { Extent(.data, $0.image.range) },
      files: files.filter { $0.role == .external }, digest: digest,
      findings: main.map { faults(of: manifest, in: $0) } ?? [])
    let listed = items.sorted { $0.key < $1.key }.compactMap { reading.entry($0.key, $0.item) }
    let strays = reading.strays(
      besides: Set(listed.map(\.key)), among: items.map(\.key) + candidateKeys)
    var findings = reading.findings
    if main == nil {
      findings.insert(
        Finding(
          AsyncStorageFindings.noManifest, at: nil,
          "\(Self.manifestName) is missing, so the app starts with no values; "
            + "\(strays.count.grouped) \(strays.count == 1 ? "value is" : "values are") still there in "
            + "files"), at: 0)
    } else if manifest?.isIntact ?? false, items.isEmpty,
      let emptied = ValueFiles.emptied(Self.manifestName, strays.count)
    {
      findings.insert(emptied, at: 0)
    }
    return EntryTable(
      formatName: Self.name, files: files, entries: listed + strays, findings: findings,
      strayCount: strays.count, isRefused: manifest.map { !$0.isIntact } ?? false)
  }

  /// Returns the findings about `manifest` itself, which is in `file`.
  private func faults(of manifest: AsyncStorageManifest?, in file: StoreFile) -> [Finding] {
    let whole = Extent(.data, file.image.range)
    var findings = (manifest?.duplicates ?? []).map { key in
      Finding(
        JSONFindings.duplicateKey, at: whole,
        "the manifest has the key \(Value.mentioned(key)) more than once; the last one "
          + "counts",
        losesContent: true)
    }
    if let fault = manifest?.fault {
      findings.append(
        Finding(
          AsyncStorageFindings.manifest, at: whole,
          "the manifest is not a valid JSON object, and the app will replace it with an empty one: line "
            + "\(JSONScanner.line(of: fault.offset, in: file.image.bytes)): \(fault.reason). All "
            + "other items are read as far as they can be"))
    }
    return findings
  }
}

/// A manifest that is being matched with the files of values.
private struct ManifestReading {
  let whole: Extent?
  private let digest: ([UInt8]) -> [UInt8]?
  private var unmatched: [ByteText: StoreFile] = [:]
  /// The names of the files that could not be read.
  private let unread: Set<ByteText>
  private var nameless = 0
  private(set) var findings: [Finding]

  init(
    whole: Extent?, files: [StoreFile], digest: @escaping ([UInt8]) -> [UInt8]?,
    findings: [Finding]
  ) {
    self.whole = whole
    self.digest = digest
    self.findings = findings
    for file in files.read { unmatched[ByteText(file.path.lastComponent?.string ?? "")] = file }
    unread = Set(
      files.filter { $0.obstacle != nil }.map { ByteText($0.path.lastComponent?.string ?? "") })
  }

  /// Returns the entry of `key`, or `nil` if its value is missing.
  mutating func entry(_ key: Key, _ item: AsyncStorageManifest.Item) -> TypedEntry? {
    let mention = Value.mentioned(key)
    switch item {
    case .text(let text):
      return TypedEntry(key: key, value: JSONText.value(text))
    case .other:
      report(AsyncStorageFindings.manifest, "the value of \(mention) is neither a string nor null")
      return nil
    case .broken(let reason):
      report(
        AsyncStorageFindings.manifest,
        "the value of \(mention) is not read, and the app will replace the manifest with an empty one: "
          + reason)
      return nil
    case .file: break
    }
    guard let name = digest(key.bytes).map({ Hexadecimal.text($0) }) else {
      nameless += 1
      return nil
    }
    guard let file = unmatched.removeValue(forKey: ByteText(name)) else {
      report(
        AsyncStorageFindings.missingValue,
        "the value of \(mention) should be in the file \(name), which "
          + (unread.contains(ByteText(name))
            ? "cannot be read"
            : "is missing. Older versions of React Native leave such an item behind when the app "
              + "removes a long value, so the key may simply have been removed"))
      return nil
    }
    return TypedEntry(
      key: key, value: value(of: file, mention),
      origin: EntryOrigin(
        .structure, cautions: check(file, mention) ? [] : [.mayBeDamaged],
        at: file.place(file.image.range)))
  }

  private mutating func value(of file: StoreFile, _ mention: String) -> Value {
    let bytes = file.image.bytes
    guard let text = String(utf8: bytes) else {
      findings.append(
        Finding(
          AsyncStorageFindings.text, at: file.extent,
          "the file \(file.path.lastComponent?.string ?? "") with the value of \(mention) is not "
            + "UTF-8, so its value is read as bytes"))
      return .bytes(bytes)
    }
    return JSONText.value(text)
  }

  /// Returns whether nothing shows that the value in `file` is damaged, and adds findings if
  /// something does.
  private mutating func check(_ file: StoreFile, _ mention: String) -> Bool {
    let bytes = file.image.storageSpan
    let subject = "the value of \(mention)"
    let zeros = ZeroRuns(in: bytes, file.image.range).ranges
    // The extent that `ZeroRuns` gives is in the first file with the role.
    func located(_ finding: Finding, _ range: Range<Int>) -> Finding {
      Finding(finding.kind, at: Extent(file.index, range), finding.message)
    }
    findings += zeros.map { located(ZeroRuns.finding(of: $0, in: file, subject), $0) }
    if !zeros.isEmpty { return false }
    if let few = TrailingZeros.ofText(at: file.image.range, in: bytes) {
      findings.append(located(TrailingZeros.finding(of: few, in: file, subject), few))
      return false
    }
    guard let text = String(utf8: file.image.bytes) else { return false }
    if text.isEmpty {
      findings.append(
        Finding(
          AsyncStorageFindings.cutValue, at: file.extent,
          "\(subject) has 0 bytes, but the library keeps only long texts in files: it was cut off"))
      return false
    }
    guard let first = text.utf8.first(where: { $0 > 0x20 }), first == 0x7b || first == 0x5b,
      case .string = JSONText.value(text)
    else { return true }
    findings.append(
      Finding(
        AsyncStorageFindings.cutValue, at: file.extent,
        "\(subject) begins like JSON, but is not complete JSON: it may have been cut off after "
          + "\(file.image.count.inBytes)"))
    return false
  }

  /// Returns the entries of the files that were not matched, and reports them.
  ///
  /// The key of a file is looked for among `keys` and the well-known keys. A file of a key that has
  /// another value already, one of `held`, is only reported.
  mutating func strays(besides held: Set<Key>, among keys: [Key]) -> [TypedEntry] {
    // Without digests, it is unknown which key a file belongs to.
    guard nameless == 0 else {
      report(
        AsyncStorageFindings.noDigest,
        "\(nameless.counted("value is", "values are")) in files that this build cannot find because it lacks MD5; build kvfsck "
          + "with the trait Encryption")
      return []
    }
    let known = ValueFiles.names(of: keys, digest)
    var entries: [TypedEntry] = []
    for (name, file) in unmatched.sorted(by: { $0.key < $1.key }) {
      let key = known[name]
      let isOlder = key.map { held.contains($0) } ?? false
      findings.append(
        Finding(
          AsyncStorageFindings.orphanFile, at: file.extent,
          "the file \(name.text) (\(file.image.count.inBytes)) belongs to no entry; "
            + (key.map { "by its name, it is a value of the key \(Value.mentioned($0))" }
              ?? "its key is unknown, so it is listed by its own name")
            + (isOlder ? ", which has another value" : "")))
      guard !isOlder else { continue }
      let text = String(utf8: file.image.bytes)
      entries.append(
        ValueFiles.entry(file, key, text.map { JSONText.value($0) } ?? .bytes(file.image.bytes)))
    }
    return entries
  }

  private mutating func report(_ code: FindingCode, _ message: String) {
    findings.append(Finding(code, at: whole, message))
  }
}
