import ArgumentParser
import KVBytes
import KVFixtures
import KVSystem
import SystemPackage

/// A script in a file.
enum ScriptFile {
  /// The reasons for which a script cannot be run.
  enum Failure: Error {
    case file(FileError)
    case script(FilePath, ScriptError)

    /// What went wrong and where, in a sentence for people.
    var message: String {
      switch self {
      case .file(let error): error.message
      case .script(let path, let error):
        "\(path.text)\(error.line.map { ":\($0)" } ?? ""): \(error.reason)"
      }
    }

    /// The exit status for the failure.
    var status: ExitStatus {
      switch self {
      case .file: .failed
      case .script: .usage
      }
    }
  }

  /// The largest size of a script, in bytes.
  private static let limit = 1 << 26

  /// Reads the script at `path`, which may be a pipe; `format` replaces the one that it states.
  static func read(
    _ path: FilePath, seed: UInt64, _ format: ScriptFormat
  ) throws(Failure) -> Script {
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileImage.readStream(path, limit: limit).bytes
    } catch {
      throw .file(error)
    }
    return try carrying(path) { () throws(ScriptError) in
      guard let text = String(utf8: bytes) else {
        throw ScriptError(line: nil, "the script is not UTF-8 text")
      }
      var script = try Script(parsing: text, seed: seed)
      if let name = format.format { _ = script.settings.chooseFormat(name) }
      return script
    }
  }

  /// Returns the result of `body`, adding the path to its errors.
  static func carrying<T>(
    _ path: FilePath, _ body: () throws(ScriptError) -> T
  ) throws(Failure) -> T {
    do throws(ScriptError) {
      return try body()
    } catch {
      throw .script(path, error)
    }
  }
}

/// The option for the format that a script writes.
struct ScriptFormat: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The format to write, instead of the one that the script states.", valueName: "name"),
    completion: .list(StoreSettings.formatNames))
  var format: String?

  func validate() throws {
    guard let format, !StoreSettings.formatNames.contains(format) else { return }
    throw ValidationError(
      "--format takes one of \(StoreSettings.formatNames.joined(separator: ", ")).")
  }
}
