import KVBytes
import KVModel
import KVSystem
import SystemPackage

extension AndroidFastKVStore {
  /// Which external files are missing, empty, unused or not renamed yet.
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
        if externals.isThere(name) {
          if let damage = externalDamage(of: record) {
            findings.append(
              finding(
                "fastkv-android.external-damaged", .warning, primary, record.extent,
                "the value of \"\(key(of: record).text ?? "?")\" is in a file of its own, which no "
                  + "checksum covers: \(damage)"))
          }
          continue
        }
        if let loss = loss(of: record) {
          findings.append(
            finding(
              "fastkv-android.external-missing", .damage, primary, record.extent,
              "the value of \"\(key(of: record).text ?? "?")\" is lost: \(loss); FastKV removes the "
                + "key when it is read"))
        } else {
          used.insert(ByteText(name + ExternalName.temporarySuffix))
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
        findings.append(checkUnread(file))
        continue
      }
      if used.contains(ByteText(name)) { continue }
      findings.append(
        Finding(
          "fastkv-android.external-orphan", .note, in: file,
          "the external file \(name) (\(file.image.count) bytes) belongs to no entry"))
    }
    return findings
  }

  private func checkUnread(_ unread: StoreFile) -> Finding {
    let file = unread.path.lastComponent?.string ?? ""
    if AndroidFileNames.isRewrite(file, of: name) {
      return Finding(
        "fastkv-android.rewrite-left", .note, in: unread,
        "\(file) is not read: FastKV writes under such a name while it encrypts a plain store")
    }
    let isTemporary = file.hasSuffix(AndroidFileNames.temporarySuffix)
    return Finding(
      isTemporary ? "fastkv-android.tmp-unused" : "fastkv-android.kvc-unused", .warning,
      in: unread,
      "\(file) is not read: there is a better file of the same copy beside it")
  }
}
