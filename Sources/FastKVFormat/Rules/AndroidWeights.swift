package import KVModel

extension AndroidFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 10,772 entries of 463 damaged stores, 87 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0069.
  private static let measured = EntryWeights(
    record: .init(
      base: 13.40,
      answers: [
        .chain: [-0.03, 0, 0, 0, 0],
        .content: [0.08, -1.63, 0.24, -0, 1.28],
        .evidence: [-1.6, 1.56, 0.2, 0.25],
        .gaps: [0.73, -0.34, 1.63, -1.41, -0.65],
        .key: [0.08, -0.13, 0],
        .recordsSinceGap: [1.34, -3, -2, 0.84, 0.94, 1.53, 0.34],
        .recordsToGap: [-0.72, -2.37, -1.19, 1.23, 1.97, 0.75, 0.3],
        .sectorEdges: [0.08, -0.21, 0, 0, 0],
        .shape: [0.08, -1.7, 0.99, 0.6],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 1.04,
        "fastkv-android.copy-vote": 0.19,
        "fastkv-android.likely-correction": 0.36,
        "fastkv-android.other-copy": 0.03,
        "log.before-gap": 0.72,
        "log.believable-length": 0.34,
        "log.checksum": 0.24,
        "log.checksum-end": 1.27,
        "log.copy-union": 0.05,
        "log.cut-file": -1.44,
        "log.implausible-record": -0.02,
        "log.resynchronized": -1.59,
        "log.unverified": -1.1,
        "log.unverified-end": 0.15,
      ]),
    unchanged: .init(
      base: 10.87,
      answers: [
        .chain: [-0.24, 0, 0, 0, 0],
        .content: [1.05, 0.06, 0.25, -2.62, 1.02],
        .evidence: [-2.34, -1.23, 0.94, 2.76],
        .gaps: [-1.3, -0.37, 0.92, 1.16, -0.67],
        .share: [
          1.05, 2.15, 3.68, 2.87, -0.89, 0.14, -2.29, -3.56, -4.45, 1.29, 4.02, 2.96, -1.45, -0.17,
          -0.33, -5.37, 0,
        ],
        .valueLength: [1.05, 3.02, 0.59, -0.53, -0.81, -1.59, -1.99],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -2.41,
        "fastkv-android.copy-vote": 0.89,
        "fastkv-android.external-value": 0.44,
        "fastkv-android.likely-correction": 3.81,
        "fastkv-android.other-copy": 1.9,
        "log.before-gap": -0.7,
        "log.believable-length": -2.5,
        "log.checksum": -0.86,
        "log.checksum-end": 2.1,
        "log.copy-union": -3.04,
        "log.cut-file": 1.73,
        "log.implausible-record": -5.55,
        "log.resynchronized": 3.21,
        "log.unverified": -1.11,
        "log.unverified-end": 1.6,
      ]),
    newest: .init(
      base: 10.75,
      answers: [
        .evidence: [0.33, -2.91, 1.49, 1.47],
        .lostAtEnd: [0.46, 0, 0, 0, 0.16, 0, 0.08, 0.11, 0],
        .lostInGaps: [0.73, 0.1, 0.1, 0.58, 2.19, -0.37, 0.48, -3.05, 0],
        .recordsOfKey: [0, 0.54, 1.26, 1.75, 1.63, -4.38],
        .rewrites: [-2.57, 3.78, -0.54, 0.4, 0.77, -1.03],
        .sectorEdges: [0.25, 0.55, 0, 0, 0],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.34,
        "fastkv-android.copy-vote": 1.37,
        "fastkv-android.external-value": -1.55,
        "fastkv-android.likely-correction": 1.29,
        "fastkv-android.other-copy": -2.69,
        "log.before-gap": 0.15,
        "log.believable-length": 1.04,
        "log.checksum": -2.39,
        "log.checksum-end": 1.36,
        "log.copy-union": 0.08,
        "log.cut-file": 0.37,
        "log.resynchronized": 0.33,
        "log.unverified": 1.41,
        "log.unverified-end": -4.69,
      ]))
}
