public import KVBytes
public import SystemPackage

extension PendingWrite {
  /// Writes `encoded` into `folder`, where the files stay until ``commit()``.
  ///
  /// - Throws: As `add(_:at:)`.
  public mutating func add(
    _ encoded: [EncodedFile], in folder: FilePath
  ) throws(ConversionError) {
    for file in encoded {
      do throws(FileError) {
        try add(file.bytes, at: folder.appending(file.name))
      } catch {
        throw .file(error)
      }
    }
  }
}
