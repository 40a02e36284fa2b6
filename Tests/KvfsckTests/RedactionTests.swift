#if Encryption
  import Foundation
  import Testing

  /// Output that says what is in a store without saying it.
  struct RedactionTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Looks for the keys and values of a store in everything that can be redacted: prints the number
    /// of those sought, and the outputs that have one, as text, in hexadecimal or in Base64, also in
    /// what is compressed.
    private static let search = #"""
      import base64, json, os, re, subprocess, sys, zlib
      tool, store, options, hiding = sys.argv[1], sys.argv[2], sys.argv[3].split(), sys.argv[4]
      run = lambda *words: subprocess.run([tool, *words], capture_output=True).stdout
      sought, keys = set(), set()
      for line in run('dump', '--history', '--readings', 'all', '--json', store, *options).splitlines():
          line = json.loads(line)
          if line.get('key_hex'): keys.add(bytes.fromhex(line['key_hex']))
          if line['type'] in ('entry', 'record') and line.get('raw_hex'): sought.add(bytes.fromhex(line['raw_hex']))
          for reading in [line.get('value')] + [r['value'] for r in line.get('readings', [])]:
              if reading and isinstance(reading.get('value'), str): sought.add(reading['value'].encode())
          if line['type'] == 'gap': sought.add(open(store, 'rb').read()[line['offset']:][:line['length']][-24:])
      sought.discard(b'Infinity')
      sought = {value for value in sought if len(set(value)) > 5 and not any(value in key for key in keys)}
      if hiding == '--redact-keys': sought |= keys
      def parts(data):
          yield data
          for block in re.findall(rb'[A-Za-z0-9+/]{40,}={0,2}', data):
              if len(block) % 4 == 0:
                  yield base64.b64decode(block)
                  try: yield zlib.decompressobj().decompress(base64.b64decode(block))
                  except zlib.error: pass
      def base64s(value):
          # As a part of something longer, it can begin at each of three places.
          for before in range(3):
              coded = base64.b64encode(bytes(before) + value)
              yield coded[-(-before * 8 // 6):len(coded) // 4 * 4 - 4]
      def has(name, outputs):
          everything = [part for data in outputs for part in parts(data)]
          for value in sought:
              for form in [value, value.hex().encode(), *base64s(value)]:
                  if len(form) > 7 and any(form in part for part in everything): return [name]
          return []
      def files(path):
          if os.path.isfile(path): return [open(path, 'rb').read()]
          return [open(f'{folder}/{name}', 'rb').read() for folder, _, names in os.walk(path) for name in names]
      def found(hiding):
          names = has('dump', [run('dump', '--full', store, *options, *hiding)])
          names += has('json', [run('dump', '--history', '--json', store, *options, *hiding)])
          for kind, forms in ('report', 'html sqlite leapp case dfxml'), ('convert', 'jsonl csv plist sharedprefs sqlite'):
              for form in forms.split():
                  out = f'{kind}.{form}' + '.hidden' * len(hiding)
                  run(kind, store, '--to', form, '--out', out, *options, *hiding, *['--accept-bytes'] * (kind == 'convert'))
                  names += has(out, files(out))
          return names
      print(len(sought) > 9, found([hiding]), len(found([])))
      """#

    @Test(
      "No output has a value, or a key that is hidden too, in any encoding",
      arguments: [Fixture.lossy, .emptied, .encrypted], ["--redact", "--redact-keys"])
    func nothingIsLeft(fixture: Fixture, hiding: String) async throws {
      let options =
        ["--now", "1760000000"]
        + (fixture.name == Fixture.encrypted.name ? ["--key", Fixture.key] : [])
      let store = try scratch.copy(fixture) + "/kv"
      let outcome = try await Python.run(
        Self.search, [try Tool.path(), store, options.joined(separator: " "), hiding],
        in: scratch.path)
      // The same search finds them in the outputs that are not redacted.
      #expect(outcome.output.hasPrefix("True [] "), "\(outcome.testDescription)")
      let control = outcome.output.split(separator: " ").last.flatMap { Int($0.dropLast()) }
      #expect(try #require(control) > 4, "\(outcome.testDescription)")
    }

    @Test("Formats without a log are redacted too", arguments: ["sharedprefs", "plist", "sqlite"])
    func logless(format: String) async throws {
      let made = scratch.path("store.\(format)")
      let converted = try await Tool.run(
        ["convert", Fixture.lossy.path, "--to", format, "--out", made, "--accept-bytes"])
      #expect((converted.status ?? 8) & 8 == 0, "\(converted.testDescription)")
      let outcome = try await Python.run(
        Self.search, [try Tool.path(), made, "", "--redact-keys"], in: scratch.path)
      #expect(outcome.output.hasPrefix("True [] "), "\(outcome.testDescription)")
    }

    @Test("A value is replaced by its type, its length and a hash, the same for equal bytes only")
    func equality() async throws {
      let json = #"{"a":"same text","b":"same text","c":"other","d":7,"e":true,"f":[1,2,3]}"#
      let path = try scratch.write(Array(json.utf8), to: "store.json")
      func values() async throws -> [String: String] {
        let run = try await Tool.run(["dump", "--redact", "--json", path])
        return Dictionary(
          uniqueKeysWithValues: try run.objects("entry").map {
            ($0["key"]?.string ?? "", $0["value"]?["value"]?.string ?? "")
          })
      }
      let first = try await values()
      let hash = #/ #[0-9a-f]{16}\]$/#
      #expect(first["a"] == first["b"])
      #expect(first["a"]?.replacing(hash, with: "") == "[string, 9 bytes,")
      #expect(first["c"]?.replacing(hash, with: "") == "[string, 5 bytes,")
      #expect(first["f"]?.contains("3 elements, #") == true, "\(first)")
      #expect(Set(first.values).count == 5)
      // The secret of the hash is another one each time.
      #expect(Set(first.values).isDisjoint(with: try await values().values))
    }

    @Test("Keys stay unless they are to be hidden, or may be parts of values")
    func keys() async throws {
      func keys(_ run: Outcome) throws -> [String] {
        try run.objects("entry").map { $0["key"]?.string ?? "" }
      }
      func isHash(_ key: String) -> Bool { key.wholeMatch(of: #/#[0-9a-f]{16}/#) != nil }
      for fixture in [Fixture.corrected, .lossy] {
        let dump = ["dump", "--json", fixture.path] + .clock
        let all = try await Tool.run(dump)
        let shown = try await Tool.run(dump + ["--redact"])
        let hidden = try await Tool.run(dump + ["--redact-keys"])
        if fixture.name == Fixture.corrected.name {
          #expect(try keys(shown) == keys(all))
        } else {
          // The first record is destroyed, and no checksum verifies the others.
          #expect(try keys(shown).allSatisfy(isHash))
        }
        #expect(try keys(hidden).allSatisfy(isHash))
        #expect(try Set(keys(hidden)).count == keys(all).count)
        // What is known about an entry does not change.
        for (one, other) in zip(try all.objects("entry"), try hidden.objects("entry")) {
          for member in ["evidence", "probability", "offset"] {
            #expect(one[member] == other[member])
          }
        }
        let findings = try hidden.objects("finding")
        #expect(!findings.isEmpty)
        #expect(try findings.map { $0["code"] } == all.objects("finding").map { $0["code"] })
      }
    }

    @Test("No digest confirms a guess at a file, and equal bytes of other types are not equal")
    func guesses() async throws {
      let sum = try await Tool.shell(#"sha256sum < "$1/kv" | cut -d" " -f1"#, [Fixture.clean.path])
      let digest = sum.output.trimmingCharacters(in: .whitespacesAndNewlines)
      #expect(digest.count == 64)
      for form in ["html", "sqlite", "dfxml"] {
        let path = scratch.path("out.\(form)")
        let run = try await Tool.run(
          ["report", "--redact", Fixture.clean.path, "--to", form, "--out", path])
        #expect(run.status == 0)
        #expect(try Data(scratch.bytes(of: "out.\(form)")).firstRange(of: Data(digest.utf8)) == nil)
      }
      let dump = try await Tool.run(["dump", "--redact", "--json", Fixture.clean.path])
      #expect(!dump.output.contains(digest))
      let database = scratch.path("out.db")
      _ = try await Tool.run(
        ["convert", "--redact", Fixture.clean.path, "--to", "sqlite", "--out", database])
      #expect(try Data(scratch.bytes(of: "out.db")).firstRange(of: Data(digest.utf8)) == nil)
      let types = try scratch.write(
        Array(
          #"{"kvfsck":"types","schema":1,"types":[{"key":"flag_187.false","type":"bool"},{"key":"flag_187.i32.0","type":"int32"}]}"#
            .utf8), to: "types.json")
      let converted = try await Tool.run(
        ["convert", "--redact", Fixture.clean.path, "--types", types, "--to", "csv", "--out", "-"])
      let values = converted.output.split(whereSeparator: \.isNewline).filter {
        $0.hasPrefix("flag_187.false,") || $0.hasPrefix("flag_187.i32.0,")
      }.compactMap { $0.firstMatch(of: #/\[(?<kind>\w+), #(?<hash>[0-9a-f]+)\]/#)?.output }
      #expect(Set(values.map(\.kind)) == ["bool", "int32"], "\(converted.testDescription)")
      #expect(Set(values.map(\.hash)).count == 2)
    }

    @Test("A file with one value is named by a digest of its key, which is hidden with the key")
    func valueFiles() async throws {
      // The MD5 of `KEYSECRETBIG`.
      let name = "cb25dc0606b4231ecd0340cf60d9208d"
      _ = try scratch.makeFolder("RCTAsyncLocalStorage_V1")
      let manifest = try scratch.write(
        Array(#"{"KEYSECRETBIG":null}"#.utf8), to: "RCTAsyncLocalStorage_V1/manifest.json")
      _ = try scratch.write(
        [UInt8](repeating: 0x56, count: 3000), to: "RCTAsyncLocalStorage_V1/\(name)")
      let plain = try await Tool.run(["dump", "--json", manifest])
      #expect(plain.output.contains(name) && plain.output.contains("sha256"))
      let hidden = try await Tool.run(["dump", "--json", "--redact-keys", manifest])
      #expect(hidden.status == 0 && hidden.output.contains("3,000 bytes"))
      #expect(!hidden.output.contains(name) && !hidden.output.contains("sha256"))
    }

    @Test(
      "Nor does a checksum that is stored, and no output names a file with one value",
      arguments: [
        ("mmkv/golden/all_types/kv", "digest"),
        ("fastkv-android/golden/old_external/kv.kva", "checksum"),
      ])
    func checksums(path: String, name: String) async throws {
      let read =
        "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute("
        + "\"SELECT meaning FROM regions WHERE owner IN (?, 'external value')\", [sys.argv[2]]): print(*row)"
      func meanings(_ options: [String], _ file: String) async throws -> [String] {
        let out = scratch.path(file)
        let run = try await Tool.run(
          ["report", Fixture.root + "/" + path, "--to", "sqlite", "--out", out] + options)
        #expect(run.status == 0, "\(run.testDescription)")
        let rows = try await Python.run(read, [out, name])
        return rows.output.split(whereSeparator: \.isNewline).map(String.init)
      }
      let told = try await meanings([], "plain.sqlite")
      #expect(told.count > 0 && told.allSatisfy { $0.utf8.count > 9 }, "\(told)")
      #expect(try await meanings(["--redact-keys"], "hidden.sqlite").count == told.count)
      let form = try await Tool.run(
        ["report", Fixture.root + "/" + path, "--to", "dfxml", "--redact-keys"]
          + ["--out", scratch.path("hidden.dfxml")])
      #expect(form.status == 0, "\(form.testDescription)")
      for output in ["hidden.sqlite", "hidden.dfxml"] {
        let bytes = try Data(scratch.bytes(of: output))
        for secret in told {
          #expect(bytes.firstRange(of: Data(secret.utf8)) == nil, "\(output): \(secret)")
        }
      }
    }

    @Test("What a damaged reference makes a key is hidden, as it can be a value")
    func damagedKeys() async throws {
      let make = #"""
        import plistlib, sys
        values = {'alpha': 'ZQVALUE1', 'beta': 'ZQVALUE2', 'gamma': ['ZQVALUE3'], 'delta': b'ZQVALUE4'}
        data = bytearray(plistlib.dumps(values, fmt=plistlib.FMT_BINARY))
        data[9] ^= 4  # the first key is now the first value
        open(sys.argv[1], 'wb').write(data)
        """#
      let path = scratch.path("app.plist")
      _ = try await Python.run(make, [path])
      let plain = try await Tool.run(["dump", path])
      #expect(plain.output.contains("ZQVALUE1 = "), "\(plain.testDescription)")
      let out = scratch.path("out.sqlite")
      for command in [
        ["dump", path, "--history"], ["search", "ZQ", path, "--json"],
        ["report", path, "--to", "sqlite", "--out", out],
        ["convert", path, "--to", "json", "--out", "-"],
      ] {
        let run = try await Tool.run(command + ["--redact"])
        let file = (try? scratch.bytes(of: "out.sqlite")) ?? []
        #expect((run.status ?? 8) & 8 == 0, "\(run.testDescription)")
        #expect(!run.output.contains("ZQVALUE"), "\(run.testDescription)")
        #expect(Data(file).firstRange(of: Data("ZQVALUE".utf8)) == nil)
      }
    }

    @Test("What is predicted of a store does not depend on which of its keys are hidden")
    func versions() async throws {
      let start = "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n"
      let entries = ["a", "n", "z"].map { "<string name=\"\($0)\">text</string>\n" }
      let path = try scratch.write(Array((start + entries[0] + entries[1]).utf8), to: "p.xml")
      _ = try scratch.write(
        Array((start + entries.joined() + "</map>\n").utf8), to: "p.xml.bak")
      let read =
        "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute("
        + "'SELECT * FROM predictions'): print(*row)"
      func predicted(_ options: [String], _ file: String) async throws -> String {
        let run = try await Tool.run(
          ["report", path, "--to", "sqlite", "--out", scratch.path(file)] + options)
        #expect(run.status == 0, "\(run.testDescription)")
        return try await Python.run(read, [scratch.path(file)]).output
      }
      let plain = try await predicted([], "plain.sqlite")
      #expect(plain.contains("with all 3 entries"), "\(plain)")
      #expect(try await predicted(["--redact"], "hidden.sqlite") == plain)
      #expect(try await predicted(["--redact-keys"], "keys.sqlite") == plain)
      // The key of the damaged entry is surely one in the backup.
      let dump = try await Tool.run(["dump", "--redact", path])
      #expect(dump.output.contains("n = ") && !dump.output.contains("= string \"text\""))
    }

    @Test("A conversion does not name the file of a value that is missing")
    func missingFile() async throws {
      _ = try scratch.makeFolder("s")
      for name in ["kv.kva", "kv.kvb"] {
        let file = Fixture.root + "/fastkv-android/golden/old_external/" + name
        _ = try scratch.write(Array(Data(contentsOf: URL(filePath: file))), to: "s/" + name)
      }
      let convert = ["convert", scratch.path("s/kv.kva"), "--to", "json", "--out", "-"]
      let plain = try await Tool.run(convert)
      let named = try #require(plain.errors.firstMatch(of: #/in the file ([0-9a-f]{32})/#)).output.1
      let hidden = try await Tool.run(convert + ["--redact-keys"])
      #expect(hidden.errors.contains("[convert.left-out]"), "\(hidden.testDescription)")
      #expect(!hidden.errors.contains(named), "\(hidden.testDescription)")
    }

    @Test("Lost keys are hidden as the keys of entries are")
    func lostKeys() async throws {
      let path = scratch.path("out.db")
      let run = try await Tool.run(
        ["report", "--redact-keys", Fixture.lossy.path, "--to", "sqlite", "--out", path] + .clock)
      #expect(run.status == 0)
      let read =
        "import sqlite3, sys\nfor row in sqlite3.connect(sys.argv[1]).execute('SELECT DISTINCT key FROM losses'): print(*row)"
      let keys = try await Python.run(read, [path])
      #expect(keys.output.split(separator: "\n").count > 3, "\(keys.testDescription)")
      #expect(
        keys.output.split(separator: "\n").allSatisfy {
          $0.wholeMatch(of: #/#[0-9a-f]{16}/#) != nil
        })
    }

    @Test("Who gets a converted store needs no key")
    func encrypted() async throws {
      let key = ["--key", Fixture.key]
      let made = try await Tool.run(
        [
          "convert", "--redact", "--to", "mmkv", "--out", scratch.path("new"),
          Fixture.encrypted.path,
        ] + key)
      #expect((made.status ?? 8) & 8 == 0, "\(made.testDescription)")
      let run = try await Tool.run(["dump", "--json", scratch.path("new")])
      #expect(run.status == 0, "\(run.testDescription)")
      #expect(try run.objects("entry").count == 45)
    }

    @Test("Times are taken from values, so that they are not printed")
    func timeline() async throws {
      let run = try await Tool.run(["dump", "--timeline", "--redact", Fixture.clean.path])
      #expect(run.status == 16)
      #expect(run.errors.contains("--timeline"))
    }
  }
#endif
