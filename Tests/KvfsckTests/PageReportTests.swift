import Foundation
import Testing

/// The page that `kvfsck report` writes.
///
/// `Tests/Browser` opens it in a browser.
@Suite(.timeLimit(.minutes(10)))
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
