import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The file next to a repaired store with the entries that were set aside: guesses, and entries
/// that the engine cannot hold.
///
/// Its entries are readable text, so only its owner may read it. It is not written where the app
/// would find it, nor where the store itself is encrypted, unless that was requested.
package enum LostAndFound {
  /// What becomes of the entries that a repair sets aside.
  package enum Fate: Hashable, Sendable {
    /// They are written to the file.
    case written
    /// They are not written, because the store is encrypted and the file would not be.
    case withheldAsPlaintext
    /// They are not written, because the file would lie among the app's own. The backup has them.
    case withheldInPlace

    /// Returns the fate of what a repair with this destination sets aside, if the new store
    /// `isEncrypted`, and if writing `isRequested` even so.
    package init(
      to destination: RepairOrder.Destination, isEncrypted: Bool, isRequested: Bool
    ) {
      self =
        destination == .inPlace
        ? .withheldInPlace : isEncrypted && !isRequested ? .withheldAsPlaintext : .written
    }
  }

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
    file.isPrivate = true
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
    return store.parent.appending(short + suffix)
  }

  /// The largest number of bytes in the name of a file.
  private static let nameLimit = 255
}
