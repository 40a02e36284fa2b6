import Foundation
import KVBytes
import KVSystem
import KVTestSupport
import Synchronization
import SystemPackage
import Testing

@Suite struct PendingWriteTests {
  @Test func filesAppearWhenAllAreThere() throws {
    let folder = try TemporaryFolder()
    var pending = PendingWrite(existing: .keep)
    try pending.add([1, 2], at: folder.path.appending("one"))
    try pending.add([], at: folder.path.appending("two"))
    #expect(try folder.names().filter { !$0.hasPrefix(".") } == [])
    try pending.commit()
    #expect(try folder.names() == ["one", "two"])
    #expect(try folder.bytes(of: "one") == [1, 2])
    #expect(try folder.bytes(of: "two") == [])
  }

  @Test func nothingIsLeftOfAnAttemptThatIsDropped() throws {
    let folder = try TemporaryFolder()
    func attempt() throws {
      var pending = PendingWrite(existing: .keep)
      try pending.add([1], at: folder.path.appending("one"))
      let count = try folder.names().count
      #expect(count == 1)
    }
    try attempt()
    #expect(try folder.names() == [])
  }

  /// Tests that concurrent writes into one folder do not disturb each other.
  ///
  /// Each write looks for leftovers of other writes, and so sees their unfinished files. The folder
  /// is in memory if possible, because a disk would take minutes to sync all the files.
  @Test func writesIntoOneFolderLeaveEachOtherAlone() async throws {
    let memory: FilePath = "/dev/shm"
    let folder = try TemporaryFolder(in: Folder.exists(memory) ? memory : nil)
    let path = folder.path
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<4 {
        group.addTask {
          for number in 0..<250 {
            var pending = PendingWrite(existing: .keep)
            let target = path.appending("\(writer)-\(number)")
            let isFolder = number.isMultiple(of: 5)
            if isFolder { try pending.makeFolder(at: target) }
            let file = isFolder ? target.appending("file") : target
            try pending.add([1], at: file)
            try pending.commit()
            #expect(try FileImage.read(file).bytes == [1])
            try FileManager.default.removeItem(atPath: target.string)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try folder.names() == [])
  }

  @Test func fileThatIsThereIsKept() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([9], to: "one")
    var pending = PendingWrite(existing: .keep)
    #expect(throws: FileError.exists(path: path)) { try pending.add([1], at: path) }
    #expect(try folder.names() == ["one"])
    #expect(try folder.bytes(of: "one") == [9])
    try pending.commit()
  }

  @Test func oneNameTakenMeanwhileTakesAllNamesBack() throws {
    let folder = try TemporaryFolder()
    var pending = PendingWrite(existing: .keep)
    try pending.add([1], at: folder.path.appending("one"))
    try pending.add([2], at: folder.path.appending("two"))
    try pending.add([3], at: folder.path.appending("three"))
    try folder.write([9], to: "two")
    let taken = folder.path.appending("two")
    do throws(FileError) {
      try pending.commit()
      Issue.record("an existing file was overwritten")
    } catch {
      #expect(error == .exists(path: taken))
    }
    #expect(try folder.names() == ["two"])
    #expect(try folder.bytes(of: "two") == [9])
  }

  @Test func replacingTakesTheOldBytesPlace() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([9, 9, 9], to: "one")
    var pending = PendingWrite(existing: .replace)
    try pending.add([1], at: path)
    #expect(try folder.bytes(of: "one") == [9, 9, 9])
    try pending.commit()
    #expect(try folder.bytes(of: "one") == [1])
    #expect(try folder.names() == ["one"])
  }

  @Test func folderThatIsMissingLeavesNothing() throws {
    let folder = try TemporaryFolder()
    var pending = PendingWrite(existing: .keep)
    try pending.add([1], at: folder.path.appending("one"))
    let lost = folder.path.appending("none").appending("two")
    #expect(throws: FileError.system(operation: "write", path: lost, errno: .noSuchFileOrDirectory))
    { try pending.add([2], at: lost) }
    #expect(try folder.names().count == 1)
    drop(pending)
    #expect(try folder.names() == [])
  }

  @Test func cancellationWhileWritingLeavesNothing() throws {
    let folder = try TemporaryFolder()
    // The question is asked once for each MiB. The third answer is `true`.
    let questions = Mutex(0)
    var pending = PendingWrite(existing: .keep) {
      questions.withLock {
        $0 += 1
        return $0 == 3
      }
    }
    let path = folder.path.appending("one")
    #expect(throws: FileError.interrupted) {
      try pending.add([UInt8](repeating: 1, count: 4 << 20), at: path)
    }
    drop(pending)
    #expect(try folder.names() == [])
  }

  @Test func cancellationBeforeTheNamesAreGivenLeavesNothing() throws {
    let folder = try TemporaryFolder()
    let isCancelled = Mutex(false)
    var pending = PendingWrite(existing: .replace) { isCancelled.withLock { $0 } }
    try folder.write([9], to: "one")
    try pending.add([1], at: folder.path.appending("one"))
    isCancelled.withLock { $0 = true }
    do throws(FileError) {
      try pending.commit()
      Issue.record("a cancelled write was completed")
    } catch {
      #expect(error == .interrupted)
    }
    #expect(try folder.names() == ["one"])
    #expect(try folder.bytes(of: "one") == [9])
  }

  @Test func foldersStayWithTheirFiles() throws {
    let folder = try TemporaryFolder()
    let outer = folder.path.appending("outer")
    let permissions: FilePermissions = [.ownerReadWrite]
    var pending = PendingWrite(existing: .keep, permissions: permissions)
    try pending.makeFolder(at: outer)
    try pending.makeFolder(at: outer.appending("inner"))
    try pending.add([1], at: outer.appending("inner").appending("one"))
    try pending.commit()
    #expect(try folder.bytes(of: "outer/inner/one") == [1])
    #expect(try Stat(outer).permissions == [.ownerReadWrite, .ownerExecute])
  }

  @Test func aFolderWithinAnotherHasThePermissionsThatItIsGiven() throws {
    let folder = try TemporaryFolder()
    let outer = folder.path.appending("outer")
    var pending = PendingWrite(existing: .keep, permissions: [.ownerReadWrite, .groupRead])
    try pending.makeFolder(at: outer)
    try pending.makeFolder(at: outer.appending("own"), permissions: [.ownerReadWriteExecute])
    try pending.makeFolder(at: outer.appending("usual"))
    try pending.commit()
    #expect(try Stat(outer.appending("own")).permissions == [.ownerReadWriteExecute])
    #expect(
      try Stat(outer.appending("usual")).permissions
        == [.ownerReadWriteExecute, .groupRead, .groupExecute])
  }

  @Test func foldersOfAnAttemptThatIsDroppedAreRemoved() throws {
    let folder = try TemporaryFolder()
    let outer = folder.path.appending("outer")
    var pending = PendingWrite(existing: .keep)
    try pending.makeFolder(at: outer)
    try pending.makeFolder(at: outer.appending("inner"))
    try pending.add([1], at: outer.appending("inner").appending("one"))
    drop(pending)
    #expect(try folder.names() == [])
  }

  @Test func foldersOfAFailedCommitAreRemoved() throws {
    let folder = try TemporaryFolder()
    let outer = folder.path.appending("outer")
    var pending = PendingWrite(existing: .keep)
    try pending.makeFolder(at: outer)
    try pending.add([1], at: outer.appending("one"))
    let taken = folder.path.appending("two")
    try pending.add([2], at: taken)
    try folder.write([9], to: "two")
    do throws(FileError) {
      try pending.commit()
      Issue.record("an existing file was overwritten")
    } catch {
      #expect(error == .exists(path: taken))
    }
    #expect(try folder.names() == ["two"])
  }

  @Test func onlyAnEmptyFolderIsTakenAsItIs() throws {
    let folder = try TemporaryFolder()
    for name in ["empty", "full"] { try Folder.make(folder.path.appending(name)) }
    try folder.write([9], to: "full/file")
    try folder.write([9], to: "file")
    var pending = PendingWrite(existing: .replace)
    try pending.makeFolder(at: folder.path.appending("empty"))
    for name in ["full", "file"] {
      let path = folder.path.appending(name)
      #expect(throws: FileError.exists(path: path)) { try pending.makeFolder(at: path) }
    }
    let lost = folder.path.appending("none").appending("inner")
    #expect(throws: FileError.system(operation: "make", path: lost, errno: .noSuchFileOrDirectory))
    { try pending.makeFolder(at: lost) }
    drop(pending)
    #expect(try folder.names() == ["empty", "file", "full"])
  }

  private func drop(_ pending: consuming PendingWrite) {}

  // MARK: Names that are not UTF-8

  #if os(Linux)
    @Test func filesWhoseNamesAreNotUTF8KeepThem() throws {
      let folder = try TemporaryFolder()
      for isNew in [false, true] {
        let place = isNew ? folder.path.appending("new") : folder.path
        var pending = PendingWrite(existing: .keep)
        if isNew { try pending.makeFolder(at: place) }
        for byte in [UInt8(0xfe), 0xff] {
          let path = FilePath(bytes: place.bytes + Array("/caf".utf8) + [byte])
          try pending.add([byte], at: path)
          if isNew { try pending.makeFolder(at: path.appending(suffix: "-folder")) }
        }
        try pending.commit()
        for byte in [UInt8(0xfe), 0xff] {
          let path = FilePath(bytes: place.bytes + Array("/caf".utf8) + [byte])
          #expect(try FileImage.read(path).bytes == [byte])
          #expect(Folder.exists(path.appending(suffix: "-folder")) == isNew)
        }
        let names = try Folder.allNames(in: place)
        #expect(names.allSatisfy { !$0.hasPrefix(".kvfsck-") }, "\(names)")
      }
    }

    @Test func aMarkerNamesTheFilesByTheirBytes() throws {
      let folder = try TemporaryFolder()
      let (one, other) = (
        FilePath(bytes: folder.path.bytes + [0x2f, 0xfe]),
        FilePath(bytes: folder.path.bytes + [0x2f, 0xff])
      )
      try folder.write(
        Array(".kvfsck-x-0.tmp\0".utf8) + [0xfe] + Array("\07\0".utf8), to: ".kvfsck-x.unfinished")
      try folder.write([1], to: ".kvfsck-x-0.tmp")
      #expect(UnfinishedOutput.first(of: [other]) == nil)
      #expect(UnfinishedOutput.first(of: [other, one]) == one)
    }
  #endif
}

/// Leftovers that are forged so that a write removes other files.
///
/// Only files that a write has left may be removed.
@Suite struct CraftedLeftoverTests {
  /// A marker, and the files beside it: hard and symbolic links to `victim`.
  struct Marker: Sendable, CustomTestStringConvertible {
    var names: [String] = []
    var bytes: [UInt8]?
    var hard: [String] = []
    var soft: [String] = []

    var testDescription: String { "\(names) \(hard) \(soft)" }

    /// Returns the marker's content, with the inodes of the files in `folder`.
    func content(in folder: FilePath) -> [UInt8] {
      bytes ?? Self.content(of: names, in: folder)
    }

    /// Returns the content of a marker with the temporary and final `names` in turn.
    static func content(of names: [String], in folder: FilePath) -> [UInt8] {
      stride(from: 0, to: names.count, by: 2).flatMap { index in
        let path = "\(folder)/\(names[index])"
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        let inode = attributes?[.systemFileNumber] as? UInt64 ?? 0
        return Array("\(names[index])\0\(names[index + 1])\0\(inode)\0".utf8)
      }
    }
  }

  /// Each marker names a second file without its final name, so that the write seems incomplete.
  private static let markers = [
    Marker(names: ["../outside", "../outside", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: [".kvfsck-x-0.tmp", "none", "../outside", "../outside"]),
    Marker(names: ["sub/inside", "sub/inside", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: ["victim", "victim", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: ["victim", "other", ".kvfsck-x-0.tmp", "none"], hard: ["other"]),
    Marker(
      names: [".kvfsck-y-1.tmp", "victim", ".kvfsck-x-0.tmp", "none"], hard: [".kvfsck-y-1.tmp"]),
    Marker(names: [".kvfsck-x-1.tmp\u{301}", "victim", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: [".kvfsck-x.unfinished", "victim", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: [".", "..", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: ["", "victim", ".kvfsck-x-0.tmp", "none"]),
    Marker(names: ["/", "victim", ".kvfsck-x-0.tmp", "none"]),
    Marker(bytes: [UInt8](repeating: 0, count: 64)),
    // The marker is valid, but the temporary file is a symbolic link, which a write never makes.
    Marker(
      names: [".kvfsck-x-1.tmp", "victim", ".kvfsck-x-0.tmp", "none"], soft: [".kvfsck-x-1.tmp"]),
    Marker(names: [".kvfsck-x-0.tmp", "alias", ".kvfsck-x-2.tmp", "none"], soft: ["alias"]),
  ]

  @Test(arguments: markers) func nothingIsRemovedThatNoWriteMade(marker: Marker) throws {
    let home = try TemporaryFolder()
    let folder = home.path.appending("in")
    for path in [folder, folder.appending("sub")] { try Folder.make(path) }
    try home.write([1], to: "outside")
    try home.write([2], to: "in/sub/inside")
    try home.write([3], to: "in/victim")
    try home.write([4], to: "in/.kvfsck-x-0.tmp")
    for name in marker.hard {
      try FileManager.default.linkItem(
        atPath: folder.appending("victim").string, toPath: folder.appending(name).string)
    }
    for name in marker.soft {
      let target = name == "alias" ? ".kvfsck-x-0.tmp" : "victim"
      _ = try home.link("in/\(name)", to: target)
    }
    try home.write(marker.content(in: folder), to: "in/.kvfsck-x.unfinished")
    var pending = PendingWrite(existing: .keep)
    try pending.add([9], at: folder.appending("new"))
    try pending.commit()
    #expect(try home.bytes(of: "outside") == [1])
    #expect(try home.bytes(of: "in/sub/inside") == [2])
    #expect(try home.bytes(of: "in/victim") == [3])
    #expect(try home.bytes(of: "in/new") == [9])
    let names = try Folder.allNames(in: folder)
    for name in marker.soft + marker.hard where !name.hasPrefix(".kvfsck-y") {
      #expect(names.contains(name), "\(names)")
    }
    if marker.soft.isEmpty { #expect(names.contains(".kvfsck-x.unfinished")) }
    #expect(UnfinishedOutput.first(of: [folder.appending("new")]) == nil)
  }

  @Test(arguments: [
    ".kvfsck-x-0.tmp.bak", ".kvfsck--0.tmp", ".kvfsck-x-.tmp", ".kvfsck-X-0.tmp", ".kvfsck-x-a.tmp",
    ".kvfsck-x-1-0.tmp", ".kvfsck-notes.tmp", ".kvfsck-.unfinished", ".kvfsck-a b.unfinished",
  ])
  func otherNamesAreThoseOfOrdinaryFiles(name: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([1], to: name)
    UnfinishedOutput.removeAbandoned(in: folder.path)
    #expect(try folder.bytes(of: name) == [1])
    #expect(try Folder.names(in: folder.path) == [name])
    #expect(UnfinishedOutput.first(of: [path]) == nil)
  }

  @Test func whatAKilledWriteLeftIsRemoved() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], to: ".kvfsck-x-0.tmp")
    try folder.write([2], to: ".kvfsck-x-1.tmp")
    try FileManager.default.linkItem(
      atPath: folder.path.appending(".kvfsck-x-1.tmp").string,
      toPath: folder.path.appending("two").string)
    let names = [".kvfsck-x-0.tmp", "one", ".kvfsck-x-1.tmp", "two"]
    try folder.write(
      CraftedLeftoverTests.Marker.content(of: names, in: folder.path), to: ".kvfsck-x.unfinished")
    #expect(UnfinishedOutput.first(of: [folder.path.appending("two")]) != nil)
    UnfinishedOutput.removeAbandoned(in: folder.path)
    #expect(try folder.names() == [])
  }

  /// Tests that a healthy file is not removed because a link to it has the name of a temporary file, as
  /// an archive that was unpacked can have it.
  @Test func aLinkThatAnArchiveContainedRemovesNothing() throws {
    let folder = try TemporaryFolder()
    try folder.write([1], to: "store")
    try FileManager.default.linkItem(
      atPath: folder.path.appending("store").string,
      toPath: folder.path.appending(".kvfsck-x-1.tmp").string)
    try folder.write([2], to: ".kvfsck-x-2.tmp")
    try folder.write(
      Array(".kvfsck-x-1.tmp\0store\012345\0.kvfsck-x-2.tmp\0none\012346\0".utf8),
      to: ".kvfsck-x.unfinished")
    UnfinishedOutput.removeAbandoned(in: folder.path)
    #expect(try folder.bytes(of: "store") == [1])
    #expect(try folder.names().count == 4)
  }

  /// Tests that what a write leaves in a folder is found even if there was none when the folder was
  /// looked at before, however long ago it changed.
  @Test(arguments: [0, 60])
  func unfinishedOutputIsFoundAfterNoneWas(age: Double) throws {
    let folder = try TemporaryFolder()
    let two = folder.path.appending("two")
    try folder.write([1], to: "two")
    func look() -> FilePath? { UnfinishedOutput.first(of: [two]) }
    for _ in 0..<3 {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: folder.path.string)
      #expect(look() == nil && look() == nil)
      try folder.write([2], to: ".kvfsck-x-0.tmp")
      try folder.write(Array(".kvfsck-x-0.tmp\0two\07\0".utf8), to: ".kvfsck-x.unfinished")
      #expect(look() == two)
      try FileManager.default.removeItem(atPath: folder.path.appending(".kvfsck-x-0.tmp").string)
      try FileManager.default.removeItem(
        atPath: folder.path.appending(".kvfsck-x.unfinished").string)
    }
  }

  @Test func aPipeOfThatNameIsNotWaitedFor() throws {
    let folder = try TemporaryFolder()
    let pipe = folder.path.appending(".kvfsck-x-0.tmp").string
    let made = try Process.run(
      URL(fileURLWithPath: "/usr/bin/env"), arguments: ["mkfifo", pipe])
    made.waitUntilExit()
    UnfinishedOutput.removeAbandoned(in: folder.path)
    #expect(try folder.names() == [".kvfsck-x-0.tmp"])
  }
}

@Suite struct FolderTests {
  @Test func namesAreSortedAndComplete() throws {
    let folder = try TemporaryFolder()
    for name in ["b", ".hidden", "a"] { try folder.write([], to: name) }
    try Folder.make(folder.path.appending("sub"))
    #expect(try folder.names() == [".hidden", "a", "b", "sub"])
    let none = folder.path.appending("none")
    #expect(throws: FileError.system(operation: "list", path: none, errno: .noSuchFileOrDirectory))
    { try Folder.names(in: none) }
  }

  @Test func namesThatStartInAnotherWayAreLeftOut() throws {
    let folder = try TemporaryFolder()
    for name in ["b", ".ka", ".k", ".K", "x.k", ".k\u{301}"] { try folder.write([], to: name) }
    #expect(try Folder.allNames(in: folder.path, startingWith: ".k").count == 3)
    #expect(try Folder.allNames(in: folder.path, startingWith: ".ka") == [".ka"])
    #expect(try Folder.allNames(in: folder.path).count == 6)
  }

  @Test func onlyEmptyFoldersAreRemoved() throws {
    let folder = try TemporaryFolder()
    let sub = folder.path.appending("sub")
    try Folder.make(sub)
    try folder.write([1], to: "sub/file")
    Folder.removeIfEmpty(sub)
    #expect(Folder.exists(sub))
    try Folder.removeFile(sub.appending("file"))
    Folder.removeIfEmpty(sub)
    #expect(!Folder.exists(sub) && !Folder.isTaken(sub))
  }

  @Test func linkThatLeadsNowhereIsTaken() throws {
    let folder = try TemporaryFolder()
    let link = try folder.link("link", to: "nowhere")
    #expect(Folder.isTaken(link) && !Folder.exists(link))
    var pending = PendingWrite(existing: .keep)
    #expect(throws: FileError.exists(path: link)) { try pending.add([1], at: link) }
    try pending.commit()
  }

  @Test func sameFolderIsRecognizedUnderAnotherName() throws {
    let folder = try TemporaryFolder()
    try Folder.make(folder.path.appending("sub"))
    #expect(Folder.isSame(folder.path, folder.path.appending("sub").appending("..")))
    #expect(!Folder.isSame(folder.path, folder.path.appending("sub")))
    #expect(!Folder.isSame(folder.path, folder.path.appending("none")))
  }
}
