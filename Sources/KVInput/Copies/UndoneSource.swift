import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// A source that returns the bytes of another one with a change undone that a copy made.
final class UndoneSource: FileSource {
  // A class, because `FileSource` requires one.

  private let base: any FileSource
  private let change: CopyChange
  /// For each file that is known to show the change, which of its possible contents is returned;
  /// `nil` for the bytes as they are.
  private let choices: [FilePath: Int?]
  private var images: [FilePath: FileImage] = [:]

  /// Creates a source of the files in `base` with `change` undone.
  init(_ base: any FileSource, undoing change: CopyChange, _ choices: [FilePath: Int?]) {
    self.base = base
    self.change = change
    self.choices = choices
  }

  func isTaken(_ path: FilePath) -> Bool { base.isTaken(path) }
  func isFolder(_ path: FilePath) -> Bool { base.isFolder(path) }
  func names(in folder: FilePath) throws(FileError) -> [FilePath.Component] {
    try base.names(in: folder)
  }
  func folder(of file: FilePath, named path: FilePath) -> StoreFolder {
    base.folder(of: file, named: path)
  }
  func isOutside(_ path: FilePath, of folder: StoreFolder) -> Bool {
    base.isOutside(path, of: folder)
  }
  func flaw(of path: FilePath) -> String? { base.flaw(of: path) }

  func head(of path: FilePath, count: Int) throws(FileError) -> FileImage {
    let image = try read(path, limit: FileImage.maximumCount)
    return FileImage(image.bytes(in: 0..<min(count, image.count)))
  }

  func read(_ path: FilePath, limit: Int) throws(FileError) -> FileImage {
    undone(try base.read(path, limit: limit), at: path)
  }

  func read(
    _ path: FilePath, in folder: StoreFolder, limit: Int
  ) throws(FileError) -> FileImage {
    undone(try base.read(path, in: folder, limit: limit), at: path)
  }

  /// Returns what was undone in the file at `path`, if it was read; `nil` if nothing was.
  func copyDamage(of path: FilePath) -> CopyDamage? {
    let earlier = base.copyDamage(of: path)
    guard images[path] != nil, let image = try? base.read(path) else { return earlier }
    return CopyDamage(
      (earlier?.changes ?? []) + [change.description], found: earlier?.found ?? image)
  }

  private func undone(_ image: FileImage, at path: FilePath) -> FileImage {
    if let done = images[path] { return done }
    // Files that only the undone bytes of others lead to are changed like them.
    guard let choice = choices[path] ?? 0, image.count <= CopySearch.byteLimit else { return image }
    let originals = change.originals(image)
    guard choice < originals.count, let bytes = originals.bytes(choice) else { return image }
    let undone = FileImage(bytes)
    images[path] = undone
    return undone
  }
}
