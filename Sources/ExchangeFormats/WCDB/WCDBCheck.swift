import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// Compares the pages of a database with the checksums in the materials beside it.
struct WCDBCheck {
  /// A material that can be used.
  private struct Usable {
    let name: String
    let path: FilePath
    let material: WCDBMaterial
  }

  /// A reason why a page may differ from the material without damage.
  private enum Change: String, CaseIterable {
    case inLog = "the log has newer versions of them"
    case sinceMaterial =
      "according to the incremental material, they were written to the database after the material"
    case newLog = "the log was restarted after the material"
    case newDatabase = "the database was written to after the material"
  }

  private static let listedTables = 20
  private static let listedPages = 10

  private let files: [StoreFile]
  private let isEncrypted: Bool
  private var usable: [Usable] = []
  private var incremental: WCDBIncrementalMaterial?
  /// The findings so far.
  private(set) var findings = FindingList()

  /// Creates a check of `files`, which include the database.
  init(_ files: [StoreFile], isEncrypted: Bool) {
    self.files = files
    self.isEncrypted = isEncrypted
  }

  /// Reads the materials and compares them with the pages.
  mutating func run() {
    for file in files where file.role.isMaterial { read(file) }
    guard let main = files.first(where: { $0.role == .data }), !isEncrypted else { return }
    // Like Factory::materialsForDeserializingForDatabase, use the newer material.
    if usable.count > 1, Folder.isNewer(usable[1].path, than: usable[0].path) == true {
      usable.swapAt(0, 1)
    }
    guard let newest = usable.first else { return }
    if let size = SQLiteFiles.pageSize(of: main.image), size != newest.material.pageSize {
      findings.add(
        Finding(
          WCDBFindings.materialDamaged, at: nil,
          "the pages are not compared with \(newest.name): its page size is "
            + "\(newest.material.pageSize), but that of the database is \(size)"))
    } else {
      compare(main, with: newest)
    }
  }

  // MARK: Materials

  private mutating func read(_ file: StoreFile) {
    let name = Self.name(of: file)
    let whole = Extent(file.role, file.image.range)
    // By EncryptedSerializable, a material is encrypted like the database and starts with its salt.
    if isEncrypted, SQLCipherGuess.fits(file.image) {
      let salt = file.image.bytes(in: 0..<16)
      let isSame = files.contains {
        $0.role == .data && $0.image.bytes.starts(with: salt)
      }
      findings.add(
        Finding(
          WCDBFindings.material, at: whole,
          "\(name) is \(isSame ? "also encrypted, with the salt of the database" : "probably also encrypted")"
        ))
      return
    }
    do throws(MaterialError) {
      if file.role == .incrementalMaterial {
        let material = try WCDBIncrementalMaterial(file.image)
        incremental = material
        let count = material.pages.count
        findings.add(
          Finding(
            WCDBFindings.material, at: whole,
            "\(name) of version \(MaterialLayout.hex(material.version)) lists \(count.grouped) "
              + "\(count == 1 ? "page" : "pages") that changed after the material of \(material.time) "
              + "(seconds since 1970)"))
      } else {
        let material = try WCDBMaterial(file.image)
        usable.append(Usable(name: name, path: file.path, material: material))
        findings.add(Finding(WCDBFindings.material, at: whole, Self.summary(name, material)))
      }
    } catch {
      findings.add(
        Finding(
          WCDBFindings.materialDamaged, at: Extent(file.role, error.range),
          "\(name) is not used: \(error.words)"))
    }
  }

  private static func name(of file: StoreFile) -> String {
    switch file.role {
    case .firstMaterial: "the first material"
    case .lastMaterial: "the last material"
    default: "the incremental material"
    }
  }

  private static func summary(_ name: String, _ material: WCDBMaterial) -> String {
    let tables = material.tables
    let list = tables.prefix(listedTables).map { "\(Value.quoted($0.name)) (\($0.pages.count))" }
    return
      "\(name) of version \(MaterialLayout.hex(material.version)) has \(material.pageCount.grouped) "
      + "\(material.pageCount == 1 ? "leaf page" : "leaf pages") of \(material.pageSize.grouped) bytes in "
      + "\(tables.count.grouped) \(tables.count == 1 ? "table" : "tables")"
      + (tables.isEmpty ? "" : ": " + list.joined(separator: ", "))
      + (tables.count > listedTables ? ", …" : "")
  }

  // MARK: Pages

  private mutating func compare(_ main: StoreFile, with newest: Usable) {
    let pageSize = newest.material.pageSize
    let log = files.first { $0.role == .side && $0.path.string.hasSuffix("-wal") }
      .map { WALPages($0.image) }
    let isNewLog = log?.salt.map { $0 != newest.material.salt } ?? false
    let isNewDatabase = Folder.isNewer(main.path, than: newest.path) ?? false
    let older = olderChecksums(pageSize)
    var seen: Set<UInt32> = []
    var changes: [Change: [UInt32]] = [:]
    for page in newest.material.tables.lazy.flatMap(\.pages) where seen.insert(page.number).inserted
    {
      let number = Int(page.number)
      let range =
        number <= main.image.count / pageSize
        ? (number - 1) * pageSize..<number * pageSize : nil
      let computed = range.map { CRC32.digest(of: main.image, in: $0) }
      if computed == page.checksum || computed != nil && computed == older[page.number] { continue }
      if let change = change(page.number, computed, log, isNewLog, isNewDatabase) {
        changes[change, default: []].append(page.number)
      } else {
        findings.add(
          Finding(
            WCDBFindings.pageMismatch, at: range.map { Extent(.data, $0) },
            "page \(number) has the CRC-32 \(MaterialLayout.hex(page.checksum)) in \(newest.name), but "
              + (computed.map { "that of its bytes is \(MaterialLayout.hex($0))" }
                ?? "the database ends before it, with page \(main.image.count / pageSize)")))
      }
    }
    for change in Change.allCases { report(changes[change] ?? [], change, newest.name) }
  }

  /// Returns the checksums in the older material, if its page size is the same.
  private func olderChecksums(_ pageSize: Int) -> [UInt32: UInt32] {
    var checksums: [UInt32: UInt32] = [:]
    for one in usable.dropFirst() where one.material.pageSize == pageSize {
      for page in one.material.tables.lazy.flatMap(\.pages) {
        checksums[page.number] = page.checksum
      }
    }
    return checksums
  }

  private func change(
    _ page: UInt32, _ computed: UInt32?, _ log: WALPages?, _ isNewLog: Bool, _ isNewDatabase: Bool
  ) -> Change? {
    if log?.numbers.contains(page) == true { return .inLog }
    switch incremental?.pages[page] {
    case .leaf(let checksum): return checksum == computed ? .sinceMaterial : nil
    case .other: return .sinceMaterial
    case nil: break
    }
    if isNewLog { return .newLog }
    return isNewDatabase ? .newDatabase : nil
  }

  private mutating func report(_ pages: [UInt32], _ change: Change, _ name: String) {
    guard !pages.isEmpty else { return }
    findings.add(
      Finding(
        WCDBFindings.pageChanged, at: nil,
        "\(pages.count.grouped) \(pages.count == 1 ? "page has" : "pages have") a different CRC-32 than in "
          + "\(name), which may not be damage: \(change.rawValue); "
          + "\(pages.count == 1 ? "it is page" : "they are pages") "
          + pages.prefix(Self.listedPages).map { "\($0)" }.joined(separator: ", ")
          + (pages.count > Self.listedPages ? ", …" : "")))
  }
}
