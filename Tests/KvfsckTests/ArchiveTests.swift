#if Archives
  import Foundation
  import KVFixtures
  import KVTestSupport
  import Testing

  /// Finding and reading stores in archives as in folders, without harm from a hostile archive.
  struct ArchiveTests {
    private let scratch: Scratch
    private let extraction: Extraction

    init() throws {
      scratch = try Scratch()
      extraction = Extraction(in: scratch)
    }

    /// Each archive of the folder `tree`, with the prefix of the names in it.
    private static let packings: [(script: String, prefix: String)] = [
      ("cd tree && tar cf ../a.tar data", "a.tar!"),
      ("cd tree && tar czf ../a.tar.gz .", "a.tar.gz!"),
      ("cd tree && tar cjf ../a.tbz2 data", "a.tbz2!"),
      ("cd tree && tar cJf ../a.txz data", "a.txz!"),
      ("cd tree && \(zip("../a.zip", "."))", "a.zip!"),
      (
        "cd tree && \(zip("../in.zip", ".")) && cd .. && mkdir deep && mv in.zip deep && "
          + "tar cf a.tar deep", "a.tar!deep/in.zip!"
      ),
      ("cd tree && tar cf ../a data && cd .. && \(backup("a", "a.ab", isPacked: true))", "a.ab!"),
      ("cd tree && tar cf ../a data && cd .. && \(backup("a", "a.ab", isPacked: false))", "a.ab!"),
    ]

    /// Returns a command that packs `folder` into the ZIP archive `archive`.
    ///
    /// Links are omitted, because Python would follow them.
    private static func zip(_ archive: String, _ folder: String) -> String {
      """
      python3 -c 'import os,sys,zipfile
      z = zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED)
      for f, _, names in os.walk(sys.argv[2]):
        for n in names:
          p = os.path.join(f, n)
          if not os.path.islink(p): z.write(p)
      z.close()' \(archive) \(folder)
      """
    }

    /// Returns a command that makes an Android backup of the TAR archive `archive`.
    private static func backup(_ archive: String, _ name: String, isPacked: Bool) -> String {
      """
      python3 -c 'import sys,zlib
      b = open(sys.argv[1], "rb").read()
      p = sys.argv[3] == "1"
      h = b"ANDROID BACKUP\\n5\\n" + sys.argv[3].encode() + b"\\nnone\\n"
      open(sys.argv[2], "wb").write(h + (zlib.compress(b) if p else b))' \(archive) \(name) \
      \(isPacked ? 1 : 0)
      """
    }

    /// Returns the verdicts by the bytes of the names.
    ///
    /// Two spellings of an accent are equal strings, but different names.
    private static func bytes(_ verdicts: [String: String]) -> [[UInt8]: String] {
      Dictionary(uniqueKeysWithValues: verdicts.map { (Array($0.key.utf8), $0.value) })
    }

    @Test func anArchiveHasTheStoresOfTheFolderThatWasPacked() async throws {
      let stores = try extraction.make(seed: RandomSeeds.run)
      let folder = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
      let expected = try folder.verdicts(after: "tree/")
      #expect(expected.count == stores.count)
      for (script, prefix) in Self.packings {
        let packed = try await Tool.run("/bin/sh", ["-ec", script], in: scratch.path)
        try #require(packed.status == 0, "\(packed.testDescription)")
        let name = String(prefix.prefix { $0 != "!" })
        let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let found = try outcome.verdicts(after: prefix)
        #expect(found == expected, "\(prefix)")
      }
    }

    @Test func anArchiveInAFolderIsLookedIntoAndAProgramIsNot() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      _ = try await Tool.run(
        "/bin/sh",
        ["-c", "cd tree && \(Self.zip("../x", ".")) && cd .. && cp x tree/y.apk && mv x tree/x"],
        in: scratch.path)
      let outcome = try await Tool.run(["scan", "tree"], in: scratch.path)
      #expect(
        try outcome.verdicts(after: "tree/") == Self.bytes(["kv": "clean", "x!kv": "clean"]))
      let program = try await Tool.run(["scan", "tree/y.apk"], in: scratch.path)
      #expect(try program.verdicts(after: "tree/y.apk!") == Self.bytes(["kv": "clean"]))
    }

    // MARK: One store

    @Test func aStoreInAnArchiveIsCheckedAndRepairedAsOneInAFolder() async throws {
      try extraction.copy("mmkv/damaged/flip_keylen_fwb", "tree/deep", as: "kv")
      _ = try await Tool.run(
        "/bin/sh", ["-c", "tar czf a.tgz tree && python3 -m zipfile -c b.zip a.tgz"],
        in: scratch.path)
      let path = "b.zip!a.tgz!tree/deep/kv"
      let plain = try await Tool.run(["check", "tree/deep/kv"] + .clock, in: scratch.path)
      let check = try await Tool.run(["check", path] + .clock, in: scratch.path)
      #expect(check.status == plain.status)
      // The shell needs quotes around a path that contains "!".
      let output = check.output.replacing("'\(path)'", with: path)
        .replacing(path, with: "tree/deep/kv")
      #expect(output == plain.output, "\(check.output)")
      for (store, folder) in [(path, "one"), ("tree/deep/kv", "two")] {
        let repair = try await Tool.run(
          ["repair", store, "--out", folder, "-y"] + .clock, in: scratch.path)
        #expect(repair.status == 1, "\(repair.testDescription)")
      }
      let dump = try await Tool.run(["dump", "one"] + .clock, in: scratch.path)
      let expected = try await Tool.run(["dump", "two"] + .clock, in: scratch.path)
      #expect(dump.status == 0 && dump.lines.count >= 29)
      #expect(dump.output.replacing("one/", with: "two/") == expected.output)
    }

    @Test func nothingIsWrittenIntoAnArchive() async throws {
      try extraction.copy("mmkv/damaged/flip_keylen_fwb", "tree", as: "kv")
      _ = try await Tool.run("tar", ["cf", "a.tar", "tree"], in: scratch.path)
      let before = try FolderState(of: scratch.path)
      let outcome = try await Tool.run(
        ["repair", "--in-place", "-y", "a.tar!tree/kv"], in: scratch.path)
      #expect(outcome.status == 8 && outcome.errors.contains("is in an archive"))
      #expect(try FolderState(of: scratch.path) == before)
    }

    @Test func anArchiveAloneIsListedByCheckAndNamedByOthers() async throws {
      for name in ["a", "b"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      _ = try await Tool.run("tar", ["cf", "a.tar", "tree"], in: scratch.path)
      let check = try await Tool.run(["check", "a.tar"] + .clock, in: scratch.path)
      #expect(check.status == 0 && check.output.contains("2 stores: 2 clean"))
      let folder = try await Tool.run(["check", "a.tar!tree"] + .clock, in: scratch.path)
      #expect(folder.status == 0 && folder.output.contains("2 stores: 2 clean"))
      let dump = try await Tool.run(["dump", "a.tar"], in: scratch.path)
      #expect(dump.status == 0 && dump.output == check.output, "\(dump.testDescription)")
      #expect(dump.errors.contains("kvfsck dump 'a.tar!tree/a'"), "\(dump.errors)")
      let map = try await Tool.run(["map", "a.tar"], in: scratch.path)
      #expect(map.status == 8 && map.errors.contains("a.tar!PATH"), "\(map.errors)")
      for path in ["a.tar!tree/c", "a.tar!a!b", "tree/a!b"] {
        let missing = try await Tool.run(["check", path], in: scratch.path)
        #expect(missing.status == 8, "\(path): \(missing.testDescription)")
      }
    }

    @Test func anArchiveInAnArchiveIsReadLikeOneOnDisk() async throws {
      for name in ["a", "b"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      _ = try await Tool.run("tar", ["cf", "in.tar", "tree"], in: scratch.path)
      _ = try await Tool.run("tar", ["czf", "out.tgz", "in.tar"], in: scratch.path)
      for (command, rest) in [
        ("check", [String]()), ("dump", []), ("map", []), ("get", ["x"]),
        ("compare", ["tree"]), ("convert", ["--to", "json", "--dry-run"]),
      ] {
        let disk = try await Tool.run([command, "in.tar"] + rest + .clock, in: scratch.path)
        let inner = try await Tool.run(
          [command, "out.tgz!in.tar"] + rest + .clock, in: scratch.path)
        #expect(inner.status == disk.status, "\(inner.testDescription)")
        #expect(inner.output.replacing("out.tgz!", with: "") == disk.output)
        #expect(inner.errors.replacing("out.tgz!", with: "") == disk.errors)
      }
    }

    @Test func aFileWithAnExclamationMarkInItsNameIsAFile() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "x!y")
      let outcome = try await Tool.run(["check", "tree/x!y"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
    }

    // MARK: Hostile archives

    /// Members whose names lead elsewhere, occur twice, or are not files.
    ///
    /// Each is a store with the same bytes.
    private static let hostile = """
      import io, sys, tarfile, zipfile, warnings
      warnings.simplefilter("ignore")
      good, bad = [[open(f + "/kv" + s, "rb").read() for s in ("", ".crc")] for f in sys.argv[1:3]]
      names = ["../../up", "/abs", "a/../b", "m/kv", "m/KV", "\\x01!/kv", "line\\nfeed", "kv", "m"]
      z, t = zipfile.ZipFile("h.zip", "w"), tarfile.open("h.tar", "w")
      def add(name, store):
          for suffix, data in zip(("", ".crc"), store):
              z.writestr(zipfile.ZipInfo(name + suffix), data)
              member = tarfile.TarInfo(name + suffix)
              member.size = len(data)
              t.addfile(member, io.BytesIO(data))
      for name in names: add(name, good)
      add("m/kv", bad)
      for name, kind in [("link", tarfile.SYMTYPE), ("device", tarfile.CHRTYPE),
                         ("pipe", tarfile.FIFOTYPE)]:
          member = tarfile.TarInfo(name)
          member.type, member.linkname = kind, "/etc/passwd"
          t.addfile(member)
      for suffix in ("", ".crc"):
          member = tarfile.TarInfo("hard" + suffix)
          member.type, member.linkname = tarfile.LNKTYPE, "kv" + suffix
          t.addfile(member)
      z.close()
      t.close()
      """

    @Test func namesInAnArchiveAreNamesAndWhatIsThereTwiceIsReportedTwice() async throws {
      let roots = ["golden/all_types", "damaged/flip_keylen_fwb"].map {
        "\(Fixture.root)/mmkv/\($0)"
      }
      let made = try await Python.run(Self.hostile, roots, in: scratch.path)
      try #require(made.status == 0, "\(made.errors)")
      let before = try FolderState(of: scratch.path)
      var expected: [String: String] = ["#2!m/kv": "repairable"]
      for name in [
        "../../up", "/abs", "a/../b", "m/kv", "m/KV", "\u{1}!/kv", "line\nfeed", "kv", "m",
      ] {
        expected[name] = "clean"
      }
      let zip = try await Tool.run(["scan", "h.zip"] + .clock, in: scratch.path)
      #expect(try zip.verdicts(after: "h.zip!") == Self.bytes(expected))
      expected["hard"] = "clean"
      let tar = try await Tool.run(["scan", "h.tar"] + .clock, in: scratch.path)
      #expect(try tar.verdicts(after: "h.tar!") == Self.bytes(expected))
      for name in expected.keys {
        let check = try await Tool.run(["check", "h.tar!\(name)"] + .clock, in: scratch.path)
        #expect(check.status == (name.hasPrefix("#") ? 4 : 0), "\(name): \(check.testDescription)")
      }
      #expect(try FolderState(of: scratch.path) == before)
    }

    @Test(arguments: ["zip", "tar.gz"])
    func anArchiveThatUnpacksToFarMoreThanItHasIsRefused(suffix: String) async throws {
      let script = """
        import io, sys, tarfile, zipfile
        store = [(n, open(sys.argv[1] + "/kv" + n, "rb").read()) for n in ("", ".crc")]
        if sys.argv[2] == "zip":
            a = zipfile.ZipFile("bomb.zip", "w", zipfile.ZIP_DEFLATED)
            for n, data in store: a.writestr("kv" + n, data)
            with a.open("big", "w") as f:
                for _ in range(500): f.write(bytes(1 << 20))
        else:
            a = tarfile.open("bomb.tar.gz", "w:gz", compresslevel=1)
            for n, data in store + [("big", None)]:
                m = tarfile.TarInfo(n if data is None else "kv" + n)
                m.size = 500 << 20 if data is None else len(data)
                a.addfile(m, open("/dev/zero", "rb") if data is None else io.BytesIO(data))
        a.close()
        """
      let made = try await Python.run(
        script, ["\(Fixture.root)/mmkv/golden/all_types", suffix], in: scratch.path)
      try #require(made.status == 0, "\(made.errors)")
      let outcome = try await Tool.shell(
        "ulimit -v 900000; exec $0 scan bomb.\(suffix)", in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      let results = try outcome.objects("result")
      #expect(results.first?["verdict"]?.string == "clean")
      #expect(
        results.dropFirst().contains {
          $0["error"]?.string?.contains("may be a decompression bomb") == true
        }, "\(outcome.output)")
    }

    /// Tests that unpacking is bounded at every place in an archive.
    ///
    /// The archives have zeros after the last member, in which the library searches for a header.
    /// Others have more bytes in a member than the archive states, or zeros that are not stored.
    @Test(arguments: ["gz", "xz", "bz2", "lie", "sparse"])
    func whatIsUnpackedIsBoundedWhereverItIs(kind: String) async throws {
      let made = try await Python.run(
        Self.bombs, ["\(Fixture.root)/mmkv/golden/all_types", kind], in: scratch.path)
      try #require(made.status == 0, "\(made.errors)")
      let outcome = try await Tool.shell(
        "ulimit -v 1500000; exec $0 scan bomb", in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      let results = try outcome.objects("result")
      #expect(results.first?["verdict"]?.string == "clean", "\(outcome.testDescription)")
      let reason = kind == "lie" ? "more than the 10 bytes" : "may be a decompression bomb"
      #expect(
        results.dropFirst().contains { $0["error"]?.string?.contains(reason) == true },
        "\(outcome.output)")
    }

    private static let bombs = """
      import bz2, gzip, io, lzma, struct, sys, tarfile, zipfile, zlib
      store = [(n, open(sys.argv[1] + "/kv" + n, "rb").read()) for n in ("", ".crc")]
      o = io.BytesIO()
      t = tarfile.open(fileobj=o, mode="w", format=tarfile.PAX_FORMAT)
      def add(name, data, headers={}):
          m = tarfile.TarInfo(name)
          m.size, m.pax_headers = len(data), headers
          t.addfile(m, io.BytesIO(data))
      for n, data in store: add("kv" + n, data)
      count = 200 << 20
      if sys.argv[2] == "sparse":
          for i in range(3):
              add(f"s{i}", b"z" * 512, {"GNU.sparse.size": str(count),
                                        "GNU.sparse.map": f"0,1,{count - 511},511"})
      t.close()
      if sys.argv[2] == "sparse":
          bomb = o.getvalue()
      elif sys.argv[2] == "lie":
          z = zipfile.ZipFile("bomb", "w", zipfile.ZIP_DEFLATED)
          for n, data in store: z.writestr("kv" + n, data)
          z.writestr("big", bytes(64 << 20))
          z.close()
          b = bytearray(open("bomb", "rb").read())
          place = b.rindex(b"PK\\1\\2")
          start = struct.unpack_from("<I", b, place + 42)[0]
          for offset in (place + 24, start + 22): struct.pack_into("<I", b, offset, 10)
          bomb = bytes(b)
      else:
          pack = {"gz": gzip.compress, "bz2": bz2.compress,
                  "xz": lambda b: lzma.compress(b, preset=0)}[sys.argv[2]]
          bomb = pack(o.getvalue()) + pack(bytes(64 << 20)) * 24
      open("bomb", "wb").write(bomb)
      """

    /// Tests that an archive is listed in part if listing it takes too long.
    ///
    /// The listed members are read, and a line states that there are more.
    @Test func anArchiveThatTakesTooLongIsListedInPart() async throws {
      let script = """
        import tarfile
        with tarfile.open("b.tar", "w") as t: t.addfile(tarfile.TarInfo("0"))
        t = tarfile.open("a.tar", "w")
        t.add("b.tar")
        for i in range(20000): t.addfile(tarfile.TarInfo(str(i)))
        t.close()
        """
      #expect(try await Python.run(script, [], in: scratch.path).status == 0)
      let outcome = try await Tool.run(["scan", "--timeout", "0.001", "a.tar"], in: scratch.path)
      #expect(outcome.status == 8)
      #expect(outcome.output.contains("would take longer than the time limit"), "\(outcome.output)")
      #expect(try outcome.objects("totals").count == 1)
      #expect(try await Tool.run(["scan", "a.tar"], in: scratch.path).status == 0)
      // If a member is named, its archive is listed before a store is found. The time limit can be
      // reached before an inner archive is opened.
      for member in ["a.tar!19999", "a.tar!b.tar!0"] {
        let last = try await Tool.run(["scan", "--timeout", "0.001", member], in: scratch.path)
        #expect(last.status == 8)
        #expect(last.output.contains("would take longer than the time limit"), "\(last.output)")
      }
    }

    @Test func archivesTooDeepWithinEachOtherAreReported() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      let script = """
        tar cf 1.tar tree; for n in 2 3 4 5 6; do tar cf $n.tar $((n - 1)).tar; done
        """
      _ = try await Tool.run("/bin/sh", ["-c", script], in: scratch.path)
      let four = try await Tool.run(["scan", "4.tar"], in: scratch.path)
      #expect(four.status == 0 && four.output.contains("4.tar!3.tar!2.tar!1.tar!tree/kv"))
      let five = try await Tool.run(["scan", "5.tar"], in: scratch.path)
      #expect(five.status == 8)
      #expect(
        try five.objects("result").map { $0["path"]?.string } == ["5.tar!4.tar!3.tar!2.tar!1.tar"])
    }

    // MARK: Damaged archives

    @Test func aMemberWhoseChecksumFailsIsReadAndReported() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      let script = """
        import zipfile
        z = zipfile.ZipFile("a.zip", "w")
        for n in ("kv", "kv.crc"): z.write("tree/" + n, n)
        z.close()
        b = bytearray(open("a.zip", "rb").read())
        b[b.find(b"kv") + 2 + 4000] ^= 1
        open("a.zip", "wb").write(b)
        """
      _ = try await Python.run(script, [], in: scratch.path)
      let check = try await Tool.run(["check", "--json", "a.zip!kv"] + .clock, in: scratch.path)
      #expect(check.status == 4, "\(check.testDescription)")
      let codes = try check.objects("finding").map { $0["code"]?.string }
      #expect(codes.contains("store.file-incomplete"), "\(codes)")
      #expect(try check.objects("store").first?["verdict"]?.string != "clean")
    }

    @Test func membersAfterADamagedHeaderAreFound() async throws {
      for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      _ = try await Tool.run(
        "tar", ["cf", "a.tar", "-C", "tree", "a", "a.crc", "b", "b.crc", "c", "c.crc"],
        in: scratch.path)
      var bytes = try scratch.bytes(of: "a.tar")
      // The header of `b`, after two files with a header each.
      let header = 2 * (512 + 4096)
      bytes[header] ^= 1
      _ = try scratch.write(bytes, to: "a.tar")
      let outcome = try await Tool.run(["scan", "a.tar"] + .clock, in: scratch.path)
      #expect(outcome.status == 8)
      let results = try outcome.objects("result")
      let paths = results.compactMap { $0["path"]?.string }
      #expect(paths.contains("a.tar!a") && paths.contains("a.tar!c"), "\(outcome.output)")
      let report = try #require(results.first { $0["path"]?.string == "a.tar" })
      #expect(report["error"]?.string?.contains("at byte 0x2400") == true, "\(report)")
    }

    @Test func anArchiveThatIsCutOffOrDamagedGivesWhatItHas() async throws {
      let seed = RandomSeeds.run
      var random = SeededGenerator(seed: seed)
      for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "tree", as: name) }
      for (script, name) in [
        ("tar cf whole tree", "x.tar"), ("tar czf whole tree", "x.tgz"),
        ("tar cJf whole tree", "x.txz"), (Self.zip("whole", "tree"), "x.zip"),
        ("tar cf t tree; \(Self.backup("t", "whole", isPacked: true))", "x.ab"),
      ] {
        _ = try await Tool.run("/bin/sh", ["-c", script], in: scratch.path)
        let whole = try scratch.bytes(of: "whole")
        for round in 0..<(TestExtent.isComplete ? 60 : 8) {
          var bytes = whole
          if round % 2 == 0 {
            bytes = Array(bytes.prefix(.random(in: 0..<whole.count, using: &random)))
          }
          if round % 4 != 0, !bytes.isEmpty {
            for _ in 0..<3 {
              bytes[.random(in: 0..<bytes.count, using: &random)] ^= .random(
                in: 1...255, using: &random)
            }
          }
          _ = try scratch.write(bytes, to: name)
          let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
          #expect(
            [0, 8].contains(outcome.status), "\(name), seed \(seed): \(outcome.testDescription)")
          #expect(try outcome.objects("totals").count == 1)
        }
      }
    }

    @Test func aStoreInAnArchiveWhoseChecksumFailsComesWithANote() async throws {
      try extraction.copy("mmkv/golden/all_types", "tree", as: "kv")
      _ = try await Tool.run("tar", ["czf", "a.tgz", "tree"], in: scratch.path)
      var bytes = try scratch.bytes(of: "a.tgz")
      // The CRC-32 of the unpacked bytes, before their length.
      bytes[bytes.count - 8] ^= 1
      _ = try scratch.write(bytes, to: "a.tgz")
      let check = try await Tool.run(["check", "a.tgz!tree/kv"] + .clock, in: scratch.path)
      #expect(check.status == 0 && check.output.contains("clean, 45 entries"))
      #expect(check.errors.contains("note: a.tgz: it ends"), "\(check.errors)")
      #expect(check.errors.contains("incorrect data check"), "\(check.errors)")
      let scan = try await Tool.run(["scan", "a.tgz"] + .clock, in: scratch.path)
      #expect(scan.status == 8 && scan.output.contains("incorrect data check"))
    }

    #if os(Linux)
      @Test func aLibraryThatCannotBeLoadedIsNamed() async throws {
        _ = try scratch.write([], to: "libarchive.so.13")
        _ = try scratch.write(Array("ANDROID BACKUP\n5\n0\nnone\n0123".utf8), to: "a.ab")
        let script = #"LD_LIBRARY_PATH=$PWD exec "$0" scan a.ab"#
        let outcome = try await Tool.shell(script, in: scratch.path)
        #expect(outcome.status == 8, "\(outcome.testDescription)")
        #expect(outcome.output.contains("libarchive.so.13 is missing or cannot be loaded"))
      }
    #endif

    @Test func anEncryptedBackupIsSaidToBeOne() async throws {
      _ = try scratch.write(Array("ANDROID BACKUP\n5\n1\nAES-256\n0123".utf8), to: "a.ab")
      let outcome = try await Tool.run(["scan", "a.ab"], in: scratch.path)
      #expect(outcome.status == 8 && outcome.output.contains("the backup is encrypted"))
    }

    @Test(arguments: [
      ("7z", [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c, 0, 4]),
      ("RAR", Array("Rar!\u{1a}\u{7}\u{1}\0".utf8)),
    ])
    func anArchiveThatIsNotSearchedIsReported(name: String, head: [UInt8]) async throws {
      _ = try scratch.makeFolder("app")
      _ = try scratch.write(head + [UInt8](repeating: 0x55, count: 600), to: "app/evidence")
      let outcome = try await Tool.run(["scan", "app"], in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      #expect(outcome.output.contains("app/evidence: it is a \(name) archive"))
    }
  }
#else
  import Testing

  /// Archives in a build without libarchive, for which the tool must name the missing trait.
  struct ArchiveTests {
    @Test func anArchiveIsSaidToNeedTheTrait() async throws {
      let scratch = try Scratch()
      _ = try scratch.write(
        Array("PK\u{5}\u{6}".utf8) + [UInt8](repeating: 0, count: 18), to: "a.zip")
      let outcome = try await Tool.run(["scan", "a.zip"], in: scratch.path)
      #expect(outcome.status == 8 && outcome.output.contains("the trait Archives"))
    }
  }
#endif
