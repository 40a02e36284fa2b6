/// A file of a new store: its name and all its bytes.
public struct EncodedFile: Hashable, Sendable {
  /// What the file is for.
  public let role: FileRole
  /// Its name in the folder of the store.
  public let name: String
  /// Its bytes.
  public let bytes: [UInt8]

  /// A file of these bytes.
  public init(_ role: FileRole, named name: String, _ bytes: [UInt8]) {
    self.role = role
    self.name = name
    self.bytes = bytes
  }
}
