package import KVModel

extension AndroidFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 10,768 entries of 463 damaged stores, 89 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0068.
  private static let measured = EntryWeights(
    record: .init(
      base: 14.27,
      answers: [
        .chain: [-0.27, 0, 0, 0, 0],
        .content: [0.17, -1.77, 0.73, -0, 0.6],
        .copy: [0.3, 3.11],
        .evidence: [-0.09, -0.28, 0.1, 0.61],
        .gaps: [1.66, 1.9, -0.31, -1.98, -1.53],
        .key: [0.17, -0.44, 0],
        .recordsSinceGap: [-0.75, -3.97, 0.91, 1.08, 0.56, 1.45, 0.45],
        .recordsToGap: [-0.35, -4.02, -0.88, 1.38, 1.69, 0.29, 1.63],
        .sectorEdges: [-0.41, -0.33, 0, 0, 0],
        .shape: [0.17, -1.39, 0.86, 0.09],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.35,
        "fastkv-android.copy-vote": 0.1,
        "fastkv-android.likely-correction": 1.2,
        "fastkv-android.other-copy": 0.14,
        "log.before-gap": 0.08,
        "log.believable-length": -0.01,
        "log.checksum": 0.54,
        "log.checksum-end": 0.54,
        "log.cut-file": -0.72,
        "log.implausible-record": -0.01,
        "log.resynchronized": -0.08,
        "log.unverified": -0.73,
        "log.unverified-end": -1.23,
      ]),
    unchanged: .init(
      base: 10.51,
      answers: [
        .chain: [-0.36, 0, 0, 0, 0],
        .content: [1.04, -0.24, 0.21, -2.62, 1.24],
        .copy: [2.62, -4.44],
        .evidence: [-2.85, -0.59, 1.06, 2.52],
        .gaps: [-1.33, -1.96, 1.54, 1.08, 0.31],
        .share: [
          1.04, 2.39, 3.8, 2.49, -0.99, 0.2, -2.33, -3.2, -4.73, 2.16, 5.04, 3.78, 0.09, 0.66,
          -1.36, -5.61, -3.78,
        ],
        .valueLength: [1.04, 1.02, 1.09, -0.04, -0.72, -1.05, -1.7],
      ],
      rules: [
        "fastkv-android.accidental-checksum": -2.17,
        "fastkv-android.copy-vote": 1,
        "fastkv-android.external-value": 0.46,
        "fastkv-android.likely-correction": 3.72,
        "fastkv-android.other-copy": 1.74,
        "log.before-gap": -0.18,
        "log.believable-length": -2.66,
        "log.checksum": -0.89,
        "log.checksum-end": 2.21,
        "log.copy-union": -2.67,
        "log.cut-file": 1.67,
        "log.implausible-record": -4.39,
        "log.resynchronized": 1.54,
        "log.unverified": -1.18,
        "log.unverified-end": 1.05,
      ]),
    newest: .init(
      base: 10.59,
      answers: [
        .copy: [2.45, -11.71],
        .evidence: [0.18, -2.88, 1.49, 1.57],
        .lostAtEnd: [0.78, 0, 0, 0, 0.06, 0, 0, 0.11, 0],
        .lostInGaps: [-0.47, 0.02, 0.03, 0.17, 0.77, 0.34, 0.15, -0.04, 0],
        .recordsOfKey: [0, 0.67, 1.38, 1.79, 1.58, -4.41],
        .rewrites: [-2.27, 3.84, -0.59, 0.3, 0.82, -1.09],
        .sectorEdges: [0.59, 0.41, 0, 0, 0],
      ],
      rules: [
        "fastkv-android.accidental-checksum": 0.13,
        "fastkv-android.copy-vote": 1.37,
        "fastkv-android.external-value": -1.48,
        "fastkv-android.likely-correction": 1.52,
        "fastkv-android.other-copy": -2.54,
        "log.before-gap": 1.46,
        "log.believable-length": 1.04,
        "log.checksum": -2.24,
        "log.checksum-end": 1.31,
        "log.copy-union": -0.01,
        "log.cut-file": 0.25,
        "log.resynchronized": 0.18,
        "log.unverified": 1.29,
        "log.unverified-end": -3.66,
      ]))
}
