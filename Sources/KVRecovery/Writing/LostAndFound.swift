import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The file next to a repaired store that has the entries that are only guesses.
package enum LostAndFound {
  /// Returns the file for the store called `store`, with a name that is not taken in `folder`.
  package static func file(
    _ bytes: [UInt8], of store: String, in folder: FilePath
  ) -> EncodedFile {
    var name = "\(store).lost-and-found.jsonl"
    var number = 2
    while Folder.isTaken(folder.appending(name)) {
      name = "\(store).lost-and-found-\(number).jsonl"
      number += 1
    }
    return EncodedFile(.data, named: name, bytes)
  }
}
