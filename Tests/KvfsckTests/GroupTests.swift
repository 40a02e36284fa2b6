import Foundation
import KVSystem
import KVTestSupport
import SystemPackage
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// New files in a folder that gives them another group than that of their input.
@Suite(.enabled("only root can give a folder to any group") { geteuid() == 0 })
struct GroupTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Tests that no member of that group may read what a member could not read before.
  @Test(arguments: [
    ["convert", "--to", "json", "--accept-bytes", "--out", "shared/new", "in/kv"],
    ["convert", "--to", "yycache", "--accept-bytes", "--out", "shared/new", "in/kv"],
    ["repair", "-y", "--out", "shared/new", "in"],
    ["report", "--to", "html", "--out", "shared/new", "in"],
    ["carve", "--out", "shared/new", "in/kv"],
    ["merge", "in", "in", "--out", "shared/new"],
  ])
  func noOneMayReadWhoCouldNot(command: [String]) async throws {
    _ = try scratch.copy(.lossy, to: "in")
    let folder = try scratch.makeFolder("shared")
    for (path, mode) in [("in/kv", "640"), ("in/kv.crc", "640"), ("shared", "2775")] {
      if path == "shared" { _ = try await Tool.run("chgrp", ["54321", folder]) }
      _ = try await Tool.run("chmod", [mode, scratch.path(path)])
    }
    let outcome = try await Tool.shell(
      "umask 022; exec \"$0\" \"$@\"", command, in: scratch.path)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: folder)
    #expect(!paths.isEmpty, "\(outcome.testDescription)")
    for path in paths {
      let place = folder + "/" + path
      #expect(try Stat(FilePath(place)).groupID.rawValue == 54321)
      guard try Stat(FilePath(place)).type == .regular else { continue }
      let mode = try FileManager.default.permissions(of: place) ?? 0
      #expect(mode & 0o077 == 0, "\(path) \(String(mode, radix: 8))")
    }
  }
}
