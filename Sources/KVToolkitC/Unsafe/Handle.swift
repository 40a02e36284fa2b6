import CKVToolkit
import KVModel
import KVToolkit

/// A store that a caller in C holds, with the memory of what it was given.
@safe final class Handle {
  // A class, because a caller in C holds a reference to it.

  let store: KeyValueStore
  private var entries: [Int: kvfsck_entry] = unsafe [:]
  private var findings: [Int: kvfsck_finding] = unsafe [:]
  private var texts: [kvfsck_text] = unsafe []

  /// The name of the format.
  private(set) lazy var format = unsafe keep(Text.copy(of: store.format.utf8))

  init(_ store: KeyValueStore) { self.store = store }

  deinit { unsafe texts.forEach { unsafe Text.free($0) } }

  /// Returns the handle that `pointer` was made from; `nil` if that is null.
  static func at(_ pointer: OpaquePointer?) -> Handle? {
    guard let pointer = unsafe pointer else { return nil }
    return unsafe Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer)).takeUnretainedValue()
  }

  /// A pointer to the handle, which lives until ``close(_:)``.
  var pointer: OpaquePointer { unsafe OpaquePointer(Unmanaged.passRetained(self).toOpaque()) }

  /// Releases the handle that `pointer` was made from.
  static func close(_ pointer: OpaquePointer?) {
    guard let pointer = unsafe pointer else { return }
    unsafe Unmanaged<Handle>.fromOpaque(UnsafeRawPointer(pointer)).release()
  }

  /// Returns the entry at `index`; `nil` if there is none.
  func entry(at index: Int) -> kvfsck_entry? {
    if let known = unsafe entries[index] { return unsafe known }
    guard let entry = storedEntry(at: index) else { return nil }
    var result = unsafe kvfsck_entry()
    unsafe result.key = keep(Text.copy(of: entry.key.bytes))
    unsafe result.bytes = keep(Text.copy(of: entry.bytes))
    unsafe result.kind = keep(Text.copy(of: entry.value.kind.rawValue.utf8))
    unsafe result.probability = Double(entry.probability.tenThousandths) / 10_000
    unsafe result.expires_at = entry.expiry ?? 0
    unsafe result.evidence = Int32(Evidence.inOrder.firstIndex(of: entry.evidence) ?? 0)
    for caution in entry.cautions { unsafe result.cautions |= caution.bit }
    unsafe entries[index] = result
    return unsafe result
  }

  /// Returns the entry at `index`; `nil` if there is none.
  func storedEntry(at index: Int) -> StoredEntry? {
    store.entries.indices.contains(index) ? store.entries[index] : nil
  }

  /// Returns the finding at `index`; `nil` if there is none.
  func finding(at index: Int) -> kvfsck_finding? {
    if let known = unsafe findings[index] { return unsafe known }
    guard store.findings.indices.contains(index) else { return nil }
    let finding = store.findings[index]
    let result = unsafe kvfsck_finding(
      code: keep(Text.copy(of: finding.code.utf8)),
      message: keep(Text.copy(of: finding.message.utf8)), severity: finding.severity.number)
    unsafe findings[index] = result
    return unsafe result
  }

  /// Returns `text`, which is freed with the store.
  private func keep(_ text: kvfsck_text) -> kvfsck_text {
    unsafe texts.append(text)
    return unsafe text
  }
}

extension Evidence {
  /// From the weakest to the strongest, as `KVFSCK_EVIDENCE_` numbers them.
  static let inOrder = allCases.sorted()
}

extension Caution {
  /// The `KVFSCK_CAUTION_` value.
  var bit: UInt32 {
    switch self {
    case .mayBeDamaged: UInt32(KVFSCK_CAUTION_MAY_BE_DAMAGED)
    case .mayBeStale: UInt32(KVFSCK_CAUTION_MAY_BE_STALE)
    }
  }
}

extension Finding.Severity {
  /// The `KVFSCK_SEVERITY_` value.
  var number: Int32 {
    switch self {
    case .note: Int32(KVFSCK_SEVERITY_NOTE)
    case .warning: Int32(KVFSCK_SEVERITY_WARNING)
    case .damage: Int32(KVFSCK_SEVERITY_DAMAGE)
    }
  }
}
