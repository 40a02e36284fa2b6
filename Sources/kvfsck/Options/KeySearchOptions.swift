import ArgumentParser
import KVBytes
import KVCryptography
import KVModel
import KVSystem
import KVToolkit

/// The options for keys that have to be found first.
struct KeySearchOptions: ParsableArguments {
  @Option(
    name: .customLong("keys-from"),
    help: ArgumentHelp(
      "Search for the keys of MMKV stores in this program (APK, IPA), folder, archive or file. May be repeated.",
      valueName: "path"), completion: .file())
  var sources: [String] = []

  @Flag(help: "Print what is secret: keys that --keys-from finds, and the values of residue.")
  var show = false

  /// The options if none is given.
  static var unset: KeySearchOptions {
    var options = KeySearchOptions()
    options.sources = []
    options.show = false
    return options
  }

  func validate() throws {
    if sources.contains("") { throw ValidationError("--keys-from takes a path.") }
    if !sources.isEmpty, !Cryptography.isAvailable {
      throw ValidationError("--keys-from needs a kvfsck that was built with the trait Encryption.")
    }
  }

  /// Returns the keys that may be those of the stores; `nil` if they are not to be searched for.
  func ring() throws(DiscoveryError) -> KeyRing? {
    guard !sources.isEmpty else { return nil }
    do throws(FileError) {
      let found = try KeyCandidates(
        from: sources.map(ProcessArguments.path), by: Kvfsck.formats, shown: show)
      if found.isFull {
        Output.note("only the first \(found.count.grouped) candidates for keys are tried")
      }
      return KeyRing(among: found)
    } catch {
      throw .file(error)
    }
  }
}
