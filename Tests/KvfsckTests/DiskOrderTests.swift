#if os(Linux)
  import Foundation
  import SystemPackage
  import Testing

  /// The order in which an output reaches the disk.
  ///
  /// After a power loss, the output must be complete or absent.
  struct DiskOrderTests {
    private let scratch: Scratch

    init() throws {
      scratch = try Scratch()
      _ = try scratch.makeFolder("root")
    }

    /// Returns the calls about files in the scratch folder when the tool runs with `arguments`, in
    /// order.
    private func calls(_ arguments: [String]) async throws -> [String] {
      let log = scratch.path + ".log"
      defer { try? FileManager.default.removeItem(atPath: log) }
      let outcome = try await Fault.observe(arguments, below: scratch.path, log: log)
      #expect(outcome.status.map { $0 & 8 } == 0, "\(outcome.testDescription)")
      return try String(contentsOfFile: log, encoding: .utf8).split(separator: "\n").map(
        String.init)
    }

    @Test(
      "A file is on the disk before it has its name, and its folder before the run ends",
      arguments: ["mmkv", "fastkv-android", "fastkv-apple", "json", "plist", "sqlite", "yycache"],
      [false, true])
    func outputs(format: String, isFolderThere: Bool) async throws {
      let input = try scratch.copy(.clean, to: "root/in")
      _ = try scratch.makeFolder("root/there")
      let out = scratch.path(isFolderThere ? "root/there/out" : "root/out")
      var order = DiskOrder()
      for call in try await calls(
        ["convert"] + .clock + ["--to", format, "--out", out, input])
      { order.add(call) }
      #expect(order.nameCount > 0)
      order.end()
      #expect(order.problems.isEmpty, "\(order.problems)")
    }

    @Test(arguments: ["new", "there"]) func repairedStore(folder: String) async throws {
      let input = try scratch.copy(.lossy, to: "root/in")
      _ = try scratch.makeFolder("root/there")
      var order = DiskOrder()
      for call in try await calls(
        ["repair", "-y", "--min-confidence", "0.98"] + .clock
          + ["--out", scratch.path("root/\(folder)"), input])
      { order.add(call) }
      #expect(order.nameCount == (folder == "new" ? 1 : 3))
      order.end()
      #expect(order.problems.isEmpty, "\(order.problems)")
    }

    #if Encryption
      @Test func storeInItsPlaceAndItsUndo() async throws {
        let input = try scratch.copy(.lossy, to: "root/in")
        for arguments in [
          ["repair", "-y", "--in-place"] + .clock + [input],
          ["undo", input + "/kv.kvfsck-backup-1"],
        ] {
          var order = DiskOrder()
          for call in try await calls(arguments) { order.add(call) }
          #expect(order.nameCount >= 2)
          order.end()
          #expect(order.problems.isEmpty, "\(order.problems)")
        }
      }
    #endif
  }

  /// A model of the disk that finds problems in the order of the calls.
  ///
  /// It finds data that a power loss would lose, and files that get their names too early.
  private struct DiskOrder {
    private(set) var problems: [String] = []
    private(set) var nameCount = 0
    /// The files with bytes that are not on disk.
    private var files: Set<String> = []
    /// The folders with names that are not on disk.
    private var folders: Set<String> = []
    /// The folders that have a marker, but no other new name yet.
    private var marked: Set<String> = []

    private func parent(_ path: String) -> String { FilePath(path).removingLastComponent().string }

    private func isMarker(_ path: String) -> Bool {
      FilePath(path).lastComponent?.string.hasSuffix(".unfinished") ?? false
    }

    /// Follows the next call, as `Tests/FaultInjection/faults.c` writes it.
    mutating func add(_ call: String) {
      let words = call.split(separator: " ", maxSplits: 1).map(String.init)
      let paths = words[1].split(separator: "\t").map(String.init)
      let path = paths[0]
      switch words[0] {
      case "create", "make":
        folders.insert(parent(path))
        if isMarker(path) { marked.insert(parent(path)) }
      case "write", "cut": files.insert(path)
      case "sync":
        files.remove(path)
        folders.remove(path)
      case "name": name(path, paths[1])
      case "remove":
        let isMarker = isMarker(path)
        if isMarker, folders.contains(parent(path)) {
          problems.append("the marker goes before the names are on the disk")
        }
        files.remove(path)
        folders.insert(parent(path))
      default: break
      }
    }

    private mutating func name(_ path: String, _ final: String) {
      nameCount += 1
      let isWithin = { (other: String) in other == path || other.hasPrefix(path + "/") }
      for other in files.filter(isWithin) { problems.append("\(other) is not on the disk") }
      for other in folders.filter(isWithin) { problems.append("\(other) lacks names on the disk") }
      if marked.remove(parent(final)) != nil, folders.contains(parent(final)) {
        problems.append("\(final) has its name before the marker is on the disk")
      }
      for other in files where isMarker(other) && parent(other) == parent(final) {
        problems.append("\(final) has its name before what \(other) says is on the disk")
      }
      folders.formUnion([parent(path), parent(final)])
    }

    /// Records the files and names that are not on disk when the run ends.
    mutating func end() {
      for other in files { problems.append("\(other) is not on the disk at the end") }
      for other in folders { problems.append("\(other) lacks names on the disk at the end") }
    }
  }
#endif
