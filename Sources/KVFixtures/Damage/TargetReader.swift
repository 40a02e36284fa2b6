import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// Reads the places of the records and fields from a healthy store.
///
/// It does not handle damage, because a healthy store has none.
enum TargetReader {
  /// Returns the file name of each role that only one file can have.
  static func names(of image: DiskImage) -> [FileRole: String] {
    var names: [FileRole: String] = [:]
    for file in image.files where file.role != .external { names[file.role] = file.name }
    return names
  }

  /// Returns the logs that the length claims describe, one for each file.
  static func logs(
    of store: some Store, _ names: [FileRole: String], _ image: DiskImage
  ) -> [TargetLog] {
    var logs: [TargetLog] = []
    for lengthClaim in store.lengthClaims {
      guard let log = lengthClaim.log, let name = names[log.file],
        !logs.contains(where: { $0.file == name })
      else { continue }
      logs.append(
        TargetLog(
          file: name, range: log.range, records: records(of: store, in: log, image),
          size: lengthClaim.statedAt.flatMap { extent in
            names[extent.file].map { TargetField(kind: .size, file: $0, range: extent.range) }
          }, count: lengthClaim.count))
    }
    return logs
  }

  /// Returns the end of the first log of `earlier`, if the log of `image` starts with the same
  /// bytes.
  static func end(
    of earlier: DiskImage?, in image: DiskImage, _ format: some StoreFormat
  ) -> Int? {
    guard let earlier,
      let lengthClaim = format.open(earlier.storeFiles()).lengthClaims.first,
      lengthClaim.isVerified,
      let log = lengthClaim.log, let name = names(of: earlier)[log.file],
      let old = earlier[name]?.bytes, let new = image[name]?.bytes,
      log.end <= old.count, log.end <= new.count, old[log.range] == new[log.range]
    else { return nil }
    return log.end
  }

  private static func records(
    of store: some Store, in log: Extent, _ image: DiskImage
  ) -> [TargetRecord] {
    var records: [TargetRecord] = []
    store.forEachRecord(in: log, scan: .plain, around: []) { event in
      guard case .record(let record) = event else { return }
      let value = store.value(of: record)
      let inPlace = store.decoded(record.file).bytes(in: record.value)
      let external = value == inPlace ? nil : file(named: inPlace, of: image)
      records.append(
        TargetRecord(
          key: store.key(of: record), operation: record.operation, value: value,
          range: record.extent.range, keyRange: record.key, valueRange: record.value,
          external: external, expiry: store.expiry(of: record)))
    }
    return records
  }

  /// Returns the external file that a record names.
  private static func file(named name: [UInt8], of image: DiskImage) -> String? {
    image.files.first { $0.role == .external && Array($0.name.utf8.suffix(name.count)) == name }?
      .name
  }

  /// Returns the fields of the layout.
  ///
  /// The claims determine which of them are sizes and checksums.
  static func fields(of store: some Store, _ names: [FileRole: String]) -> [TargetField] {
    let current = store.lengthClaims.filter { $0.role == .current }
    let sizes = current.compactMap(\.statedAt)
    let digests = current.compactMap(\.checksum?.storedAt)
    return store.layout.compactMap { region in
      guard region.kind == .field || region.kind == .vector,
        let name = names[region.extent.file]
      else { return nil }
      let kind: TargetField.Kind =
        sizes.contains(region.extent)
        ? .size
        : digests.contains(region.extent)
          ? .digest : region.kind == .vector && store.isEncrypted ? .vector : .other
      return TargetField(kind: kind, file: name, range: region.extent.range)
    }
  }

  /// Returns the chain of cipher blocks that the log is encrypted with, or `nil` if there is none.
  static func chain(
    of store: some Store, _ names: [FileRole: String]
  ) -> TargetChain? {
    guard let block = store.chainedBlockCount, let name = names[store.logArea.file] else {
      return nil
    }
    return TargetChain(file: name, start: store.logArea.offset, block: block)
  }
}
