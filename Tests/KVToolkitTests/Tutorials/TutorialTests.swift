import Foundation
import KVFixtures
import KVModel
import KVTestSupport
import KVToolkit
import SystemPackage
import Testing

/// Checks that the functions at the end of the library's tutorials do what their pages say.
///
/// The files beside this one are the final steps of the tutorials.
struct TutorialTests {
  private static let fixtures =
    #filePath.replacing("Tests/KVToolkitTests/Tutorials/TutorialTests.swift", with: "Fixtures/")

  private func copy(_ name: String, into folder: borrowing TemporaryFolder) throws -> String {
    let path = folder.path.appending("store").string
    try FileManager.default.copyItem(atPath: Self.fixtures + name, toPath: path)
    return path
  }

  #if Encryption
    @Test func aDamagedStoreIsRepairedAndTheOldFilesAreKept() throws {
      let folder = try TemporaryFolder()
      let path = try copy("mmkv/damaged/flip_keylen_fwb", into: folder)
      let before = try Data(contentsOf: URL(filePath: "\(path)/kv"))
      let backup = try #require(try repairBeforeOpening(path))
      #expect(try Data(contentsOf: URL(filePath: "\(backup)/kv")) == before)
      let store = try KeyValueStore(at: path)
      #expect(store.verdict == .clean)
      #expect(store.entries.count == 29)
      #expect(try repairBeforeOpening(path) == nil)
    }
  #endif

  @Test func aValueIsReadWithItsType() throws {
    let folder = try TemporaryFolder()
    for file in try makeTarget().image.files {
      try Data(file.bytes).write(to: URL(filePath: folder.path.appending(file.name).string))
    }
    #expect(try token(in: folder.path.string) == "abc")
  }

  @Test func aKeyThatIsNotThereHasNoValue() throws {
    let folder = try TemporaryFolder()
    let path = try copy("mmkv/golden/all_types", into: folder)
    #expect(try token(in: path) == nil)
    try listTypes(of: path)
  }
}
