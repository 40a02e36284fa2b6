import KVCryptography
import KVFixtures
import KVModel
import KVTestSupport
import Testing

/// The events of a simulation, for every engine.
@Suite("Events")
struct EventTests {
  /// The size of a cache line, in bytes.
  private static let lineCount = 64

  /// Returns a random script for each engine, mode and cipher.
  private static func scripts(seed: UInt64) -> [Script] {
    var scripts = RandomScripts(seed: seed)
    let keys = Cryptography.isAvailable ? [nil, StoreKey(Array("sixteen bytes ok".utf8))] : [nil]
    var all: [Script] = []
    for key in keys {
      var settings = StoreSettings()
      settings.key = key
      all.append(scripts.mmkv(settings))
      settings.format = .fastkvAndroid
      for mode in StoreSettings.WritingMode.allCases {
        settings.mode = mode
        all.append(scripts.android(settings))
      }
    }
    var settings = StoreSettings()
    (settings.format, settings.capacity) = (.fastkvApple, 512)
    for width in [4, 8] {
      settings.width = width
      all.append(scripts.apple(settings))
    }
    return all
  }

  @Test(
    "lead from the files before an operation to those after it",
    arguments: TestExtent.share(0, of: [5]) + RandomSeeds.fresh(TestExtent.count(1, of: 4)))
  func replay(seed: UInt64) throws {
    for script in Self.scripts(seed: seed) {
      let engine = "\(script.settings.format) seed \(seed)"
      var simulation = try Simulation(script, seed: seed)
      var image = DiskImage()
      for event in simulation.opening { image.apply(event) }
      try #require(image == simulation.image, "\(engine)")
      while let step = try simulation.next() {
        try #require(step.before == image, "\(engine)")
        for event in step.events {
          requireThatFits(event, image, engine)
          image.apply(event)
        }
        try #require(step.after == image, "\(engine)")
      }
    }
  }

  /// Expects that a store lies within its file, and a word within one cache line.
  private func requireThatFits(_ event: DiskEvent, _ image: DiskImage, _ engine: String) {
    switch event {
    case .store(let name, let offset, let bytes, let isWord):
      let count = image[name]?.bytes.count ?? 0
      #expect(offset + bytes.count <= count, "\(engine)")
      if isWord {
        #expect([1, 4, 8].contains(bytes.count), "\(engine)")
        #expect(
          offset / Self.lineCount == (offset + bytes.count - 1) / Self.lineCount, "\(engine)")
      }
    case .append(let name, _), .resize(let name, _), .sync(let name), .rename(let name, _, _),
      .remove(let name):
      #expect(image[name] != nil, "\(engine)")
    case .create: break
    }
  }
}
