import KVBytes
import KVInput
import KVModel
import KVSystem
import SystemPackage

extension FuzzTarget {
  /// Reads an archive and the archives in it.
  ///
  /// All names must lie within the archive. A member must be the same each time it is read, and
  /// start with its head.
  ///
  /// The input is the archive file. Without the trait `Archives`, every archive is refused.
  public static let archive = FuzzTarget(name: "archive") { bytes throws(Violation) in
    let path = temporaryPath()
    do throws(FileError) {
      var files = PendingWrite(existing: .keep)
      try files.add(bytes, at: path)
      try files.commit()
    } catch {
      // A disk error says nothing about the reader.
      return
    }
    defer { _ = try? Folder.removeFile(path) }
    guard let archive = ArchiveFile(at: path) else { return }
    try expectSound(archive)
  }
}

/// Expects that the contents of `archive` can be listed, walked and read, at any depth.
private func expectSound(_ archive: ArchiveFile) throws(Violation) {
  // An archive that cannot be read has a reason, and no members.
  guard let tree = try? archive.tree() else { return }
  var walk = TreeWalk(tree)
  while let step = walk.next() {
    switch step {
    case .failure: continue
    case .backup(let inner): try expectSound(inner)
    case .target(let target):
      guard target.path.bytes.starts(with: MemberPath.root(of: archive.path).bytes),
        !target.path.components.contains("..")
      else {
        throw Violation("a member is within its archive", "\(target.path) in \(archive.path)")
      }
      try expectSound(target)
    }
  }
}

private func expectSound(_ target: ScanTarget) throws(Violation) {
  let source = target.source(limit: FileImage.maximumCount)
  guard let image = try? source.read(target.path, limit: FileImage.maximumCount) else { return }
  let again = try? target.source(limit: FileImage.maximumCount)
    .read(target.path, limit: FileImage.maximumCount)
  guard let again, again.bytes == image.bytes else {
    throw Violation("a member is the same each time it is read", "\(target.path)")
  }
  guard let head = try? source.head(of: target.path, count: 64),
    head.bytes == Array(image.bytes.prefix(64))
  else { throw Violation("a member begins with its head", "\(target.path)") }
  if let inner = target.archive(beginningWith: head) { try expectSound(inner) }
}
