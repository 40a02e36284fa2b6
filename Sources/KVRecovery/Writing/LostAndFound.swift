import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The file beside a repaired store that has what was found and is only a guess.
package enum LostAndFound {
  /// The file for the store called `store`, under a name that nothing in `folder` has.
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
