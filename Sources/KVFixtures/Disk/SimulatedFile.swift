public import KVModel

/// A file of a store that is only in memory.
public struct SimulatedFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Its path below the folder of the store.
  public let name: String
  /// Its bytes.
  public internal(set) var bytes: [UInt8]

  /// A file with its bytes.
  public init(_ role: FileRole, named name: String, _ bytes: [UInt8] = []) {
    self.role = role
    self.name = name
    self.bytes = bytes
  }
}
