import KVBytes
import KVModel
import KVRecovery
import KVSystem
import StoreGenerator
import SystemPackage

/// Writes each store to its own folder, for measuring the tool as a process.
///
/// The argument is the folder that will contain these folders.
@main
enum WriteStores {
  static func main() throws {
    guard let argument = CommandLine.arguments.dropFirst().first else {
      print("usage: WriteStores FOLDER")
      return
    }
    for workload in Workload.allCases {
      let files = try workload.store().files.map {
        EncodedFile($0.role, named: $0.path.string, $0.image.bytes)
      }
      let folder = FilePath(argument).appending(workload.rawValue)
      for path in try StoreWriter().write(files, into: folder) { print(path) }
    }
    print("the encrypted store opens with --key \(Workload.cipherKey)")
  }
}
