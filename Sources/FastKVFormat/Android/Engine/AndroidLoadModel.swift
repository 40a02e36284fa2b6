import KVBytes
import KVModel
import KVSystem
import SystemPackage

/// The mode in which an app opens its stores.
package enum AndroidOpeningMode: String, Hashable, Sendable, CaseIterable {
  /// The default: two mapped copies.
  case nonBlocking
  /// One file, replaced as a whole by each write.
  case blocking
}

/// A model of what FastKV of 2025-07 does when it opens a store, as a pure function of the files.
///
/// The model follows `loadData`, `loadFromCFile` and `rewrite` step by step; the steps are in
/// `Docs/FORMAT-FASTKV-ANDROID.md` § Opening. The engine asks the app nothing.
struct AndroidLoadModel {
  /// The copy that the engine reads; `nil` if the store is empty afterwards.
  let taken: AndroidCopy?
  let load: EngineLoad

  /// Creates a model of opening `copies`; if `mode` is `nil`, in the mode of the files that exist.
  init(_ copies: [AndroidCopy], _ mode: AndroidOpeningMode?) {
    let opening = Opening(
      copies, mode ?? (copies.allSatisfy(\.isOfPair) ? .nonBlocking : .blocking))
    taken = opening.taken
    let log = opening.taken?.log.flatMap { $0.count > 0 ? $0 : nil }
    load = EngineLoad(
      callbacks: [],
      outcome: opening.taken == nil
        ? (opening.isNew ? .loaded : .discarded) : opening.isOlder ? .rolledBack : .loaded,
      log: log, onDamage: .skip, dropsExpiredAt: nil, writes: opening.writes)
  }

  private struct Opening {
    var taken: AndroidCopy?
    var isNew = false
    var isOlder = false
    var writes: [String] = []

    init(_ copies: [AndroidCopy], _ mode: AndroidOpeningMode) {
      let a = copies.first { $0.file.role == .copyA }
      let b = copies.first { $0.file.role == .copyB }
      if let c = copies.first(where: { $0.file.role == .copyC }) {
        if c.isTaken, c.file.image.count > 0 {
          taken = c
          if mode == .nonBlocking, a != nil || b != nil {
            writes.append("overwrites .kva and .kvb with \(c.suffix), then deletes \(c.suffix)")
          }
          return
        }
        writes.append("deletes .kvc and .tmp")
        if mode == .blocking { return }
      } else if mode == .blocking {
        guard let a, let b else {
          isNew = true
          return
        }
        taken = [a, b].first { $0.isTaken && $0.file.image.count > 0 }
        return
      }
      openPair(a, b)
    }

    private mutating func openPair(_ a: AndroidCopy?, _ b: AndroidCopy?) {
      let counts = [a?.file.image.count ?? 0, b?.file.image.count ?? 0]
      if counts == [0, 0] {
        isNew = true
        return
      }
      if counts.contains(where: { (1..<AndroidHeader.byteCount).contains($0) }) {
        writes.append(
          "throws an exception because one copy is shorter than a header, and ignores the other; the first "
            + "write creates a .kvc, which later replaces both")
        return
      }
      if let a, a.isTaken, counts[0] > 0 {
        taken = a
        if b?.log.map({ b?.file.image.bytes(in: $0.range) })
          != a.log.map({ a.file.image.bytes(in: $0.range) }) || b?.header != a.header
        {
          writes.append("copies .kva to .kvb")
        }
      } else if let b, b.isTaken, counts[1] > 0 {
        taken = b
        isOlder = a?.header.isBeingWritten ?? false
        writes.append("copies .kvb to .kva")
      } else {
        writes.append(
          "clears both copies: length and checksum become 0, the files are truncated to a page, and the "
            + "folder of external files is deleted; the records in the first page remain")
      }
    }
  }
}

extension AndroidCopy {
  /// The suffix of the file that is copy C: `.kvc`, or `.tmp` if there is no `.kvc`.
  fileprivate var suffix: String {
    let isTemporary = file.path.removing(suffix: AndroidFileNames.temporarySuffix) != nil
    return isTemporary ? AndroidFileNames.temporarySuffix : ".kvc"
  }
}
