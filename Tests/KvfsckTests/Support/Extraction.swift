import Foundation
import KVFixtures
import KVTestSupport

/// An extraction of three apps, with stores of all formats and files that are not stores.
struct Extraction {
  private let scratch: Scratch

  /// Creates an extraction in `scratch`.
  init(in scratch: Scratch) { self.scratch = scratch }

  /// Store names that a shell, a terminal or a line-based reader could misinterpret.
  private static let hostileNames = [
    "with space", "quote'\"", "line\nfeed", "-n", "über", "\u{202e}evil", "a*b?", "$(x)", "%s",
    "x.json", ".hidden",
    // These look the same to a reader, but name two files.
    "caf\u{e9}", "cafe\u{301}",
  ]

  /// Copies the files of a fixture under `name`.
  ///
  /// Their names start with `kv` or `store`.
  func copy(_ fixture: String, _ folder: String, as name: String) throws {
    try FileManager.default.createDirectory(
      atPath: scratch.path(folder), withIntermediateDirectories: true)
    let source = "\(Fixture.root)/\(fixture)"
    for file in try FileManager.default.contentsOfDirectory(atPath: source)
    where file.hasPrefix("kv") || file.hasPrefix("store") {
      let suffix = file.dropFirst(file.hasPrefix("kv") ? 2 : 5)
      try FileManager.default.copyItem(
        atPath: "\(source)/\(file)", toPath: scratch.path("\(folder)/\(name)\(suffix)"))
    }
  }

  /// Writes thirty kinds of files that are not stores.
  func writeJunk(to folder: String, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let noise = (0..<5000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let zeros = [UInt8](repeating: 0, count: 4096)
    let kinds: [(String, [UInt8])] = [
      ("empty", []), ("zeros", zeros), ("noise", noise),
      ("noise.crc.txt", noise), ("readme.txt", Array("hello\n".utf8)),
      ("config.json", Array(#"{"a":1,"b":"text"}"#.utf8)),
      ("list.json", Array("[1,2,3]".utf8)),
      ("layout.xml", Array("<?xml version=\"1.0\"?><layout><view/></layout>".utf8)),
      ("Info.plist", Array("<plist version=\"1.0\"><dict><key>a</key><true/></dict></plist>".utf8)),
      ("picture.png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] + noise),
      ("photo.jpg", [0xff, 0xd8, 0xff, 0xe0] + noise),
      ("film.mp4", [0, 0, 0, 0x20] + Array("ftypisom".utf8) + noise),
      ("song.mp3", Array("ID3".utf8) + noise), ("font.ttf", [0, 1, 0, 0, 0, 12] + noise),
      ("code.so", [0x7f, 0x45, 0x4c, 0x46] + noise), ("data.gz", [0x1f, 0x8b, 8, 0] + noise),
      ("app.log", Array(String(repeating: "2026-11-22 INFO started\n", count: 200).utf8)),
      ("table.csv", Array("key,value\na,1\n".utf8)), (".DS_Store", [0, 0, 0, 1] + noise),
      ("._settings", [0, 5, 0x16, 7] + noise), ("cache.0", Array(noise.prefix(700))),
      ("sum.crc", Array("d41d8cd98f00b204e9800998ecf8427e  file.zip\n".utf8)),
      ("page.crc", Array(noise.prefix(4096))), ("none.crc", []), ("four.crc", [1, 2, 3, 4]),
      ("one", [7]), ("text", [9, 0, 0, 0] + Array("begins as a count does".utf8)),
      ("classes.dex", Array("dex\n035\0".utf8) + noise),
      ("000003.log", [1, 2, 3, 4, 50, 0, 1] + noise.prefix(50) + zeros.prefix(500)),
      ("a.realm", [24] + zeros.prefix(15) + Array("T-DB\u{9}\u{9}\0\0".utf8) + noise),
      ("message.pb", [8, 1, 18, 5] + Array("hello".utf8) + [26, 2, 8, 3]),
    ]
    for (name, bytes) in kinds { _ = try scratch.write(bytes, to: "\(folder)/\(name)") }
  }

  /// Makes an extraction of three apps with stores of all formats that have a log.
  ///
  /// - Returns: The paths of the stores, relative to the extraction.
  func make(seed: UInt64) throws -> Set<[UInt8]> {
    var stores: Set<[UInt8]> = []
    for app in ["com.first", "com.second", "com.third"] {
      let base = "tree/data/\(app)/files"
      for (index, name) in Self.hostileNames.enumerated() {
        let fixture = index % 2 == 0 ? "mmkv/golden/all_types" : "mmkv/damaged/flip_keylen_fwb"
        try copy(fixture, "\(base)/mmkv", as: name)
        stores.insert(Array("data/\(app)/files/mmkv/\(name)".utf8))
      }
      for index in 0..<5 {
        try copy("fastkv-apple/golden/all_types", "\(base)/fkv", as: "s\(index)")
        stores.insert(Array("data/\(app)/files/fkv/s\(index).fkv".utf8))
        try copy("fastkv-android/golden/nb_all_types", "\(base)/fastkv/deep/er", as: "k\(index)")
        stores.insert(Array("data/\(app)/files/fastkv/deep/er/k\(index).kva".utf8))
      }
      try copy("mmkv/golden/all_types", "\(base)/alone", as: "lone")
      try FileManager.default.removeItem(atPath: scratch.path("\(base)/alone/lone.crc"))
      stores.insert(Array("data/\(app)/files/alone/lone".utf8))
      _ = try scratch.makeFolder("\(base)/shared_prefs")
      _ = try scratch.write(
        Array("<?xml version='1.0'?>\n<map><int name=\"a\" value=\"1\" /></map>".utf8),
        to: "\(base)/shared_prefs/prefs.xml")
      stores.insert(Array("data/\(app)/files/shared_prefs/prefs.xml".utf8))
      for folder in ["mmkv", "fkv", "shared_prefs"] {
        try writeJunk(to: "\(base)/\(folder)", seed: seed)
      }
      // By its place, it is a damaged file of preferences.
      stores.insert(Array("data/\(app)/files/shared_prefs/layout.xml".utf8))
      // The scan must follow neither a link within the tree, which would count stores twice, nor
      // one out of it.
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path("\(base)/again"), withDestinationPath: "mmkv")
      try FileManager.default.createSymbolicLink(
        atPath: scratch.path("\(base)/out"), withDestinationPath: "\(Fixture.root)/mmkv/golden")
    }
    return stores
  }
}
