import KVBytes
import KVInput
package import KVModel
package import KVSystem
package import SystemPackage

extension KeyCandidates {
  /// The size of the largest file that is searched, and of the largest whose entries are read.
  private static var limits: (bytes: Int, entries: Int) { (1 << 28, 1 << 24) }

  /// Collects what may be a key from the files at `paths`, in folders and archives, programs
  /// included: the entries of files of the formats of `catalog`, and whatever else looks like a key.
  ///
  /// - Throws: If one of `paths` cannot be read. Other files that cannot be read are passed over.
  package init(
    from paths: [FilePath], by catalog: FormatCatalog, shown areShown: Bool
  ) throws(FileError) {
    self.init(shown: areShown)
    let readers = Readers(catalog.readers(FormatOptions(now: 0)))
    var walks = [TreeWalk(paths)]
    while var walk = walks.popLast() {
      while !isFull, let step = walk.next() {
        switch step {
        case .backup(let backup):
          if let tree = try? backup.tree() { walks.append(TreeWalk(tree, wantsMedia: true)) }
        case .failure(let path, let error): if paths.contains(path) { throw error }
        case .target(let target):
          do throws(FileError) {
            if let inner = try add(target, readers) { walks.append(inner) }
          } catch {
            if target.isRequested { throw error }
          }
        }
      }
    }
  }

  /// Adds what is in the file of `target`, or returns a walk over the archive that it is.
  private mutating func add(
    _ target: ScanTarget, _ readers: Readers
  ) throws(FileError) -> TreeWalk? {
    let source = target.source(limit: Self.limits.bytes)
    let path = target.path
    let head = try source.head(of: path, count: ArchiveKind.headCount)
    if let archive = target.archive(beginningWith: head, wantsPackages: true),
      let tree = try? archive.tree()
    {
      return TreeWalk(tree, wantsMedia: true)
    }
    guard !ForeignFile.isMedia(head) || ForeignFile.isProgram(head) else { return nil }
    let image = try source.read(path, limit: Self.limits.bytes)
    if image.count <= Self.limits.entries,
      let (reader, files, _) = try? readers.likeliest(at: path, in: source)
    {
      for entry in reader.read(files).entries {
        add(entry.value, from: "\(path.text), entry \(entry.key.text ?? "")")
      }
    }
    add(image, at: path.text)
    source.forget(allBut: [])
    return nil
  }

  /// Adds a value, and those in it.
  private mutating func add(_ value: Value, from place: String) {
    switch value {
    case .string(let text), .json(let text): add(Array(text.utf8), from: place)
    case .bytes(let bytes): add(bytes, from: place)
    case .array(let values): for value in values { add(value, from: place) }
    case .dictionary(let members): for member in members { add(member.value, from: place) }
    default: break
    }
  }
}
