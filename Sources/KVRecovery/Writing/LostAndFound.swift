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
    var file = EncodedFile(.data, at: store.appending(suffix: ".lost-and-found.jsonl"), bytes)
    var number = 2
    while Folder.isTaken(file.path(in: folder)) {
      let name = store.appending(suffix: ".lost-and-found-\(number).jsonl")
      file = EncodedFile(.data, at: name, bytes)
      number += 1
    }
    return file
  }
}
