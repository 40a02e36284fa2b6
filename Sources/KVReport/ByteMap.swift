import KVConversion
package import KVModel
package import KVRecovery

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
    History(of: store, by: state).forEach { log.add($0) }
    log.fill(to: area.end)
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

  private let store: S
  /// The typing of the values; `nil` if they are not described.
  private let typing: StoreTyping?
  /// The values weighed so far.
  private var weighed = WeighedValues()
  private let area: Extent
  private let log: Extent?
  private let prefix: Range<Int>?

  init(of store: S, by state: StoreState, in area: Extent, described: Bool) {
    self.store = store
    typing = described ? StoreTyping(of: store, by: state) : nil
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
      add(
        record.extent.range, .part, "\(fate.rawValue) \(record.operation.name)", meaning(of: record)
      )
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

  private mutating func meaning(of record: Record) -> String {
    guard let typing else { return "" }
    let key = DisplayText.key(store.key(of: record), limit: 30)
    guard record.operation != .remove else { return key }
    let value = DisplayText.readings(of: record, in: store, by: typing, &weighed).first.map {
      DisplayText.value($0, limit: 30)
    }
    return "\(key) = \(value ?? "")"
  }
}
