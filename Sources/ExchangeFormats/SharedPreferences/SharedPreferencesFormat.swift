/// Android's SharedPreferences: an XML file with an element for each entry.
///
///     <?xml version='1.0' encoding='utf-8' standalone='yes' ?>
///     <map>
///         <string name="…">text</string>
///         <int name="…" value="5" />         long, float, boolean alike
///         <set name="…">
///             <string>text</string>          or <null />
///         </set>
///         <null name="…" />
///     </map>
///
/// Two more elements are read, which only the system's own files have. They are `double`, which is
/// written like `float`, and `<byte-array name="…" num="2">00ff</byte-array>`.
///
/// While a file is being written, its older contents are in a file with the suffix `.bak`. If that
/// file exists, the app loads it instead of the other one.
///
/// Reference: `SharedPreferencesImpl` and `XmlUtils` of Android.
package struct SharedPreferencesFormat: Hashable, Sendable {
  /// The format's name.
  package static let name = "sharedprefs"
  /// The suffix of a file's name.
  package static let suffix = ".xml"

  /// The folder of an app's files.
  static let folder = "shared_prefs"
  /// The folder of an app's files in a backup.
  static let backupFolder = "sp"
  /// The suffix of the file with the older contents.
  static let backupSuffix = ".bak"
  /// The name of the outermost element.
  static let root = "map"

  /// Creates the format.
  package init() {}
}
