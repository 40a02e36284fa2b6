import KVBytes
import KVModel

/// The consequences of damage, computed from the places of the records in the healthy store and the
/// bytes that changed.
///
/// They do not depend on how much kvfsck recovers.
package struct Answers {
  /// The keys whose newest record is intact in at least one copy.
  let untouched: Set<Key>
  /// The keys whose newest record is in none of the files any more.
  let lost: Set<Key>
  /// The keys that must be returned.
  let must: Set<Key>

  init(_ target: DamageTarget, _ damage: Damage, _ damaged: DiskImage) {
    let survival = Survival(damage, of: target)
    var untouched: Set<Key> = []
    var must: Set<Key> = []
    var places: [Key: [(file: String, record: TargetRecord)]] = [:]
    for log in target.logs {
      let reordered = damage.reordersLog ? Self.touchedKeys(of: log, survival) : []
      for record in log.newest.values where record.operation == .put {
        guard target.truth[record.key] == record.value else { continue }
        places[record.key, default: []].append((log.file, record))
        guard Self.isWhole(record, in: log, survival, target) else { continue }
        untouched.insert(record.key)
        let isVerified = record.range.upperBound <= damage.verifiedEnds[log.file] ?? .max
        if isVerified, !survival.isDisplaced(record.range, of: log.file),
          !reordered.contains(record.key),
          !target.expired.contains(record.key)
        {
          must.insert(record.key)
        }
      }
    }
    self.untouched = untouched
    self.must = must
    lost = Set(
      target.truth.keys.filter { key in
        !untouched.contains(key)
          && !(places[key] ?? []).contains { place in
            Self.isSomewhere(place.record, of: place.file, in: target.image, damaged)
          }
      })
  }

  private static func isWhole(
    _ record: TargetRecord, in log: TargetLog, _ survival: Survival, _ target: DamageTarget
  ) -> Bool {
    guard survival.isWhole(record.range, of: log.file) else { return false }
    guard let external = record.external else { return true }
    return survival.isWhole(0..<(target.image[external]?.bytes.count ?? 0), of: external)
  }

  /// Returns the keys with at least one damaged record.
  private static func touchedKeys(of log: TargetLog, _ survival: Survival) -> Set<Key> {
    Set(log.records.filter { !survival.isWhole($0.range, of: log.file) }.map(\.key))
  }

  /// Returns whether the bytes of the record, and of its external file, are anywhere in the files.
  package static func isSomewhere(
    _ record: TargetRecord, of file: String, in image: DiskImage, _ damaged: DiskImage
  ) -> Bool {
    let parts =
      [image[file].map { Array($0.bytes[record.range]) }]
      + [record.external.flatMap { image[$0]?.bytes }]
    return parts.compactMap { $0 }.allSatisfy { part in
      damaged.files.contains { file in
        let image = FileImage(file.bytes)
        return part.isEmpty || image.firstOccurrence(of: part, in: image.range) != nil
      }
    }
  }
}
