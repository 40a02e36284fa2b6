package import KVModel

extension AndroidFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 10,768 entries of 463 damaged stores, 89 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0067.
  private static let measured = EntryWeights(
    record: .init(
      base: 13.57,
      answers: [
        .evidence: [-0.22, -0.39, 0.17, 0.64],
        .gaps: [1.81, 2.26, -0.6, -2.24, -1.74],
        .key: [0.14, -0.67, 0],
        .recordsSinceGap: [-0.82, -4.07, 0.92, 1.12, 0.49, 1.32, 0.51],
        .recordsToGap: [-0.09, -4.12, -1.05, 1.27, 1.6, 0.22, 1.64],
        .shape: [0.14, -1.45, 0.78, 0.01],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -0.07,
        "fastkv-android.copy-vote": 0.16,
        "fastkv-android.likely-correction": 1.02,
        "fastkv-android.other-copy": 0.1,
        "log.before-gap": -0.45,
        "log.believable-length": -0.06,
        "log.checksum": 0.38,
        "log.checksum-end": 0.65,
        "log.copy-union": -0.01,
        "log.cut-file": -0.78,
        "log.implausible-record": -0.29,
        "log.resynchronized": -0.21,
        "log.unverified": -0.84,
        "log.unverified-end": -1.12,
      ]),
    unchanged: .init(
      base: 9.43,
      answers: [
        .evidence: [-2.61, 0.18, 1.42, 1.1],
        .gaps: [-0.8, -1.44, 1.83, 1.09, 0.34],
        .share: [
          1.34, 2.11, 3.2, 2.04, -1.22, -0.42, -3.01, -4.84, 1.89, 4.48, 3.35, -0.39, 0.23, -1.84,
          -5.89,
        ],
        .valueLength: [1.34, 0.92, 0.73, 0.3, -0.26, -0.82, -1.18],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -2.19,
        "fastkv-android.copy-vote": 1.31,
        "fastkv-android.external-value": 0.48,
        "fastkv-android.likely-correction": 3.93,
        "fastkv-android.other-copy": 1.85,
        "log.before-gap": -0.09,
        "log.believable-length": -2.61,
        "log.checksum": -0.89,
        "log.checksum-end": 2.37,
        "log.copy-union": -2.36,
        "log.cut-file": 1.46,
        "log.implausible-record": -4.88,
        "log.resynchronized": 2.17,
        "log.unverified": -1.38,
        "log.unverified-end": 1.42,
      ]),
    newest: .init(
      base: 13.76,
      answers: [
        .evidence: [0.2, -2.81, 0.51, 2.38],
        .lostAtEnd: [-0.34, 0, 0, 0, 0.02, 0, 0.02, 0.07, 0],
        .lostInGaps: [-1.4, 0.01, 0.02, 0.14, 0.65, 0.24, 0.1, -0.01, 0],
        .recordsOfKey: [0, 0.27, 0.93, 1.69, 1.48, -4.59],
        .rewrites: [-2.78, 3.57, -0.63, 0.22, 0.91, -1.51],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.14,
        "fastkv-android.copy-vote": 0.49,
        "fastkv-android.external-value": -1.37,
        "fastkv-android.likely-correction": 1.64,
        "fastkv-android.other-copy": -2.56,
        "log.before-gap": 1.17,
        "log.believable-length": 1.11,
        "log.checksum": -2.05,
        "log.checksum-end": 1.08,
        "log.cut-file": 0.14,
        "log.resynchronized": 0.2,
        "log.unverified": 1.24,
        "log.unverified-end": -3.68,
      ]))
}
