/// Which of a store's files a byte is in.
///
/// A role takes one byte, so that what is made for each record stays trivial.
public enum FileRole: UInt8, Hashable, Sendable, CaseIterable {
  /// The file with the records.
  case data
  /// MMKV's `.crc` file.
  case meta
  /// The `.kva` file of Android FastKV.
  case copyA
  /// The `.kvb` file of Android FastKV.
  case copyB
  /// The `.kvc` file of Android FastKV.
  case copyC
  /// A file that holds one large value of Android FastKV.
  case external

  /// The role's name in JSON.
  public var name: String {
    switch self {
    case .data: "data"
    case .meta: "meta"
    case .copyA: "copyA"
    case .copyB: "copyB"
    case .copyC: "copyC"
    case .external: "external"
    }
  }
}
