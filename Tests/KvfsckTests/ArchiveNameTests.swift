#if Archives
  import Foundation
  import Testing

  /// The names of members, which are the bytes that an archive has.
  struct ArchiveNameTests {
    private let scratch: Scratch
    private let extraction: Extraction

    init() throws {
      scratch = try Scratch()
      extraction = Extraction(in: scratch)
    }

    /// Makes archives of a folder with the name in the two spellings of its accent.
    ///
    /// Of `raw.zip`, one name is not UTF-8 although it is marked so; and of `cut.zip` and `rawcut.zip`,
    /// the directory is missing.
    private static let script = """
      import tarfile, unicodedata, zipfile
      spellings = [unicodedata.normalize(f, "caf\\u00e9") for f in ("NFC", "NFD")]
      names = [s + "/" + n for s in spellings for n in ("kv", "kv.crc", "user?", "user?.crc")]
      for form in ("PAX", "GNU"):
          with tarfile.open(form + ".tar", "w", format=getattr(tarfile, form + "_FORMAT")) as t:
              for n in names: t.add("tree/" + n, n)
      with tarfile.open("pax.tar.xz", "w:xz", format=tarfile.PAX_FORMAT) as t:
          for n in names: t.add("tree/" + n, n)
      with zipfile.ZipFile("flag.zip", "w") as z:
          for n in names: z.write("tree/" + n, n)
      b = open("flag.zip", "rb").read()
      open("cut.zip", "wb").write(b[:b.index(b"PK\\1\\2")])
      b = b.replace("caf\\u00e9".encode(), b"caf\\xff\\xfe")
      open("raw.zip", "wb").write(b)
      open("rawcut.zip", "wb").write(b[:b.index(b"PK\\1\\2")])
      """

    /// Returns the verdicts by the bytes of the names; what cannot be read of the archive has none.
    private func stores(_ outcome: Outcome, after prefix: String) throws -> [[UInt8]: String] {
      var stores: [[UInt8]: String] = [:]
      for line in try outcome.objects("result") {
        guard let path = line["path"]?.string, let verdict = line["verdict"]?.string else {
          continue
        }
        stores[Array(path.utf8.dropFirst(prefix.utf8.count))] = verdict
      }
      return stores
    }

    @Test func namesAreTheBytesThatTheArchiveHas() async throws {
      for (form, fixture) in [("é", "golden/all_types"), ("e\u{301}", "damaged/flip_keylen_fwb")] {
        for name in ["kv", "user?"] {
          try extraction.copy("mmkv/\(fixture)", "tree/caf\(form)", as: name)
        }
      }
      let made = try await Python.run(Self.script, [], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let folder = try await Tool.run(["scan", "tree"] + .clock, in: scratch.path)
      let expected = try folder.verdicts(after: "tree/")
      #expect(expected.count == 4, "\(folder.output)")
      for name in ["PAX.tar", "GNU.tar", "pax.tar.xz", "flag.zip", "cut.zip"] {
        let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
        #expect(try stores(outcome, after: "\(name)!") == expected, "\(outcome.testDescription)")
      }
      for name in ["raw.zip", "rawcut.zip"] {
        let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
        #expect(outcome.output.contains("caf\\\\xff\\\\xfe/kv\""), "\(outcome.output)")
        #expect(!outcome.output.contains("no name"), "\(outcome.output)")
      }
      for name in ["PAX.tar", "flag.zip"] {
        let compare = try await Tool.run(["compare", "tree", name] + .clock, in: scratch.path)
        #expect(compare.output.hasSuffix("Stores: 4 same\n"), "\(compare.testDescription)")
      }
    }

    /// Tests the names that some programs for ZIP write beside others, or with backslashes.
    @Test func namesOfOtherProgramsAreUnderstood() async throws {
      try extraction.copy("fastkv-apple/golden/all_types", "tree", as: "store")
      let script = """
        import struct, zipfile, zlib
        data = open("tree/store.fkv", "rb").read()
        def unicode(stored, text, crc):
            body = struct.pack("<BI", 1, crc) + text.encode()
            return struct.pack("<HH", 0x7075, len(body)) + body
        with zipfile.ZipFile("a.zip", "w") as z:
            i = zipfile.ZipInfo("one.fkv")
            i.extra = unicode(b"one.fkv", "\\u00e9.fkv", zlib.crc32(b"one.fkv"))
            z.writestr(i, data)
            i = zipfile.ZipInfo("two.fkv")
            i.extra = unicode(b"two.fkv", "stale.fkv", 1)
            z.writestr(i, data)
            for system in (0, 3):
                i = zipfile.ZipInfo(f"{system}\\\\three.fkv")
                i.create_system = system
                z.writestr(i, data)
        """
      let made = try await Python.run(script, [], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let outcome = try await Tool.run(["scan", "a.zip"] + .clock, in: scratch.path)
      #expect(outcome.status == 0, "\(outcome.testDescription)")
      let paths = try outcome.objects("result").compactMap { $0["path"]?.string }
      let names = ["0/three.fkv", #"3\three.fkv"#, "two.fkv", "\u{e9}.fkv"]
      #expect(Set(paths) == Set(names.map { "a.zip!" + $0 }), "\(outcome.output)")
    }
  }
#endif
