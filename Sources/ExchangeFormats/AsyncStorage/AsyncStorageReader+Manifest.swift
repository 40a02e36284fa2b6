import KVBytes
import KVModel
import SystemPackage

extension AsyncStorageReader {
  /// The entries of the manifest and of the files beside it.
  func readManifest(_ files: [StoreFile]) -> EntryTable {
    let main = files[0]
    let whole = Extent(.data, main.image.range)
    var findings: [Finding] = []
    var manifest: [String: AsyncStorageManifest.Item] = [:]
    switch AsyncStorageManifest.parse(main.image) {
    case .success(let items):
      manifest = items
      let count = PlainJSON.memberCount(of: main.image)
      if count != items.count {
        findings.append(
          Finding(
            "json.duplicate-key", .warning, at: whole,
            "the manifest has \(count) members and \(items.count) different names; one of each name "
              + "is read"))
      }
    case .failure(let error):
      findings.append(
        Finding(
          "asyncstorage.manifest", .damage, at: whole,
          "the manifest is no JSON object, and the app replaces it by an empty one: \(error.words)")
      )
    }
    var reading = ManifestReading(
      whole: whole, files: files.dropFirst().map { $0 }, digest: digest, findings: findings)
    let keys = manifest.keys.map { Key(Array($0.utf8)) }.sorted()
    let entries = keys.compactMap { key in
      key.text.flatMap { manifest[$0] }.flatMap { reading.entry(key, $0) }
    }
    reading.reportTheRest()
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: reading.findings)
  }
}

/// A manifest that is matched with the files of values.
private struct ManifestReading {
  let whole: Extent
  private let digest: ([UInt8]) -> [UInt8]?
  private var unmatched: [String: StoreFile] = [:]
  /// The names of the files that could not be read.
  private let unread: Set<String>
  private var nameless = 0
  private(set) var findings: [Finding]

  init(
    whole: Extent, files: [StoreFile], digest: @escaping ([UInt8]) -> [UInt8]?,
    findings: [Finding]
  ) {
    self.whole = whole
    self.digest = digest
    self.findings = findings
    for file in files.read { unmatched[file.path.lastComponent?.string ?? ""] = file }
    unread = Set(files.filter { $0.obstacle != nil }.map { $0.path.lastComponent?.string ?? "" })
  }

  /// The entry of `key`, if its value is there.
  mutating func entry(_ key: Key, _ item: AsyncStorageManifest.Item) -> TypedEntry? {
    switch item {
    case .text(let text):
      return TypedEntry(key: key, value: JSONText.value(text))
    case .other:
      report("asyncstorage.manifest", .damage, "the value of an entry is neither text nor null")
      return nil
    case .file: break
    }
    guard let name = digest(key.bytes).map({ Hexadecimal.text($0) }) else {
      nameless += 1
      return nil
    }
    guard let file = unmatched.removeValue(forKey: name) else {
      report(
        "asyncstorage.missing-value", .damage,
        "the value of an entry should be in the file \(name), which "
          + (unread.contains(name) ? "cannot be read" : "is not there"))
      return nil
    }
    let bytes = file.image.bytes
    let extent = Extent(.external, file.image.range)
    let origin = EntryOrigin(.structure, at: extent)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      findings.append(
        Finding(
          "asyncstorage.text", .warning, at: extent,
          "the file \(name) is not UTF-8: its value is taken for bytes"))
      return TypedEntry(key: key, value: .bytes(bytes), origin: origin)
    }
    return TypedEntry(key: key, value: JSONText.value(text), origin: origin)
  }

  /// Reports what no entry has asked for.
  mutating func reportTheRest() {
    // Without names nothing is known of any file.
    guard nameless == 0 else {
      return report(
        "asyncstorage.no-digest", .warning,
        "\(nameless) values are in files, which this build cannot find: it has no MD5; build kvfsck "
          + "with the trait Encryption")
    }
    for (name, file) in unmatched.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(
          "asyncstorage.orphan-file", .warning, at: Extent(.external, file.image.range),
          "no entry has its value in the file \(name), of \(file.image.count) bytes"))
    }
  }

  private mutating func report(_ code: String, _ severity: Finding.Severity, _ message: String) {
    findings.append(Finding(code, severity, at: whole, message))
  }
}
