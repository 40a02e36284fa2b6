import FastKVFormat
import KVModel
import MMKVFormat

/// Operators that replace or delete the files beside the primary one.
extension DamageOperator {
  static let sideFiles: [DamageOperator] = [
    sideFile("stale-side-file", "a side file or a copy reverts to its state some operations ago") {
      file, target, _ in target.earlier?[file.name]?.bytes
    },
    sideFile(
      "foreign-side-file", "a side file, or an unused copy, is replaced by that of another store"
    ) { file, target, _ in
      // The engine relies on one copy. Nothing would show that this one belongs to another store.
      guard file.name != target.logs.first?.file else { return nil }
      return target.foreign?.files.first { $0.role == file.role }?.bytes
    },
    sideFile("zero-side-file", "a side file or a copy becomes all zeros") { file, _, _ in
      [UInt8](repeating: 0, count: file.bytes.count)
    },
    sideFile("truncate-side-file", "a side file or a copy is truncated, perhaps to nothing") {
      file, _, generator in
      let end = (file.bytes.lastIndex { $0 != 0 } ?? 0) + 1
      return Array(file.bytes.prefix(Int.random(in: 0..<end, using: &generator)))
    },
    DamageOperator(
      "missing-side-file", "a side file or a copy is missing", on: [.sideFile],
      hasPlacements: false, needs: "the store has only one file"
    ) { target, generator in
      sideFiles(of: target).randomElement(using: &generator).map {
        Damage([], removing: [$0.name])
      }
    },
    DamageOperator(
      "missing-value-file", "a file with one value is missing", on: [.valueFile],
      needs: "no value has a separate file"
    ) { target, generator in
      let used = target.logs.flatMap(\.live).compactMap(\.external)
      return Set(used).sorted().randomElement(using: &generator).map {
        Damage([], removing: [$0])
      }
    },
  ]

  static let sizes: [DamageOperator] = [
    size("size-too-small", "the stored size of the log is too small") { log, _, generator in
      log.count > 0 ? Int.random(in: 0..<log.count, using: &generator) : nil
    },
    size("size-too-large", "the stored size of the log extends into the slack") {
      log, fileCount, generator in
      let room = fileCount - log.range.upperBound
      return room > 0 ? log.count + Int.random(in: 1...room, using: &generator) : nil
    },
    size("size-beyond-file", "the stored size of the log is larger than the file") {
      log, fileCount, generator in
      Int.random(in: fileCount + 1...max(fileCount * 2, 1 << 26), using: &generator)
    },
  ]

  private static func sideFile(
    _ name: String, _ summary: String,
    _ bytes: @escaping @Sendable (SimulatedFile, DamageTarget, inout SeededGenerator) -> [UInt8]?
  ) -> DamageOperator {
    DamageOperator(
      name, summary, on: [.sideFile],
      needs: "there is no side file, or no different state of it is known"
    ) { target, generator in
      var candidates: [Damage] = []
      for file in sideFiles(of: target) {
        guard let bytes = bytes(file, target, &generator) else { continue }
        var damage = Damage(replacing: file, with: bytes)
        damage.isFromEarlier = bytes == target.earlier?[file.name]?.bytes
        if file.role == .meta, bytes == target.earlier?[file.name]?.bytes,
          let log = target.logs.first, let end = target.earlierEnd
        {
          damage.verifiedEnds[log.file] = end
        }
        if !damage.isEmpty { candidates.append(damage) }
      }
      return candidates.randomElement(using: &generator)
    }
  }

  /// Returns the meta file, or all copies if there are several.
  private static func sideFiles(of target: DamageTarget) -> [SimulatedFile] {
    let copies = target.image.files.filter { [.copyA, .copyB, .copyC].contains($0.role) }
    return target.image.files.filter { $0.role == .meta } + (copies.count > 1 ? copies : [])
  }

  private static func size(
    _ name: String, _ summary: String,
    _ wrong: @escaping @Sendable (TargetLog, Int, inout SeededGenerator) -> Int?
  ) -> DamageOperator {
    DamageOperator(name, summary, needs: "no stored size can be wrong in this way") {
      target, generator in
      guard let log = target.logs.randomElement(using: &generator), let field = log.size,
        let bytes = target.image[field.file]?.bytes,
        let count = wrong(log, target.image[log.file]?.bytes.count ?? 0, &generator)
      else { return nil }
      // Only the difference is added, so that anything else in the field, such as flags, stays.
      var rest = count - log.count
      var new: [UInt8] = []
      for offset in field.range {
        rest += Int(bytes[offset])
        new.append(UInt8(truncatingIfNeeded: rest))
        rest >>= 8
      }
      return Damage([FileEdit(field.file, field.range, new)])
    }
  }
}
