import KVBytes
package import KVModel

extension Store {
  /// The part of `extent` that was ever written to: without the zeros at its end.
  ///
  /// A last record that ends in zeros keeps them, as far as that can be told: in a plain store the
  /// records say where it ends, under a cipher zeros at the end of a record are rare.
  package func written(in extent: Extent) -> Extent {
    let image = stored(extent.file)
    guard let last = image.lastNonzero(in: extent.range) else {
      return Extent(extent.file, extent.offset..<extent.offset)
    }
    var end = last + 1
    guard !isEncrypted else { return Extent(extent.file, extent.offset..<end) }
    for case .record(let record) in records(in: extent, scan: .salvage)
    where record.extent.end > end {
      // A record that begins in what was written and ends where nothing else was.
      if record.offset <= last, record.extent.end - end <= Self.zeroTail { end = record.extent.end }
    }
    return Extent(extent.file, extent.offset..<end)
  }

  /// How many zeros a record may end in to be taken for whole: a double, its length, its expiry.
  private static var zeroTail: Int { 16 }
}
