public import KVModel

/// A script that is carried out operation by operation, by the engine's own rules for writing.
public struct Simulation: Sendable {
  private let script: Script
  private var engine: any SimulatedEngine
  private var position = 0
  /// The current time, in seconds since 1970.
  package private(set) var now: UInt32
  /// The changes that the engine made when it created the store, before the first operation.
  package let opening: [DiskEvent]

  /// Creates a store as it is before the first operation.
  ///
  /// - Parameters:
  ///   - script: The script to carry out.
  ///   - seed: The seed of the engine's random choices: prefixes, initialization vectors and names.
  /// - Throws: ``ScriptError`` if the format does not support a setting of the script.
  public init(_ script: Script, seed: UInt64) throws(ScriptError) {
    try self.init(script, randomness: EngineRandomness(seed: seed))
  }

  package init(_ script: Script, randomness: EngineRandomness) throws(ScriptError) {
    let settings = script.settings
    var engine: any SimulatedEngine
    if let table = settings.table {
      engine = try TableSimulator(table, settings)
    } else {
      engine = try settings.format.engine.init(settings, randomness: randomness)
    }
    opening = engine.disk.takeEvents()
    now = settings.now
    self.engine = engine
    self.script = script
  }

  /// The format of the files.
  package var format: SimulatedFormat { script.settings.format }
  /// Whether the format has no log.
  var isTable: Bool { script.settings.table != nil }
  /// The current files.
  public var image: DiskImage { engine.disk.image }
  /// The current entries.
  ///
  /// Each value is as a record of the format stores it.
  public var entries: [Key: [UInt8]] { engine.entries }
  /// The entries that the app reads back at its next launch, which with an engine that brings back
  /// cleared entries are others; with their types if the format stores no bytes for each.
  package var entriesAtLaunch: (stored: [Key: [UInt8]], typed: [TypedEntry]?) {
    var launched = engine
    // An app that ends when it opens the store has none; what it stored is as it was.
    if (try? launched.perform(.reopen)) == nil { launched = engine }
    // What is in the files: the engine may read less of it, as it cuts texts.
    let stored = launched.entries.merging(engine.entries) { _, own in own }
      .filter { launched.entries[$0.key] != nil }
    return (stored, (launched as? TableSimulator)?.typedEntries)
  }
  /// The key with which the files are currently encrypted.
  package var key: StoreKey? { engine.key }

  /// Carries out the next operation and returns its effects, or returns `nil` after the last one.
  ///
  /// - Complexity: O(*n*), where *n* is the total size of the files and entries, because the step
  ///   holds them before and after the operation.
  /// - Throws: ``ScriptError`` with the line, if the format does not support the operation or the
  ///   type.
  public mutating func next() throws(ScriptError) -> SimulationStep? {
    guard position < script.statements.count else { return nil }
    let before = (image, entries, key)
    let (statement, events) = try perform()
    return SimulationStep(
      statement: statement, events: events, before: before.0, after: image,
      entriesBefore: before.1, entriesAfter: entries, keyBefore: before.2, keyAfter: key, now: now)
  }

  /// Carries out the remaining operations.
  ///
  /// - Complexity: That of the engine's own work. Unlike ``next()``, it does not copy the files and
  ///   entries.
  /// - Throws: ``ScriptError`` with the line, if the format does not support an operation or a
  ///   type.
  public mutating func finish() throws(ScriptError) {
    while position < script.statements.count { _ = try perform() }
  }

  /// Carries out the operation at ``position``, and returns it with the changes that the engine
  /// made to the files.
  private mutating func perform() throws(ScriptError) -> (Script.Statement, [DiskEvent]) {
    let statement = script.statements[position]
    position += 1
    if case .now(let seconds) = statement.operation { now = seconds }
    do throws(ScriptError) {
      try engine.perform(statement.operation)
    } catch {
      throw ScriptError(line: statement.line, error.reason)
    }
    return (statement, engine.disk.takeEvents())
  }
}
