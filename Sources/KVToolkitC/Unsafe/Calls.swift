package import CKVToolkit
import KVModel
import KVToolkit

// The functions of `kvfsck.h`, which says what they do. A caller may pass null for any pointer.

/// The reasons why a call of C fails.
private enum Failure: Error {
  case argument(String)
  case store(StoreError)

  var status: kvfsck_status {
    switch self {
    case .argument: kvfsck_status(KVFSCK_STATUS_INVALID_ARGUMENT)
    case .store(let error): error.reason.status
    }
  }

  var message: String {
    switch self {
    case .argument(let message): message
    case .store(let error): error.message
    }
  }
}

extension StoreError.Reason {
  /// The `KVFSCK_STATUS_` value.
  var status: kvfsck_status {
    switch self {
    case .notFound: kvfsck_status(KVFSCK_STATUS_NOT_FOUND)
    case .severalStores: kvfsck_status(KVFSCK_STATUS_SEVERAL_STORES)
    case .notRecognized: kvfsck_status(KVFSCK_STATUS_NOT_RECOGNIZED)
    case .cannotRead: kvfsck_status(KVFSCK_STATUS_CANNOT_READ)
    case .unreadable: kvfsck_status(KVFSCK_STATUS_UNREADABLE)
    // No call of C can be cancelled.
    case .cannotWrite, .cancelled: kvfsck_status(KVFSCK_STATUS_CANNOT_WRITE)
    }
  }
}

extension Verdict {
  /// The `KVFSCK_VERDICT_` value.
  var number: kvfsck_verdict {
    switch self {
    case .clean: kvfsck_verdict(KVFSCK_VERDICT_CLEAN)
    case .repairable: kvfsck_verdict(KVFSCK_VERDICT_REPAIRABLE)
    case .damaged: kvfsck_verdict(KVFSCK_VERDICT_DAMAGED)
    case .unreadable: kvfsck_verdict(KVFSCK_VERDICT_UNREADABLE)
    }
  }
}

/// Calls `body`, and sets the text at `error` to why it failed.
private func call(
  _ error: UnsafeMutablePointer<kvfsck_text>?, _ body: () throws(Failure) -> Void
) -> kvfsck_status {
  do throws(Failure) {
    try body()
    unsafe Text.set(error, to: String.UTF8View?.none)
    return kvfsck_status(KVFSCK_STATUS_OK)
  } catch let failure {
    unsafe Text.set(error, to: failure.message.utf8)
    return failure.status
  }
}

/// Calls `body`, whose errors are those of a store.
private func forStore<Result>(
  _ body: () throws(StoreError) -> Result
) throws(Failure) -> Result {
  do throws(StoreError) {
    return try body()
  } catch {
    throw .store(error)
  }
}

/// Returns the path of `count` bytes at `start`.
private func path(_ start: UnsafePointer<CChar>?, _ count: Int) throws(Failure) -> String {
  guard let path = unsafe Text.text(start, count), !path.utf8.contains(0) else {
    throw .argument(
      "the path is not UTF-8, has a zero byte, or there is none; pass its address and length")
  }
  return path
}

private func decision(_ answer: kvfsck_answer) throws(Failure) -> RecoveryDecision {
  switch Int(answer) {
  case Int(KVFSCK_ANSWER_DISCARD): return .discard
  case Int(KVFSCK_ANSWER_RECOVER): return .recover
  default:
    throw .argument(
      "\(answer) is no answer; pass KVFSCK_ANSWER_RECOVER or KVFSCK_ANSWER_DISCARD")
  }
}

private func handle(_ store: OpaquePointer?) throws(Failure) -> Handle {
  guard let handle = unsafe Handle.at(store) else {
    throw .argument("there is no store; pass one that kvfsck_open() has opened")
  }
  return handle
}

private func opened(
  _ start: UnsafePointer<CChar>?, _ count: Int, _ given: UnsafePointer<kvfsck_options>?
) throws(Failure) -> KeyValueStore {
  let path = unsafe try path(start, count)
  var options = OpeningOptions()
  if let given = unsafe given?.pointee {
    options.format = unsafe Text.text(given.format, given.format_count)
    guard unsafe given.format == nil || options.format != nil else {
      throw .argument("the name of the format is not UTF-8")
    }
    options.key = unsafe Text.bytes(given.key, given.key_count)
    options.isAES256 = unsafe given.is_aes256
  }
  return try forStore { () throws(StoreError) in try KeyValueStore(at: path, options: options) }
}

/// What a repair did, for C.
private func result(_ repair: StoreRepair, of store: KeyValueStore) -> kvfsck_repair {
  unsafe kvfsck_repair(
    verdict: store.verdict.number, is_repaired: true, is_complete: repair.isComplete,
    kept_count: repair.keptCount, left_out_count: repair.leftOut.count,
    backup: repair.backup.map { unsafe Text.copy(of: $0.utf8) } ?? kvfsck_text())
}

/// Sets `repair`, unless it is null, to what `body` returns; to nothing if that fails.
private func set(
  _ repair: UnsafeMutablePointer<kvfsck_repair>?, _ body: () throws(Failure) -> kvfsck_repair
) throws(Failure) {
  if let repair = unsafe repair { unsafe repair.pointee = kvfsck_repair() }
  let done = unsafe try body()
  if let repair = unsafe repair {
    unsafe repair.pointee = done
  } else {
    unsafe Text.free(done.backup)
  }
}

// MARK: Opening

@_cdecl("kvfsck_text_free")
package func kvfsckTextFree(_ text: UnsafeMutablePointer<kvfsck_text>?) {
  guard let text = unsafe text else { return }
  unsafe Text.free(text.pointee)
  unsafe text.pointee = kvfsck_text()
}

@_cdecl("kvfsck_open")
package func kvfsckOpen(
  _ path: UnsafePointer<CChar>?, _ count: Int, _ options: UnsafePointer<kvfsck_options>?,
  _ store: UnsafeMutablePointer<OpaquePointer?>?, _ error: UnsafeMutablePointer<kvfsck_text>?
) -> kvfsck_status {
  if let store = unsafe store { unsafe store.pointee = nil }
  return unsafe call(error) { () throws(Failure) in
    guard let store = unsafe store else {
      throw .argument("there is no place for the store; pass the address of a pointer")
    }
    let handle = unsafe Handle(try opened(path, count, options))
    unsafe store.pointee = handle.pointer
  }
}

@_cdecl("kvfsck_close")
package func kvfsckClose(_ store: OpaquePointer?) { unsafe Handle.close(store) }

@_cdecl("kvfsck_store_verdict")
package func kvfsckStoreVerdict(_ store: OpaquePointer?) -> kvfsck_verdict {
  unsafe (Handle.at(store)?.store.verdict ?? .unreadable).number
}

@_cdecl("kvfsck_store_format")
package func kvfsckStoreFormat(_ store: OpaquePointer?) -> kvfsck_text {
  unsafe Handle.at(store)?.format ?? kvfsck_text()
}

// MARK: Entries and findings

/// Sets what `destination` points to, unless it is null, to `value`.
///
/// - Returns: Whether there is a value and a place for it.
private func give<T>(_ value: T?, to destination: UnsafeMutablePointer<T>?) -> Bool {
  guard let value, let destination = unsafe destination else { return false }
  unsafe destination.pointee = value
  return true
}

@_cdecl("kvfsck_entry_count")
package func kvfsckEntryCount(_ store: OpaquePointer?) -> Int {
  unsafe Handle.at(store)?.store.entries.count ?? 0
}

@_cdecl("kvfsck_entry_at")
package func kvfsckEntryAt(
  _ store: OpaquePointer?, _ index: Int, _ entry: UnsafeMutablePointer<kvfsck_entry>?
) -> Bool {
  unsafe give(Handle.at(store)?.entry(at: index), to: entry)
}

@_cdecl("kvfsck_entry_find")
package func kvfsckEntryFind(
  _ store: OpaquePointer?, _ key: UnsafeRawPointer?, _ count: Int,
  _ index: UnsafeMutablePointer<Int>?
) -> Bool {
  guard let handle = unsafe Handle.at(store), let bytes = unsafe Text.bytes(key, count) else {
    return false
  }
  return unsafe give(handle.store.index(of: Key(bytes)), to: index)
}

@_cdecl("kvfsck_entry_string")
package func kvfsckEntryString(
  _ store: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<kvfsck_text>?
) -> Bool {
  let text = unsafe Handle.at(store)?.storedEntry(at: index)?.string
  unsafe Text.set(value, to: text?.utf8)
  return text != nil
}

@_cdecl("kvfsck_entry_data")
package func kvfsckEntryData(
  _ store: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<kvfsck_text>?
) -> Bool {
  let bytes = unsafe Handle.at(store)?.storedEntry(at: index)?.data
  unsafe Text.set(value, to: bytes)
  return bytes != nil
}

@_cdecl("kvfsck_entry_bool")
package func kvfsckEntryBool(
  _ store: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<Bool>?
) -> Bool {
  unsafe give(Handle.at(store)?.storedEntry(at: index)?.bool, to: value)
}

@_cdecl("kvfsck_entry_int")
package func kvfsckEntryInt(
  _ store: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<Int64>?
) -> Bool {
  unsafe give(Handle.at(store)?.storedEntry(at: index)?.int.map(Int64.init), to: value)
}

@_cdecl("kvfsck_entry_double")
package func kvfsckEntryDouble(
  _ store: OpaquePointer?, _ index: Int, _ value: UnsafeMutablePointer<Double>?
) -> Bool {
  unsafe give(Handle.at(store)?.storedEntry(at: index)?.double, to: value)
}

@_cdecl("kvfsck_finding_count")
package func kvfsckFindingCount(_ store: OpaquePointer?) -> Int {
  unsafe Handle.at(store)?.store.findings.count ?? 0
}

@_cdecl("kvfsck_finding_at")
package func kvfsckFindingAt(
  _ store: OpaquePointer?, _ index: Int, _ finding: UnsafeMutablePointer<kvfsck_finding>?
) -> Bool {
  unsafe give(Handle.at(store)?.finding(at: index), to: finding)
}

// MARK: Repairing

@_cdecl("kvfsck_repair_into")
package func kvfsckRepairInto(
  _ store: OpaquePointer?, _ folder: UnsafePointer<CChar>?, _ count: Int,
  _ answer: kvfsck_answer, _ repair: UnsafeMutablePointer<kvfsck_repair>?,
  _ error: UnsafeMutablePointer<kvfsck_text>?
) -> kvfsck_status {
  unsafe call(error) { () throws(Failure) in
    unsafe try set(repair) { () throws(Failure) in
      let store = unsafe try handle(store).store
      let folder = unsafe try path(folder, count)
      let decision = try decision(answer)
      return unsafe result(
        try forStore { () throws(StoreError) in
          try store.repair(into: folder, answering: decision)
        }, of: store)
    }
  }
}

@_cdecl("kvfsck_repair_in_place")
package func kvfsckRepairInPlace(
  _ store: OpaquePointer?, _ answer: kvfsck_answer,
  _ repair: UnsafeMutablePointer<kvfsck_repair>?, _ error: UnsafeMutablePointer<kvfsck_text>?
) -> kvfsck_status {
  unsafe call(error) { () throws(Failure) in
    unsafe try set(repair) { () throws(Failure) in
      unsafe try repairInPlace(handle(store).store, decision(answer))
    }
  }
}

private func repairInPlace(
  _ store: KeyValueStore, _ decision: RecoveryDecision
) throws(Failure) -> kvfsck_repair {
  unsafe result(
    try forStore { () throws(StoreError) in try store.repairInPlace(answering: decision) },
    of: store)
}

@_cdecl("kvfsck_repair_at_launch")
package func kvfsckRepairAtLaunch(
  _ path: UnsafePointer<CChar>?, _ count: Int, _ options: UnsafePointer<kvfsck_options>?,
  _ answer: kvfsck_answer, _ repair: UnsafeMutablePointer<kvfsck_repair>?,
  _ error: UnsafeMutablePointer<kvfsck_text>?
) -> kvfsck_status {
  unsafe call(error) { () throws(Failure) in
    unsafe try set(repair) { () throws(Failure) in
      let decision = try decision(answer)
      let store = unsafe try opened(path, count, options)
      guard store.verdict == .clean else { return unsafe try repairInPlace(store, decision) }
      return unsafe kvfsck_repair(
        verdict: store.verdict.number, is_repaired: false, is_complete: true,
        kept_count: store.entries.count, left_out_count: 0, backup: kvfsck_text())
    }
  }
}

@_cdecl("kvfsck_undo")
package func kvfsckUndo(
  _ backup: UnsafePointer<CChar>?, _ count: Int, _ error: UnsafeMutablePointer<kvfsck_text>?
) -> kvfsck_status {
  unsafe call(error) { () throws(Failure) in
    let backup = unsafe try path(backup, count)
    try forStore { () throws(StoreError) in try KeyValueStore.undoRepair(backup: backup) }
  }
}
