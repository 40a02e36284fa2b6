package import KVModel

/// A script that was carried out completely, with its history.
package struct SimulationRun: Sendable {
  /// The format of the files.
  package let format: SimulatedFormat
  /// The files at the end.
  package let image: DiskImage
  /// The key with which they are encrypted.
  package let key: StoreKey?
  /// The entries that the app reads back at the end.
  package let entries: [Key: [UInt8]]
  /// The time of the engine, in seconds since 1970.
  package let now: UInt32
  /// The files as they were `steps` operations before the end.
  let earlier: DiskImage?
  /// The entries that the app read back then.
  package let earlierEntries: [Key: [UInt8]]
  /// Every value that each key has had.
  package let history: [Key: Set<[UInt8]>]

  /// Carries out `script`.
  ///
  /// - Throws: ``ScriptError`` if the engine does not support a setting, an operation or a type.
  package init(_ script: Script, seed: UInt64, earlierBy steps: Int) throws(ScriptError) {
    var simulation = try Simulation(script, seed: seed)
    var past: [(image: DiskImage, entries: [Key: [UInt8]])] = []
    var history: [Key: Set<[UInt8]>] = [:]
    while let step = try simulation.next() {
      past.append((step.before, step.entriesBefore))
      if past.count > steps { past.removeFirst() }
      for (key, value) in step.entriesAfter where step.entriesBefore[key] != value {
        history[key, default: []].insert(value)
      }
    }
    format = script.settings.format
    image = simulation.image
    key = simulation.key
    entries = simulation.entries
    now = simulation.now
    earlier = past.first?.image
    earlierEntries = past.first?.entries ?? [:]
    self.history = history
  }
}
