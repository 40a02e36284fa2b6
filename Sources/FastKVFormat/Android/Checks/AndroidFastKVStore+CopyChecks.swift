import KVBytes
import KVModel
import SystemPackage

extension AndroidFastKVStore {
  /// What the copies say of each other.
  func checkAmongCopies() -> [Finding] {
    checkPair() + checkC()
  }

  private func checkPair() -> [Finding] {
    switch (copy(.copyA), copy(.copyB)) {
    case (let only?, nil), (nil, let only?):
      return [
        finding(
          "fastkv-android.copy-missing", .warning, only, nil,
          "the other copy of the pair is missing; FastKV makes it anew")
      ]
    case (let a?, let b?):
      guard a.isTaken, b.isTaken, a.log?.count ?? 0 > 0, b.log?.count ?? 0 > 0,
        let first = a.log, let second = b.log
      else { return [] }
      let one = a.file.image.bytes(in: first.range)
      let other = b.file.image.bytes(in: second.range)
      if one == other { return [] }
      let relation =
        one.starts(with: other)
        ? "A goes on where B ends, so A is newer"
        : other.starts(with: one)
          ? "B goes on where A ends, so B is newer" : "neither begins with the other"
      return [
        finding(
          "fastkv-android.copies-differ", .warning, a, first,
          "both copies hold, and they differ (\(first.count) and \(second.count) bytes): \(relation). "
            + "FastKV takes A and overwrites B")
      ]
    case (nil, nil): return []
    }
  }

  private func checkC() -> [Finding] {
    var findings: [Finding] = []
    if let c = copy(.copyC), c.isTaken, !isTemporaryInPlaceOfC,
      let pair = [copy(.copyA), copy(.copyB)].compactMap(\.self)
        .first(where: { $0.isTaken && $0.log?.count ?? 0 > 0 }),
      let first = c.log, let second = pair.log,
      c.file.image.bytes(in: first.range) != pair.file.image.bytes(in: second.range)
    {
      findings.append(
        finding(
          "fastkv-android.copy-c-differs", .warning, c, c.headerExtent,
          "this copy (\(c.recordCount) records) stands beside a pair with other contents "
            + "(\(pair.recordCount) records). FastKV takes this one without asking which is newer, "
            + "and in its default mode overwrites the pair"))
    }
    if isTemporaryInPlaceOfC, let c = copy(.copyC) {
      findings.append(
        finding(
          "fastkv-android.tmp-passed-over", .damage, c, c.headerExtent,
          "this file is whole and the .kvc is not; FastKV looks at the .kvc alone and deletes both")
      )
    }
    return findings
  }

  // MARK: External files

  /// Which external files are missing, empty, unused or not renamed yet.
  func checkExternals() -> [Finding] {
    guard access == .readable else { return [] }
    var used: Set<String> = []
    var findings: [Finding] = []
    if let primary {
      let gaps = primary.isTaken ? [] : gaps(in: primary.area)
      let range = primary.isTaken ? primary.log ?? primary.area : primary.area
      for case .record(let record) in records(in: range, scan: .plain, around: gaps)
      where record.operation == .put {
        guard let name = externalName(of: record) else { continue }
        used.insert(name)
        if externals.isThere(name) { continue }
        if let loss = loss(of: record) {
          findings.append(
            finding(
              "fastkv-android.external-missing", .damage, primary, record.extent,
              "the value of \"\(key(of: record).text ?? "?")\" is lost: \(loss); FastKV removes the "
                + "key when it is read"))
        } else {
          used.insert(name + ExternalName.temporarySuffix)
          findings.append(
            finding(
              "fastkv-android.external-not-renamed", .warning, primary, record.extent,
              "the value of \"\(key(of: record).text ?? "?")\" is there only as \(name).tmp, which "
                + "FastKV does not look at"))
        }
      }
    }
    for file in externals.files {
      let name = file.path.lastComponent?.string ?? ""
      guard AndroidFileNames.isExternal(name) else {
        findings.append(
          finding(
            name.hasSuffix(AndroidFileNames.temporarySuffix)
              ? "fastkv-android.tmp-unused" : "fastkv-android.kvc-unused",
            .warning, nil, nil,
            "\(name) is not read: there is a better file of the same copy beside it"))
        continue
      }
      if used.contains(name) { continue }
      findings.append(
        finding(
          "fastkv-android.external-orphan", .note, nil, nil,
          "the external file \(name) (\(file.image.count) bytes) belongs to no entry"))
    }
    return findings
  }
}
