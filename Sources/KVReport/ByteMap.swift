package import KVModel
package import KVRecovery

/// Every byte of every file of a store, by owner: the layout, with the log taken apart.
package struct ByteMap {
  /// The regions, file by file, in order; they tile the files.
  package let regions: [Region]

  /// The map of `store`, its records as in `state`, or as one region where they cannot be read.
  package init<S: Store>(of store: S, by state: StoreState?) {
    guard let state else {
      regions = store.layout
      return
    }
    var parts: [Region] = []
    let area = store.logAreas.first { $0.file == state.log?.file } ?? store.logArea
    let history = History(of: store, by: state)
    var position = area.offset
    func add(
      _ range: Range<Int>, _ kind: Region.Kind, _ name: String, _ meaning: String = ""
    ) {
      if !range.isEmpty { parts.append(Region(Extent(area.file, range), kind, name, meaning)) }
    }
    let prefix = store.layout.first { $0.extent.file == area.file && $0.kind == .prefix }
    let logEnd = state.log?.end ?? area.offset
    func fill(to offset: Int) {
      // What lies between two records inside the log is what the format passes over.
      let split = min(max(logEnd, position), offset)
      let isPrefix = prefix?.extent.range == position..<split
      add(position..<split, isPrefix ? .prefix : .part, isPrefix ? "prefix" : "filler")
      add(split..<offset, .slack, "slack")
      position = offset
    }
    history.forEach { event in
      switch event {
      case .record(let record, let fate, _):
        fill(to: record.offset)
        let key = DisplayText.key(store.key(of: record), limit: 30)
        let value = DisplayText.readings(of: record, in: store).first.map {
          DisplayText.value($0, limit: 30)
        }
        add(
          record.extent.range, .part, "\(fate.rawValue) \(record.operation.name)",
          record.operation != .remove ? "\(key) = \(value ?? "")" : key)
        position = record.extent.end
      case .gap(let gap):
        // Outside the log nothing has to be a record: what is none is slack like the rest.
        guard let log = state.log, log.contains(gap.extent) else { break }
        fill(to: gap.extent.offset)
        add(gap.extent.range, .part, "gap", gap.cause.code)
        position = gap.extent.end
      }
    }
    fill(to: area.end)
    let outside = store.layout.filter {
      $0.extent.file != area.file || !area.contains($0.extent)
    }
    regions =
      outside.filter { $0.extent.file == area.file } + parts
      + outside.filter { $0.extent.file != area.file }
  }
}
