import ArgumentParser
import KVBytes
import KVCryptography
import KVModel
import KVSystem
import KVToolkit
import SystemPackage

/// The options for the keys of encrypted stores.
struct KeyOptions: ParsableArguments {
  /// The key sizes of AES.
  enum CipherSize: String, EnumerableFlag {
    case aes128, aes256
  }

  /// The environment variable that names a key file if no option gives a key.
  static let variable = "KVFSCK_KEY_FILE"
  /// The largest sizes, in bytes, of a key and of a file with the keys of many stores.
  private static let limits = (key: 1 << 16, list: 1 << 24)

  @Option(
    name: .customLong("key"),
    help: ArgumentHelp(
      "The key of an encrypted store. Other users of the machine can see it in the list of processes: prefer --key-file.",
      valueName: "text"))
  var text: String?

  @Option(
    name: .customLong("key-hex"),
    help: ArgumentHelp(
      "The same in hexadecimal; 0x before the bytes, and spaces or colons between them, are allowed.",
      valueName: "hex"))
  var hex: String?

  @Option(
    name: .customLong("key-file"),
    help: ArgumentHelp(
      "A file whose whole content is the key; - for standard input. Default: the file named by KVFSCK_KEY_FILE.",
      valueName: "file"), completion: .file())
  var file: String?

  @Option(
    name: .customLong("keys"),
    help: ArgumentHelp(
      "A file with the keys of many stores, one per line: PATTERN or ID = KEY; - for standard input.",
      valueName: "file"), completion: .file())
  var list: String?

  @Flag(help: "The AES key size of an MMKV store; default: 128, or both for keys of many stores.")
  var cipherSize: CipherSize?

  /// Returns `arguments` with `mark` in the place of each key.
  static func hidingKeys(in arguments: [String], behind mark: String) -> [String] {
    var isKey = false
    return arguments.map { argument in
      let name = argument.prefix { $0 != "=" }
      let takesKey = ["--key", "--key-hex", "--rekey"].contains(name)
      defer { isKey = takesKey && name == argument }
      return isKey ? mark : takesKey && name != argument ? "\(name)=\(mark)" : argument
    }
  }

  /// The options if none is given.
  static var unset: KeyOptions {
    var options = KeyOptions()
    options.text = nil
    options.hex = nil
    options.file = nil
    options.list = nil
    options.cipherSize = nil
    return options
  }

  func validate() throws {
    if [text, hex, file, list].count(where: { $0 != nil }) > 1 {
      throw ValidationError("Give only one of --key, --key-hex, --key-file and --keys.")
    }
    if let hex, Hexadecimal.writtenBytes(hex) == nil {
      throw ValidationError("--key-hex takes an even number of hexadecimal digits.")
    }
  }

  /// Whether the key was given as text that could be meant as hexadecimal digits.
  var looksHexadecimal: Bool {
    text.map { !$0.isEmpty && Hexadecimal.writtenBytes($0) != nil } ?? false
  }

  /// Whether a key is read from standard input.
  var takeStandardInput: Bool { file == "-" || list == "-" }

  /// The key files that the options name.
  var files: [String] { [file, list].compactMap { $0 }.filter { $0 != "-" } }

  /// The key files that the options or, without them, the environment name.
  var allFiles: [String] {
    let name = areEmpty ? ProcessEnvironment[Self.variable] ?? "" : ""
    return files + (name.isEmpty ? [] : [name])
  }

  /// Whether an option gives the key of the stores that are named: one that they need.
  var isForNamedStores: Bool { text != nil || hex != nil || file != nil }

  /// Whether no option gives a key.
  var areEmpty: Bool { text == nil && hex == nil && file == nil && list == nil }

  /// Prints a note if a key, or `other`, was given on the command line, where it is not secret.
  func warnIfVisible(and other: String? = nil) {
    // No one sees a request but the server and its client.
    guard Answer.current == nil else { return }
    if text != nil || hex != nil || other != nil {
      Output.note("other users can see a key on the command line; a key file is safer")
    }
  }

  /// Returns the key that the options give; `nil` if they give none.
  func bytes() throws(FileError) -> [UInt8]? {
    if let text { return ProcessArguments.bytes(of: text) }
    if let hex { return Hexadecimal.writtenBytes(hex) }
    guard let file else { return nil }
    return try Self.key(inFile: file)
  }

  /// Returns the whole content of a key file, which may be a pipe; `-` is standard input.
  static func key(inFile path: String) throws(FileError) -> [UInt8] {
    try content(of: self.path(path), limit: limits.key)
  }

  private static func path(_ text: String) -> FilePath {
    text == "-" ? "/dev/stdin" : ProcessArguments.path(text)
  }

  private static func content(of path: FilePath, limit: Int) throws(FileError) -> [UInt8] {
    try FileImage.readStream(path, limit: limit).bytes
  }

  /// Returns the keys for all stores.
  ///
  /// A key given by an option is that of the store. Keys from `--keys` and from the environment are
  /// tried.
  ///
  /// - Throws: If a file cannot be read, or a line of it is invalid.
  func ring() throws(DiscoveryError) -> KeyRing {
    guard let list else { return KeyRing(try key(), isTried: areEmpty) }
    let content: [UInt8]
    do throws(FileError) {
      content = try Self.content(of: Self.path(list), limit: Self.limits.list)
    } catch {
      throw .file(error)
    }
    do throws(KeyRingError) {
      return try KeyRing(parsing: content, named: list == "-" ? "standard input" : list) {
        (name) throws(FileError) in
        try Self.content(of: path(beside: name), limit: Self.limits.key)
      }
    } catch {
      throw .keys(error)
    }
  }

  /// Returns the single key given by the options or by the environment.
  private func key() throws(DiscoveryError) -> [UInt8]? {
    let name = areEmpty ? ProcessEnvironment[Self.variable] ?? "" : ""
    do throws(FileError) {
      return name.isEmpty ? try bytes() : try Self.key(inFile: name)
    } catch {
      throw name.isEmpty ? .file(error) : .keys(KeyRingError(file: Self.variable, .file(error)))
    }
  }

  /// Returns the path of a key file named in the key list; a relative path is resolved against the
  /// list's folder.
  private func path(beside name: [UInt8]) -> FilePath {
    let path = FilePath(bytes: name)
    guard let list, list != "-" else { return path }
    return ProcessArguments.path(list).parent.pushing(path)
  }
}
