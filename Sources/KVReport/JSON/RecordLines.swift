import KVConversion
import KVModel
import KVSystem

/// The lines about the records of one store, most of them written on other threads, ahead of the one
/// that prints them.
///
/// In a report of a large store, nothing takes as long as weighing the types of values and writing
/// them down.
struct RecordLines {
  /// The size, in bytes, of a record whose line is not written ahead: it may take much more memory.
  private static let longCount = 1 << 16

  private let form: RecordForm
  /// Whether lines are written ahead: in stores whose records have types nothing is weighed, and a
  /// long value may be in a separate file.
  private let isAhead: Bool
  private var work: PartWork<RecordForm.Item, [UInt8]>
  /// The values weighed for the lines that are not written ahead.
  private var weighed = WeighedValues()

  init(_ form: RecordForm) {
    self.form = form
    isAhead = !form.store.storesTypes
    work = PartWork { items in
      var lines: [UInt8] = []
      var weighed = WeighedValues()
      for item in items { form.write(item, &weighed) { lines += $0 } }
      return lines
    }
  }

  /// Takes in the next record, and passes lines that are ready to `emit`.
  mutating func add(_ item: RecordForm.Item, to emit: @escaping ([UInt8]) -> Void) {
    let size = item.record.count
    if isAhead, size < Self.longCount { return work.add(item, size, to: emit) }
    // A long line is passed on in pieces while it is written.
    finish(to: emit)
    form.write(item, &weighed, to: emit)
  }

  /// Passes all lines that are left to `emit`.
  mutating func finish(to emit: ([UInt8]) -> Void) { work.finish(to: emit) }
}
