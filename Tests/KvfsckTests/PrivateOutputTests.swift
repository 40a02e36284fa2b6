#if Encryption
  import Foundation
  import KVTestSupport
  import Testing

  /// What a command writes about a store, which no one may read who could not read the store.
  struct PrivateOutputTests {
    private let scratch: Scratch
    /// A store with unlikely entries, encrypted with `damagekey`.
    private static let damaged = Fixture("damaged/burst_enc")
    private static let key = ["--key-hex", "64616d6167656b6579"]
    private static let aside = "kv.lost-and-found.jsonl"

    init() throws { scratch = try Scratch() }

    private func repair(_ arguments: [String]) async throws -> Outcome {
      let outcome = try await Tool.run(
        ["repair", "-y", "--min-confidence", "0.98"] + .clock + arguments, in: scratch.path)
      #expect(outcome.status == 5, "\(outcome.testDescription)")
      return outcome
    }

    @Test func whatIsSetAsideFromAnEncryptedStoreIsWrittenOnRequest() async throws {
      let folder = try scratch.copy(Self.damaged)
      let unlikely = try await Tool.run(["dump", "--json"] + Self.key + .clock + [folder])
        .objects("entry").count { $0["probability"]?.number ?? 1 < 0.98 }
      #expect((2...20).contains(unlikely))
      let usual = try await repair(Self.key + ["--out", "new", folder])
      #expect(scratch.names(in: "new") == ["kv", "kv.crc"])
      #expect(
        usual.output.contains(
          "Sets aside \(unlikely) unlikely entries without writing them, as the store is encrypted")
      )
      #expect(usual.output.contains("--lost-and-found writes them"))
      _ = try await repair(Self.key + ["--lost-and-found", "--out", "all", folder])
      #expect(scratch.names(in: "all") == ["kv", "kv.crc", Self.aside])
      // The file would be as readable beside a new store without encryption.
      _ = try await repair(Self.key + ["--plain", "--out", "plain", folder])
      #expect(scratch.names(in: "plain") == ["kv", "kv.crc", Self.aside])
      let rekeyed = try scratch.copy(.lossy, to: "lossy")
      _ = try await repair(["--rekey", "k", "--out", "rekeyed", rekeyed])
      #expect(scratch.names(in: "rekeyed") == ["kv", "kv.crc"])
    }

    @Test(arguments: [damaged, .lossy])
    func nothingButTheStoreAndItsBackupIsWrittenInPlace(fixture: Fixture) async throws {
      let folder = try scratch.copy(fixture)
      let key = fixture.name == Self.damaged.name ? Self.key : []
      let outcome = try await repair(key + ["--in-place", folder])
      #expect(scratch.names(in: "store") == ["kv", "kv.crc", "kv.kvfsck-backup-1"])
      #expect(outcome.output.contains("a repair of the backup with --out DIR writes them"))
      _ = try await repair(
        key + ["--out", "new", "--lost-and-found", "\(folder)/kv.kvfsck-backup-1/kv"])
      #expect(scratch.names(in: "new") == ["kv", "kv.crc", Self.aside])
      let both = try await Tool.run(["repair", "--in-place", "--lost-and-found", folder])
      #expect(both.status == 16 && both.errors.contains("needs --out"))
    }

    @Test func whatIsSetAsideIsForTheOwnerAlone() async throws {
      let folder = try scratch.copy(.lossy)
      _ = try await Tool.shell("chmod 644 store/*", in: scratch.path)
      _ = try await Tool.shell(
        #"umask 0; "$0" repair -y --min-confidence 0.98 --out new store"#, in: scratch.path)
      let manager = FileManager.default
      #expect(try manager.permissions(of: scratch.path("new/\(Self.aside)")) == 0o600, "\(folder)")
      #expect(try manager.permissions(of: scratch.path("new/kv")) == 0o644)
    }

    /// Returns the permissions of all files in the folder called `name`.
    private func permissions(in name: String) throws -> [String: Int] {
      var found: [String: Int] = [:]
      for path in try FileManager.default.subpathsOfDirectory(atPath: scratch.path(name)) {
        let full = scratch.path("\(name)/\(path)")
        let attributes = try FileManager.default.attributesOfItem(atPath: full)
        guard attributes[.type] as? FileAttributeType == .typeRegular else { continue }
        found[path] = try FileManager.default.permissions(of: full)
      }
      return found
    }

    @Test func noNewFileIsMoreReadableThanTheStore() async throws {
      _ = try scratch.copy(.lossy)
      _ = try scratch.makeFolder("out")
      let formats = [
        "mmkv", "fastkv-apple", "fastkv-android", "json", "jsonl", "plist", "sharedprefs",
        "datastore", "sqlite", "yycache", "csv", "tsv",
      ]
      let reports = ["html", "sqlite", "leapp", "case", "dfxml"]
      let script = """
        umask 0; chmod 600 store/kv
        "$0" repair -y --out out/repaired store
        for f in \(formats.joined(separator: " ")); do
          "$0" convert store --accept-bytes --to $f --out out/$f.file --types-out out/$f.types
        done
        for f in \(reports.joined(separator: " ")); do "$0" report store --to $f --out out/$f.report; done
        "$0" check store --junit out/junit --sarif out/sarif --markdown out/markdown
        true
        """
      let outcome = try await Tool.shell(script, in: scratch.path)
      #expect(outcome.status == 0)
      let found = try permissions(in: "out")
      #expect(found.count > 2 * formats.count + reports.count, "\(outcome.testDescription)")
      for (path, permissions) in found { #expect(permissions & 0o077 == 0, "\(path)") }
    }

    /// The group of a new file is that of the process, whose members the old file may not have
    /// admitted.
    @Test(.enabled("only root can give a file to another group") { getuid() == 0 })
    func aGroupThatCouldNotReadTheStoreCannotReadTheNewOne() async throws {
      _ = try scratch.copy(.lossy)
      let outcome = try await Tool.shell(
        """
        umask 0; chgrp 4711 store/*; chmod 640 store/*
        "$0" repair -y --out repaired store
        "$0" convert store --accept-bytes --to json --out new.json
        stat -c %a repaired/kv new.json
        """, in: scratch.path)
      #expect(outcome.lines.suffix(2) == ["600", "600"], "\(outcome.testDescription)")
    }
  }
#endif
