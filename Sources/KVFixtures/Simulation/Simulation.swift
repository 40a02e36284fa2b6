public import KVModel

/// Carries out a script by the engine's own writing rules, operation by operation.
public struct Simulation: Sendable {
  private let script: Script
  private var engine: any EngineSimulator
  private var position = 0
  /// The clock, in seconds since 1970.
  public private(set) var now: UInt32
  /// What the engine did when it made the store, before the first operation.
  public let opening: [DiskEvent]

  /// Creates a store as it is before the first operation.
  ///
  /// `seed` decides what the engine draws by chance: prefixes, vectors, names.
  ///
  /// - Throws: ``ScriptError`` if the format does not have a setting of the script.
  public init(_ script: Script, seed: UInt64) throws(ScriptError) {
    try self.init(script, randomness: EngineRandomness(seed: seed))
  }

  package init(_ script: Script, randomness: EngineRandomness) throws(ScriptError) {
    let settings = script.settings
    var engine: any EngineSimulator = try settings.format.engine.init(
      settings, randomness: randomness)
    opening = engine.disk.takeEvents()
    now = settings.now
    self.engine = engine
    self.script = script
  }

  /// The format of the files.
  public var format: SimulatedFormat { script.settings.format }
  /// The files as they are now.
  public var image: DiskImage { engine.disk.image }
  /// The entries now; values are the bytes that a record of the format stores.
  public var entries: [Key: [UInt8]] { engine.entries }
  /// The key that the files are encrypted with now.
  public var key: StoreKey? { engine.key }

  /// Carries out the next operation, and returns what it did; `nil` after the last one.
  ///
  /// - Complexity: O(size of the files and entries), for the step has them as they were and as they are.
  /// - Throws: ``ScriptError``, with the line, if the format does not have the operation or the type.
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
  /// - Complexity: That of the engine's own work; a step of ``next()`` takes a copy of all files and
  ///   entries besides.
  /// - Throws: ``ScriptError``, with the line, if the format does not have an operation or a type.
  public mutating func finish() throws(ScriptError) {
    while position < script.statements.count { _ = try perform() }
  }

  /// Carries out the operation at ``position``, and hands over what the engine did to the files.
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
