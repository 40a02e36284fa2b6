package import KVModel

extension AndroidFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 10,747 entries of 456 damaged stores, 84 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0064.
  private static let measured = EntryWeights(
    record: .init(
      base: 14.61,
      answers: [
        .evidence: [-0.66, -0.61, 0.21, 1.27],
        .gaps: [1.29, 2.69, -1.15, -3.32, -0.58],
        .key: [0.48, -1.56, 0],
        .recordsSinceGap: [-1.14, -2.98, 0.25, 1.4, -0.06, 1.19, 0.27],
        .recordsToGap: [-0.8, -4.71, 0.8, 1.03, 1.4, -0.19, 1.4],
        .shape: [0.48, -2.15, 0.67, -0.08],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -0.88,
        "fastkv-android.copy-vote": 0.17,
        "fastkv-android.external-value": -0.09,
        "fastkv-android.likely-correction": 1.72,
        "fastkv-android.other-copy": -0.4,
        "log.before-gap": -0.27,
        "log.believable-length": 0.18,
        "log.checksum": -0.8,
        "log.checksum-end": 0.88,
        "log.cut-file": -0.19,
        "log.implausible-record": -0.22,
        "log.resynchronized": -0.44,
        "log.unverified": 0.13,
        "log.unverified-end": -1.11,
      ]),
    unchanged: .init(
      base: 9.62,
      answers: [
        .evidence: [-2.11, 0.23, 1.31, 0.73],
        .gaps: [-0.07, -0.73, 1.97, 0.88, 0],
        .share: [
          1.08, 1.53, 2.93, 1.87, -1.96, -0.96, -4.57, 1.33, 3.81, 2.45, -1.67, -0.96, -2.84,
        ],
        .valueLength: [1.08, 2.01, 0.92, 0.32, -0.14, -0.84, -1.29],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -2.19,
        "fastkv-android.copy-vote": 1.22,
        "fastkv-android.external-value": 0.46,
        "fastkv-android.likely-correction": 3.87,
        "fastkv-android.other-copy": 1.86,
        "log.before-gap": 0.2,
        "log.believable-length": -2.99,
        "log.checksum": -0.77,
        "log.checksum-end": 2.24,
        "log.copy-union": -3.01,
        "log.cut-file": 1.43,
        "log.implausible-record": -5.08,
        "log.resynchronized": 2.97,
        "log.unverified": -1.32,
        "log.unverified-end": 1.63,
      ]),
    newest: .init(
      base: 13.69,
      answers: [
        .evidence: [0.17, -2.72, 0.53, 2.34],
        .lostAtEnd: [-0.54, 0, 0, 0, 0.02, 0, 0, 0.05, 0],
        .lostInGaps: [-1.04, 0.02, 0.02, 0.19, 0.68, -0.21, 0.11, 0.03, 0],
        .recordsOfKey: [0, 0.58, 0.9, 1.5, 1.45, -4.64],
        .rewrites: [-3.15, 3.48, 0.47, 0.19, 0.22, -1.41],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.38,
        "fastkv-android.copy-vote": 0.51,
        "fastkv-android.external-value": -1.46,
        "fastkv-android.likely-correction": 1.59,
        "fastkv-android.other-copy": -2.74,
        "log.before-gap": 0.84,
        "log.believable-length": 0.96,
        "log.checksum": -2.09,
        "log.checksum-end": 1.09,
        "log.copy-union": 0.02,
        "log.cut-file": 0.13,
        "log.resynchronized": 0.17,
        "log.unverified": 1.32,
        "log.unverified-end": -3.9,
      ]))
}
