/// Property lists, as iOS keeps `UserDefaults` in: a dictionary, binary or in XML.
///
/// The binary form is described at `BinaryPropertyList`; that in XML is:
///
///     <?xml version="1.0" encoding="UTF-8"?>
///     <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "…">
///     <plist version="1.0">
///     <dict>
///         <key>…</key>
///         <true/>, <false/>, <integer>, <real>, <string>, <date>, <data>, <array> or <dict>
///     </dict>
///     </plist>
///
/// Neither is read or written by Foundation's coders. `PropertyListDecoder` traps where containers lie
/// deep in each other and cannot tell 1.0 from 1. `PropertyListEncoder` loses one of two keys that
/// spell a letter in two ways, and writes characters into XML that XML does not allow.
///
/// Reference: `CFBinaryPList.c` and `CFPropertyList.c` of CoreFoundation.
package struct PropertyListFormat: Hashable, Sendable {
  /// The format's name.
  package static let name = "plist"
  /// The end of a file's name.
  package static let suffix = ".plist"

  /// 2001-01-01 00:00:00 UTC, from where a binary list counts, in seconds since 1970.
  static let epoch: Double = 978_307_200

  /// Whether files are written in XML; both forms are read.
  package let isXML: Bool

  /// The format; files are written in XML if `isXML`.
  package init(isXML: Bool = false) { self.isXML = isXML }
}
