import KVConversion
import KVModel
import KVRecovery
import KVSystem

/// The lines about the records of one store, most of them written on other threads, ahead of the one
/// that prints them.
///
/// In a report of a large store, nothing takes as long as weighing the types of values and writing
/// them down.
final class RecordLines {
  // A class, so that it is not copied for each record.

  /// The size, in bytes, of records whose lines are not written ahead: they may take
  /// much more memory.
  private static let longCount = 1 << 16
  /// The number of entries of a plan that another thread takes at once.
  private static let entryCount = 1 << 9

  private let form: any RecordForm
  /// Whether lines are written ahead: in stores whose records have types nothing is weighed, and a
  /// long value may be in a separate file.
  private let isAhead: Bool
  private var work: ParallelWork<RecordItems, [UInt8]>
  /// The values weighed for the lines that are not written ahead.
  private var weighed = WeighedValues()

  init(_ form: any RecordForm) {
    self.form = form
    isAhead = !form.store.storesTypes
    work = .onSmallItems { records in
      var weighed = WeighedValues()
      return form.lines(about: records, &weighed, to: nil)
    }
  }

  /// Takes in the next record, and passes lines that are ready to `emit`.
  func add(_ item: RecordItem, to emit: @escaping ([UInt8]) -> Void) {
    add(.one(item), item.record.count, to: emit)
  }

  /// Takes in the entries that a plan keeps, and passes lines that are ready to `emit`.
  func add(_ entries: [RepairPlan.KeptEntry], to emit: @escaping ([UInt8]) -> Void) {
    var (start, size) = (0, 0)
    for index in entries.indices {
      let count = entries[index].record.count
      if index - start == Self.entryCount || size + count >= Self.longCount {
        add(entries, start..<index, size, to: emit)
        (start, size) = (index, 0)
      }
      size += count
    }
    add(entries, start..<entries.count, size, to: emit)
  }

  /// Takes in a part of the history, and passes lines that are ready to `emit`.
  func add(_ events: [HistoryEvent], to emit: @escaping ([UInt8]) -> Void) {
    add(.past(events), events.reduce(0) { $0 + $1.count }, to: emit)
  }

  private func add(
    _ entries: [RepairPlan.KeptEntry], _ range: Range<Int>, _ size: Int,
    to emit: @escaping ([UInt8]) -> Void
  ) {
    guard !range.isEmpty else { return }
    WorkProgress.report(.entries, range.lowerBound, of: entries.count)
    add(.kept(entries, range), size, to: emit)
  }

  private func add(_ records: RecordItems, _ size: Int, to emit: @escaping ([UInt8]) -> Void) {
    // A line has about four times as many bytes as its record.
    if isAhead, size < Self.longCount { return work.add(records, 4 * size, to: emit) }
    // A long line is passed on in pieces while it is written.
    finish(to: emit)
    emit(form.lines(about: [records], &weighed, to: emit))
  }

  /// Passes all lines that are left to `emit`.
  func finish(to emit: ([UInt8]) -> Void) { work.finish(to: emit) }
}
