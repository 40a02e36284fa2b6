import ArgumentParser
import KVSystem
import SystemPackage

extension ParsableCommand {
  /// Throws if `out`, what the user gave for --out, cannot be meant as a folder.
  func checkFolder(_ out: String) throws {
    if out.isEmpty { throw ValidationError("--out takes the path of a folder.") }
    if out == "-" {
      throw ValidationError("--out takes the path of a folder, not -, which is standard output.")
    }
  }
}

extension ParsableArguments {
  /// Throws if `path`, what the user gave for `option`, which takes a new file, names a folder.
  func checkFile(_ path: String?, _ option: String) throws {
    guard let path else { return }
    guard !path.isEmpty, path != "-", !path.hasSuffix("/") else {
      throw ValidationError(
        path.hasSuffix("/")
          ? "\(option) takes the name of a file, and \(path) is that of a folder."
          : "\(option) takes the name of a file.")
    }
  }
}

extension ParsableCommand {
  /// Throws if `out`, what the user gave for --out, names a folder that does not exist: a file
  /// would get its name.
  func checkFile(_ out: String) throws {
    guard out.hasSuffix("/"), !Folder.exists(ProcessArguments.path(out)) else { return }
    throw ValidationError(
      "--out \(out) ends with a slash, but there is no such folder: create it first, or name a file."
    )
  }
}

/// Names for folders that do not exist yet, each proposed once in a run.
struct NewFolders {
  private var proposed: Set<FilePath> = []

  /// Returns `name`, or a numbered variant of it, that does not exist in the working folder.
  mutating func next(_ name: String) -> String {
    var number = 1
    while true {
      let candidate = number == 1 ? name : "\(name)-\(number)"
      let path = FilePath(candidate)
      if !Folder.isTaken(path), proposed.insert(path).inserted { return candidate }
      number += 1
    }
  }
}
