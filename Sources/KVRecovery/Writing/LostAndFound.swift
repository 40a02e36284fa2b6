import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The file next to a repaired store with the entries that were set aside: guesses, and entries
/// that the engine cannot hold.
package enum LostAndFound {
  /// Returns the file for the store called `store`, with a name that is not taken in `folder`.
  package static func file(
    _ bytes: [UInt8], of store: FilePath, in folder: FilePath
  ) -> EncodedFile {
    var file = EncodedFile(.data, at: name(".lost-and-found.jsonl", after: store), bytes)
    var number = 2
    while Folder.isTaken(file.path(in: folder)) {
      let name = name(".lost-and-found-\(number).jsonl", after: store)
      file = EncodedFile(.data, at: name, bytes)
      number += 1
    }
    return file
  }

  /// Returns the name of `store` with `suffix`, shortened to what file systems take.
  private static func name(_ suffix: String, after store: FilePath) -> FilePath {
    let limit = nameLimit - suffix.utf8.count
    guard let name = store.lastComponent?.string, name.utf8.count > limit else {
      return store.appending(suffix: suffix)
    }
    var short = name
    while short.utf8.count > limit { short.removeLast() }
    return store.removingLastComponent().appending(short + suffix)
  }

  /// The largest number of bytes in the name of a file.
  private static let nameLimit = 255
}
