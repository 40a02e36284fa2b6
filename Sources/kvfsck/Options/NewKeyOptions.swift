import ArgumentParser
import KVModel
import KVSystem

/// The options for how a new store is encrypted.
struct NewKeyOptions: ParsableArguments {
  @Flag(help: "Write the store without encryption.")
  var plain = false

  @Option(
    help: ArgumentHelp(
      "Encrypt the new store under this key, with the AES key size that is given. --rekey-file is safer.",
      valueName: "text"))
  var rekey: String?

  @Option(
    help: ArgumentHelp(
      "The same, with the key in a file; its whole content is the key.",
      valueName: "file"), completion: .file())
  var rekeyFile: String?

  func validate() throws {
    if [plain, isRekeyed].count(where: { $0 }) > 1 || rekey != nil && rekeyFile != nil {
      throw ValidationError("Give only one of --plain, --rekey and --rekey-file.")
    }
    if rekey == "" { throw ValidationError("--rekey takes a key of at least one character.") }
  }

  /// Whether a new key is given.
  var isRekeyed: Bool { rekey != nil || rekeyFile != nil }

  /// Whether any of the options is given.
  var areGiven: Bool { plain || isRekeyed }

  /// Returns the choice that the options make; `.keep` without any.
  ///
  /// - Throws: If the file with the key cannot be read, or is empty.
  func choice(_ size: KeyOptions.CipherSize?) throws(FileError) -> CipherChoice {
    let isAES256 = size == .aes256
    if plain { return .plain }
    if let rekey { return .rekey(ProcessArguments.bytes(of: rekey), isAES256: isAES256) }
    guard let rekeyFile else { return .keep }
    let key = try KeyOptions.key(inFile: rekeyFile)
    guard !key.isEmpty else { throw FileError.empty(path: ProcessArguments.path(rekeyFile)) }
    return .rekey(key, isAES256: isAES256)
  }
}
