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

extension Value {
  private static let referenceName = "CF$UID"

  /// Returns a reference (UID) to an object of a keyed archive, as XML and `plutil` represent it: a
  /// dictionary with one member, `CF$UID`.
  ///
  /// No integer of a property list has the type of that member, so a binary list keeps a reference
  /// apart from a dictionary that looks like one.
  package static func archiveReference(_ number: UInt32) -> Value {
    .dictionary([Member(referenceName, .uint32(number))])
  }

  /// The number of a reference to an object of a keyed archive; `nil` for any other value.
  package var archiveReference: UInt32? {
    guard case .dictionary(let members) = self, members.count == 1,
      members[0].name.hasSameBytes(as: Self.referenceName),
      case .uint32(let number) = members[0].value
    else { return nil }
    return number
  }

  /// The reference that readers of XML take the value for: a dictionary whose only member is called
  /// `CF$UID` and is an integer; `nil` for any other value, and for an integer that a reference
  /// cannot be.
  package var archiveReferenceInXML: UInt32? {
    guard case .dictionary(let members) = self, members.count == 1,
      members[0].name.hasSameBytes(as: Self.referenceName)
    else { return nil }
    return switch members[0].value {
    case .uint32(let number): number
    case .int64(let number): UInt32(exactly: number)
    default: nil
    }
  }
}
