import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// The files of one store as they are at one moment, in the order in which they came to be.
public struct DiskImage: Hashable, Sendable {
  /// The files.
  public private(set) var files: [SimulatedFile]

  /// Files as they are.
  public init(_ files: [SimulatedFile] = []) { self.files = files }

  /// The file called `name`.
  public subscript(name: String) -> SimulatedFile? { files.first { $0.name == name } }

  /// The files as a format opens them, as if they lay in `folder`.
  package func storeFiles(in folder: FilePath = "") -> [StoreFile] {
    files.map { StoreFile($0.role, at: folder.appending($0.name), FileImage($0.bytes)) }
  }

  /// Does what an engine did; of a store only the first `limit` bytes, where a limit is given.
  ///
  /// An event about a file that is not there, and bytes beyond a file's end, are passed over: an
  /// engine cannot do that.
  public mutating func apply(_ event: DiskEvent, limit: Int? = nil) {
    switch event {
    case .create(let role, let name):
      files.removeAll { $0.name == name }
      files.append(SimulatedFile(role, named: name))
    case .store(let name, let offset, let bytes, _):
      guard let index = index(of: name) else { return }
      let count = min(limit ?? bytes.count, files[index].bytes.count - offset)
      guard count > 0 else { return }
      files[index].bytes.replaceSubrange(offset..<offset + count, with: bytes[..<count])
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

  /// The file called `name` with other bytes; nothing happens where there is none.
  public mutating func replace(_ name: String, with bytes: [UInt8]) {
    guard let index = index(of: name) else { return }
    files[index].bytes = bytes
  }

  private func index(of name: String) -> Int? { files.firstIndex { $0.name == name } }
}
