import KVBytes
package import KVModel
package import KVSystem

/// The search of a source for stores, window by window.
package struct Sweep: Sendable {
  /// The number of bytes in memory.
  private static let windowCount = 8 << 20

  /// How far a search has come.
  package struct Position: Sendable {
    /// The pass, and the offset of the next window.
    package let pass: Int
    package let start: Int
    /// What was found before that.
    package let carvers: [any StoreCarver]

    /// Whether a search of a source of `count` bytes comes to this position.
    package func isSound(in count: Int) -> Bool {
      pass >= 0 && (0...count).contains(start) && start % Sweep.windowCount == 0
        && carvers.contains { $0.needs(pass: pass) } && carvers.allSatisfy { $0.isSound(in: count) }
    }

    /// Creates the position before the window at `start`.
    package init(pass: Int, start: Int, _ carvers: [any StoreCarver]) {
      self.pass = pass
      self.start = start
      self.carvers = carvers
    }
  }

  /// Returns new carvers.
  package let carvers: @Sendable () -> [any StoreCarver]

  /// Creates a search with new carvers for each source.
  package init(_ carvers: @escaping @Sendable () -> [any StoreCarver]) { self.carvers = carvers }

  /// Returns the stores in `source`, in its order, none of which covers bytes of one that is shown
  /// better, and whether there was more to compare than is worth the time.
  ///
  /// The search goes on from `position`, and passes each one that it comes to to `note`.
  ///
  /// - Throws: If the source cannot be read; what `note` throws.
  package func stores(
    in source: RawSource, from position: Position?,
    noting note: (Position) throws(FileError) -> Void
  ) throws(FileError) -> (stores: [CarvedStore], isLimited: Bool) {
    var carvers = position?.carvers ?? carvers()
    var pass = position?.pass ?? 0
    var first = position?.start ?? 0
    while carvers.contains(where: { $0.needs(pass: pass) }) {
      let active = carvers.indices.filter { carvers[$0].needs(pass: pass) }
      for start in stride(from: first, to: source.count, by: Self.windowCount) {
        try note(Position(pass: pass, start: start, carvers))
        WorkProgress.report(.source, start, of: source.count)
        let end = min(start + Self.windowCount, source.count)
        let window = CarvingWindow(source, at: start, try source.read(start..<end))
        for index in active { try carvers[index].examine(window, pass: pass) }
      }
      first = 0
      pass += 1
    }
    return (Self.chosen(carvers.flatMap { $0.stores() }), carvers.contains(where: \.isLimited))
  }

  /// Returns `stores` without those that cover bytes of a better one; each ends where the next
  /// begins.
  ///
  /// What counts are the bytes up to the end of a log: a store may begin in the page that another
  /// ends in.
  private static func chosen(_ stores: [CarvedStore]) -> [CarvedStore] {
    let best = stores.sorted { first, second in
      guard first.probability == second.probability else {
        return first.probability > second.probability
      }
      return first.offset < second.offset
    }
    /// What the stores cover, in order.
    var taken: [Range<Int>] = []
    var chosen: [CarvedStore] = []
    for store in best.filter({ $0.tier == .proven }) + best.filter({ $0.tier == .inferred }) {
      let own = store.files[0].ownRuns
      guard own.allSatisfy({ place(for: $0, in: taken) != nil }) else { continue }
      for run in store.files.flatMap(\.ownRuns) {
        if let place = place(for: run, in: taken) { taken.insert(run, at: place) }
      }
      chosen.append(store)
    }
    return chosen.sorted { $0.offset < $1.offset }.map { store in
      store.changing { file in
        guard let end = file.ownRuns.last?.upperBound else { return file }
        let next = taken.partitioningIndex { $0.lowerBound >= end }
        return next == taken.count ? file : file.ending(before: taken[next].lowerBound)
      }
    }
  }

  /// Returns where `run` belongs in `taken`, ranges in order; `nil` if it overlaps with one.
  private static func place(for run: Range<Int>, in taken: [Range<Int>]) -> Int? {
    let next = taken.partitioningIndex { $0.upperBound > run.lowerBound }
    return next == taken.count || !taken[next].overlaps(run) ? next : nil
  }
}
