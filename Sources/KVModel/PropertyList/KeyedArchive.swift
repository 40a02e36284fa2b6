/// The output of `NSKeyedArchiver`, which is a binary property list of a known form.
///
///     { "$archiver": …, "$version": …, "$top": { "root": UID }, "$objects": [ … ] }
///
/// Objects refer to each other by their index in `$objects`. An instance of a class is a dictionary
/// whose `$class` refers to a dictionary with a `$classname`.
package enum KeyedArchive {
  /// The length of the longest name that is accepted as a class name.
  private static let maximumNameCount = 1024

  private static let magic: [UInt8] = Array("bplist00".utf8)

  /// Returns whether `bytes` begin like a binary property list.
  package static func begins(_ bytes: Span<UInt8>) -> Bool {
    bytes.count >= magic.count && magic.indices.allSatisfy { bytes[$0] == magic[$0] }
  }

  /// Returns the class name of the archive's root object.
  ///
  /// The result is `nil` if the root is a plain value, such as a string, or if the list is damaged.
  ///
  /// - Complexity: O(`bytes.count`), for five dictionary lookups; no other references are followed.
  package static func rootClassName(of bytes: Span<UInt8>) -> String? {
    guard let list = BinaryPropertyList(bytes) else { return nil }
    let plist = list.topObject
    guard let objects = list.value(of: "$objects", in: plist, bytes),
      let top = list.value(of: "$top", in: plist, bytes),
      let root = list.value(of: "root", in: top, bytes) ?? list.firstValue(in: top, bytes),
      let object = list.target(of: root, in: objects, bytes),
      let reference = list.value(of: "$class", in: object, bytes),
      let type = list.target(of: reference, in: objects, bytes),
      let name = list.value(of: "$classname", in: type, bytes)
    else { return nil }
    return list.asciiText(name, upTo: maximumNameCount, bytes)
  }
}
