import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension AsyncStorageReader {
  /// Returns the entries of the manifest and of the files beside it.
  func readManifest(_ files: [StoreFile]) -> EntryTable {
    let main = files[0]
    let whole = Extent(.data, main.image.range)
    var findings: [Finding] = []
    let manifest = AsyncStorageManifest(parsing: main.image)
    for key in manifest.duplicates {
      findings.append(
        Finding(
          JSONFindings.duplicateKey, at: whole,
          "the manifest has the key \(Value.mentioned(key)) more than once; the last one "
            + "counts",
          losesContent: true))
    }
    if let fault = manifest.fault {
      findings.append(
        Finding(
          AsyncStorageFindings.manifest, at: whole,
          "the manifest is not a valid JSON object, and the app will replace it with an empty one: line "
            + "\(JSONScanner.line(of: fault.offset, in: main.image.bytes)): \(fault.reason). All "
            + "other items are read as far as they can be"))
    }
    var reading = ManifestReading(
      whole: whole, files: files.dropFirst().map { $0 }, digest: digest, findings: findings)
    let entries = manifest.items.sorted { $0.key < $1.key }.compactMap {
      reading.entry($0.key, $0.item)
    }
    reading.reportTheRest()
    return EntryTable(
      formatName: Self.name, files: files, entries: entries, findings: reading.findings)
  }
}

/// A manifest that is being matched with the files of values.
private struct ManifestReading {
  let whole: Extent
  private let digest: ([UInt8]) -> [UInt8]?
  private var unmatched: [ByteText: StoreFile] = [:]
  /// The names of the files that could not be read.
  private let unread: Set<ByteText>
  private var nameless = 0
  private(set) var findings: [Finding]

  init(
    whole: Extent, files: [StoreFile], digest: @escaping ([UInt8]) -> [UInt8]?,
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
          + (unread.contains(ByteText(name)) ? "cannot be read" : "is missing"))
      return nil
    }
    let bytes = file.image.bytes
    let extent = file.extent
    let origin = EntryOrigin(.structure, at: file.place(extent.range))
    guard let text = String(utf8: bytes) else {
      findings.append(
        Finding(
          AsyncStorageFindings.text, at: extent,
          "the file \(name) with the value of \(mention) is not UTF-8, so its value is read as bytes"
        ))
      return TypedEntry(key: key, value: .bytes(bytes), origin: origin)
    }
    return TypedEntry(key: key, value: JSONText.value(text), origin: origin)
  }

  /// Reports the files and values that were not matched.
  mutating func reportTheRest() {
    // Without digests, it is unknown which key a file belongs to.
    guard nameless == 0 else {
      return report(
        AsyncStorageFindings.noDigest,
        "\(nameless.grouped) values are in files that this build cannot find because it lacks MD5; build kvfsck "
          + "with the trait Encryption")
    }
    for (name, file) in unmatched.sorted(by: { $0.key < $1.key }) {
      findings.append(
        Finding(
          AsyncStorageFindings.orphanFile, at: file.extent,
          "the file \(name.text) (\(file.image.count.grouped) bytes) belongs to no entry"))
    }
  }

  private mutating func report(_ code: FindingCode, _ message: String) {
    findings.append(Finding(code, at: whole, message))
  }
}
