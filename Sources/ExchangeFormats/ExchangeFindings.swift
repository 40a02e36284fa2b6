package import KVModel

/// The findings of the formats without a log.
package enum ExchangeFindings {
  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all =
    ZeroFindings.all
    + JSONFindings.all
    + DataStoreFindings.all
    + SharedPreferencesFindings.all
    + PropertyListFindings.all
    + SQLiteFindings.all
    + AsyncStorageFindings.all
    + YYCacheFindings.all
    + WCDBFindings.all
}
