#if os(Linux)
  import Foundation
  import KVTestSupport
  import SystemPackage
  import Testing

  /// Failing operating system calls.
  ///
  /// Whichever call fails, the exit status has its bit, the message names the file and the reason,
  /// the input is unchanged, and an output is complete or absent.
  struct FaultTests {
    /// A command with its arguments.
    struct Command: Sendable, CustomTestStringConvertible {
      let name: String
      /// The arguments of the command.
      ///
      /// `IN` and `OUT` are replaced with paths.
      let arguments: [String]
      var fixture = Fixture.lossy

      var testDescription: String { ([name] + arguments).joined(separator: " ") }
    }

    private static let reading = [
      Command(name: "check", arguments: ["IN"]),
      Command(name: "dump", arguments: ["--json", "--format", "mmkv", "IN"]),
      Command(name: "map", arguments: ["--format", "mmkv", "IN"]),
    ]

    private static let writing =
      [Command(name: "repair", arguments: ["-y", "--format", "mmkv", "--out", "OUT", "IN"])]
      + ["json", "sqlite", "yycache", "mmkv", "fastkv-android"].map {
        Command(name: "convert", arguments: ["--to", $0, "--format", "mmkv", "--out", "OUT", "IN"])
      }
      + ["sqlite", "leapp", "case", "dfxml"].map {
        Command(name: "report", arguments: ["--to", $0, "--format", "mmkv", "--out", "OUT", "IN"])
      }

    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Copies the fixture of `command` into `root`, and returns its path and the command's arguments.
    private func prepare(
      _ command: Command, in root: String
    ) throws -> (input: String, arguments: [String]) {
      let input = try scratch.copy(command.fixture, to: "root/in")
      let arguments = command.arguments.map {
        $0.replacing("IN", with: input).replacing("OUT", with: root + "/out")
      }
      return (input, [command.name] + .clock + arguments)
    }

    /// Runs `command` once for each call that can fail, and examines what each run leaves.
    private func expectNoHalves(_ command: Command, _ fault: Fault) async throws {
      // Calls about files outside of the root do not fail.
      let root = try scratch.makeFolder("root")
      let (input, arguments) = try prepare(command, in: root)
      let log = scratch.path("calls")
      let whole = try await Fault.observe(arguments, below: root, log: log)
      let callCount = try fault.count(in: log)
      // The initialization vector of a store is random, and so are its bytes.
      let expected = try FolderState.bytes(in: root).mapValues(\.count)
      try remove(root + "/out")
      for number in Fault.numbers {
        let before = try FolderState(of: input)
        let (outcome, path) = try await fault.run(arguments, number: number, below: root)
        guard let path else {
          return expectStruck(number, callCount, fault)
        }
        let place = "\(fault.testDescription), call \(number), \(path)"
        #expect(try FolderState(of: input) == before, "\(place)")
        if outcome.status == whole.status, outcome.output == whole.output {
          // The call was repeated or did not matter, so the result must be the same as without the
          // failure.
          #expect(try FolderState.bytes(in: root).mapValues(\.count) == expected, "\(place)")
        } else {
          #expect(outcome.status.map { $0 & 8 } == 8, "\(place) \(outcome.testDescription)")
          let left = try FileManager.default.subpathsOfDirectory(atPath: root)
            .filter { $0 != "in" && !$0.hasPrefix("in/") }
          // A report has a row for a store that could not be read, and is complete with it. If that
          // would be its only row, the report is not written.
          let isOfStore = command.name == "report" && path.hasPrefix(input)
          if isOfStore, !left.isEmpty {
            #expect(!left.contains(where: Self.isUnfinished), "\(place)")
            try remove(root + "/out")
            continue
          }
          // A file that cannot be removed stays, but not under a name that looks complete.
          #expect(
            left.isEmpty || fault.call == .remove && fault.stays,
            "\(place) leaves \(left), \(outcome.testDescription)")
          let reason = fault.errno.description.lowercased()
          // The line of a store in a report says why it could not be read. SQLite has its own error
          // messages.
          let said = outcome.errors + (isOfStore ? outcome.output : "")
          #expect(
            [reason, "the database cannot be written"].contains(where: { said.contains($0) })
              && outcome.errors.contains(root), "\(place) \(outcome.testDescription)")
        }
        try remove(root + "/out")
      }
      Issue.record("\(fault.testDescription): after 300 calls there are more")
    }

    /// Expects that the first call failed, if there was one.
    ///
    /// Also expects that `number` is the first number without a call.
    private func expectStruck(_ number: Int, _ callCount: Int, _ fault: Fault) {
      #expect(
        number > 1 || callCount == 0, "\(fault.testDescription): of \(callCount) calls none failed")
    }

    /// Tests that each kind of failure occurs in some command.
    ///
    /// Otherwise, no test would cover it.
    @Test(arguments: [(reading, Fault.ofReading), (writing, Fault.ofWriting)])
    func everyKindOfCallIsThere(commands: [Command], faults: [Fault]) async throws {
      var counts: [Int] = faults.map { _ in 0 }
      for command in commands {
        let root = try scratch.makeFolder("root")
        let (_, arguments) = try prepare(command, in: root)
        let log = scratch.path("calls")
        _ = try await Fault.observe(arguments, below: root, log: log)
        for (index, fault) in faults.enumerated() { counts[index] += try fault.count(in: log) }
        try FileManager.default.removeItem(atPath: root)
        try FileManager.default.removeItem(atPath: log)
      }
      for (fault, count) in zip(faults, counts) {
        #expect(count > 0, "\(fault.testDescription) never strikes")
      }
    }

    /// Returns whether a component of the path is the name of an incomplete output.
    private static func isUnfinished(_ path: String) -> Bool {
      path.split(separator: "/").contains { $0.hasPrefix(".kvfsck-") }
    }

    private func remove(_ path: String) throws {
      let folder = FilePath(path).removingLastComponent().string
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) where name != "in" {
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
      }
    }

    /// Kills `command` before each call that changes something.
    ///
    /// What the command leaves must be complete or refused. The next run must end as if nothing had
    /// happened, and leave nothing but its output.
    private func expectNothingReadableOfWhatIsKilled(
      _ command: Command, into folder: String?
    ) async throws {
      let root = try scratch.makeFolder("root")
      let input = try scratch.copy(command.fixture, to: "root/in")
      if let folder { _ = try scratch.makeFolder("root/\(folder)") }
      let out = [root, folder, "out"].compactMap { $0 }.joined(separator: "/")
      let target = command.name == "repair" && folder != nil ? root + "/" + (folder ?? "") : out
      let arguments =
        [command.name] + .clock
        + command.arguments.map { $0.replacing("IN", with: input).replacing("OUT", with: target) }
      let whole = try await Tool.run(arguments)
      let expected = try FolderState.bytes(in: root).mapValues(\.count)
      func clear() throws {
        try remove(root + "/out")
        if let folder { _ = try scratch.makeFolder("root/\(folder)") }
      }
      try clear()
      for number in Fault.numbers {
        let (outcome, path) = try await Fault.kill.run(arguments, number: number, below: root)
        guard let path else {
          #expect(outcome.status == whole.status, "\(outcome.testDescription)")
          #expect(number > 3)
          return
        }
        let place = "call \(number), \(path)"
        #expect(outcome.signal == 9, "\(place) \(outcome.testDescription)")
        let left = try FileManager.default.subpathsOfDirectory(atPath: root)
          .filter { $0 != "in" && !$0.hasPrefix("in/") && $0 != folder }
        let isWhole =
          try FolderState.bytes(in: root).mapValues(\.count)
          .filter { !FaultTests.isUnfinished($0.key) } == expected
        // Once all files have their names, a leftover marker does not count against them.
        for name in left where !isWhole || FaultTests.isUnfinished(name) {
          let found = try await Tool.run(["check", "\(root)/\(name)"])
          #expect(found.status == 8, "\(place): \(name) is read, \(found.testDescription)")
        }
        // Another output would go into the folder that is already complete.
        let isFolder = (try? Stat(FilePath(out)))?.type == .directory && command.name == "convert"
        if isWhole, isFolder {
          try clear()
          continue
        }
        let again = try await Tool.run(arguments)
        if isWhole, again.status == 8 {
          #expect(again.errors.contains("already exists"), "\(place) \(again.testDescription)")
        } else {
          #expect(again.status == whole.status, "\(place) \(again.testDescription)")
        }
        #expect(try FolderState.bytes(in: root).mapValues(\.count) == expected, "\(place)")
        let names = try FileManager.default.subpathsOfDirectory(atPath: root)
        #expect(!names.contains { FaultTests.isUnfinished($0) }, "\(place) leaves \(names)")
        try clear()
      }
      Issue.record("after 300 calls there are more")
    }

    @Test(arguments: TestExtent.share(2, of: writing), [nil, "there"])
    func nothingOfAKilledRunIsReadUnlessItIsWhole(command: Command, folder: String?) async throws {
      try await expectNothingReadableOfWhatIsKilled(command, into: folder)
    }

    #if Encryption
      /// Tests that a killed repair in place can be undone.
      ///
      /// The store is the old one, the new one, or refused. `undo` restores the old one.
      @Test func aRepairInPlaceThatIsKilledCanBeUndone() async throws {
        let root = try scratch.makeFolder("root")
        for number in Fault.numbers {
          let folder = try scratch.copy(.lossy, to: "root/store")
          let old = try FolderState.bytes(in: folder)
          let (outcome, path) = try await Fault.kill.run(
            ["repair"] + .clock + ["-y", "--in-place", folder], number: number, below: root)
          guard let path else {
            #expect(outcome.status == 5 && number > 3)
            return
          }
          let place = "call \(number), \(path)"
          #expect(outcome.signal == 9, "\(place)")
          let left = try FolderState.bytes(in: folder)
          let isOld = old.allSatisfy { left[$0.key] == $0.value }
          let check = try await Tool.run(["check"] + .clock + [folder + "/kv"])
          // The old store is damaged, and the new one is not.
          #expect(check.status == (isOld ? 4 : 0) || check.status == 8, "\(place)")
          let backup = folder + "/kv.kvfsck-backup-1"
          if check.status == 8 { #expect(check.errors.contains("kvfsck undo"), "\(place)") }
          let scan = try await Tool.run(["scan", "--json"] + .clock + [root])
          #expect(scan.status == (check.status == 8 ? 8 : 0), "\(place) \(scan.testDescription)")
          if FileManager.default.fileExists(atPath: backup) {
            let undone = try await Tool.run(["undo", backup])
            #expect(undone.status == 0, "\(place) \(undone.testDescription)")
          }
          let repaired = try FolderState.bytes(in: folder)
          for (name, bytes) in old { #expect(repaired[name] == bytes, "\(name), \(place)") }
          let again = try await Tool.run(["repair"] + .clock + ["-y", "--in-place", folder])
          #expect(again.status == 5, "\(place) \(again.testDescription)")
          let names = try FileManager.default.subpathsOfDirectory(atPath: root)
          #expect(!names.contains { FaultTests.isUnfinished($0) }, "\(place) leaves \(names)")
          try FileManager.default.removeItem(atPath: folder)
        }
        Issue.record("after 300 calls there are more")
      }
    #endif

    /// Any file may be a store or an archive with stores.
    @Test(arguments: ["stores.zip", "a file", "kv.crc"], [Errno.ioError, .permissionDenied])
    func aScanSaysWhichFilesItCannotRead(name: String, errno: Errno) async throws {
      let root = try scratch.makeFolder("root")
      _ = try scratch.write(Array(repeating: 7, count: 5000), to: "root/\(name)")
      let fault = Fault(call: errno == .ioError ? .read : .open, errno: errno, stays: true)
      let (outcome, path) = try await fault.run(["scan", "--json", root], number: 1, below: root)
      #expect(path != nil)
      #expect(outcome.status == 8, "\(outcome.testDescription)")
      let errors = try outcome.objects("result").map { $0["error"]?.string ?? "" }
      #expect(errors.count == 1 && errors[0].contains(name), "\(errors)")
    }

    @Test(arguments: TestExtent.share(1, of: reading), TestExtent.share(3, of: Fault.ofReading))
    func whatCannotBeReadIsSaid(command: Command, fault: Fault) async throws {
      try await expectNoHalves(command, fault)
    }

    #if Encryption
      /// Tests that the files of a replaced store are all old or all new after a failure.
      ///
      /// If they are not, the message says how to restore them, and that works.
      @Test(arguments: TestExtent.share(2, of: Fault.ofWriting))
      func aStoreInItsPlaceIsOldOrNewOrCanBeBroughtBack(fault: Fault) async throws {
        let root = try scratch.makeFolder("root")
        let log = scratch.path("calls")
        let target = try scratch.copy(.lossy, to: "root/store")
        _ = try await Fault.observe(
          ["repair"] + .clock + ["-y", "--in-place", target], below: root, log: log)
        try FileManager.default.removeItem(atPath: target)
        let callCount = try fault.count(in: log)
        for number in Fault.numbers {
          let folder = try scratch.copy(.lossy, to: "root/store")
          let old = try FolderState.bytes(in: folder)
          let (outcome, path) = try await fault.run(
            ["repair"] + .clock + ["-y", "--in-place", folder], number: number, below: root)
          guard let path else { return expectStruck(number, callCount, fault) }
          let place = "\(fault.testDescription), call \(number), \(path)"
          let left = try FolderState.bytes(in: folder)
          let backup = folder + "/kv.kvfsck-backup-1"
          if outcome.status.map({ $0 & 8 }) != 8 {
            #expect(outcome.status == 5, "\(place) \(outcome.testDescription)")
            #expect(try await Tool.run(["check", folder + "/kv"]).status == 0, "\(place)")
          } else if left != old {
            let isRemovalMissing = fault.call == .remove && fault.stays
            #expect(
              outcome.errors.contains("kvfsck undo \(backup)") || isRemovalMissing,
              "\(place) \(outcome.testDescription)")
            if outcome.errors.contains("kvfsck undo") {
              let undone = try await Tool.run(["undo", backup])
              #expect(undone.status == 0, "\(place) \(undone.testDescription)")
            }
            let repaired = try FolderState.bytes(in: folder)
            for (name, bytes) in old { #expect(repaired[name] == bytes, "\(name), \(place)") }
          }
          try FileManager.default.removeItem(atPath: folder)
        }
        Issue.record("\(fault.testDescription): after 300 calls there are more")
      }

      /// Tests that an `undo` that fails can be run again.
      @Test(arguments: TestExtent.share(2, of: Fault.ofWriting))
      func anUndoThatFailsCanBeRunAgain(fault: Fault) async throws {
        let root = try scratch.makeFolder("root")
        let log = scratch.path("calls")
        let target = root + "/store"
        let backup = target + "/kv.kvfsck-backup-1"
        let arguments = ["repair"] + .clock + ["-y", "--in-place", target]
        _ = try scratch.copy(.lossy, to: "root/store")
        #expect(try await Tool.run(arguments).status == 5)
        _ = try await Fault.observe(["undo", backup], below: root, log: log)
        try FileManager.default.removeItem(atPath: target)
        let callCount = try fault.count(in: log)
        for number in Fault.numbers {
          let folder = try scratch.copy(.lossy, to: "root/store")
          let old = try FolderState.bytes(in: folder)
          #expect(try await Tool.run(arguments).status == 5)
          let (outcome, path) = try await fault.run(
            ["undo", backup], number: number, below: root)
          guard let path else { return expectStruck(number, callCount, fault) }
          let place = "\(fault.testDescription), call \(number), \(path)"
          if outcome.status != 0 {
            #expect(outcome.status == 8, "\(place) \(outcome.testDescription)")
            let again = try await Tool.run(["undo", backup])
            #expect(again.status == 0, "\(place) \(again.testDescription)")
          }
          let repaired = try FolderState.bytes(in: folder)
          for (name, bytes) in old { #expect(repaired[name] == bytes, "\(name), \(place)") }
          #expect(repaired["kv.lost-and-found.jsonl"] == nil, "\(place)")
          try FileManager.default.removeItem(atPath: folder)
        }
        Issue.record("\(fault.testDescription): after 300 calls there are more")
      }
    #endif

    @Test(arguments: TestExtent.share(2, of: writing), TestExtent.share(3, of: Fault.ofWriting))
    func anOutputIsWholeOrAbsent(command: Command, fault: Fault) async throws {
      try await expectNoHalves(command, fault)
    }
  }
#endif
