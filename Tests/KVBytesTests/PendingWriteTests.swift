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

  /// A write that looks for leftovers of other writes sees files that are being made.
  ///
  /// The folder is in memory if possible, because a disk would take minutes to sync all the files.
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

  @Test func onlyALaterFileIsNewer() throws {
    let folder = try TemporaryFolder()
    let one = try folder.write([], to: "one")
    #expect(Folder.isNewer(one, than: one) == false)
    #expect(Folder.isNewer(one, than: folder.path.appending("none")) == nil)
  }
}
