#if Archives
  import Foundation
  import Testing

  /// Links and special members of archives, which are followed or refused as those of a folder are.
  struct ArchiveLinkTests {
    private let scratch: Scratch
    private let extraction: Extraction

    init() throws {
      scratch = try Scratch()
      extraction = Extraction(in: scratch)
    }

    /// Returns the results of a scan of `name`, with the paths and messages as for `tree`.
    private func scan(_ name: String, as tree: String) async throws -> [String] {
      let outcome = try await Tool.run(["scan", name] + .clock, in: scratch.path)
      return try outcome.objects("result").map { line in
        let text = line["verdict"]?.string ?? line["error"]?.string ?? ""
        return "\(line["path"]?.string ?? "") \(text)".replacing(tree, with: "tree/")
      }.sorted()
    }

    /// Links within the folder of a store, out of it, out of the archive, to nothing and in circles.
    ///
    /// In each folder is a store whose meta file or data file is there by the link only.
    private static let links = """
      mkdir near deep out far none loop long pipe named through double
      for f in *; do cp ../m/kv $f/kv; done
      cp ../m/kv.crc near/other; ln -s other near/kv.crc
      mkdir deep/er; cp ../m/kv.crc deep/er/x; ln -s er/../er/x deep/kv.crc
      cp ../m/kv.crc up; ln -s ../up out/kv.crc
      ln -s /etc/hostname far/kv.crc
      ln -s missing none/kv.crc
      ln -s kv.crc loop/kv.crc
      cp ../m/kv.crc long/end; ln -s end long/0; for i in $(seq 50); do ln -s $((i - 1)) long/$i; done
      ln -s 50 long/kv.crc
      mkfifo pipe/kv.crc
      rm named/kv; cp ../m/kv named/data; cp ../m/kv.crc named/kv.crc; ln -s data named/kv
      mkdir through/real; cp ../m/kv.crc through/real/x; ln -s real through/folder
      ln -s folder/x through/kv.crc
      ln ../m/kv.crc double/kv.crc; cp ../m/kv double/kw; ln double/kv.crc double/kw.crc
      """

    @Test func aLinkInAnArchiveIsFollowedAsInAFolder() async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let made = try await Tool.shell(
        "mkdir tree && cd tree && \(Self.links) && tar cf ../a.tar . && tar czf ../a.tgz .",
        in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      let folder = try await scan("tree", as: "tree/")
      let clean = folder.filter { $0.hasSuffix(" clean") }
      #expect(clean.count == 6, "\(folder)")
      // About a link that leads nowhere or too far, the system has a message of its own.
      let isSame = { (line: String) in ["loop", "long", "none"].allSatisfy { !line.contains($0) } }
      for name in ["a.tar", "a.tgz"] {
        let archive = try await scan(name, as: "\(name)!")
        #expect(archive.filter { $0.hasSuffix(" clean") } == clean, "\(archive)")
        for path in folder.map({ $0.prefix { $0 != " " } }) {
          #expect(archive.contains { $0.hasPrefix(path + " ") }, "\(path): \(archive)")
        }
        let refused = archive.filter { isSame($0) && $0.contains("kv.crc is a") }
        #expect(refused.count == 3, "\(archive)")
      }
    }

    /// Tests that a link in a ZIP archive is followed too.
    @Test func aLinkInAZIPIsFollowed() async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let script = """
        import zipfile
        with zipfile.ZipFile("a.zip", "w") as z:
            z.write("m/kv", "x/kv")
            z.write("m/kv.crc", "x/other")
            i = zipfile.ZipInfo("x/kv.crc")
            i.create_system, i.external_attr = 3, 0o120777 << 16
            z.writestr(i, "other")
        """
      let made = try await Python.run(script, [], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      #expect(try await scan("a.zip", as: "a.zip!") == ["tree/x/kv clean"])
    }

    /// Tests that another name of a file is one wherever the file is in the archive.
    @Test func aHardLinkMayComeBeforeItsFile() async throws {
      try extraction.copy("mmkv/golden/all_types", "m", as: "kv")
      let script = """
        import tarfile
        with tarfile.open("a.tar", "w") as t:
            for n in ("kv", "kv.crc"):
                i = tarfile.TarInfo("y/" + n)
                i.type, i.linkname = tarfile.LNKTYPE, "x/" + n
                t.addfile(i)
            for n in ("kv", "kv.crc"): t.add("m/" + n, "x/" + n)
            i = tarfile.TarInfo("z/kv.crc")
            i.type, i.linkname = tarfile.LNKTYPE, "x/none"
            t.addfile(i)
        """
      let made = try await Python.run(script, [], in: scratch.path)
      try #require(made.status == 0, "\(made.testDescription)")
      #expect(
        try await scan("a.tar", as: "a.tar!") == [
          "tree/x/kv clean", "tree/y/kv clean", "tree/z/kv.crc it is a link to a missing member",
        ])
    }
  }
#endif
