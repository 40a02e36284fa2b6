import Foundation
import KVFixtures
import KVTestSupport
import Testing

/// The page that `kvfsck report` writes.
///
/// `Tests/Browser` opens it in a browser.
struct PageReportTests {
  private static let store = "\(Fixture.root)/mmkv/damaged/flip_keylen_fwb/kv"

  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func page(_ arguments: String...) async throws -> String {
    let path = "\(scratch.path)/page.html"
    let run = try await Tool.run(["report"] + arguments + ["--out", path])
    #expect(run.status == 0, "\(run.errors)")
    return String(decoding: try Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
  }

  @Test func nothingIsInTheHeadThatDoesNotBelongThere() async throws {
    let page = try await page(Fixture.clean.path)
    let body = try #require(page.range(of: "<div id=\"app\">"))
    let words = try #require(page.range(of: "<noscript>"))
    #expect(body.lowerBound < words.lowerBound)
  }

  @Test func thePageAdmitsItsOwnScriptAndStyleAlone() async throws {
    let page = try await page(Self.store)
    #expect(page.hasPrefix("<!DOCTYPE html>\n"))
    #if Encryption
      #expect(page.contains("default-src 'none'; script-src 'sha256-"))
    #else
      #expect(page.contains("default-src 'none'; script-src 'nonce-"))
    #endif
    #expect(!page.contains("unsafe-inline"))
    #expect(!page.contains("http://") && !page.contains("https://") && !page.contains("src="))
  }

  @Test("What is in the files is no markup", arguments: ["", "\u{600}"])
  func whatIsInTheFilesIsNoMarkup(before: String) async throws {
    // U+0600 forms one character with the character after it.
    let folder = "\(scratch.path)/\(before)<img onerror=1>"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for suffix in ["", ".crc"] {
      try FileManager.default.copyItem(atPath: Self.store + suffix, toPath: "\(folder)/kv\(suffix)")
    }
    let page = try await page(folder)
    #expect(Data(page.utf8).firstRange(of: Data("<img".utf8)) == nil)
    #expect(page.contains("\\u003cimg onerror=1>"))
  }

  /// Tests that the page shows only as many bytes of the files as it has room for, and says so.
  ///
  /// The store of FastKV for Android has many external files, and so more bytes than that.
  @Test(.enabled("there is no Python") { try await Python.isHere() })
  func theBytesOfManyFilesStayWithinTheirRoomAndThePageSaysSo() async throws {
    let store = "\(scratch.path)/many"
    try FileManager.default.copyItem(
      atPath: "\(Fixture.root)/fastkv-android/damaged/ext__ext_orphan", toPath: store)
    var random = SeededGenerator(seed: RandomSeeds.run)
    for number in 0..<32 {
      let name = String(repeating: "0", count: 30) + String(number + 0x10, radix: 16)
      let bytes = Data((0..<200_000).map { _ in UInt8.random(in: 0...255, using: &random) })
      try bytes.write(to: URL(filePath: "\(store)/kv/\(name)"))
    }
    let page = try await page("\(store)/kv.kva")
    #expect(page.contains("left out of this page, to keep it small. `\n        + \"kvfsck map"))
    let script = """
      import base64, json, re, sys, zlib
      page = open(sys.argv[1]).read()
      blocks = dict(re.findall(r'id="([bs][^"]*)"[^>]*>([^<]*)<', page))
      windows = {k: v for k, v in blocks.items() if k.startswith('b')}
      data = json.loads(zlib.decompress(base64.b64decode(blocks['s0'])))
      shown = {w['id'] for f in data['files'] for w in f['windows']}
      sizes = sum(f['size'] for f in data['files'])
      count = sum(w['count'] for f in data['files'] for w in f['windows'])
      print(shown == set(windows), sum(map(len, windows.values())) <= 3 << 20, len(windows) > 5,
            data['omittedBytes'] == sizes - count > 0)
      """
    let run = try await Python.run(script, ["\(scratch.path)/page.html"])
    #expect(run.output == "True True True True\n", "\(run.errors)")
  }

  /// Tests which bytes of a long file are shown: the start, and those around both ends of each
  /// finding.
  @Test(.enabled("there is no Python") { try await Python.isHere() })
  func bothEndsOfEachFindingInALongFileAreShown() async throws {
    var builder = MMKVFixtureBuilder()
    for index in 0..<40 {
      builder.put("key\(index)", text: String(repeating: "\(index % 10)", count: 26_000))
    }
    var data = builder.data
    for range in [150_000..<300_000, 420_000..<430_000, 600_000..<900_000] {
      data.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count))
    }
    let store = try scratch.write(data, to: "kv")
    _ = try scratch.write(builder.meta, to: "kv.crc")
    _ = try await page(store)
    let script = """
      import base64, json, re, sys, zlib
      page = open(sys.argv[1]).read()
      blocks = dict(re.findall(r'id="([bs][^"]*)"[^>]*>([^<]*)<', page))
      data = json.loads(zlib.decompress(base64.b64decode(blocks['s0'])))
      [file] = [f for f in data['files'] if f['role'] == 'data']
      wanted = {*range(32768)}
      gaps = 0
      for finding in data['findings']:
          if finding.get('file') == 'data' and finding.get('offset') is not None:
              gaps += finding['length'] > 2048
              for place in finding['offset'], finding['offset'] + finding['length']:
                  wanted |= {*range(max(0, place - 1024), min(file['size'], place + 1024))}
      shown = {i for w in file['windows'] for i in range(w['offset'], w['offset'] + w['count'])}
      stored = open(sys.argv[2], 'rb').read()
      bytes = {w['id']: zlib.decompress(base64.b64decode(blocks[w['id']])) for w in file['windows']}
      print(shown == wanted, gaps >= 3, all(bytes[w['id']] == stored[w['offset']:][:w['count']]
                                            for w in file['windows']))
      """
    let run = try await Python.run(script, ["\(scratch.path)/page.html", store])
    #expect(run.output == "True True True\n", "\(run.testDescription)")
  }

  @Test func aFileThatIsThereIsLeftAsItIs() async throws {
    let path = "\(scratch.path)/taken.html"
    try Data("mine".utf8).write(to: URL(fileURLWithPath: path))
    let run = try await Tool.run(["report", Self.store, "--out", path])
    #expect(run.status == 8)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data("mine".utf8))
  }

  @Test func aPathThatCannotBeReadIsInThePageAndInTheStatus() async throws {
    let path = "\(scratch.path)/page.html"
    let run = try await Tool.run(["report", Self.store, "/nowhere/kv", "--out", path])
    #expect(run.status == 8)
    let page = try String(contentsOf: URL(fileURLWithPath: path), encoding: .utf8)
    #expect(page.contains("/nowhere/kv"))
    // Programs get one line, as from a scan. The message for people goes to stderr.
    let types = ["failure", "result", "totals"].map { type in
      run.lines.count { $0.contains("\"type\":\"\(type)\"") }
    }
    #expect(types == [0, 2, 1])
    #expect(run.lines.count { $0.contains("/nowhere/kv") } == 1)
    #expect(run.errors.contains("cannot read /nowhere/kv"))
  }

  @Test func keysOfTheCommandLineAreLeftOut() async throws {
    let page = try await page("--key", "s3cret-of-mine", Self.store)
    #expect(!page.contains("s3cret-of-mine"))
  }
}
