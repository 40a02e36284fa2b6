import KVBytes
package import KVModel
import KVSystem
package import SystemPackage

/// Names the app that a file belongs to, by the file's path on the device.
///
/// Android and the backups of iOS have the name in the path. The containers of iOS are named at
/// random, and a property list in each has the name.
package final class AppNames: Sendable {
  // A class, because all targets of a scan share what was read from containers.

  /// The file in a container that names its app.
  private static let metadataName = ".com.apple.mobile_container_manager.metadata.plist"
  /// The size of the largest such file that is read, in bytes.
  private static let metadataCount = 1 << 18
  /// The length of the longest name.
  private static let nameCount = 255
  /// The beginnings of the names of domains in a backup of iOS, each of which ends in that of an app.
  private static let domains = ["AppDomain-", "AppDomainGroup-", "AppDomainPlugin-"]

  /// The apps of the containers that have been read.
  private let containers = Guarded(PathTable<String?>())

  /// Creates names without any containers that have been read.
  package init() {}

  /// Returns the name of the app that the file at `path` belongs to: a package of Android, or a
  /// bundle or a group of iOS; `nil` if nothing tells it.
  ///
  /// The innermost folder decides, because an extraction may lie in the folder of another app.
  package func app(of path: FilePath, in source: any FileSource) -> String? {
    let bytes = path.bytes
    guard Self.mayHaveName(bytes) else { return nil }
    let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    for index in parts.indices.dropLast().reversed() {
      if Self.isUUID(parts[index]) {
        let folder = FilePath(bytes: Array(parts[...index].joined(separator: "/".utf8)))
        if let name = app(ofContainer: folder, in: source) { return name }
      } else if let name = Self.domain(parts[index]) ?? Self.package(at: index, of: parts) {
        return name
      }
    }
    return nil
  }

  /// Returns whether a folder in the path `bytes` has a period, as all names of apps have, or the
  /// length of an id; most paths need no closer look.
  private static func mayHaveName(_ bytes: [UInt8]) -> Bool {
    var start = 0
    var hasPeriod = false
    for (index, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: ".") { hasPeriod = true }
      guard byte == UInt8(ascii: "/") else { continue }
      if hasPeriod || index - start == 36 { return true }
      start = index + 1
    }
    return false
  }

  // MARK: iOS

  private func app(ofContainer folder: FilePath, in source: any FileSource) -> String? {
    if let known = containers.use({ $0[folder] }) { return known }
    let metadata = folder.appending(Self.metadataName)
    let head = try? source.head(of: metadata, count: Self.metadataCount)
    let name = head.flatMap { Self.identifier(in: $0.bytes.storageSpan) }
    containers.use { $0[folder] = .some(name) }
    return name
  }

  /// Returns the name in the metadata of a container.
  private static func identifier(in bytes: Span<UInt8>) -> String? {
    guard KeyedArchive.begins(bytes), let list = BinaryPropertyList(bytes),
      let value = list.value(of: "MCMMetadataIdentifier", in: list.topObject, bytes),
      let name = list.asciiText(value, upTo: nameCount, bytes)
    else { return nil }
    return self.name(name.utf8)
  }

  private static func domain(_ part: ArraySlice<UInt8>) -> String? {
    domains.lazy.filter { part.starts(with: $0.utf8) }.first
      .flatMap { name(part.dropFirst($0.utf8.count)) }
  }

  private static func isUUID(_ part: ArraySlice<UInt8>) -> Bool {
    part.count == 36
      && part.enumerated().allSatisfy { index, byte in
        [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : isHexadecimal(byte)
      }
  }

  private static func isHexadecimal(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
  }

  // MARK: Android

  /// Returns the package whose folder is the component of `parts` at `index`.
  private static func package(at index: Int, of parts: [ArraySlice<UInt8>]) -> String? {
    func has(_ name: String, _ distance: Int) -> Bool {
      index >= distance && parts[index - distance].elementsEqual(name.utf8)
    }
    let isOfUser =
      (has("user", 2) || has("user_de", 2)) && !parts[index - 1].isEmpty
      && parts[index - 1].allSatisfy(isDigit)
    let isShared = has("Android", 2) && (has("data", 1) || has("media", 1) || has("obb", 1))
    // In a backup made by adb, folders of apps lie below one folder.
    guard isOfUser || isShared || has("data", 1) && has("data", 2) || has("apps", 1) else {
      return nil
    }
    return parts[index].contains(UInt8(ascii: ".")) ? name(parts[index]) : nil
  }

  // MARK: Names

  /// Returns `bytes` as text if an identifier can consist of them: words of ASCII letters, digits,
  /// `_` and `-`, divided by periods.
  private static func name(_ bytes: some Collection<UInt8>) -> String? {
    let isName =
      (1...nameCount).contains(bytes.count)
      && bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy {
        !$0.isEmpty && $0.allSatisfy(isOfWord)
      }
    return isName ? String(decoding: bytes, as: UTF8.self) : nil
  }

  private static func isOfWord(_ byte: UInt8) -> Bool {
    isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
