package import KVModel

extension AndroidFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 10,768 entries of 463 damaged stores, 89 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0068.
  private static let measured = EntryWeights(
    record: .init(
      base: 13.87,
      answers: [
        .evidence: [-0.2, -0.37, 0.14, 0.64],
        .gaps: [1.82, 2.35, -0.62, -2.29, -1.73],
        .key: [0.18, -0.64, 0],
        .recordsSinceGap: [-0.79, -4.07, 0.92, 1.1, 0.53, 1.33, 0.53],
        .recordsToGap: [-0.06, -4.12, -1.04, 1.27, 1.6, 0.22, 1.66],
        .sectorEdges: [-0.63, -0.33, 0, 0, 0],
        .shape: [0.18, -1.44, 0.79, 0.01],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -0.08,
        "fastkv-android.copy-vote": 0.14,
        "fastkv-android.likely-correction": 1.06,
        "fastkv-android.other-copy": 0.11,
        "log.before-gap": -0.41,
        "log.believable-length": 0.03,
        "log.checksum": 0.37,
        "log.checksum-end": 0.64,
        "log.copy-union": -0.01,
        "log.cut-file": -0.82,
        "log.implausible-record": -0.3,
        "log.resynchronized": -0.19,
        "log.unverified": -0.8,
        "log.unverified-end": -1.06,
      ]),
    unchanged: .init(
      base: 9.43,
      answers: [
        .evidence: [-2.61, 0.19, 1.43, 1.09],
        .gaps: [-0.8, -1.45, 1.83, 1.12, 0.34],
        .share: [
          1.34, 2.11, 3.21, 2.05, -1.23, -0.42, -3.02, -4.85, -4.85, 1.89, 4.48, 3.35, -0.38, 0.24,
          -1.84, -5.88, -5.88,
        ],
        .valueLength: [1.34, 0.92, 0.74, 0.3, -0.26, -0.82, -1.18],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -2.18,
        "fastkv-android.copy-vote": 1.31,
        "fastkv-android.external-value": 0.48,
        "fastkv-android.likely-correction": 3.93,
        "fastkv-android.other-copy": 1.85,
        "log.before-gap": -0.1,
        "log.believable-length": -2.61,
        "log.checksum": -0.89,
        "log.checksum-end": 2.37,
        "log.copy-union": -2.37,
        "log.cut-file": 1.46,
        "log.implausible-record": -4.88,
        "log.resynchronized": 2.18,
        "log.unverified": -1.38,
        "log.unverified-end": 1.42,
      ]),
    newest: .init(
      base: 13.99,
      answers: [
        .evidence: [0.21, -2.79, 0.46, 2.4],
        .lostAtEnd: [-0.29, 0, 0, 0, 0.02, 0, 0.03, 0.07, 0],
        .lostInGaps: [-1.36, 0.01, 0.02, 0.14, 0.66, 0.24, 0.1, -0.01, 0],
        .recordsOfKey: [0, 0.29, 0.94, 1.7, 1.48, -4.59],
        .rewrites: [-2.77, 3.58, -0.62, 0.21, 0.92, -1.49],
        .sectorEdges: [-0.41, 0.22, 0, 0, 0],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.14,
        "fastkv-android.copy-vote": 0.44,
        "fastkv-android.external-value": -1.35,
        "fastkv-android.likely-correction": 1.66,
        "fastkv-android.other-copy": -2.54,
        "log.before-gap": 1.19,
        "log.believable-length": 1.1,
        "log.checksum": -2.04,
        "log.checksum-end": 1.08,
        "log.cut-file": 0.14,
        "log.resynchronized": 0.21,
        "log.unverified": 1.24,
        "log.unverified-end": -3.65,
      ]))
}
