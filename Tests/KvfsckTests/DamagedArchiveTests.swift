#if Archives
  import Foundation
  import Testing

  /// Archives with damage at their start, in their directory or in the attributes of a member.
  struct DamagedArchiveTests {
    private let scratch: Scratch
    private let extraction: Extraction

    init() throws {
      scratch = try Scratch()
      extraction = Extraction(in: scratch)
    }

    /// Makes the archive `tree/a.SUFFIX` of three stores, and changes its first bytes by `change`, an
    /// expression of Python about its bytes `b`.
    private func make(_ suffix: String, _ change: String) async throws {
      for name in ["a", "b", "c"] { try extraction.copy("mmkv/golden/all_types", "m", as: name) }
      let made = try await Python.run(
        """
        import io, os, sys, tarfile, zipfile, zlib
        suffix = sys.argv[1]
        names = [n + s for n in "abc" for s in ("", ".crc")]
        o = io.BytesIO()
        if suffix == "zip":
            with zipfile.ZipFile(o, "w", zipfile.ZIP_DEFLATED) as z:
                for n in names: z.write("m/" + n, n)
        else:
            mode = {"tar": "w", "ab": "w"}.get(suffix, "w:" + suffix[4:])
            with tarfile.open(fileobj=o, mode=mode, format=tarfile.GNU_FORMAT) as t:
                for n in names: t.add("m/" + n, n)
        b = o.getvalue()
        if suffix == "ab": b = b"ANDROID BACKUP\\n5\\n1\\nnone\\n" + zlib.compress(b)
        os.makedirs("tree", exist_ok=True)
        open("tree/a." + suffix, "wb").write(\(change))
        """, [suffix], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
    }

    /// Returns the clean stores that a scan finds in `tree/NAME`, and the error about the archive.
    private func scan(_ name: String) async throws -> (stores: [String], error: String?) {
      let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
      let results = try outcome.objects("result")
      let clean = results.filter { $0["verdict"]?.string == "clean" }
      let failed = results.filter { $0["error"]?.string != nil }
      #expect(outcome.status == (failed.isEmpty ? 0 : 8), "\(outcome.testDescription)")
      #expect(failed.allSatisfy { $0["path"]?.string == "tree/\(name)" }, "\(outcome.output)")
      let paths = clean.compactMap { $0["path"]?.string }
      return (
        paths.map { $0.replacing("tree/\(name)!", with: "") }, failed.first?["error"]?.string
      )
    }

    @Test(
      arguments: [
        // Only the first of three stores is missing, if its first file is.
        ("tar", "bytes(512) + b[512:]", ["b", "c"], "begins with zeros"),
        ("tar", "b'\\x55' * 512 + b[512:]", ["b", "c"], "at byte 0x0"),
        ("tar", "bytes([b[0] ^ 1]) + b[1:257] + b'x' * 8 + b[265:]", ["b", "c"], "at byte 0x0"),
        ("zip", "bytes([b[0] ^ 1]) + b[1:]", ["b", "c"], "header of a member is damaged"),
        ("zip", "b'x' * 100 + b", ["a", "b", "c"], nil),
        ("ab", "b[:3] + b'X' + b[4:]", ["a", "b", "c"], nil),
        ("tar.gz", "bytes([b[0] ^ 1]) + b[1:]", [], "its start is damaged"),
        ("tar.xz", "bytes([b[0] ^ 1]) + b[1:]", [], "its start is damaged"),
        ("tar.bz2", "bytes([b[0] ^ 1]) + b[1:]", [], "its start is damaged"),
        ("zip", "b[:3]", [], "its start is damaged"),
        ("zip", "b''", [], "is empty"), ("tar", "b''", [], "is empty"),
      ] as [(String, String, [String], String?)])
    func damageAtTheStartHidesNothingElse(
      suffix: String, change: String, stores: [String], error: String?
    ) async throws {
      try await make(suffix, change)
      let found = try await scan("a.\(suffix)")
      #expect(found.stores == stores, "\(found)")
      if let error {
        #expect(found.error?.contains(error) == true, "\(found)")
      } else {
        #expect(found.error == nil)
      }
      for store in stores {
        let check = try await Tool.run(
          ["check", "tree/a.\(suffix)!\(store)"] + .clock, in: scratch.path)
        #expect(check.status == 0, "\(check.testDescription)")
      }
    }

    /// Tests that a TAR archive without its first header is one inside gzip too.
    @Test func aDamagedHeaderInsideACompressedArchiveIsPassedOver() async throws {
      try await make("tar", "__import__('gzip').compress(b'\\x55' * 512 + b[512:])")
      try FileManager.default.moveItem(
        atPath: scratch.path("tree/a.tar"), toPath: scratch.path("tree/a.tar.gz"))
      let found = try await scan("a.tar.gz")
      #expect(found.stores == ["b", "c"], "\(found)")
      #expect(found.error?.contains("Damaged tar archive") == true, "\(found)")
    }

    /// Tests that no healthy file has a line: archives without members, and stores that are named
    /// like archives.
    @Test func aHealthyFileThatIsNamedLikeAnArchiveIsNotReported() async throws {
      for name in ["x.tar", "y.zip", "z.ab"] {
        try extraction.copy("mmkv/golden/all_types", "tree", as: name)
      }
      let made = try await Python.run(
        """
        import tarfile, zipfile
        tarfile.open("tree/none.tar", "w").close()
        zipfile.ZipFile("tree/none.zip", "w").close()
        with zipfile.ZipFile("tree/comment.zip", "w") as z: z.comment = b"nothing"
        open("tree/level.ab", "wb").write(b"UnityFS" + bytes(range(256)) * 16)
        """, [], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let paths = try outcome.objects("result").compactMap { $0["path"]?.string }
      #expect(paths == ["tree/x.tar", "tree/y.zip", "tree/z.ab"])
    }

    /// Tests that a member keeps its bytes whatever its attributes say that it is.
    @Test(arguments: Array(0..<16))
    func aMemberWithBytesIsAFileOfWhateverType(type: Int) async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let script = """
        import sys, zipfile
        with zipfile.ZipFile("a.zip", "w", zipfile.ZIP_DEFLATED) as z:
            for n in ("kv", "kv.crc"):
                i = zipfile.ZipInfo(n)
                i.create_system = 3
                i.external_attr = (int(sys.argv[1]) << 12 | 0o644) << 16
                z.writestr(i, open("m/" + n, "rb").read())
        """
      let made = try await Python.run(script, ["\(type)"], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "a.zip"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let results = try outcome.objects("result")
      #expect(results.map { $0["path"]?.string } == ["a.zip!kv"])
      #expect(results.first?["verdict"]?.string == "clean", "\(outcome.output)")
    }

    /// Tests that a name is reported that is not the same in both places of a ZIP archive.
    @Test(arguments: [0, -1])
    func aNameThatDiffersBetweenHeadersIsReported(occurrence: Int) async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let script = """
        import re, sys, zipfile
        with zipfile.ZipFile("a.zip", "w") as z:
            for n in ("kv.crc", "kv"): z.write("m/" + n, "folder/" + n)
        b = bytearray(open("a.zip", "rb").read())
        places = [m.start() for m in re.finditer(rb"folder/kv(?!\\.)", b)]
        b[places[int(sys.argv[1])] + 8] ^= 1
        open("a.zip", "wb").write(b)
        """
      let made = try await Python.run(script, ["\(occurrence)"], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "a.zip"] + .clock, in: scratch.path)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      let error = try outcome.objects("result").last?["error"]?.string ?? ""
      #expect(error.contains("folder/kv") && error.contains("folder/kw"), "\(outcome.output)")
    }

    /// Tests that a packed member without bytes is whole.
    @Test(arguments: ["STORED", "DEFLATED", "BZIP2", "LZMA"])
    func anEmptyMemberIsReadWithEveryMethod(method: String) async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let script = """
        import sys, zipfile
        with zipfile.ZipFile("a.zip", "w", getattr(zipfile, "ZIP_" + sys.argv[1])) as z:
            for i in range(1100): z.writestr(f"empty{i}", b"")
            for n in ("kv", "kv.crc"): z.write("m/" + n, n)
        """
      let made = try await Python.run(script, [method], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "a.zip"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      #expect(try outcome.objects("result").map { $0["path"]?.string } == ["a.zip!kv"])
    }
  }
#endif
