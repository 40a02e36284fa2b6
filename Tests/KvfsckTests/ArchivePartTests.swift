#if Archives
  import Foundation
  import Testing

  /// Parts of archives: folders in them, members with names like a layer's, and what is missing.
  struct ArchivePartTests {
    private let scratch: Scratch
    private let extraction: Extraction

    init() throws {
      scratch = try Scratch()
      extraction = Extraction(in: scratch)
    }

    /// Tests files that nothing but their place shows to be preferences, which a backup of Android has
    /// in a folder of its own.
    @Test func aBackupHasThePreferencesThatTheAppHas() async throws {
      for (name, text) in [("empty", ""), ("junk", "no XML"), ("whole", "<map></map>")] {
        for folder in ["tree/com.x/shared_prefs", "copy/apps/com.x/sp"] {
          try FileManager.default.createDirectory(
            atPath: scratch.path(folder), withIntermediateDirectories: true)
          _ = try scratch.write(text.utf8, to: "\(folder)/\(name).xml")
        }
      }
      _ = try await Tool.run("tar", ["cf", "../a", "apps"], in: scratch.path("copy"))
      let backup = try Array("ANDROID BACKUP\n5\n0\nnone\n".utf8) + scratch.bytes(of: "a")
      _ = try scratch.write(backup, to: "a.ab")
      func found(_ root: String) async throws -> [String] {
        try await Tool.run(["scan", "--json", root], in: scratch.path).objects("result").map {
          let path = $0["path"]?.string ?? ""
          return "\((path as NSString).lastPathComponent) \($0["verdict"]?.string ?? "")"
        }.sorted()
      }
      let expected = try await found("tree")
      #expect(expected.count == 3)
      #expect(try await found("a.ab") == expected)
    }

    /// Tests that the directory of a ZIP archive decides which members there are and their names,
    /// also if several entries share the bytes of a member.
    @Test(arguments: [
      ["renamed"], ["a", "m0", "m1"], ["folder/x", "folder/y", "z", "a"], ["m0", "m0", "a"],
    ])
    func membersAreThoseOfTheDirectory(names: [String]) async throws {
      try extraction.copy("fastkv-apple/golden/all_types", "tree", as: "store")
      let script = """
        import copy, sys, zipfile
        data = open("tree/store.fkv", "rb").read()
        z = zipfile.ZipFile("d.zip", "w", zipfile.ZIP_DEFLATED)
        z.writestr("first.fkv", data)
        z.writestr("a.fkv", data)
        info = z.filelist.pop()
        for name in sys.argv[1:]:
          entry = copy.copy(info)
          entry.filename = name + ".fkv"
          z.filelist.append(entry)
        z.writestr("last.fkv", data)
        z.close()
        """
      let made = try await Tool.run("python3", ["-c", script] + names, in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let scan = try await Tool.run(["scan", "--json", "d.zip"], in: scratch.path)
      var expected = Set((["first", "last"] + names).map { "d.zip!\($0).fkv" })
      if Set(names).count < names.count { expected.insert("d.zip!#2!m0.fkv") }
      // The name before the bytes is not in the directory, which has a line of its own.
      if !names.contains("a") { expected.insert("d.zip") }
      let found = try scan.objects("result").compactMap { $0["path"]?.string }
      #expect(Set(found) == expected && found.count == expected.count, "\(found)")
    }

    @Test func aFolderOfFoldersInAnArchiveIsListed() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree/deep/er", as: "kv")
      _ = try await Tool.run("tar", ["cf", "a.tar", "tree"], in: scratch.path)
      for folder in ["a.tar", "a.tar!tree", "a.tar!tree/deep"] {
        let check = try await Tool.run(["check", folder] + .clock, in: scratch.path)
        #expect(check.status == 0 && check.output.contains("1 store: 1 clean"), "\(folder)")
      }
      let map = try await Tool.run(["map", "a.tar!tree/deep"], in: scratch.path)
      #expect(map.status == 8 && map.errors.contains("kvfsck scan"), "\(map.errors)")
    }

    @Test func aMemberThatIsNamedLikeALayerIsFound() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "#2!kv")
      _ = try await Tool.run("tar", ["cf", "a.tar", "-C", "tree", "."], in: scratch.path)
      let outcome = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      #expect(try outcome.objects("result").map { $0["path"]?.string } == ["a.tar!#2!kv"])
      let check = try await Tool.run(["check", "a.tar!#2!kv"] + .clock, in: scratch.path)
      #expect(check.status == 0, "\(check.testDescription)")
    }

    /// Tests that what cannot be read of an archive has no second line if a scan is resumed.
    @Test func aProblemOfAnEarlierScanIsPassedOver() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      _ = try await Tool.run("tar", ["cf", "a.tar", "tree"], in: scratch.path)
      let made = try await Tool.shell(
        "ln tree/kv tree/linked && tar cf a.tar tree/linked tree/kv tree/kv.crc && "
          + "tar --delete -f a.tar tree/linked", in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      let first = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      let problems = try first.objects("result").filter { $0["error"]?.string != nil }
      #expect(problems.map { $0["path"]?.string } == ["a.tar!tree/kv"], "\(first.output)")
      _ = try scratch.write(first.output.utf8, to: "earlier.jsonl")
      let rest = try await Tool.run(
        ["scan", "a.tar", "--resume", "earlier.jsonl"] + .clock, in: scratch.path)
      #expect(try rest.objects("result").isEmpty, "\(rest.output)")
    }

    /// Tests that a cut between two members is reported, and no archive of usual programs is.
    @Test func anArchiveThatIsCutBetweenMembersIsReported() async throws {
      for name in ["a", "b"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      let made = try await Tool.shell(
        """
        for form in gnu pax ustar v7; do tar cf $form.tar --sort=name --format=$form tree || exit; done
        head -c $((512 + 2 * (512 + 4096))) ustar.tar >cut.tar
        gzip -k cut.tar ustar.tar && cat ustar.tar ustar.tar >twice.tar
        """, in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      for name in ["gnu.tar", "pax.tar", "ustar.tar", "v7.tar", "ustar.tar.gz", "twice.tar"] {
        let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
        #expect(outcome.status == 0, "\(name): \(outcome.testDescription)")
      }
      for name in ["cut.tar", "cut.tar.gz"] {
        let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
        #expect(outcome.status == 8)
        let results = try outcome.objects("result")
        #expect(results.map { $0["path"]?.string } == ["\(name)!tree/a", name])
        #expect(results.last?["error"]?.string?.contains("without the zeros") == true)
      }
    }

    /// Tests that all members of a ZIP archive with damage in one place are found, except one whose
    /// own header is damaged, and that the damage is reported.
    @Test(
      arguments: [
        // What the bytes follow, which of its occurrences, their offset after it, and what is missing.
        ("PK\u{1}\u{2}", 0, 0, nil), ("PK\u{1}\u{2}", 2, 28, nil), ("PK\u{1}\u{2}", 2, 42, nil),
        ("PK\u{5}\u{6}", 0, 1, nil), ("PK\u{3}\u{4}", 2, 0, "b"),
      ] as [(String, Int, Int, String?)])
    func aDamagedZIPIsReadAsFarAsPossible(
      signature: String, occurrence: Int, offset: Int, missing: String?
    ) async throws {
      for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      let script = """
        import sys, zipfile
        with zipfile.ZipFile("a.zip", "w") as archive:
            for name in "abc":
                archive.write("tree/" + name, name)
                archive.write("tree/" + name + ".crc", name + ".crc")
        data = bytearray(open("a.zip", "rb").read())
        at = -1
        for _ in range(int(sys.argv[2]) + 1):
            at = data.index(sys.argv[1].encode(), at + 1)
        data[at + int(sys.argv[3])] ^= 4
        open("a.zip", "wb").write(data)
        """
      let made = try await Tool.run(
        "python3", ["-c", script, signature, "\(occurrence)", "\(offset)"], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "a.zip"] + .clock, in: scratch.path)
      let results = try outcome.objects("result")
      let found = results.filter { $0["verdict"]?.string == "clean" }.compactMap {
        $0["path"]?.string
      }
      #expect(found == ["a", "b", "c"].filter { $0 != missing }.map { "a.zip!" + $0 })
      let error = results.first { $0["path"]?.string == "a.zip" }?["error"]?.string
      #expect(error?.contains("without") == true, "\(outcome.output)")
      #expect(outcome.status == 8)
    }

    /// Tests that a part of an archive has the further members with its names, as the whole has.
    @Test(arguments: ["scan", "check"])
    func aNamedPartHasAllMembersOfOneName(command: String) async throws {
      try extraction.copy("mmkv/golden/all_types", "one", as: "kv")
      try extraction.copy("mmkv/golden/all_types", "two", as: "kv")
      let script = """
        import warnings, zipfile
        warnings.simplefilter("ignore")
        with zipfile.ZipFile("a.zip", "w") as archive:
            for folder in ("one", "two"):
                for suffix in ("", ".crc"):
                    archive.write(folder + "/kv" + suffix, "data/m/kv" + suffix)
        """
      let made = try await Tool.run("python3", ["-c", script], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      for part in ["a.zip", "a.zip!", "a.zip!data", "a.zip!data/m", "a.zip!data/m/"] {
        let outcome = try await Tool.run([command, "--json", part] + .clock, in: scratch.path)
        #expect(outcome.status == 0, "\(part): \(outcome.testDescription)")
        #expect(
          try outcome.objects("result").map { $0["path"]?.string }
            == ["a.zip!data/m/kv", "a.zip!#2!data/m/kv"], "\(part): \(outcome.testDescription)")
      }
      for (part, path) in [
        ("a.zip!data/m/kv", "a.zip!data/m/kv"), ("a.zip!#2!data", "a.zip!#2!data/m/kv"),
      ] {
        let outcome = try await Tool.run(["scan", part] + .clock, in: scratch.path)
        #expect(try outcome.objects("result").map { $0["path"]?.string } == [path])
      }
    }

    /// Tests that a problem with a member elsewhere in the archive does not make a part fail.
    @Test func aProblemElsewhereIsNotOfANamedPart() async throws {
      for name in ["a", "b"] { try extraction.copy("mmkv/golden/all_types", name, as: "kv") }
      let script = """
        import zipfile
        with zipfile.ZipFile("a.zip", "w") as archive:
            for name in ("a/kv", "a/kv.crc", "b/kv", "b/kv.crc"):
                archive.write(name, name)
            end = archive.infolist()[2].header_offset
        data = bytearray(open("a.zip", "rb").read())
        data[end + 30 + 4 + 200] ^= 1
        open("a.zip", "wb").write(data)
        """
      let made = try await Tool.run("python3", ["-c", script], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      for (part, stores) in [
        ("a.zip", ["a", "b"]), ("a.zip!", ["a", "b"]), ("a.zip!a", ["a"]), ("a.zip!a/kv", ["a"]),
        ("a.zip!b", ["b"]), ("a.zip!b/kv", ["b"]),
      ] {
        let outcome = try await Tool.run(["scan", part] + .clock, in: scratch.path)
        #expect(outcome.status == 0, "\(part): \(outcome.testDescription)")
        #expect(
          try outcome.objects("result").map { $0["path"]?.string }
            == stores.map { "a.zip!\($0)/kv" }, "\(part): \(outcome.testDescription)")
      }
    }
  }
#endif
