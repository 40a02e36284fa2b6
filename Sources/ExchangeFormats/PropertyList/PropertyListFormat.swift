/// Property lists, in which iOS keeps `UserDefaults`: a dictionary, in binary form or in XML.
///
/// `BinaryPropertyList` describes the binary form. The XML form is:
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
/// Foundation's coders are not used. `PropertyListDecoder` traps on deeply nested containers and
/// does not distinguish 1.0 from 1. `PropertyListEncoder` loses one of two canonically equivalent
/// keys, and writes characters that XML does not allow.
///
/// Reference: `CFBinaryPList.c` and `CFPropertyList.c` of CoreFoundation.
package struct PropertyListFormat: Hashable, Sendable {
  /// The format's name.
  package static let name = "plist"
  /// The suffix of a file's name.
  package static let suffix = ".plist"

  /// The reference date of binary lists, 2001-01-01 00:00:00 UTC, in seconds since 1970.
  static let epoch: Double = 978_307_200

  /// Whether files are written in XML.
  ///
  /// Both forms are read.
  let isXML: Bool
  /// Whether XML has characters that it forbids; CoreFoundation writes and reads them.
  var holdsForbidden = false

  /// Creates the format, which writes files in XML if `isXML` is `true`.
  package init(isXML: Bool = false) { self.isXML = isXML }
}
