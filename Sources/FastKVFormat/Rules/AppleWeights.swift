package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 61 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0076.
  private static let measured = EntryWeights(
    record: .init(
      base: 7.85,
      answers: [
        .evidence: [0, -3.08, 0.09, 2.98],
        .gaps: [1.61, 3.56, -1.06, -3.14, 0],
        .key: [0.52, 4.24, -4.77],
        .recordsSinceGap: [2.69, -2.78, -2.81, 0.17, 0.91, 0.85, 0.97],
        .recordsToGap: [-1.57, -1.41, 0.41, 0.92, 0.42, 0.3, 0.91],
        .shape: [0.52, -0.82, 0.09, 0.21],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.02,
        "fastkv-apple.log-end": -0.04,
        "fastkv-apple.undecided-key": 0.87,
        "log.before-gap": 1.56,
        "log.believable-length": -0.61,
        "log.contradicted-record": -0.5,
        "log.corrected-record": 0.14,
        "log.cut-file": -3,
        "log.key-length": 2.97,
        "log.partial-checksum": -0.03,
        "log.record-checksums": -0.93,
        "log.stated-length": 0.02,
        "log.unverified-end": -0.33,
      ]),
    unchanged: .init(
      base: 9.47,
      answers: [
        .evidence: [0, -0.72, 0.02, 0.76],
        .gaps: [-0.35, 0.17, 0.29, -0.06, 0],
        .share: [2.3, 0, 0.98, 1.08, -0.63, -1.86, -2.84, 0.82, 0, -1.32, 0.2, 0.33, 0.24, 0, 0],
        .valueLength: [2.3, 0.84, 1.04, 0.77, 0.97, -2.94, -2.93],
      ],
      rules: [
        "fastkv-apple.divided-record": -0.18,
        "fastkv-apple.log-end": -3.41,
        "fastkv-apple.undecided-key": 0.11,
        "log.alternate-length": 0.44,
        "log.before-gap": 0.31,
        "log.believable-length": -0.6,
        "log.contradicted-record": -1.88,
        "log.corrected-record": 0.03,
        "log.cut-file": 0.16,
        "log.key-length": -0.18,
        "log.partial-checksum": -0.37,
        "log.record-checksums": -0.25,
        "log.stated-length": -2.22,
        "log.unverified-end": -0.34,
      ]),
    newest: .init(
      base: 11.73,
      answers: [
        .evidence: [0, -1.34, 0.13, 1.32],
        .lostAtEnd: [-0.22, 0, 0, 0, 1.59, 1.12, 0.77, -2.22, -1.29],
        .lostInGaps: [1.45, 1.05, 3.82, -0.31, 0.68, -0.43, -1.65, -0.43, -4.07],
        .recordsOfKey: [0, -2.03, 0.37, -0.55, 0.23, 2.08],
        .rewrites: [2.53, 0.94, -1.38, 0.71, -1.26, -1.43],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.18,
        "fastkv-apple.log-end": 0.06,
        "fastkv-apple.undecided-key": 0.39,
        "log.alternate-length": 0.13,
        "log.before-gap": -1.35,
        "log.believable-length": -0.06,
        "log.contradicted-record": 0.4,
        "log.corrected-record": 0.3,
        "log.cut-file": -5.76,
        "log.key-length": 1.72,
        "log.partial-checksum": 0.13,
        "log.record-checksums": -0.55,
        "log.stated-length": 0.32,
        "log.unverified-end": 0.39,
      ]))
}
