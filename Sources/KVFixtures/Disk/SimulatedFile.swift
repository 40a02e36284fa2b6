package import KVModel

/// A file of a store in memory.
public struct SimulatedFile: Hashable, Sendable {
  /// The role of the file.
  package let role: FileRole
  /// The path relative to the folder of the store.
  public let name: String
  /// The contents.
  public internal(set) var bytes: [UInt8]

  /// Creates a file.
  package init(_ role: FileRole, named name: String, _ bytes: [UInt8] = []) {
    self.role = role
    self.name = name
    self.bytes = bytes
  }
}
