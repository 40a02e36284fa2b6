import Foundation
import Testing

/// Checking a folder, which must check every store in it and below it.
struct FolderCheckTests {
  /// Tests what every folder of an app has, once it is taken off the phone: a link that leads nowhere;
  /// and a pipe that is named as a store.
  @Test(arguments: ["ln -s /data/app/x/lib lib", "mkfifo p.fkv", "ln -s nowhere x.crc"])
  func whatCannotBeReadDoesNotHideStoresInSubfolders(command: String) async throws {
    let files = try scratch.makeFolder("whole") + "/files"
    try FileManager.default.createDirectory(atPath: files, withIntermediateDirectories: false)
    _ = try scratch.copy(.clean, to: "whole/files/one")
    _ = try scratch.copy(.clean, to: "whole/files/two")
    _ = try await Tool.run("sh", ["-c", command], in: scratch.path("whole"))
    let commands = [
      ["check"], ["convert", "--to", "json", "--accept-bytes", "--out", "all"],
      ["repair", "-y", "--out", "new"],
    ]
    for arguments in commands {
      let outcome = try await Tool.run(arguments + ["whole"], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let all = outcome.output + outcome.errors
      #expect(all.contains("one") && all.contains("two"), "\(outcome.testDescription)")
    }
    #expect(scratch.names(in: "all/files")?.count == 2)
  }

  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    _ = try scratch.makeFolder("app")
    _ = try scratch.makeFolder("app/files")
    _ = try scratch.copy(.clean, to: "app/files/one")
    _ = try scratch.copy(.lossy, to: "app/files/two")
  }

  @Test(arguments: ["app", "app/", "./app/files", "."])
  func storesInSubfoldersAreListed(path: String) async throws {
    let outcome = try await Tool.run(["check", "--json"] + .clock + [path], in: scratch.path)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    let verdicts = try outcome.objects("result").compactMap { $0["verdict"]?.string }
    #expect(verdicts.sorted() == ["clean", "damaged"])
  }

  /// Tests that a file that is not a store does not hide the stores in the folders beside it.
  @Test func aFileBesideTheFoldersIsNoStore() async throws {
    _ = try scratch.write([], to: "app/done")
    let outcome = try await Tool.run(["check"] + .clock + ["app"], in: scratch.path)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("2 stores: 1 clean, 1 damaged"))
  }

  /// Tests that a link out of the folder, such as the one to an app's libraries, does not hide the
  /// stores in the folders beside it.
  @Test func aLinkBesideTheFoldersHidesNoStore() async throws {
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("app/lib"), withDestinationPath: "/usr/lib")
    let outcome = try await Tool.run(["check"] + .clock + ["app"], in: scratch.path)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("2 stores: 1 clean, 1 damaged"))
  }

  /// Tests that a store does not hide those in the folders beside it, where MMKV keeps the stores
  /// whose ids have special characters.
  @Test func aStoreDoesNotHideTheFoldersBesideIt() async throws {
    for suffix in ["", ".crc"] {
      _ = try scratch.write(
        try scratch.bytes(of: "app/files/one/kv\(suffix)"), to: "app/files/main\(suffix)")
    }
    let outcome = try await Tool.run(["check"] + .clock + ["app/files"], in: scratch.path)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    #expect(outcome.output.contains("3 stores: 2 clean, 1 damaged"))
    let repair = try await Tool.run(
      ["repair", "-y", "--out", "new"] + .clock + ["app/files"], in: scratch.path)
    #expect(repair.status == 5, "\(repair.testDescription)")
    #expect(scratch.names(in: "new") == ["main", "main.crc", "one", "two"])
    // A command about one store reads the one in the folder itself, and says so.
    let dump = try await Tool.run(["dump"] + .clock + ["app/files"], in: scratch.path)
    #expect(dump.status == 0 && dump.lines.count == 45, "\(dump.testDescription)")
    #expect(dump.errors.contains("app/files has more stores, or files"))
    // What is no store with a log does not count.
    _ = try scratch.copy(.clean, to: "single")
    _ = try scratch.makeFolder("single/below")
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "single/below/settings.json")
    let single = try await Tool.run(["check"] + .clock + ["single"], in: scratch.path)
    #expect(single.output.hasPrefix("single/kv: clean, 45 entries"))
    #expect(single.status == 0 && single.errors.isEmpty, "\(single.testDescription)")
  }

  /// Tests that a store does not hide one that cannot be read, beside it or below it.
  @Test(arguments: ["two", "two/below"])
  func aStoreDoesNotHideOneThatCannotBeRead(_ place: String) async throws {
    _ = try scratch.copy(.clean, to: "two")
    _ = try scratch.makeFolder("two/below")
    _ = try scratch.write(try scratch.bytes(of: "app/files/two/kv"), to: "\(place)/bad")
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("\(place)/bad.crc"), withDestinationPath: "nowhere")
    let outcome = try await Tool.run(["check"] + .clock + ["two"], in: scratch.path)
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.output.contains("2 stores: 1 clean, 1 not read"))
    #expect(outcome.errors.isEmpty, "\(outcome.testDescription)")
    let dump = try await Tool.run(["dump"] + .clock + ["two"], in: scratch.path)
    #expect(dump.lines.count == 45 && dump.errors.contains("files that cannot be read"))
    let repair = try await Tool.run(
      ["repair", "-y", "--out", "new"] + .clock + ["two"], in: scratch.path)
    #expect(repair.status == 8, "\(repair.testDescription)")
  }

  /// Tests that a file of another format does not hide a store that cannot be read.
  @Test func aTableDoesNotHideAStoreThatCannotBeRead() async throws {
    _ = try scratch.copy(.clean, to: "two")
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "two/settings.json")
    try FileManager.default.removeItem(atPath: scratch.path("two/kv.crc"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("two/kv.crc"), withDestinationPath: "nowhere")
    let outcome = try await Tool.run(["check"] + .clock + ["two"], in: scratch.path)
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.output.contains("1 store: 1 not read"))
  }

  /// Tests that a file of another format does not silently take the place of a store that nothing
  /// shows to be one.
  @Test func filesWithoutAFormatAreNotedBesideATable() async throws {
    let folder = try scratch.makeFolder("single")
    let noise = (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 3) }
    _ = try scratch.write(noise, to: "single/user")
    _ = try scratch.write([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], to: "single/logo.png")
    _ = try scratch.write(noise, to: "single/.hidden")
    _ = try scratch.write([], to: "single/empty")
    _ = try scratch.write(Array(#"{"a":1}"#.utf8), to: "single/package.json")
    let outcome = try await Tool.run(["check", folder])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("reading only package.json (json). These files have no known"))
    #expect(outcome.errors.hasSuffix("name it and its format: user\n"), "\(outcome.errors)")
  }

  /// Tests that a store that cannot be read does not hide those in the folders beside it.
  @Test func aStoreThatCannotBeReadHidesNoOther() async throws {
    _ = try scratch.copy(.clean, to: "two")
    _ = try scratch.copy(.lossy, to: "two/below")
    try FileManager.default.removeItem(atPath: scratch.path("two/kv.crc"))
    try FileManager.default.createSymbolicLink(
      atPath: scratch.path("two/kv.crc"), withDestinationPath: "nowhere")
    let outcome = try await Tool.run(["check"] + .clock + ["two"], in: scratch.path)
    #expect(outcome.status == 12, "\(outcome.testDescription)")
    #expect(outcome.output.contains("2 stores: 1 damaged, 1 not read"))
  }

  /// Tests that an unfinished file of another program is no store.
  @Test(arguments: [Array("a log line\n".utf8), [], [UInt8](repeating: 0, count: 4096), [1, 2, 3]])
  func aTemporaryFileIsNoStore(bytes: [UInt8]) async throws {
    _ = try scratch.write(bytes, to: "app/files/one/upload.tmp")
    let outcome = try await Tool.run(["check"] + .clock + ["app/files/one"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.output.hasPrefix("app/files/one/kv: clean, 45 entries"))
    let scan = try await Tool.run(["scan", "--json"] + .clock + ["app"], in: scratch.path)
    #expect(try scan.objects("result").count == 2)
  }

  #if Archives
    @Test func anArchiveBesideAStoreIsSearched() async throws {
      _ = try scratch.copy(.clean, to: "single")
      let packed = try await Tool.shell("tar cf single/phone.tar -C app .", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let outcome = try await Tool.run(["check"] + .clock + ["single"], in: scratch.path)
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(outcome.output.contains("3 stores: 2 clean, 1 damaged"))
    }

    /// Tests that a repair in place passes over what lies in an archive.
    @Test func aRepairInPlaceLeavesArchives() async throws {
      _ = try scratch.copy(.corrected, to: "single")
      let packed = try await Tool.shell(
        "tar cf single/clean.tar -C app/files/one . && tar cf single/lossy.tar -C app/files/two .",
        in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let outcome = try await Tool.run(
        ["repair", "-y", "--in-place"] + .clock + ["single"], in: scratch.path)
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("single/lossy.tar!kv is in an archive"))
      #expect(!outcome.errors.contains("clean.tar"))
    }

    /// Tests that a folder in an archive is read as one on the disk is.
    @Test func aFolderInAnArchiveHasOneStore() async throws {
      _ = try scratch.copy(.clean, to: "single")
      _ = try scratch.write(Array("text\n".utf8), to: "single/notes.txt")
      _ = try scratch.makeFolder("single/below")
      let packed = try await Tool.shell("tar cf a.tar single", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      for path in ["single", "a.tar!single"] {
        let outcome = try await Tool.run(["check"] + .clock + [path], in: scratch.path)
        #expect(outcome.output.hasPrefix("\(path)/kv: clean, 45 entries"), "\(path)")
        let dump = try await Tool.run(["dump"] + .clock + [path], in: scratch.path)
        #expect(dump.errors.isEmpty, "\(dump.testDescription)")
      }
    }

    /// Tests that a program is not called an archive to look into.
    @Test func aProgramIsNoArchiveOfStores() async throws {
      _ = try scratch.makeFolder("apps")
      let packed = try await Tool.shell(
        "python3 -m zipfile -c apps/app.apk app && echo text > apps/notes.txt", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let dump = try await Tool.run(["dump"] + .clock + ["apps"], in: scratch.path)
      #expect(dump.errors.contains("none is known to be a store"), "\(dump.testDescription)")
    }

    /// Tests that the bytes of an archive are not read as those of a store.
    @Test(arguments: [
      "tar cf only/a.tar -C app .", "tar czf only/a.tar.gz -C app .",
      "python3 -m zipfile -c only/a.zip app",
      "tar cf only/a.tar -C app/files/one . && tar cf only/b.tar -C app/files/two .",
    ])
    func aFolderOfArchivesHasTheirStores(command: String) async throws {
      _ = try scratch.makeFolder("only")
      let packed = try await Tool.shell(command, in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      let outcome = try await Tool.run(["check"] + .clock + ["only"], in: scratch.path)
      #expect(outcome.status == 4, "\(outcome.testDescription)")
      #expect(outcome.output.contains("2 stores: 1 clean, 1 damaged"))
      let dump = try await Tool.run(["dump"] + .clock + ["only"], in: scratch.path)
      #expect(dump.output == outcome.output, "\(dump.testDescription)")
      let map = try await Tool.run(["map"] + .clock + ["only"], in: scratch.path)
      #expect(map.status == 8 && map.errors.contains("only/a."), "\(map.testDescription)")
      #expect(map.errors.contains("is an archive or a backup; name a store in it"))
    }

    /// Tests that a store whose first bytes are those of music or of an image is read in an archive.
    @Test(arguments: [Array("ID3".utf8), [0xff, 0xd8, 0xff]])
    func aStoreThatBeginsLikeMediaIsReadInAnArchive(head: [UInt8]) async throws {
      var data = try scratch.bytes(of: "app/files/one/kv")
      data.replaceSubrange(0..<3, with: head)
      _ = try scratch.write(data, to: "app/files/one/kv")
      let packed = try await Tool.shell(
        "tar cf a.tar app && python3 -m zipfile -c a.zip app", in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      var lines: [[String?]] = []
      for root in ["app", "a.tar!app", "a.zip!app"] {
        let scan = try await Tool.run(["scan", "--json"] + .clock + [root], in: scratch.path)
        lines.append(try scan.objects("result").map { $0["verdict"]?.string })
        let dump = try await Tool.run(
          ["dump"] + .clock + [root + "/files/one/kv"], in: scratch.path)
        #expect(dump.status == 0 && dump.lines.count == 45, "\(dump.testDescription)")
      }
      #expect(Set(lines).count == 1 && lines[0] == ["clean", "damaged"], "\(lines)")
    }
  #endif

  @Test func aFolderWithoutAnyStoreIsAnError() async throws {
    _ = try scratch.makeFolder("empty")
    _ = try scratch.makeFolder("empty/below")
    let outcome = try await Tool.run(["check", "empty"], in: scratch.path)
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("no store was found in empty"))
  }

  @Test func aCommandAboutOneStoreNamesTheScan() async throws {
    let outcome = try await Tool.run(["map", "app"], in: scratch.path)
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("kvfsck scan app"))
  }

  /// Tests that each store of a folder is a separate test case in the reports.
  @Test func reportFilesHaveEveryStoreOfAFolder() async throws {
    let outcome = try await Tool.run(
      ["check", "--json", "--junit", "out.junit", "--sarif", "out.sarif"] + .clock + ["app"],
      in: scratch.path)
    #expect(outcome.status == 4, "\(outcome.testDescription)")
    let junit = String(decoding: try scratch.bytes(of: "out.junit"), as: UTF8.self)
    #expect(junit.contains(#"tests="2""#) && junit.contains("app/files/two/kv"))
    let paths = try outcome.objects("summary").compactMap { $0["path"]?.string }
    #expect(paths == ["app/files/one/kv", "app/files/two/kv"])
    let sarif = String(decoding: try scratch.bytes(of: "out.sarif"), as: UTF8.self)
    #expect(sarif.contains("app/files/two/kv"))
  }

  #if Encryption
    /// Tests that the backups of repairs in place are skipped.
    ///
    /// A backup is beside the store, but is not a store of the app.
    @Test func backupsOfRepairsArePassedOver() async throws {
      let repair = try await Tool.run(
        ["repair", "--in-place", "-y"] + .clock + ["app/files/two/kv"], in: scratch.path)
      #expect(repair.status == 5, "\(repair.testDescription)")
      #expect(scratch.names(in: "app/files/two")?.contains("kv.kvfsck-backup-1") == true)
      let scan = try await Tool.run(["scan", "--json"] + .clock + ["app"], in: scratch.path)
      let paths = try scan.objects("result").compactMap { $0["path"]?.string }
      #expect(paths == ["app/files/one/kv", "app/files/two/kv"])
      // A backup that is named explicitly is scanned.
      let named = try await Tool.run(
        ["scan", "--json"] + .clock + ["app/files/two/kv.kvfsck-backup-1"], in: scratch.path)
      #expect(try named.objects("result").count == 1)
    }
  #endif
}

/// Stores that were emptied, which means that their current log started empty.
///
/// Their former contents must not depend on a key that is given for another store.
struct EmptiedStoreTests {
  @Test(arguments: ["golden/trim", "golden/removes_bulk"])
  func aFullRewriteThatLeavesRecordsAfterTheLogEmptiesNothing(name: String) async throws {
    let outcome = try await Tool.run(
      ["check", "--fail-on", "warning"] + .clock + [Fixture(name).path])
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    #expect(outcome.lines.first?.contains(": clean, ") == true)
    #expect(!outcome.output.contains("store.emptied"))
  }

  @Test(arguments: ["golden/clearall_then_set", "damaged/after_discard_then_set_big"])
  func aStoreThatWasEmptiedAndSetAgainIsStillEmptied(name: String) async throws {
    let outcome = try await Tool.run(["check"] + .clock + [Fixture(name).path])
    #expect(outcome.lines.first?.contains(": emptied: ") == true, "\(outcome.testDescription)")
  }

  #if Encryption
    /// Tests that a key is not used if the leftover records do not need it.
    ///
    /// An empty log fits any key, and the engine opens it with this one: an app that turns on
    /// encryption after it has cleared a store leaves it so.
    @Test func aKeyThatTheLeftoverRecordsDoNotNeedIsNotUsed() async throws {
      let store = Fixture.emptied.path
      let outcome = try await Tool.run(["check", "--key", "totallywrong"] + .clock + [store])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.lines.first?.contains(": emptied: 0 entries, 110 recoverable") == true)
      #expect(outcome.output.contains("note: [mmkv.key-not-needed]"))
      let scan = try await Tool.run(
        ["scan", "--json", "--key", "totallywrong"] + .clock + [store])
      let result = try #require(try scan.objects("result").first)
      #expect(result["recoverable"]?.integer == 110 && result["verdict"]?.string == "clean")
    }

    /// Tests that no key is called unnecessary if zeros replace the log.
    @Test func zerosInPlaceOfTheLogFitAnyKey() async throws {
      let scratch = try Scratch()
      let folder = try scratch.copy(.encrypted)
      let data = try scratch.bytes(of: "store/kv")
      _ = try scratch.write(
        data.prefix(4) + [UInt8](repeating: 0, count: data.count - 4), to: "store/kv")
      let check = try await Tool.run(["check", "--key", Fixture.key] + .clock + [folder])
      #expect(check.status == 4, "\(check.testDescription)")
      #expect(!check.output.contains("key-not-needed"))
    }

    @Test func leftoversThatNoKeyOpensAreNotCalledReadable() async throws {
      let store = Fixture("damaged/after_engine_discard_enc")
      let key = try #require(try store.facts()["key_hex"]?.string)
      let without = try await Tool.run(["check"] + .clock + [store.path])
      #expect(without.output.contains("If the store is encrypted, give its key"))
      let wrong = try await Tool.run(["check", "--key", "totallywrong"] + .clock + [store.path])
      #expect(wrong.output.contains("it is unknown whether the key is right"))
      let right = try await Tool.run(["check", "--key-hex", key] + .clock + [store.path])
      let heading = try #require(right.lines.first)
      #expect(heading.contains("emptied: 0 entries, 30 recoverable"))
    }
  #endif
}
