package import KVModel

/// What can be found in files of formats without a log.
package enum ExchangeFindings {
  /// The codes, in the order of `Docs/FINDINGS.md`.
  package static let all =
    JSONFindings.all
    + DataStoreFindings.all
    + SharedPreferencesFindings.all
    + PropertyListFindings.all
    + SQLiteFindings.all
    + AsyncStorageFindings.all
    + YYCacheFindings.all
    + WCDBFindings.all
}
