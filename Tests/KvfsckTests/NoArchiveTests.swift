#if Archives
  import Foundation
  import Testing

  /// Files that look like archives and are none, and archives whose two headers for a member differ.
  struct NoArchiveTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    private func totals(_ outcome: Outcome) throws -> JSON {
      try #require(try outcome.objects("totals").first)
    }

    /// Tests a value that is a TAR archive, whose first header is where that of a damaged archive's
    /// second member would be.
    @Test func aStoreWithAnArchiveInAValueIsAStore() async throws {
      _ = try scratch.write("value".utf8, to: "member")
      _ = try await Tool.run("tar", ["cf", "inner", "member"], in: scratch.path)
      let archive = try scratch.bytes(of: "inner").prefix(1024)
      let digits = archive.map { String(format: "%02x", $0) }.joined()
      func make(_ padding: Int) async throws -> Int? {
        let text =
          "format fastkv-apple\nbytes a hex:\(String(repeating: "61", count: padding))\(digits)\n"
        let script = try scratch.write(text.utf8, to: "app.script")
        _ = try? FileManager.default.removeItem(atPath: scratch.path("store"))
        let made = try await Tool.run(["fixture", "make", script, "--out", scratch.path("store")])
        #expect(made.status == 0, "\(made.testDescription)")
        let name = try #require(scratch.names(in: "store")?.first)
        return try Data(scratch.bytes(of: "store/\(name)")).range(of: Data(archive))?.lowerBound
      }
      let place = try #require(try await make(100))
      let padding = 100 + (1024 - place % 512) % 512
      #expect(try await make(padding).map { $0 % 512 } == 0)
      for command in ["scan", "check", "dump"] {
        let outcome = try await Tool.run([command, "store"], in: scratch.path)
        #expect(outcome.status == 0, "\(outcome.testDescription)")
      }
      let text = try [UInt8](repeating: 0x61, count: 512) + scratch.bytes(of: "inner")
      _ = try scratch.write(text, to: "store/notes.txt")
      let scanned = try await Tool.run(["scan", "--json", "store"], in: scratch.path)
      #expect(scanned.status == 0, "\(scanned.testDescription)")
      #expect(try totals(scanned)["stores"]?.integer == 1)
    }

    /// Tests files that are named as archives, with less allowed to be read than they have.
    @Test func aFileThatIsNoArchiveIsReportedByItsBeginning() async throws {
      let folder = try scratch.makeFolder("files")
      let noise = (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 167 % 251) }
      for name in ["a.zip", "b.tar", "c.tgz"] { _ = try scratch.write(noise, to: "files/\(name)") }
      _ = try scratch.write([], to: "files/d.zip")
      _ = try scratch.write([UInt8](repeating: 0, count: 10_240), to: "files/e.tar")
      // With a limit, it is not known that the last has zeros only.
      for (limit, count) in [([], 4), (["--max-bytes", "1000"], 5)] {
        let scanned = try await Tool.run(["scan", "--json"] + limit + [folder])
        #expect(scanned.status == 8, "\(scanned.testDescription)")
        #expect(try totals(scanned)["failures"]?.integer == count, "\(scanned.testDescription)")
      }
    }

    /// Tests names that both headers of a member have, each in its way, and sizes that only one has.
    @Test(arguments: [
      ("m\\\\kv", "m/kv", 3, 0), ("./m/kv", "m/kv", 3, 0), ("m/kv", "m\\\\kv", 10, 0),
      ("m/kw", "m/kv", 3, 8),
    ])
    func namesThatAreMeantAlikeDoNotContradict(
      local: String, listed: String, system: Int, status: Int
    ) async throws {
      _ = try scratch.copy(.clean, to: "store")
      let script = """
        import sys, zipfile
        local, listed = (name.replace("\\\\\\\\", "\\\\") for name in sys.argv[1:3])
        size = max(len(local), len(listed))
        z = zipfile.ZipFile("x.zip", "w")
        for end in ["", ".crc"]:
          info = zipfile.ZipInfo("N" * size + ("_" + end if end else ""))
          info.create_system = int(sys.argv[3])
          z.writestr(info, open("store/kv" + end, "rb").read())
        z.close()
        """
      // The names are put in afterwards: the module would change them.
      let patch = """
        b = bytearray(open("x.zip", "rb").read())
        import struct
        out, at, moved = bytearray(), 0, {}
        z = zipfile.ZipFile("x.zip")
        entries = []
        for info, end in zip(z.infolist(), ["", ".crc"]):
          data = z.read(info)
          name = (local + end).encode()
          moved[end] = len(out)
          out += struct.pack("<4sHHHHHIIIHH", b"PK\\x03\\x04", 20, 0, 0, 0, 0, info.CRC, len(data), len(data), len(name), 0) + name + data
          entries.append((info, end, data))
        start = len(out)
        for info, end, data in entries:
          name = (listed + end).encode()
          out += struct.pack("<4sBBHHHHHIIIHHHHHII", b"PK\\x01\\x02", 20, int(sys.argv[3]), 20, 0, 0, 0, 0, info.CRC, len(data), len(data), len(name), 0, 0, 0, 0, 0o100644 << 16 if sys.argv[3] == "3" else 0, moved[end])[:46] + name
        out += struct.pack("<4sHHHHIIH", b"PK\\x05\\x06", 0, 0, 2, 2, len(out) - start, start, 0)
        open("x.zip", "wb").write(out)
        """
      let made = try await Tool.run(
        "python3", ["-c", script + "\n" + patch, local, listed, "\(system)"], in: scratch.path)
      #expect(made.status == 0, "\(made.testDescription)")
      let scanned = try await Tool.run(["scan", "--json", "x.zip"], in: scratch.path)
      #expect(scanned.status == Int32(status), "\(scanned.testDescription)")
      let paths = try scanned.objects("result").filter { $0["verdict"]?.string != nil }.map {
        $0["path"]?.string
      }
      #expect(paths == ["x.zip!m/kv"], "\(scanned.testDescription)")
    }

    /// Tests a directory that says of a member that it has no bytes, which are there.
    @Test func aMemberIsNotEmptyForItsDirectoryAlone() async throws {
      _ = try scratch.copy(.clean, to: "store")
      let script = """
        import struct, zipfile
        z = zipfile.ZipFile("x.zip", "w")
        for name in ["kv", "kv.crc"]: z.write("store/" + name, "m/" + name)
        z.close()
        b = bytearray(open("x.zip", "rb").read())
        at = b.index(b"PK\\x01\\x02")
        b[at + 16:at + 20] = b[at + 24:at + 28] = bytes(4)
        open("x.zip", "wb").write(b)
        """
      _ = try await Tool.run("python3", ["-c", script], in: scratch.path)
      let scanned = try await Tool.run(["scan", "--json", "x.zip"], in: scratch.path)
      let lines = try scanned.objects("result")
      let isWhole = lines.contains {
        $0["verdict"]?.string == "clean" && $0["entries"]?.integer == 45
      }
      #expect(isWhole || scanned.status == 8, "\(scanned.testDescription)")
    }
  }
#endif
