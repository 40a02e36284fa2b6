import Foundation

/// A case in `Fixtures/mmkv`.
struct Fixture: Sendable {
  /// The path relative to `Fixtures`.
  let name: String

  init(_ name: String) { self.name = "mmkv/" + name }

  /// The folder of all fixtures.
  static let root = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Fixtures", directoryHint: .notDirectory)
    .path(percentEncoded: false)

  /// The folder of the case.
  var path: String { "\(Fixture.root)/\(name)" }

  /// The names of the store's files.
  var files: [String] {
    let names = try? FileManager.default.contentsOfDirectory(atPath: path)
    return (names ?? []).filter { $0 != "case.json" }.sorted()
  }

  /// Returns the facts stated about the case.
  func facts() throws -> JSON {
    try JSON(parsing: try String(contentsOfFile: "\(path)/case.json", encoding: .utf8))
  }
}

extension [String] {
  /// The option for the time at which the fixtures were made.
  static let clock = ["--now", "1760000000"]
}

extension Fixture {
  /// 45 entries of every type, without damage.
  static let clean = Fixture("golden/all_types")
  /// A store whose first 20 bytes are zero.
  ///
  /// All 29 entries except the first can be read.
  static let lossy = Fixture("damaged/head_zero_16_fwb")
  /// A bit in the length of a key is flipped, and the checksum determines which.
  static let corrected = Fixture("damaged/flip_keylen_fwb")
  /// The size in the meta file is wrong, and the checksum matches at the real end of the log.
  static let repairable = Fixture("damaged/size_gt_file_small")
  /// 45 entries encrypted with ``key``.
  static let encrypted = Fixture("golden/aes128_key16")
  /// The key of ``encrypted``.
  static let key = "0123456789abcdef"
  /// 14 entries, one of which has expired at ``expiryClock``.
  static let expiring = Fixture("golden/expire_mixed")
  static let expiryClock = ["--now", "1760000060"]
  /// A store that its app has cleared, with the records still after the log.
  static let emptied = Fixture("damaged/after_clearall_keepspace_big")
}
