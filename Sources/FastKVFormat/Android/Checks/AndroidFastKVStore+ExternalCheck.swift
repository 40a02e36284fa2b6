import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension AndroidFastKVStore {
  /// Returns the external files that are missing, damaged, orphaned or not yet renamed.
  func checkExternals() -> [Finding] {
    guard access == .readable else { return [] }
    var used: Set<ByteText> = []
    var findings: [Finding] = []
    if let primary {
      let gaps = primary.isTaken ? [] : gaps(in: primary.area)
      let range = primary.isTaken ? primary.log ?? primary.area : primary.area
      for case .record(let record) in records(in: range, scan: .plain, around: gaps)
      where record.operation == .put {
        guard let name = externalName(of: record) else { continue }
        used.insert(ByteText(name))
        if !externals.isThere(name), loss(of: record) == nil {
          used.insert(ByteText(name + ExternalName.temporarySuffix))
        }
        if let found = checkExternal(name, of: record, primary) { findings.append(found) }
      }
    }
    for file in externals.files {
      let name = file.path.lastComponent?.string ?? ""
      guard AndroidFileNames.isExternal(name) else {
        findings.append(checkUnread(file))
        continue
      }
      if used.contains(ByteText(name)) { continue }
      findings.append(
        Finding(
          AndroidFindings.externalOrphan, in: file,
          "the external file \(name) (\(file.image.count.inBytes)) belongs to no entry"
        ))
    }
    return findings
  }

  /// Returns what is wrong with the file called `name`, which holds the value of `record`.
  private func checkExternal(
    _ name: String, of record: Record, _ primary: AndroidCopy
  ) -> Finding? {
    let value = "the value of \"\(key(of: record).text ?? "?")\" is "
    if externals.isThere(name) {
      return externalDamage(of: record).map { damage in
        finding(
          AndroidFindings.externalDamaged, primary, record.extent,
          value + "in a separate file, which no checksum covers: \(damage)")
      }
    }
    if let loss = loss(of: record) {
      return finding(
        AndroidFindings.externalMissing, primary, record.extent,
        value + "lost: \(loss); FastKV removes the key when it is read")
    }
    return finding(
      AndroidFindings.externalNotRenamed, primary, record.extent,
      value + "present only as \(name).tmp, which FastKV ignores")
  }

  private func checkUnread(_ unread: StoreFile) -> Finding {
    let file = unread.path.lastComponent?.string ?? ""
    if let path = unread.path.lastName, AndroidFileNames.isRewrite(path, of: name) {
      return Finding(
        AndroidFindings.rewriteLeft, in: unread,
        "\(file) is not read: FastKV uses this name while it encrypts a plain store")
    }
    let isTemporary = file.hasSuffix(AndroidFileNames.temporarySuffix)
    return isTemporary
      ? Finding(
        AndroidFindings.tmpUnused, in: unread,
        "\(file) is not read: FastKV reads the .kvc beside it. To read it, copy it to a folder of "
          + "its own")
      : Finding(
        AndroidFindings.kvcUnused, in: unread,
        "\(file) is not read: a better file of the same copy is beside it")
  }
}
