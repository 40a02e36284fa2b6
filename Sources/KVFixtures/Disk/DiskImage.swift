import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The files of one store at one moment, in the order in which they were created.
public struct DiskImage: Hashable, Sendable {
  /// The files.
  public private(set) var files: [SimulatedFile]

  /// Creates an image of these files.
  package init(_ files: [SimulatedFile] = []) { self.files = files }

  /// The file called `name`, or `nil` if there is none.
  public subscript(name: String) -> SimulatedFile? { files.first { $0.name == name } }

  /// Returns the files for a format to open, as if they were in `folder`.
  package func storeFiles(in folder: FilePath = "") -> [StoreFile] {
    files.map { StoreFile($0.role, at: folder.appending($0.name), FileImage($0.bytes)) }
  }

  /// Applies a change made by an engine, or only the first `limit` bytes of a store.
  ///
  /// Events for missing files and bytes beyond the end of a file are ignored, because an engine
  /// cannot do that.
  package mutating func apply(_ event: DiskEvent, limit: Int? = nil) {
    switch event {
    case .create(let role, let name):
      files.removeAll { $0.name == name }
      files.append(SimulatedFile(role, named: name))
    case .store(let name, let offset, let bytes, _):
      guard let index = index(of: name) else { return }
      let count = min(limit ?? bytes.count, files[index].bytes.count - offset)
      guard count > 0 else { return }
      files[index].bytes.replaceSubrange(offset..<offset + count, with: bytes[..<count])
    case .append(let name, let bytes):
      guard let index = index(of: name) else { return }
      files[index].bytes += bytes.prefix(limit ?? bytes.count)
    case .resize(let name, let count):
      guard let index = index(of: name) else { return }
      let present = files[index].bytes.count
      if count < present {
        files[index].bytes.removeLast(present - count)
      } else {
        files[index].bytes.append(contentsOf: repeatElement(0, count: count - present))
      }
    case .sync: break
    case .rename(let name, let new, let role):
      guard let index = index(of: name) else { return }
      let bytes = files[index].bytes
      files.removeAll { $0.name == name || $0.name == new }
      files.append(SimulatedFile(role, named: new, bytes))
    case .remove(let name): files.removeAll { $0.name == name }
    }
  }

  /// Replaces the contents of the file called `name`, if it exists.
  package mutating func replace(_ name: String, with bytes: [UInt8]) {
    guard let index = index(of: name) else { return }
    files[index].bytes = bytes
  }

  private func index(of name: String) -> Int? { files.firstIndex { $0.name == name } }
}
