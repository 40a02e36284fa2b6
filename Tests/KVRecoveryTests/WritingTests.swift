import KVBytes
import KVInput
import KVModel
import KVRecovery
import KVSystem
import KVTestSupport
import MMKVFormat
import SystemPackage
import Testing

@Suite struct StoreWriterTests {
  private let files = [
    EncodedFile(.data, named: "kv", [1, 2]), EncodedFile(.meta, named: "kv.crc", [3]),
  ]

  @Test func filesAreWrittenIntoANewFolder() throws {
    let folder = try TemporaryFolder()
    let paths = try StoreWriter().write(files, into: folder.path.appending("out"))
    #expect(paths.map { $0.lastComponent?.string } == ["kv", "kv.crc"])
    #expect(try folder.bytes(of: "out/kv") == [1, 2])
    #expect(try folder.bytes(of: "out/kv.crc") == [3])
  }

  @Test func nothingIsWrittenWhereANameIsTaken() throws {
    let folder = try TemporaryFolder()
    let taken = try folder.write([9], to: "kv.crc")
    let path = folder.path
    #expect(throws: FileError.exists(path: taken)) {
      _ = try StoreWriter().write(files, into: path)
    }
    #expect(try folder.names() == ["kv.crc"])
    #expect(try folder.bytes(of: "kv.crc") == [9])
  }

  @Test func nobodyMayReadMoreThanBefore() throws {
    let folder = try TemporaryFolder()
    let originals = [
      StoreFile(.data, at: try folder.write([1], to: "a", mode: 0o640), FileImage([1])),
      StoreFile(.meta, at: try folder.write([1], to: "b", mode: 0o604), FileImage([1])),
    ]
    let paths = try StoreWriter(originals: originals)
      .write(files, into: folder.path.appending("out"))
    for path in paths {
      #expect(Folder.commonPermissions(of: [path]) == .ownerReadWrite)
    }
  }

  @Test func cancellationTakesTheNewFolderAway() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("out")
    #expect(throws: FileError.interrupted) {
      _ = try StoreWriter(isCancelled: { true }).write(files, into: path)
    }
    #expect(try folder.names() == [])
  }

  @Test func parentThatIsMissingIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = folder.path.appending("none").appending("out")
    #expect(throws: FileError.system(operation: "make", path: path, errno: .noSuchFileOrDirectory))
    { _ = try StoreWriter().write(files, into: path) }
  }

  @Test func fileInTheFoldersPlaceIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write([9], to: "out")
    #expect(throws: FileError.self) { _ = try StoreWriter().write(files, into: path) }
    #expect(try folder.names() == ["out"])
  }
}

@Suite struct BackupTests {
  private let data: [UInt8] = Array("abc".utf8)
  private let new = [
    EncodedFile(.data, named: "kv", [7]), EncodedFile(.meta, named: "kv.crc", [8]),
  ]

  #if Encryption
    /// Replaces a store of two files by `new` in a folder.
    private func replace(
      in folder: borrowing TemporaryFolder, hasMeta: Bool = true
    ) throws -> Backup {
      try folder.write(data, to: "kv")
      if hasMeta { try folder.write([1], to: "kv.crc") }
      let files = try MMKVFormat(now: 0).discover(at: folder.path.appending("kv"))
      return try Backup.replace(files, by: new, writer: StoreWriter())
    }

    @Test func replacingKeepsCopiesAndLists() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      #expect(try folder.names() == ["kv", "kv.crc", "kv.kvfsck-backup-1"])
      #expect(try folder.bytes(of: "kv") == [7])
      #expect(try folder.bytes(of: "kv.crc") == [8])
      #expect(backup.folder == folder.path.appending("kv.kvfsck-backup-1"))
      #expect(
        try Folder.names(in: backup.folder) == ["AFTER.sha256", "BEFORE.sha256", "kv", "kv.crc"])
      // The list has the format of sha256sum. The SHA-256 of "abc" is the one in FIPS 180-2.
      let list = String(
        decoding: try folder.bytes(of: "kv.kvfsck-backup-1/BEFORE.sha256"), as: UTF8.self)
      #expect(
        list.split(separator: "\n").first
          == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  kv")
    }

    /// Tests that a store is left alone if it was written to after it was read.
    ///
    /// The app may write while a question waits for its answer, and that write must not be lost.
    @Test(arguments: ["kv", "kv.crc"])
    func storeThatWasWrittenToAfterItWasReadIsLeftAlone(name: String) throws {
      let folder = try TemporaryFolder()
      try folder.write(data, to: "kv")
      if name == "kv" { try folder.write([1], to: "kv.crc") }
      let files = try MMKVFormat(now: 0).discover(at: folder.path.appending("kv"))
      let changed = try folder.write([8, 8], to: name)
      #expect(throws: BackupError.changedSinceRead(changed)) {
        try Backup.replace(files, by: new, writer: StoreWriter())
      }
      #expect(try folder.names() == ["kv", "kv.crc"])
      #expect(try folder.bytes(of: name) == [8, 8])
    }

    @Test func restoringPutsEveryByteBack() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      let paths = try Backup(at: backup.folder).restore(writer: StoreWriter()).restored
      #expect(paths.compactMap { $0.lastComponent?.string } == ["kv", "kv.crc"])
      #expect(try folder.bytes(of: "kv") == data)
      #expect(try folder.bytes(of: "kv.crc") == [1])
      // Restoring again does no harm.
      _ = try Backup(at: backup.folder).restore(writer: StoreWriter())
      #expect(try folder.bytes(of: "kv") == data)
    }

    @Test func restoringTakesAnAddedFileAway() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder, hasMeta: false)
      #expect(try folder.bytes(of: "kv.crc") == [8])
      _ = try backup.restore(writer: StoreWriter())
      #expect(try folder.names() == ["kv", "kv.kvfsck-backup-1"])
      #expect(try folder.bytes(of: "kv") == data)
    }

    @Test func storeThatWasWrittenToSinceIsLeftAlone() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      let changed = try folder.write([8, 8], to: "kv.crc")
      #expect(throws: BackupError.storeChanged(changed)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "kv") == [7])
      #expect(try folder.bytes(of: "kv.crc") == [8, 8])
    }

    /// A file that the repair has copied but not replaced, such as one of FastKV's, may be the app's
    /// by now.
    @Test func fileThatWasNotReplacedButWrittenToSinceIsLeftAlone() throws {
      let folder = try TemporaryFolder()
      try folder.write(data, to: "kv")
      let side = try folder.write([5], to: "kv.tmp")
      let files = [
        StoreFile(.data, at: folder.path.appending("kv"), FileImage(data)),
        StoreFile(.external, at: side, FileImage([5])),
      ]
      let backup = try Backup.replace(files, by: new, writer: StoreWriter())
      try folder.write([6], to: "kv.tmp")
      #expect(throws: BackupError.storeChanged(side)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "kv.tmp") == [6])
      try folder.write([5], to: "kv.tmp")
      _ = try backup.restore(writer: StoreWriter())
      #expect(try folder.bytes(of: "kv") == data)
    }

    @Test func linkInTheStoresPlaceIsNotReplacedByAnUndo() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      try folder.write([7], to: "moved")
      try Folder.removeFile(folder.path.appending("kv"))
      let link = try folder.link("kv", to: "moved")
      #expect(throws: BackupError.isLink(link)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "moved") == [7])
    }

    /// Otherwise the file would be removed as one that the repair has added.
    @Test func copyThatIsNotListedIsSaid() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      let list = "kv.kvfsck-backup-1/BEFORE.sha256"
      let lines = String(decoding: try folder.bytes(of: list), as: UTF8.self)
        .split(separator: "\n")
      let path = try folder.write(Array("\(lines[0])\n".utf8), to: list)
      #expect(throws: BackupError.notABackup(path)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "kv.crc") == [8])
    }

    @Test(arguments: [".", "..", "link"])
    func theStoreIsBesideTheBackupHoweverItIsNamed(_ name: String) throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      let path: FilePath
      switch name {
      case ".": path = FilePath(backup.folder.string + "/.")
      case "..":
        try Folder.make(backup.folder.appending("sub"))
        path = FilePath(backup.folder.string + "/sub/..")
      default:
        try Folder.make(folder.path.appending("elsewhere"))
        path = try folder.link("elsewhere/link", to: "../kv.kvfsck-backup-1")
      }
      _ = try Backup(at: path).restore(writer: StoreWriter())
      #expect(try folder.bytes(of: "kv") == data)
      #expect(try folder.bytes(of: "kv.crc") == [1])
    }

    @Test func copyThatWasChangedIsNotPutBack() throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      try folder.write([0], to: "kv.kvfsck-backup-1/kv")
      let copy = backup.folder.appending("kv")
      #expect(throws: BackupError.copyChanged(copy)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "kv") == [7])
    }

    @Test(arguments: ["", "no list\n", "../kv", "/kv", "sub/kv", ".."])
    func listThatLeadsElsewhereIsRefused(_ name: String) throws {
      let folder = try TemporaryFolder()
      let backup = try replace(in: folder)
      let line =
        name.hasSuffix("\n") || name.isEmpty
        ? name : String(repeating: "0", count: 64) + "  \(name)\n"
      let list = try folder.write(Array(line.utf8), to: "kv.kvfsck-backup-1/BEFORE.sha256")
      #expect(throws: BackupError.notABackup(list)) {
        _ = try backup.restore(writer: StoreWriter())
      }
      #expect(try folder.bytes(of: "kv") == [7])
    }

    @Test func secondBackupStandsBesideTheFirst() throws {
      let folder = try TemporaryFolder()
      _ = try replace(in: folder)
      let second = try replace(in: folder)
      #expect(second.folder.lastComponent?.string == "kv.kvfsck-backup-2")
      _ = try second.restore(writer: StoreWriter())
      #expect(try folder.bytes(of: "kv") == data)
    }

    @Test(arguments: ["kv", "kv.crc"]) func linkIsNotReplaced(name: String) throws {
      let folder = try TemporaryFolder()
      try folder.write(data, to: "target")
      for other in ["kv", "kv.crc"] where other != name { try folder.write(data, to: other) }
      let link = try folder.link(name, to: "target")
      let files = ["kv", "kv.crc"].map {
        StoreFile($0 == "kv" ? .data : .meta, at: folder.path.appending($0), FileImage(data))
      }
      #expect(throws: BackupError.isLink(link)) {
        _ = try Backup.replace(files, by: new, writer: StoreWriter())
      }
      #expect(try folder.names() == ["kv", "kv.crc", "target"])
      #expect(try folder.bytes(of: "target") == data)
    }

    @Test func cancelledReplacementLeavesTheStore() throws {
      let folder = try TemporaryFolder()
      try folder.write(data, to: "kv")
      let files = try MMKVFormat(now: 0).discover(at: folder.path.appending("kv"))
      #expect(throws: BackupError.file(.interrupted)) {
        _ = try Backup.replace(files, by: new, writer: StoreWriter(isCancelled: { true }))
      }
      #expect(try folder.names() == ["kv"])
      #expect(try folder.bytes(of: "kv") == data)
    }
  #else
    @Test func withoutADigestNothingIsReplaced() throws {
      let folder = try TemporaryFolder()
      try folder.write(data, to: "kv")
      let files = try MMKVFormat(now: 0).discover(at: folder.path.appending("kv"))
      #expect(throws: BackupError.noDigest) {
        _ = try Backup.replace(files, by: new, writer: StoreWriter())
      }
      #expect(try folder.names() == ["kv"])
      #expect(try folder.bytes(of: "kv") == data)
    }
  #endif

  @Test func storeWithoutFilesIsNotReplaced() {
    #expect(throws: BackupError.nothingToReplace) {
      _ = try Backup.replace([], by: new, writer: StoreWriter())
    }
  }

  @Test func folderThatIsNoBackupIsSaid() throws {
    let folder = try TemporaryFolder()
    let path = folder.path
    #expect(throws: BackupError.self) { _ = try Backup(at: path).restore(writer: StoreWriter()) }
  }
}
