import KVModel

/// A kind of healthy store that a corpus damages.
package enum CorpusBase: String, Hashable, Sendable, CaseIterable {
  /// Six entries, each set once.
  case few
  /// Entries that are updated and removed many times.
  case many
  /// Values of several thousand bytes.
  case large
  /// Like `many`, encrypted with AES-128 or the format's own cipher.
  case encrypted
  /// Like `encrypted`, with AES-256.
  case encrypted256
  /// Entries that expire, some of which have expired.
  case expiring
  /// A file that has grown and was compacted, with leftover records after the log.
  case grown
  /// Like `many`, in a format with two copies of its log, but with only one copy.
  case single

  /// Returns a script that makes a store of this kind.
  func script(
    for format: SimulatedFormat, using generator: inout SeededGenerator
  ) -> Script {
    var settings = StoreSettings()
    settings.format = format
    var app = ScriptedApp(generator)
    switch self {
    case .few: app.set(keys: 6, times: 6)
    case .many: app.setAndRemove(keys: 40, times: 140)
    case .single:
      settings.mode = .sync
      app.setAndRemove(keys: 40, times: 140)
    case .large: app.setLarge(keys: 8, times: 14)
    case .encrypted, .encrypted256:
      settings.key = StoreKey(app.keyBytes(), isAES256: self == .encrypted256)
      app.setAndRemove(keys: 30, times: 100)
    case .expiring: app.setExpiring(keys: 20, times: 40, from: settings.now)
    case .grown: app.grow()
    }
    generator = app.generator
    return Script(settings, app.operations)
  }
}
