import KVConversion
package import KVModel
package import KVRecovery
import KVSystem

/// Every byte of every file of a store, by owner: the layout, with the log split into records.
package struct ByteMap {
  /// The regions, file by file, in order; they tile the files.
  package let regions: [Region]

  /// Creates the map of `store`, with its records as in `state`, or with the log as one region if
  /// `state` is `nil`.
  ///
  /// Set `described` to `false` if keys and values are shown elsewhere: typing all values takes
  /// longer than everything else.
  package init<S: Store>(of store: S, by state: StoreState?, described: Bool = true) {
    guard let state else {
      regions = store.layout
      return
    }
    let area = store.logAreas.first { $0.file == state.log?.file } ?? store.logArea
    var log = LogRegions(of: store, by: state, in: area, described: described)
    History(of: store, by: state).forEach { event in
      // The log of another file is one region.
      if case .record(let record, _, _) = event, record.file != area.file { return }
      log.add(event)
    }
    log.fill(to: area.end)
    log.finish()
    let outside = store.layout.filter {
      $0.extent.file != area.file || !area.contains($0.extent)
    }
    regions =
      outside.filter { $0.extent.file == area.file } + log.regions
      + outside.filter { $0.extent.file != area.file }
  }
}

/// The regions of a log area, built as its history is read.
private struct LogRegions<S: Store> {
  /// The regions so far, which tile the area up to ``position``.
  private(set) var regions: [Region] = []
  private var position: Int

  /// The descriptions of records, made on other threads; `nil` if they are not wanted.
  private var descriptions: ParallelWork<Record, [String]>?
  /// The indices of the records' regions, in order, and the number of those with a description.
  private var records: (indices: [Int], describedCount: Int) = ([], 0)
  private let area: Extent
  private let log: Extent?
  private let prefix: Range<Int>?

  init(of store: S, by state: StoreState, in area: Extent, described: Bool) {
    if described {
      let typing = StoreTyping(of: store, by: state)
      descriptions = .onSmallItems { records in
        var weighed = WeighedValues()
        return records.map { Self.description(of: $0, in: store, typing, &weighed) }
      }
    }
    self.area = area
    log = state.log
    prefix = store.layout.first { $0.extent.file == area.file && $0.kind == .prefix }?.extent.range
    position = area.offset
  }

  /// Adds the regions up to the end of `event`, the next one of the history.
  mutating func add(_ event: HistoryEvent) {
    switch event {
    case .record(let record, let fate, _):
      fill(to: record.offset)
      add(record.extent.range, .part, "\(fate.rawValue) \(record.operation.name)")
      describe(record)
    case .gap(let gap):
      // Outside the log, bytes without a record are slack.
      guard let log, log.contains(gap.extent) else { return }
      fill(to: gap.extent.offset)
      add(gap.extent.range, .gap, "gap", gap.cause.code)
    }
  }

  /// Adds the bytes before `offset` that are not in a record; inside the log, the format skips
  /// them.
  mutating func fill(to offset: Int) {
    let split = min(max(log?.end ?? area.offset, position), offset)
    let isPrefix = prefix == position..<split
    add(position..<split, isPrefix ? .prefix : .part, isPrefix ? "prefix" : "filler")
    add(split..<offset, .slack, "slack")
  }

  private mutating func add(
    _ range: Range<Int>, _ kind: Region.Kind, _ name: String, _ meaning: String = ""
  ) {
    position = range.upperBound
    if !range.isEmpty { regions.append(Region(Extent(area.file, range), kind, name, meaning)) }
  }

  /// Begins the description of `record`, whose region is the last one.
  private mutating func describe(_ record: Record) {
    guard descriptions != nil else { return }
    records.indices.append(regions.count - 1)
    var ready: [String] = []
    descriptions?.add(record, record.count) { ready += $0 }
    take(ready)
  }

  /// Adds the descriptions that are missing.
  mutating func finish() {
    var ready: [String] = []
    descriptions?.finish { ready += $0 }
    take(ready)
  }

  private mutating func take(_ descriptions: [String]) {
    for description in descriptions {
      let index = records.indices[records.describedCount]
      let region = regions[index]
      regions[index] = Region(region.extent, region.kind, region.name, description)
      records.describedCount += 1
    }
  }

  private static func description(
    of record: Record, in store: S, _ typing: StoreTyping, _ weighed: inout WeighedValues
  ) -> String {
    let key = DisplayText.key(store.key(of: record), limit: 30)
    guard record.operation != .remove else { return key }
    if store.reasonForNoValue(of: record) != nil { return "\(key), without its value" }
    let value = DisplayText.readings(of: record, in: store, by: typing, &weighed).first.map {
      DisplayText.value($0, limit: 30)
    }
    return "\(key) = \(value ?? "")"
  }
}
