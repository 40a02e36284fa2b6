import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// Finding and reading stores in iOS backups by their names on the device.
struct BackupTests {
  private let scratch: Scratch
  private let extraction: Extraction

  init() throws {
    scratch = try Scratch()
    extraction = Extraction(in: scratch)
  }

  /// Makes the backup `$2` of the folder `$1`, whose first folders are apps.
  ///
  /// Further arguments are index rows for missing files: `id|domain|path|flags`.
  private static let script = #"""
    import hashlib, os, shutil, sqlite3, sys
    source, target = os.fsencode(sys.argv[1]), sys.argv[2]
    os.makedirs(target)
    db = sqlite3.connect(target + "/Manifest.db")
    db.execute("CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT,"
      " flags INTEGER, file BLOB)")
    for folder, _, names in os.walk(source):
      for name in names:
        path = os.path.join(folder, name)
        if os.path.islink(path): continue
        app, rest = os.path.relpath(path, source).split(b"/", 1)
        domain = b"AppDomain-" + app
        id = hashlib.sha1(domain + b"-" + rest).hexdigest()
        os.makedirs(target + "/" + id[:2], exist_ok=True)
        shutil.copy(path, target + "/" + id[:2] + "/" + id)
        db.execute("INSERT INTO Files VALUES (?, CAST(? AS TEXT), CAST(? AS TEXT), 1, x'00')",
          (id, domain, rest))
    for row in sys.argv[3:]:
      db.execute("INSERT INTO Files VALUES (?, ?, ?, ?, NULL)", row.split("|"))
    db.commit()
    open(target + "/Manifest.plist", "w").write(
      "<plist version=\"1.0\"><dict><key>IsEncrypted</key><false/></dict></plist>")
    """#

  private func makeBackup(
    of source: String, to name: String = "backup", rows: [String] = []
  ) async throws {
    let made = try await Tool.run(
      "python3", ["-c", Self.script, source, name] + rows, in: scratch.path)
    try #require(made.status == 0, "\(made.testDescription)")
  }

  @Test func aBackupHasTheStoresOfTheDevice() async throws {
    let stores = try extraction.make(seed: RandomSeeds.run)
    let folder = try await Tool.run(["scan", "tree/data"] + .clock, in: scratch.path)
    let expected = try folder.verdicts(after: "tree/data/")
    #expect(expected.count == stores.count)
    try await makeBackup(of: "tree/data")
    let outcome = try await Tool.run(["scan", "backup"] + .clock, in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try outcome.verdicts(after: "backup!AppDomain-") == expected)
    #if Archives
      let packed = try await Tool.run(
        "/bin/sh", ["-c", "tar cf a.tar backup && rm -r backup"], in: scratch.path)
      #expect(packed.status == 0)
      let inner = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      #expect(try inner.verdicts(after: "a.tar!backup!AppDomain-") == expected)
      let one = try await Tool.run(
        ["check", "a.tar!backup!AppDomain-com.first/files/mmkv/with space"] + .clock,
        in: scratch.path)
      #expect(one.status == 0, "\(one.testDescription)")
    #endif
  }

  /// Tests that a file is looked for in the folder with the beginning of its name only.
  @Test func aFileInAnotherFolderOfTheBackupIsMissing() async throws {
    for name in ["one", "two", "three"] {
      try extraction.copy("mmkv/golden/all_types", "tree/com.app/Documents/mmkv", as: name)
    }
    try await makeBackup(of: "tree")
    let moved = try await Tool.run(
      "/bin/sh",
      [
        "-c",
        """
        cd backup && id=$(printf %s AppDomain-com.app-Documents/mmkv/two | sha1sum | cut -c1-40) \
        && other=$(ls -d ?? | grep -v "^$(echo $id | cut -c1-2)" | head -1) \
        && mv "$(echo $id | cut -c1-2)/$id" $other/
        """,
      ], in: scratch.path)
    #expect(moved.status == 0, "\(moved.testDescription)")
    let scan = try await Tool.run(["scan", "backup", "--json"] + .clock, in: scratch.path)
    let clean = try scan.objects("result").filter { $0["verdict"]?.string == "clean" }
    let names = clean.compactMap { $0["path"]?.string?.split(separator: "/").last }
    #expect(names.sorted() == ["one", "three"], "\(scan.testDescription)")
    #expect(scan.status == 8 || scan.status == 12 || scan.status == 4, "\(scan.status ?? -1)")
  }

  @Test func aStoreInABackupIsReadByItsNameOnTheDevice() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/com.app/Documents/mmkv", as: "user")
    try await makeBackup(of: "tree")
    let store = "backup!AppDomain-com.app/Documents/mmkv/user"
    let own = "tree/com.app/Documents/mmkv/user"
    for command in [["check"], ["dump"], ["map"], ["convert", "--dry-run", "--to", "json"]] {
      let inside = try await Tool.run(command + [store] + .clock, in: scratch.path)
      let outside = try await Tool.run(command + [own] + .clock, in: scratch.path)
      #expect(inside.status == outside.status, "\(command): \(inside.testDescription)")
      #expect(inside.output.replacing(store, with: own) == outside.output, "\(command)")
    }
    let list = try await Tool.run(["check", "backup"] + .clock, in: scratch.path)
    #expect(list.status == 0 && list.output.contains(store), "\(list.testDescription)")
    let repair = try await Tool.run(["repair", "-y", "--in-place", store], in: scratch.path)
    #expect(repair.status == 8 && repair.errors.contains("archive"))
    let missing = try await Tool.run(["check", "backup!AppDomain-x/y"], in: scratch.path)
    #expect(missing.status == 8 && missing.errors.contains("no such file"))
  }

  @Test("an index without any of its files is a backup whose files are missing")
  func nothingButTheIndex() async throws {
    let row = "0123456789012345678901234567890123456789|AppDomain-x|Documents/kv|1"
    try await makeBackup(of: "tree", rows: [row])
    let path = scratch.path("backup/Manifest.plist")
    try FileManager.default.removeItem(atPath: path)
    for path in ["backup", "."] {
      let scan = try await Tool.run(["scan", path], in: scratch.path)
      #expect(scan.status == 8, "\(scan.testDescription)")
      #expect(scan.output.contains("a file of its index is missing"), "\(scan.testDescription)")
    }
    // Other programs have databases, and other files, of this name.
    try FileManager.default.removeItem(atPath: scratch.path("backup/Manifest.db"))
    _ = try scratch.write("no database".utf8, to: "backup/Manifest.db")
    let other = try await Tool.run(["scan", "."], in: scratch.path)
    #expect(other.status == 0, "\(other.testDescription)")
  }

  #if Archives
    /// Tests that the paths in a list of a backup, packed without its folder, can be named.
    @Test(arguments: ["tar cf a.tar -C backup .", "tar cf b.tar -C backup . && tar cf a.tar b.tar"])
    func aBackupCanBeTheRootOfAnArchive(command: String) async throws {
      try extraction.copy("mmkv/golden/all_types", "tree/com.app/Documents/mmkv", as: "user")
      try await makeBackup(of: "tree")
      let packed = try await Tool.run("/bin/sh", ["-c", command], in: scratch.path)
      #expect(packed.status == 0)
      let scan = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      let path = try #require(try scan.objects("result").first?["path"]?.string)
      #expect(path.hasSuffix("!!AppDomain-com.app/Documents/mmkv/user"))
      for place in [path, String(path.dropLast("/mmkv/user".count))] {
        let check = try await Tool.run(["check", place] + .clock, in: scratch.path)
        #expect(check.status == 0 && check.output.contains(path), "\(check.testDescription)")
      }
    }
  #endif

  @Test func aFileInABackupThatIsTooLargeIsReportedAndNotRead() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/com.app", as: "user")
    try await makeBackup(of: "tree")
    let outcome = try await Tool.run(["scan", "--max-bytes", "100", "backup"], in: scratch.path)
    let result = try #require(try outcome.objects("result").first, "\(outcome.testDescription)")
    #expect(result["path"]?.string == "backup!AppDomain-com.app/user")
    #expect(result["verdict"] == .null && result["error"]?.string?.contains("100") == true)
    #expect(outcome.status == 8)
  }

  @Test func aBackupThatIsEncryptedIsSaidToBe() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/com.app", as: "user")
    for script in [
      "head -c 8192 /dev/urandom > backup/Manifest.db",
      "sed -i s/false/true/ backup/Manifest.plist",
    ] {
      try await makeBackup(of: "tree")
      _ = try await Tool.run("/bin/sh", ["-c", script], in: scratch.path)
      for command in ["scan", "check"] {
        let outcome = try await Tool.run([command, "backup"], in: scratch.path)
        // These files are not encrypted in truth: the data file is found by its hashed name, and
        // lacks its meta file.
        #expect(outcome.status == (command == "scan" ? 8 : 12), "\(outcome.testDescription)")
        #expect((outcome.output + outcome.errors).contains("encrypted"))
        #expect((outcome.output + outcome.errors).contains("password first"))
        #expect(!outcome.output.contains("\"verdict\":\"clean\""))
      }
      try FileManager.default.removeItem(atPath: scratch.path("backup"))
    }
  }

  /// Tests that an index can neither lead out of the backup nor make a missing file appear.
  @Test func aHostileIndexLeadsNowhere() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/com.app", as: "user")
    try extraction.copy("mmkv/golden/all_types", "outside", as: "secret")
    let digits = String(repeating: "a", count: 40)
    try await makeBackup(
      of: "tree",
      rows: [
        "../../outside/secret|D|out|1", "\(digits)|D|missing.crc|1", "|D|nameless|1",
        "\(digits.dropLast())b|D|linked|1", "x|D|\(String(repeating: "n/", count: 3000))|1",
        "\(digits.dropLast())c|..|../../../../escape|1",
        "\(digits.dropLast())d||/absolute|1", "\(digits.dropLast())e|D|folder|2",
      ])
    let links = """
      mkdir backup/aa
      ln -s ../../outside/secret backup/aa/\(digits.dropLast())b
      for last in c d; do
        cp outside/secret.crc backup/aa/\(digits.dropLast())$last
      done
      """
    #expect(try await Tool.run("/bin/sh", ["-ec", links], in: scratch.path).status == 0)
    let outcome = try await Tool.run(["scan", "backup"] + .clock, in: scratch.path)
    #expect(outcome.status == 8)
    let results = try outcome.objects("result")
    let read = results.filter { $0["verdict"]?.string == "clean" }.compactMap { $0["path"]?.string }
    #expect(read == ["backup!AppDomain-com.app/user"], "\(outcome.output)")
    #expect(results.allSatisfy { $0["path"]?.string?.hasPrefix("backup") == true })
    #expect(outcome.output.contains("missing.crc"))
  }

  /// Tests that a file that is missing elsewhere does not make a named part fail.
  @Test func aMissingFileElsewhereIsNotOfANamedPart() async throws {
    for name in ["user", "other"] {
      try extraction.copy("mmkv/golden/all_types", "tree/com.app/mmkv", as: name)
    }
    let digits = String(repeating: "a", count: 39)
    try await makeBackup(
      of: "tree",
      rows: [
        "\(digits)0|AppDomain-com.app|gone.fkv|1", "\(digits)1|AppDomain-com.app|lost.kva|1",
      ])
    let mmkv = "backup!AppDomain-com.app/mmkv"
    for part in [mmkv, "\(mmkv)/user"] {
      for command in [["check"], ["scan"]] {
        let outcome = try await Tool.run(command + .clock + [part], in: scratch.path)
        #expect(outcome.status == 0, "\(outcome.testDescription)")
        let text = outcome.output + outcome.errors
        #expect(!text.contains("missing"), "\(outcome.testDescription)")
      }
    }
    for part in ["backup", "backup!", "backup!AppDomain-com.app"] {
      let outcome = try await Tool.run(["scan", part] + .clock, in: scratch.path)
      #expect(outcome.status == 8, "\(part): \(outcome.testDescription)")
      #expect(outcome.output.contains("2 files of its index are missing"))
    }
    // These files would belong to what is named.
    try await makeBackup(
      of: "tree", to: "other",
      rows: [
        "\(digits)2|AppDomain-com.app|mmkv/new.crc|1",
        "\(digits)3|AppDomain-com.app|mmkv/sub/new|1",
      ])
    let part = "other!AppDomain-com.app/mmkv"
    let outcome = try await Tool.run(["scan", part] + .clock, in: scratch.path)
    #expect(outcome.output.contains("2 files of its index are missing"), "\(outcome.output)")
  }

  @Test func anIndexThatIsDamagedIsReported() async throws {
    try extraction.copy("mmkv/golden/all_types", "tree/com.app", as: "user")
    try await makeBackup(of: "tree")
    let index = try scratch.bytes(of: "backup/Manifest.db")
    for count in stride(from: 0, to: index.count, by: 777) {
      _ = try scratch.write(index[..<count], to: "backup/Manifest.db")
      let outcome = try await Tool.run(["scan", "backup"], in: scratch.path)
      #expect(outcome.status == 8, "\(count) bytes: \(outcome.testDescription)")
      #expect(try outcome.objects("totals").count == 1)
    }
  }

  /// Tests that a scan that resumes an interrupted one does not take the backup for finished because
  /// of the line about its index, wherever the earlier scan was interrupted.
  @Test(arguments: [
    "head -c 8192 /dev/urandom > backup/Manifest.db", ": > backup/Manifest.db",
    "head -c 2000 backup/Manifest.db > cut; mv cut backup/Manifest.db",
    "rm -r backup/$(ls backup | head -1)",
  ])
  func aScanOfABackupWithABadIndexIsResumed(damage: String) async throws {
    for name in ["a", "b", "c"] {
      try extraction.copy("mmkv/golden/all_types", "tree/com.app", as: name)
    }
    try await makeBackup(of: "tree")
    var script = damage
    var paths = ["backup"]
    #if Archives
      script += "; tar cf a.tar backup"
      paths.append("a.tar")
    #endif
    _ = try await Tool.run("/bin/sh", ["-c", script], in: scratch.path)
    for path in paths {
      let all = try await Tool.run(["scan", "--json", path] + .clock, in: scratch.path)
      let results = all.lines.dropLast()
      #expect(results.count >= 3 && all.status == 8, "\(all.testDescription)")
      for count in 1..<results.count {
        let part = results.prefix(count).joined(separator: "\n") + "\n"
        _ = try scratch.write(part.utf8, to: "part")
        let rest = try await Tool.run(
          ["scan", "--json", "--resume", "part", path] + .clock, in: scratch.path)
        #expect(rest.lines.dropLast() == results.dropFirst(count), "\(path), \(count)")
        #expect(rest.status == 8)
      }
    }
  }
}
