import Foundation
import Testing

/// Repairing a folder or an archive, which must repair every store in it and below it.
struct FolderRepairTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
    for folder in ["app", "app/files"] { _ = try scratch.makeFolder(folder) }
    _ = try scratch.copy(.clean, to: "app/files/one")
    _ = try scratch.copy(.lossy, to: "app/files/two")
    _ = try scratch.copy(.corrected, to: "app/three")
  }

  /// Runs `repair` in the test's folder.
  private func repair(_ arguments: [String]) async throws -> Outcome {
    try await Tool.run(["repair"] + .clock + arguments, in: scratch.path)
  }

  /// Returns the verdict of each store below `folder`, by its path.
  private func verdicts(_ folder: String) async throws -> [String: String] {
    let scan = try await Tool.run(["scan", "--json"] + .clock + [folder], in: scratch.path)
    var verdicts: [String: String] = [:]
    for line in try scan.objects("result") {
      verdicts[line["path"]?.string ?? ""] = line["verdict"]?.string
    }
    return verdicts
  }

  @Test(arguments: ["app", "app/", "./app"])
  func eachStoreGoesToItsOwnSubfolder(path: String) async throws {
    let before = try FolderState(of: scratch.path("app"))
    let outcome = try await repair(["-y", path, "--out", "new"])
    // 1: repaired; 4: something is missing.
    #expect(outcome.status == 5, "\(outcome.testDescription)")
    #expect(
      try await verdicts("new") == [
        "new/files/one/kv": "clean", "new/files/two/kv": "clean", "new/three/kv": "clean",
      ])
    let headings = outcome.lines.filter { $0.hasSuffix("/kv:") }
    #expect(headings.count == 3 && headings.allSatisfy { $0.hasPrefix(path) }, "\(headings)")
    #expect(
      outcome.lines.last
        == "3 stores in \(path == "app/" ? "app" : path); 1 repaired; 1 repaired in part; 1 clean",
      "\(outcome.testDescription)")
    #expect(try FolderState(of: scratch.path("app")) == before)
  }

  #if Encryption
    /// A run that ends before its last store, because no one reads its output or because of a
    /// signal, leaves the backup of every store that it has replaced.
    ///
    /// A backup is made before its store is replaced, so the second one says that a store was.
    @Test(arguments: [
      #""$0" repair many --in-place -y 2>&1 | head -1"#,
      #"""
      "$0" repair many --in-place -y &
      until [ "$(ls -d many/*/kv.kvfsck-backup-1 2>/dev/null | wc -l)" -gt 1 ]; do sleep 0.02; done
      kill -INT $!; wait
      """#,
    ])
    func theBackupsOfStoppedRepairsStay(script: String) async throws {
      _ = try scratch.makeFolder("many")
      for number in 0..<120 { _ = try scratch.copy(.lossy, to: "many/\(number)") }
      let old = try FolderState.bytes(in: scratch.path("many/0"))
      _ = try await Tool.shell(script, in: scratch.path)
      var replaced = 0
      for number in 0..<120 {
        let new = try FolderState.bytes(in: scratch.path("many/\(number)"))
        if old.allSatisfy({ new[$0.key] == $0.value }) { continue }
        replaced += 1
        for (name, bytes) in old where name == "kv" || name == "kv.crc" {
          #expect(new["kv.kvfsck-backup-1/\(name)"] == bytes, "store \(number), \(script)")
        }
      }
      #expect(replaced > 0)
    }

    /// Only stores of FastKV for iOS have pointers.
    ///
    /// A width for one store without them is refused; among several stores, it is for those that have
    /// them.
    @Test func aPointersWidthIsNoReasonToRewriteACleanStore() async throws {
      for (folder, status) in [("app/files/one/kv", 16), ("app/files/one", 16), ("many", 0)] {
        if folder == "many" {
          for name in ["", "/a", "/b"] { _ = try scratch.makeFolder("many\(name)") }
          for (name, file) in [("a", "kv"), ("a", "kv.crc"), ("b", "kv"), ("b", "kv.crc")] {
            try FileManager.default.copyItem(
              atPath: scratch.path("app/files/one/\(file)"),
              toPath: scratch.path("many/\(name)/\(file)"))
          }
        }
        let before = try FolderState(of: scratch.path)
        let outcome = try await repair(["--in-place", "--width", "4", folder])
        #expect(outcome.status == Int32(status), "\(outcome.testDescription)")
        #expect(try FolderState(of: scratch.path) == before)
      }
    }

    /// A side file that is itself named like a data file is part of two stores.
    @Test func aFileOfTwoStoresIsNotReplacedTwice() async throws {
      _ = try scratch.makeFolder("shared")
      for (name, new) in [("kv", "a"), ("kv.crc", "a.crc"), ("kv.crc", "a.crc.crc")] {
        try FileManager.default.copyItem(
          atPath: scratch.path("app/files/two/\(name)"), toPath: scratch.path("shared/\(new)"))
      }
      let outcome = try await repair(["-y", "--in-place", "shared"])
      #expect((outcome.status ?? 0) & 8 != 0, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("shared/a.crc with a store that was repaired before"))
      #expect(try await verdicts("shared")["shared/a"] == "clean")
    }
  #endif

  #if Archives
    /// The next write would remove it.
    @Test func noStoreGetsTheNameOfAnUnfinishedOutput() async throws {
      _ = try scratch.copy(.corrected, to: "app/.kvfsck-ab1-0.tmp")
      let archive = try await Tool.run("tar", ["-cf", "app.tar", "app"], in: scratch.path)
      #expect(archive.status == 0, "\(archive.testDescription)")
      let outcome = try await repair(["-y", "app.tar", "--out", "new"])
      #expect(outcome.status == 13, "\(outcome.testDescription)")
      #expect(outcome.errors.contains("choose another name"))
      #expect(scratch.names(in: "new/app") == ["files", "three"])
    }
  #endif

  @Test func noFolderGetsTheNameOfAnUnfinishedOutput() async throws {
    let named = try await repair(["-y", "app/three", "--out", ".kvfsck-ab1-0.tmp"])
    #expect(named.status == 8, "\(named.testDescription)")
    #expect(named.errors.contains("choose another name"))
  }

  /// Each new store has the entries that a repair of that store alone writes.
  @Test func aStoreIsRepairedAsIfItHadBeenNamed() async throws {
    #expect(try await repair(["-y", "app", "--out", "all"]).status == 5)
    for name in ["files/one", "files/two", "three"] {
      let alone = try await repair(["-y", "app/\(name)/kv", "--out", "alone"])
      #expect([0, 1, 5].contains(alone.status), "\(alone.testDescription)")
      #expect(scratch.names(in: "alone") == scratch.names(in: "all/\(name)"))
      let compare = try await Tool.run(
        ["compare"] + .clock + ["alone/kv", "all/\(name)/kv"], in: scratch.path)
      #expect(compare.status == 0, "\(compare.testDescription)")
      try FileManager.default.removeItem(atPath: scratch.path("alone"))
    }
  }

  /// Stores in one folder go to one folder.
  @Test func storesThatShareAFolderStayTogether() async throws {
    _ = try scratch.copy(.clean, to: "shared")
    for suffix in ["", ".crc"] {
      _ = try scratch.write(
        try scratch.bytes(of: "app/three/kv\(suffix)"), to: "shared/user\(suffix)")
    }
    let outcome = try await repair(["-y", "shared", "--out", "new"])
    #expect(outcome.status == 1, "\(outcome.testDescription)")
    #expect(scratch.names(in: "new") == ["kv", "kv.crc", "user", "user.crc"])
  }

  @Test func aStoreThatCannotBeReadLeavesTheOthers() async throws {
    _ = try scratch.copy(.encrypted, to: "app/locked")
    // A file of a format without a log is repaired like the others.
    _ = try scratch.makeFolder("app/shared_prefs")
    _ = try scratch.write(
      Array("<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map />".utf8),
      to: "app/shared_prefs/settings.xml")
    let outcome = try await repair(["-y", "app", "--out", "new"])
    // 8: one was not written.
    #expect(outcome.status == 13, "\(outcome.testDescription)")
    let totals =
      "5 stores in app; 1 repaired; 1 repaired in part; 2 clean; 1 could not be repaired"
    #expect(outcome.output.hasSuffix("\n\(totals)\n"), "\(outcome.testDescription)")
    #expect(try await verdicts("new").count == 4)
    #expect(scratch.names(in: "new") == ["files", "shared_prefs", "three"])
  }

  /// Without an answer, the stores that raise a question are not written, and the others are.
  @Test func onlyStoresThatRaiseAQuestionNeedAnAnswer() async throws {
    let outcome = try await repair(["app", "--out", "new"])
    #expect(outcome.status == 17, "\(outcome.testDescription)")
    #expect(outcome.output.contains("1 could not be repaired"))
    #expect(try await verdicts("new").keys.sorted() == ["new/files/one/kv", "new/three/kv"])
  }

  @Test func aDryRunNamesTheNewFilesAndWritesNone() async throws {
    let outcome = try await repair(["-y", "--dry-run", "--json", "app", "--out", "new"])
    let orders = try outcome.objects("order")
    #expect(
      orders.map { $0["path"]?.string } == [
        "app/files/one/kv", "app/files/two/kv", "app/three/kv",
      ], "\(outcome.testDescription)")
    let paths = orders.compactMap { $0["files"]?.array?.first?["path"]?.string }
    #expect(paths == ["new/files/one/kv", "new/files/two/kv", "new/three/kv"])
    #expect(scratch.names(in: "new") == nil)
    let lines = try outcome.objects()
    #expect(lines.allSatisfy { $0["path"] != nil || $0["files"] != nil })
  }

  /// The new stores must not be found by the same run.
  @Test(arguments: ["app/new", "app", "app/files/../new", "./app/files/one"])
  func theNewFolderMustBeOutside(out: String) async throws {
    let before = try FolderState(of: scratch.path("app"))
    let outcome = try await repair(["-y", "app", "--out", out])
    #expect(outcome.status == 8 && outcome.output.isEmpty, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("is in app, which is repaired"))
    #expect(try FolderState(of: scratch.path("app")) == before)
  }

  @Test func nothingInTheNewFolderIsOverwritten() async throws {
    for folder in ["new", "new/three"] { _ = try scratch.makeFolder(folder) }
    _ = try scratch.write([1], to: "new/three/kv")
    let outcome = try await repair(["-y", "app", "--out", "new"])
    #expect(outcome.status == 13, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("new/three/kv already exists"))
    #expect(try scratch.bytes(of: "new/three/kv") == [1])
    #expect(scratch.names(in: "new/three") == ["kv"])
    #expect(try await verdicts("new/files").count == 2)
  }

  @Test func theParentOfTheNewFolderMustExist() async throws {
    let outcome = try await repair(["-y", "app", "--out", "no/new"])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("cannot make no/new"))
    #expect(scratch.names(in: "no") == nil)
  }

  @Test func aFolderWithoutAnyStoreIsAnError() async throws {
    for folder in ["empty", "empty/below"] { _ = try scratch.makeFolder(folder) }
    let outcome = try await repair(["-y", "empty", "--out", "new"])
    #expect(outcome.status == 8, "\(outcome.testDescription)")
    #expect(outcome.errors.contains("no store was found in empty"))
    #expect(scratch.names(in: "new") == nil)
  }

  #if Encryption
    /// Tests that damaged stores are replaced in place, each with a backup, and clean ones are not
    /// touched.
    @Test func storesAreReplacedWhereTheyAre() async throws {
      let clean = try FolderState(of: scratch.path("app/files/one"))
      let damaged = try FolderState.bytes(in: scratch.path("app/three"))
      let outcome = try await repair(["-y", "--in-place", "app"])
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      #expect(try FolderState(of: scratch.path("app/files/one")) == clean)
      #expect(Set(try await verdicts("app").values) == ["clean"])
      let undo = try await Tool.run(
        ["undo", "app/three/kv.kvfsck-backup-1"], in: scratch.path)
      #expect(undo.status == 0, "\(undo.testDescription)")
      let restored = try FolderState.bytes(in: scratch.path("app/three"))
      #expect(damaged.allSatisfy { restored[$0.key] == $0.value })
    }

    /// Tests that a file that is only probably a store, and so is not replaced, leaves the stores in
    /// subfolders.
    @Test func aFileThatMayBeNoStoreLeavesTheOthers() async throws {
      _ = try scratch.write(try scratch.bytes(of: "app/files/one/kv"), to: "app/old-copy")
      let outcome = try await repair(["-y", "--in-place", "app"])
      #expect(outcome.errors.contains("app/old-copy is not replaced"))
      #expect(outcome.status == 13, "\(outcome.testDescription)")
      let others = try await verdicts("app").filter { $0.key != "app/old-copy" }
      #expect(others.count == 3 && Set(others.values) == ["clean"])
    }
  #endif

  #if Archives
    /// The stores of an archive go to the folders that they have in it; a member whose name would
    /// lead out of the new folder is refused.
    @Test func anArchiveIsRepairedIntoAFolder() async throws {
      let packed = try await Python.run(
        """
        import os,zipfile
        z = zipfile.ZipFile("a.zip", "w")
        for f, _, names in os.walk("app"):
          for n in names: z.write(os.path.join(f, n))
        for s in ("", ".crc"):
          z.write("app/three/kv" + s, "../out/kv" + s)
          z.write("app/three/kv" + s, "/top/kv" + s)
        z.close()
        """, [], in: scratch.path)
      #expect(packed.status == 0, "\(packed.testDescription)")
      _ = try scratch.makeFolder("work")
      let outcome = try await repair(["-y", "a.zip", "--out", "work/new"])
      #expect(outcome.status == 13, "\(outcome.testDescription)")
      #expect(
        outcome.errors.contains("a.zip!../out/kv has a name that leads out of the new folder"))
      #expect(
        try await verdicts("work") == [
          "work/new/app/files/one/kv": "clean", "work/new/app/files/two/kv": "clean",
          "work/new/app/three/kv": "clean", "work/new/top/kv": "clean",
        ])
      #expect(scratch.names(in: "work") == ["new"])
      #expect(scratch.names(in: ".") == ["a.zip", "app", "work"])
      let inPlace = try await repair(["-y", "a.zip", "--in-place"])
      #expect(inPlace.status == 8, "\(inPlace.testDescription)")
      // It is one error, however many stores there are.
      #expect(inPlace.errors.matches(of: /archives are read-only/).count == 1)
    }
  #endif

  /// A `.crc` file whose data file is gone has nothing to repair, and an empty store in its place would
  /// look like one.
  @Test func nothingIsWrittenForASideFileAlone() async throws {
    try FileManager.default.removeItem(atPath: scratch.path("app/three/kv"))
    let outcome = try await repair(["-y", "app", "--out", "new"])
    #expect(scratch.names(in: "new") == ["files"])
    #expect(
      outcome.output.contains("app/three/kv.crc: there is no data file to repair; not written"))
    #expect(outcome.lines.last?.hasSuffix("; 1 left out") == true, "\(outcome.testDescription)")
    #expect(outcome.status == 5)
  }

  /// An emptied store is not damaged.
  ///
  /// What it held before may be what its user wanted to be rid of.
  @Test func anEmptiedStoreIsRestoredOnlyOnRequest() async throws {
    _ = try scratch.copy(.emptied, to: "app/cleared")
    let usual = try await repair(["-y", "app", "--out", "new"])
    #expect(usual.output.contains("It was emptied, and its former entries are not restored"))
    #expect(usual.output.contains("repair app/cleared/kv --out restored --state before-reset"))
    #expect(usual.lines.last?.contains("; 1 emptied and not restored") == true)
    let asked = try await repair(["-y", "--state", "before-reset", "app", "--out", "restored"])
    #expect(scratch.names(in: "restored") == ["cleared"], "\(asked.testDescription)")
    #expect(asked.lines.last == "4 stores in app; 1 restored; 3 left out")
    let scan = try await Tool.run(["scan", "--json", "restored"], in: scratch.path)
    let entries = try #require(try scan.objects("result").first?["entries"]?.integer)
    #expect(entries > 0)
    let changed = try await repair(["-y", "--only-changed", "app", "--out", "changed"])
    #expect(scratch.names(in: "changed") == ["files", "three"], "\(changed.testDescription)")
    #expect(scratch.names(in: "changed/files") == ["two"])
    #expect(changed.output.contains("app/files/one/kv: nothing to repair; not written"))
    #expect(changed.output.contains("It was emptied"))
  }

  @Test func aSingleStoreIsLeftOutTooIfNothingIsToBeRepaired() async throws {
    let outcome = try await repair(["-y", "--only-changed", "app/files/one", "--out", "new"])
    #expect(outcome.status == 0 && scratch.names(in: "new") == nil, "\(outcome.testDescription)")
    let plain = try await repair([
      "-y", "--only-changed", "--drop-expired", "app/three", "--out", "new",
    ])
    #expect(plain.status == 1 && scratch.names(in: "new") == ["kv", "kv.crc"])
  }

  @Test func theTotalsAreTheLastLineOfJSON() async throws {
    let outcome = try await repair(["-y", "--json", "app", "--out", "new"])
    let last = try #require(try outcome.objects().last)
    #expect(last["type"]?.string == "totals" && last["path"]?.string == "app")
    for (field, count) in [
      ("stores", 3), ("repaired", 1), ("repaired_in_part", 1), ("clean", 1), ("restored", 0),
      ("emptied", 0), ("left_out", 0), ("failed", 0),
    ] {
      #expect(last[field]?.integer == count, "\(field)")
    }
  }

  #if os(Linux)
    @Test func namesThatAreNotUTF8AreKept() async throws {
      let outcome = try await Tool.shell(
        #"""
        name=$(printf 'k\377'); mv app/three "app/$name"; mv "app/$name/kv" "app/$name/$name"
        mv "app/$name/kv.crc" "app/$name/$name.crc"
        "$0" repair -y app --out new && exit 99
        ls -1 --quoting-style=escape "new/$name"
        """#, in: scratch.path)
      #expect(
        outcome.lines.suffix(2) == [#"k\377"#, #"k\377.crc"#], "\(outcome.testDescription)")
    }
  #endif
}
