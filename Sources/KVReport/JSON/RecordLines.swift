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

  /// The size, in bytes, of a record whose line is not written ahead: it may take much more memory.
  private static let longCount = 1 << 16
  /// The number of entries of a plan that another thread takes at once, and a number of bytes that
  /// their lines usually fit into.
  private static let entryCount = 1 << 9
  private static let usualCount = 1 << 18

  /// The records that lines are about.
  fileprivate enum Records: Sendable {
    case one(RecordForm.Item)
    /// Some entries that a plan keeps; they are not copied.
    case kept([RepairPlan.KeptEntry], Range<Int>)
  }

  private let form: RecordForm
  /// Whether lines are written ahead: in stores whose records have types nothing is weighed, and a
  /// long value may be in a separate file.
  private let isAhead: Bool
  private var work: ParallelWork<Records, [UInt8]>
  /// The values weighed for the lines that are not written ahead.
  private var weighed = WeighedValues()

  init(_ form: RecordForm) {
    self.form = form
    isAhead = !form.store.storesTypes
    work = .onSmallItems { parts in
      var lines: [UInt8] = []
      lines.reserveCapacity(Self.usualCount)
      var weighed = WeighedValues()
      JSONLine.append(to: &lines) { lines in
        for part in parts { part.write(by: form, &weighed, to: &lines) }
      }
      return lines
    }
  }

  /// Takes in the next record, and passes lines that are ready to `emit`.
  func add(_ item: RecordForm.Item, to emit: @escaping ([UInt8]) -> Void) {
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

  private func add(
    _ entries: [RepairPlan.KeptEntry], _ range: Range<Int>, _ size: Int,
    to emit: @escaping ([UInt8]) -> Void
  ) {
    guard !range.isEmpty else { return }
    WorkProgress.report(.entries, range.lowerBound, of: entries.count)
    add(.kept(entries, range), size, to: emit)
  }

  private func add(
    _ records: Records, _ size: Int, to emit: @escaping ([UInt8]) -> Void
  ) {
    // A line has about four times as many bytes as its record.
    if isAhead, size < Self.longCount { return work.add(records, 4 * size, to: emit) }
    // A long line is passed on in pieces while it is written.
    finish(to: emit)
    JSONLine.writeLines(to: emit) { records.write(by: form, &weighed, to: &$0) }
  }

  /// Passes all lines that are left to `emit`.
  func finish(to emit: ([UInt8]) -> Void) { work.finish(to: emit) }
}

extension RecordLines.Records {
  fileprivate func write(
    by form: RecordForm, _ weighed: inout WeighedValues, to lines: inout JSONLine
  ) {
    switch self {
    case .one(let item): form.write(0..<1, { _ in item }, &weighed, to: &lines)
    case .kept(let entries, let range):
      let item = { RecordForm.Item(of: entries, at: $0, short: form.isShort) }
      form.write(range, item, &weighed, to: &lines)
    }
  }
}
