import KVBytes
package import KVModel

extension MMKVStore {
  /// Returns what MMKV 2.4.2 does when it opens the files and gets `answers`.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    LoadModel(found).load(answers)
  }

  /// Whether the values are not encrypted.
  package var readsValuesAsStored: Bool { !isEncrypted }

  /// Returns what MMKV makes of the value of `record`.
  ///
  /// As `CodedInputDataCrypt::readData`: of a value of more than 256 bytes, it keeps only the place,
  /// which it computes from lengths in their shortest form (`pbKeyValueSize`), and decrypts it there
  /// when it is asked for. From a wrong place, that is noise.
  package func loadedValue(of record: Record) -> LoadedValue {
    guard isEncrypted, record.value.count > Self.directLimit,
      record.count - record.key.count - record.value.count
        != ByteWriter.varintCount(UInt64(record.key.count))
        + ByteWriter.varintCount(UInt64(record.value.count))
    else { return .asStored }
    return .other
  }

  /// The largest value, in bytes, that MMKV keeps in memory when it loads an encrypted store.
  private static var directLimit: Int { 256 }
}
