package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 62 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0074.
  private static let measured = EntryWeights(
    record: .init(
      base: 7.54,
      answers: [
        .evidence: [0, -2.89, 0.16, 2.76],
        .gaps: [0.79, 2.5, -1.59, -1.72, 0],
        .key: [0.47, 4.57, -5.02],
        .recordsSinceGap: [2.65, -3.15, -3.04, -0.26, 1.48, 1.5, 0.83],
        .recordsToGap: [-1.26, -1.34, 0.3, 0.49, 0.08, 0.88, 0.87],
        .shape: [0.47, -0.66, 0.03, 0.18],
      ],
      rules: [
        "fastkv-apple.divided-record": 0.47,
        "fastkv-apple.log-end": -0.54,
        "log.alternate-length": -0.5,
        "log.before-gap": 1.28,
        "log.believable-length": 0.11,
        "log.contradicted-record": -0.45,
        "log.corrected-record": 0.21,
        "log.cut-file": -3.25,
        "log.key-length": 3.29,
        "log.record-checksums": -0.35,
        "log.stated-length": -0.14,
        "log.unverified-end": 0.1,
      ]),
    unchanged: .init(
      base: 9.97,
      answers: [
        .evidence: [0, -0.58, 0.01, 0.64],
        .gaps: [-0.06, 0.39, 0.42, -0.68, 0],
        .share: [2.24, 0, 0.28, 1.27, -0.55, -1.79, -1.31, 0, -1.32, 0.16, -0.33, 0.7, 0.22],
        .valueLength: [2.24, 0.44, 1.05, 0.75, 1.19, -3.2, -2.4],
      ],
      rules: [
        "fastkv-apple.divided-record": -0.33,
        "fastkv-apple.log-end": -3.31,
        "log.alternate-length": 0.41,
        "log.before-gap": 0.67,
        "log.believable-length": -0.6,
        "log.contradicted-record": -2.61,
        "log.corrected-record": 0.02,
        "log.cut-file": 0.08,
        "log.key-length": -0.12,
        "log.partial-checksum": 0.44,
        "log.record-checksums": -0.73,
        "log.stated-length": -2.05,
        "log.unverified-end": -0.99,
      ]),
    newest: .init(
      base: 10.69,
      answers: [
        .evidence: [0, -0.84, 0.1, 0.81],
        .lostAtEnd: [-0.61, 0, 0, 0, 0, 1.03, 0.3, -2.17, -1.59],
        .lostInGaps: [2.05, 0.24, 3.95, -0.6, 0.49, -0.34, -1.23, -0.64, -3.87],
        .recordsOfKey: [0, -1.43, 1.43, 0.77, 0.14, -0.84],
        .rewrites: [3, 1.16, -0.43, -0.57, -2.52, -0.58],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.29,
        "fastkv-apple.log-end": -0.01,
        "log.alternate-length": 0.03,
        "log.before-gap": -1.99,
        "log.believable-length": 0.11,
        "log.contradicted-record": 0.23,
        "log.corrected-record": 0.27,
        "log.cut-file": -5.43,
        "log.key-length": 1.6,
        "log.partial-checksum": 0.18,
        "log.record-checksums": -0.54,
        "log.stated-length": 0.08,
        "log.unverified-end": 0.54,
      ]))
}
