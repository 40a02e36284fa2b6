import Foundation
import Testing

/// The files that `repair` writes, and those that it does not touch.
struct RepairTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Returns the key and value bytes of the entries that `dump` prints.
  private func entries(_ store: String, _ options: [String] = []) async throws -> [String] {
    let outcome = try await Tool.run(["dump", "-y", "--json"] + options + .clock + [store])
    return try outcome.objects("entry").map {
      "\($0["key_hex"]?.string ?? "-")=\($0["raw_hex"]?.string ?? "-")"
    }
  }

  @Test(arguments: [
    "golden/all_types", "golden/binary_keys", "golden/removes_fwb", "golden/all_removed",
    "golden/expire_mixed", "golden/page16k", "golden/growth_16k", "damaged/flip_keylen_fwb",
    "damaged/size_gt_file_small", "damaged/crc_missing_big", "damaged/flip_vallen_ex",
    "damaged/page_ff_mid_big", "golden/crash_compact_memmove_50",
  ])
  func whatIsWrittenIsCleanAndHoldsWhatDumpShows(name: String) async throws {
    let folder = try scratch.copy(Fixture(name))
    let before = try FolderState(of: folder)
    let expected = try await entries(folder)
    let repair = try await Tool.run(
      ["repair", "-y", "--include-guesses", "--out", scratch.path("new")] + .clock + [folder])
    #expect([0, 1, 5].contains(repair.status), "\(repair.testDescription)")
    let check = try await Tool.run(["check", "--json"] + .clock + [scratch.path("new")])
    #expect(check.status == 0)
    #expect(try check.objects("summary").first?["verdict"]?.string == "clean")
    #expect(try await entries(scratch.path("new")).sorted() == expected.sorted())
    #expect(scratch.names(in: "new")?.count == 2)
    #expect(try FolderState(of: folder) == before)
  }

  @Test(arguments: [["--dry-run", "-y"], ["-n"], ["-n", "--out", "new"]])
  func lookingFirstWritesNothing(options: [String]) async throws {
    let folder = try scratch.copy(.lossy)
    let before = try FolderState(of: scratch.path)
    let outcome = try await Tool.run(
      ["repair"] + options + .clock + [folder], in: scratch.path)
    #expect(outcome.status == 4)
    #expect(outcome.output.contains("Keeps 29 entries"))
    #expect(try FolderState(of: scratch.path) == before)
    #expect(scratch.names(in: "") == ["store"])
  }

  /// Tests the dry run for a state that lacks some entries.
  ///
  /// The store is clean. Of the entries from before it was cleared, only some are left.
  @Test func aDryRunOfAStateThatLacksSomethingIs4() async throws {
    let folder = try scratch.copy(Fixture("golden/clearall_keepspace"))
    let command = ["repair", "--state", "before-reset"] + .clock
    let shown = try await Tool.run(command + ["-n", folder])
    #expect(shown.status == 4, "\(shown.testDescription)")
    let done = try await Tool.run(command + ["--out", scratch.path("new"), folder])
    #expect(done.status == 4, "\(done.testDescription)")
    #expect(try await Tool.run(["check"] + .clock + [folder]).status == 0)
  }

  /// Tests that `--like-engine` does nothing without the app's key.
  ///
  /// Without it, the engine's result is unknown.
  @Test func nothingIsDoneLikeTheEngineWithoutTheKey() async throws {
    let folder = try scratch.copy(.encrypted)
    let before = try FolderState(of: folder)
    for options in [["-n"], ["-y", "--in-place"], ["-y", "--out", scratch.path("new")]] {
      let outcome = try await Tool.run(["repair", "--like-engine"] + options + [folder])
      #expect(outcome.status == 8, "\(outcome.testDescription)")
    }
    #expect(try FolderState(of: folder) == before && scratch.names(in: "new") == nil)
  }

  @Test func unlikelyEntriesAreSetAside() async throws {
    let folder = try scratch.copy(.lossy)
    let command = ["repair", "-y", "--json"] + .clock
    let repair = try await Tool.run(
      command + ["--min-confidence", "0.98", "--out", scratch.path("new"), folder])
    #expect(repair.status == 5)
    let unlikely = try await Tool.run(["dump", "--json"] + .clock + [folder]).objects("entry")
      .filter { $0["probability"]?.number ?? 1 < 0.98 }
      .compactMap { $0["key"]?.string }.sorted()
    #expect((1...28).contains(unlikely.count))
    #expect(try repair.objects("entry").count == 29 - unlikely.count)
    let aside = try repair.objects("aside")
    #expect(aside.compactMap { $0["key"]?.string }.sorted() == unlikely)
    // The file has the same lines, after a line that names the store.
    let path = scratch.path("new/kv.lost-and-found.jsonl")
    let text = try String(contentsOfFile: path, encoding: .utf8)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 1 + unlikely.count)
    #expect(lines.first?.contains(#""type":"store""#) == true)
    #expect(lines.dropFirst().allSatisfy { repair.output.contains($0 + "\n") })

    for (option, name) in [([], "usual"), (["--include-guesses"], "all")] {
      let all = try await Tool.run(command + option + ["--out", scratch.path(name), folder])
      #expect(try all.objects("entry").count == 29)
      #expect(try all.objects("aside").isEmpty)
      #expect(scratch.names(in: name) == ["kv", "kv.crc"])
    }
  }

  #if Encryption
    @Test func whatWasSetAsideBeforeIsKept() async throws {
      let folder = try scratch.copy(.lossy)
      let new = try scratch.makeFolder("new")
      _ = try scratch.write([1], to: "new/kv.lost-and-found.jsonl")
      _ = try await Tool.run(
        ["repair", "-y", "--min-confidence", "0.98", "--out", new] + .clock + [folder + "/kv"])
      #expect(try scratch.bytes(of: "new/kv.lost-and-found.jsonl") == [1])
      #expect(scratch.names(in: "new")?.contains("kv.lost-and-found-2.jsonl") == true)
    }
  #endif

  @Test func aDryRunShowsThePlanThatIsCarriedOut() async throws {
    let folder = try scratch.copy(.lossy)
    let command = ["repair", "-y", "--out", scratch.path("new")] + .clock
    let shown = try await Tool.run(command + ["--dry-run", folder])
    let done = try await Tool.run(command + [folder])
    #expect(shown.lines.contains { $0.hasPrefix("Dry run; nothing is written") })
    #expect(
      shown.lines.filter { !$0.hasPrefix("Dry run; ") }
        .map { $0.hasPrefix("Would write ") ? "Wrote " + $0.dropFirst(12) : $0 } == done.lines)
  }

  /// Tests that a dry run fails whenever the run would, with the same message.
  @Test func aDryRunFailsWhereTheRunWould() async throws {
    let folder = try scratch.copy(.lossy)
    _ = try scratch.makeFolder("taken")
    _ = try scratch.write([1], to: "taken/kv")
    var cases = [
      ["--out", "new", "--rekey-file", "missing"], ["--out", folder], ["--out", "taken"],
      ["--out", "none/new"], ["--out", "taken/kv"],
    ]
    #if Encryption
      _ = try scratch.write([], to: "empty")
      cases.append(["--in-place", "--rekey-file", "empty"])
    #endif
    for options in cases {
      let command = ["repair", "-y"] + options + .clock + [folder]
      let dry = try await Tool.run(command + ["--dry-run"], in: scratch.path)
      let run = try await Tool.run(command, in: scratch.path)
      #expect(dry.status == 8, "\(dry.testDescription)")
      #expect(run.status == 8 && run.errors == dry.errors, "\(run.testDescription)")
    }
  }

  #if Encryption
    @Test func aDryRunNamesTheCipherTheFilesAndTheBackup() async throws {
      let folder = try scratch.copy(.lossy)
      let command = ["repair", "-y", "--in-place", "--dry-run", "--rekey", "k"] + .clock
      let text = try await Tool.run(command + ["--json", folder])
      let order = try #require(try text.objects("order").first)
      #expect(order["cipher"]?.string == "aes128")
      let names = ["kv", "kv.crc"]
      #expect(order["files"]?.array?.map { $0["path"]?.string } == names.map { "\(folder)/\($0)" })
      #expect(order["backup"]?.string == "\(folder)/kv.kvfsck-backup-1")
      #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
      let shown = try await Tool.run(command + [folder])
      #expect(shown.lines.contains("Would encrypt the store under the new key, with AES-128"))
      #expect(shown.lines.contains("Would keep the old files in \(folder)/kv.kvfsck-backup-1"))
    }

    /// Tests that a key from a pipe is read only once for two stores.
    @Test func theKeyOfTwoStoresIsReadFromAPipeOnce() async throws {
      let folder = try scratch.copy(.lossy)
      for name in ["one", "two"] {
        let made = try await Tool.run(
          ["repair", "-y", "--rekey", "k", "--out", scratch.path(name)] + .clock + [folder])
        #expect(made.status == 5, "\(made.testDescription)")
      }
      let outcome = try await Tool.shell(
        "printf k | \"$0\" compare --key-file /dev/stdin one/kv two/kv", [], in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(outcome.output.contains("0 added, 0 removed, 0 changed"))
    }
  #endif

  #if Encryption
    @Test func inPlaceKeepsABackupThatUndoRestores() async throws {
      let folder = try scratch.copy(.lossy)
      let data = try scratch.bytes(of: "store/kv")
      let meta = try scratch.bytes(of: "store/kv.crc")
      let repair = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [folder])
      #expect(repair.status == 5)
      #expect(try await Tool.run(["check"] + .clock + [folder]).status == 0)
      let backup = "kv.kvfsck-backup-1"
      #expect(repair.output.contains(backup))
      #expect(scratch.names(in: "store") == ["kv", "kv.crc", backup])
      #expect(try scratch.bytes(of: "store/\(backup)/kv") == data)
      #expect(try scratch.bytes(of: "store/\(backup)/kv.crc") == meta)

      let undo = try await Tool.run(["undo", "\(folder)/\(backup)"])
      #expect(undo.status == 0)
      #expect(undo.errors == "")
      #expect(try scratch.bytes(of: "store/kv") == data)
      #expect(try scratch.bytes(of: "store/kv.crc") == meta)
      #expect(scratch.names(in: "store") == ["kv", "kv.crc", backup])
    }

    @Test(arguments: [("kv", "elsewhere"), ("kv.crc", "elsewhere"), ("kv.crc", "store")])
    func aFileThatIsALinkIsNotReplaced(name: String, other: String) async throws {
      let folder = try scratch.copy(.lossy)
      _ = try scratch.makeFolder("elsewhere")
      let target = scratch.path("\(other)/target")
      try FileManager.default.moveItem(atPath: "\(folder)/\(name)", toPath: target)
      try FileManager.default.createSymbolicLink(
        atPath: "\(folder)/\(name)", withDestinationPath: target)
      let before = try FolderState(of: scratch.path)
      let names = scratch.names(in: "store")
      let repair = try await Tool.run(["repair", "-y", "--in-place"] + .clock + ["\(folder)/kv"])
      #expect(repair.status == 8, "\(repair.testDescription)")
      #expect(repair.errors.contains(name) && repair.errors.contains("link"), "\(repair.errors)")
      #expect(try FolderState(of: scratch.path) == before)
      let link = try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)")
      #expect(link == target)
      #expect(scratch.names(in: "store") == names)
    }

    @Test func inPlaceAddsTheFileThatWasMissingAndUndoTakesItAway() async throws {
      let folder = try scratch.copy(Fixture("damaged/crc_missing_small"))
      let data = try scratch.bytes(of: "store/kv")
      // Without the meta file, the format of the data file is not certain.
      _ = try await Tool.run(
        ["repair", "-y", "--in-place", "--format", "mmkv"] + .clock + [folder])
      #expect(scratch.names(in: "store") == ["kv", "kv.crc", "kv.kvfsck-backup-1"])
      #expect(try await Tool.run(["check"] + .clock + [folder]).status == 0)
      #expect(try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"]).status == 0)
      #expect(scratch.names(in: "store") == ["kv", "kv.kvfsck-backup-1"])
      #expect(try scratch.bytes(of: "store/kv") == data)
    }

    @Test(arguments: [[0o600, 0o600], [0o640, 0o640], [0o640, 0o600], [0o660, 0o444]])
    func inPlaceAndUndoLeavePermissionsAndOwnersAsTheyWere(permissions: [Int]) async throws {
      let folder = try scratch.copy(.lossy)
      let files = Array(zip(["kv", "kv.crc"], permissions))
      for (name, permissions) in files {
        let path = "\(folder)/\(name)"
        // Only a superuser can change the owner. For others, the file keeps its own.
        _ = try? FileManager.default.setAttributes(
          [.ownerAccountID: 10_123, .groupOwnerAccountID: 10_124], ofItemAtPath: path)
        try FileManager.default.setAttributes(
          [.posixPermissions: permissions], ofItemAtPath: path)
      }
      func owners(_ path: String) throws -> [Int?] {
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        return [attributes[.ownerAccountID], attributes[.groupOwnerAccountID]].map {
          ($0 as? NSNumber)?.intValue
        }
      }
      let before = try owners("\(folder)/kv")
      let backup = "\(folder)/kv.kvfsck-backup-1"
      for command in [["repair", "-y", "--in-place"] + .clock + [folder], ["undo", backup]] {
        let outcome = try await Tool.run(command)
        for (name, permissions) in files {
          for path in ["\(folder)/\(name)", "\(backup)/\(name)"] {
            #expect(
              try FileManager.default.permissions(of: path) == permissions,
              "\(outcome.testDescription)")
            #expect(try owners(path) == before)
          }
        }
      }
    }

    @Test func aFileThatTheRepairAddedBelongsToWhomTheStoreDoesAndUndoSaysThatItIsRemoved()
      async throws
    {
      let folder = try scratch.copy(Fixture("damaged/crc_missing_small"))
      _ = try? FileManager.default.setAttributes(
        [.ownerAccountID: 10_123, .groupOwnerAccountID: 10_124], ofItemAtPath: "\(folder)/kv")
      try FileManager.default.setAttributes(
        [.posixPermissions: 0o600], ofItemAtPath: "\(folder)/kv")
      let owner = try FileManager.default.attributesOfItem(atPath: "\(folder)/kv")[.ownerAccountID]
      _ = try await Tool.run(
        ["repair", "-y", "--in-place", "--format", "mmkv"] + .clock + [folder])
      let added = try FileManager.default.attributesOfItem(atPath: "\(folder)/kv.crc")
      #expect(added[.ownerAccountID] as? NSNumber == owner as? NSNumber)
      #expect(try FileManager.default.permissions(of: "\(folder)/kv.crc") == 0o600)
      let undone = try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"])
      #expect(
        undone.lines == [
          "Restored \(folder)/kv", "Removed \(folder)/kv.crc, which the repair added",
        ])
    }

    /// Tests that a repair in place leaves a clean store unchanged, as fsck does.
    ///
    /// Anything requested besides a repair is still done.
    @Test(arguments: [[], ["-y"], ["-p"], ["--dry-run"], ["--state", "current"], ["--json"]])
    func inPlaceLeavesACleanStoreAsItIs(options: [String]) async throws {
      let folder = try scratch.copy(.clean)
      let before = try FolderState(of: folder)
      let number = try FileManager.default.attributesOfItem(atPath: folder + "/kv")[
        .systemFileNumber]
      let outcome = try await Tool.run(["repair", "--in-place"] + options + .clock + [folder])
      #expect(outcome.status == 0 && outcome.errors == "", "\(outcome.testDescription)")
      if options != ["--json"] {
        #expect(
          outcome.output == "\(folder)/kv: nothing to repair; its files are unchanged\n")
      } else {
        #expect(try outcome.objects("summary").first?["exit"]?.integer == 0)
      }
      #expect(try FolderState(of: folder) == before)
      #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
      let now = try FileManager.default.attributesOfItem(atPath: folder + "/kv")[.systemFileNumber]
      #expect(now as? NSNumber == number as? NSNumber)
    }

    @Test(arguments: [["--rekey", "k"], ["--drop-expired"]])
    func inPlaceChangesACleanStoreWhereThatIsAskedFor(options: [String]) async throws {
      let folder = try scratch.copy(.expiring)
      let outcome = try await Tool.run(
        ["repair", "--in-place"] + options + Fixture.expiryClock + [folder])
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(scratch.names(in: "store") == ["kv", "kv.crc", "kv.kvfsck-backup-1"])
    }

    @Test func everyRepairInPlaceHasItsOwnBackup() async throws {
      let folder = try scratch.copy(.clean)
      for _ in 1...2 {
        #expect(
          try await Tool.run(["repair", "--in-place", "--plain"] + .clock + [folder]).status == 0)
      }
      #expect(
        scratch.names(in: "store")
          == ["kv", "kv.crc", "kv.kvfsck-backup-1", "kv.kvfsck-backup-2"])
    }

    @Test(arguments: ["kv", "kv.crc", "kv.kvfsck-backup-1/kv"])
    func undoRefusesAfterAChange(file: String) async throws {
      let folder = try scratch.copy(.lossy)
      _ = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [folder])
      var bytes = try scratch.bytes(of: "store/\(file)")
      bytes[40] ^= 1
      _ = try scratch.write(bytes, to: "store/\(file)")
      let before = try FolderState(of: folder)
      let undo = try await Tool.run(["undo", "\(folder)/kv.kvfsck-backup-1"])
      #expect(undo.status == 8)
      #expect(undo.output == "")
      #expect(undo.errors.contains("store/\(file) "))
      #expect(undo.errors.contains("SHA-256"))
      #expect(try FolderState(of: folder) == before)
    }

    @Test func rekeyAndPlainChangeTheCipherAndNothingElse() async throws {
      let expected = try await entries(Fixture.clean.path)
      _ = try scratch.write(Array("first key".utf8), to: "key")
      let steps: [(out: String, store: String, key: [String], options: [String])] = [
        ("one", Fixture.clean.path, [], ["--rekey", "first key"]),
        ("two", scratch.path("one"), ["--key-file", scratch.path("key")], []),
        ("three", scratch.path("two"), ["--key", "first key"], ["--rekey", "second key"]),
        ("four", scratch.path("three"), ["--key-hex", "7365636f6e64206b6579"], ["--plain"]),
      ]
      for step in steps {
        let outcome = try await Tool.run(
          ["repair", "--out", scratch.path(step.out)] + step.key + step.options + .clock
            + [step.store])
        #expect(outcome.status == 0, "\(step): \(outcome.testDescription)")
      }
      let keys = [
        "one": ["--key", "first key"], "two": ["--key", "first key"],
        "three": ["--key", "second key"], "four": [],
      ]
      for (name, key) in keys {
        #expect(try await entries(scratch.path(name), key) == expected)
        let without = try await Tool.run(["check"] + .clock + [scratch.path(name)])
        #expect(without.status == (key.isEmpty ? 0 : 8))
      }
    }

    @Test func rekeyTakesTheSizeOfAESThatIsGiven() async throws {
      let new = scratch.path("new")
      let outcome = try await Tool.run(
        ["repair", "--out", new, "--rekey", "0123456789abcdefXYZ", "--aes256"] + .clock
          + [Fixture.clean.path])
      #expect(outcome.status == 0)
      let key = ["check", "--key", "0123456789abcdefXYZ"] + .clock
      #expect(try await Tool.run(key + ["--aes256", new]).status == 0)
      let other = try await Tool.run(key + [new])
      #expect(other.status == 8)
      #expect(other.output.contains("mmkv.cipher-mismatch"))
    }
  #else
    @Test func inPlaceIsRefusedWhereNoDigestCanBeMade() async throws {
      let folder = try scratch.copy(.lossy)
      let before = try FolderState(of: scratch.path)
      let outcome = try await Tool.run(["repair", "-y", "--in-place"] + .clock + [folder])
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains("Encryption"))
      #expect(try FolderState(of: scratch.path) == before)
      #expect(scratch.names(in: "store") == ["kv", "kv.crc"])
    }

    @Test func rekeyIsRefusedWhereThereIsNoCipher() async throws {
      let outcome = try await Tool.run(
        ["repair", "--out", scratch.path("new"), "--rekey", "k"] + .clock + [Fixture.clean.path])
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains("Encryption"))
      #expect(scratch.names(in: "") == [])
    }
  #endif

  @Test func undoOfAFolderThatIsNoBackupIs8() async throws {
    let folder = try scratch.copy(.clean)
    let before = try FolderState(of: folder)
    for path in [folder, scratch.path("missing"), "\(folder)/kv"] {
      let outcome = try await Tool.run(["undo", path])
      #expect(outcome.status == 8)
      #expect(outcome.errors.contains(path))
    }
    #expect(try FolderState(of: folder) == before)
  }

  @Test func expiredEntriesAreKeptUnlessTheyShallBeDropped() async throws {
    for (options, count) in [([], 14), (["--drop-expired"], 13)] {
      let new = scratch.path("new\(count)")
      let outcome = try await Tool.run(
        ["repair", "--out", new] + options + Fixture.expiryClock + [Fixture.expiring.path])
      #expect(outcome.status == 0)
      #expect(try await entries(new).count == count)
      #expect(outcome.output.contains("Drops 1 entry:\n  short: ") == (count == 13))
    }
  }

  @Test func theConfirmedStateIsWhatTheFilesHeldAtTheLastRewrite() async throws {
    let new = scratch.path("new")
    let outcome = try await Tool.run(
      ["repair", "--state", "confirmed", "--out", new] + .clock
        + [Fixture("damaged/flip_tail_fwb").path])
    #expect([1, 5].contains(outcome.status))
    #expect(outcome.output.contains("From confirmed (last full rewrite): 950 bytes"))
    #expect(try await entries(new).count == 30)
  }

  @Test func theStateBeforeTheResetIsWhatWasThereBefore() async throws {
    let facts = try Fixture.emptied.facts()
    let new = scratch.path("new")
    let outcome = try await Tool.run(
      ["repair", "--state", "before-reset", "--out", new] + .clock + [Fixture.emptied.path])
    #expect(outcome.output.contains("From before-reset (before it was emptied): "))
    #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
    let truth = try #require(facts["truth"]?.object).keys.sorted()
    let found = try await entries(new).map { String($0.prefix { $0 != "=" }) }
    #expect(found.sorted() == truth)
  }

  @Test func preenKeepsOnlyWhatAChecksumVerifies() async throws {
    let dump = try await Tool.run(["dump", "-p", "--json"] + .clock + [Fixture.lossy.path])
    #expect(try dump.objects("entry").isEmpty)
    let new = scratch.path("new")
    let safe = try await Tool.run(
      ["repair", "-p", "--out", new] + .clock + [Fixture.repairable.path])
    #expect(safe.status == 1)
    #expect(try await entries(new).count == 12)
    // A correction is as reliable as the checksum that verifies it.
    let corrected = try await Tool.run(
      ["repair", "-p", "--out", scratch.path("corrected")] + .clock + [Fixture.corrected.path])
    #expect(corrected.status == 1)
    #expect(corrected.output.contains("Keeps 29 entries: 29 by corrected"))
    let lossy = try await Tool.run(
      ["repair", "-p", "--out", scratch.path("other")] + .clock + [Fixture.lossy.path])
    #expect(lossy.status == 5)
    #expect(lossy.output.contains("Keeps 0 entries"))
    #expect(lossy.output.contains("29 entries present in the files"))
  }

  @Test func theAnswersMirrorTheCallbacks() async throws {
    let outcome = try await Tool.run(
      ["dump", "--json", "--on-crc-fail", "discard"] + .clock + [Fixture.lossy.path])
    #expect(try outcome.objects("entry").isEmpty)
    let engine = try await Tool.run(
      ["dump", "--json", "--like-engine", "-y"] + .clock + [Fixture.lossy.path])
    #expect(try engine.objects("entry").count == 36)
  }

  @Test func aClosedPipeIsAQuietExit() async throws {
    let folder = try scratch.makeFolder("large")
    // The output exceeds the buffers of the tool and the pipe.
    try LargeStore.write(entries: 2500, of: 60, into: folder)
    for command in ["dump", "dump --json", "map", "dump --history"] {
      let outcome = try await Tool.shell(
        #"{ "$0" \#(command) "$1" 2>"$2"; echo "status $?" >>"$2"; } | head -n 1"#,
        [folder, scratch.path("errors")])
      #expect(outcome.lines.count == 1)
      #expect(
        String(decoding: try scratch.bytes(of: "errors"), as: UTF8.self) == "status 0\n",
        "\(command)")
    }
  }
}
