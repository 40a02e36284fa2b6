package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 61 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0077.
  private static let measured = EntryWeights(
    record: .init(
      base: 9.77,
      answers: [
        .evidence: [0, -2.04, 0.07, 2.11],
        .gaps: [1.23, 1.65, -2.7, -0, 0],
        .key: [0.45, 3.82, -4.11],
        .recordsSinceGap: [1.69, -3.02, -2.84, -0, 1.61, 1.7, 1],
        .recordsToGap: [-0.56, -0.62, -1.52, 0.94, -2.23, 1.67, 2.47],
        .sectorEdges: [-1.56, 1.69, 0, 0, 0],
        .shape: [0.45, -0.78, 0.13, 0.35],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.44,
        "fastkv-apple.log-end": 0.49,
        "fastkv-apple.undecided-key": 0.87,
        "log.alternate-length": 0.5,
        "log.before-gap": 0.71,
        "log.believable-length": -0.52,
        "log.contradicted-record": -0.25,
        "log.corrected-record": 0.14,
        "log.cut-file": -3.41,
        "log.key-length": 3.06,
        "log.partial-checksum": -0.05,
        "log.record-checksums": -1.82,
        "log.stated-length": -0.35,
        "log.unverified-end": -0.14,
      ]),
    unchanged: .init(
      base: 9.00,
      answers: [
        .evidence: [0, -0.46, 0.03, 0.46],
        .gaps: [-0.43, 0.28, 0.28, -0.1, 0],
        .share: [
          2.21, 0, 0.88, 1.17, -0.52, -1.77, -3.1, 0.9, 0.9, 0, -1.25, 0.21, 0.33, 0.24, 0, 0, 0,
        ],
        .valueLength: [2.21, 0.87, 0.95, 0.75, 0.96, -2.82, -2.89],
      ],
      rules: [
        "fastkv-apple.divided-record": -0.18,
        "fastkv-apple.log-end": -3.65,
        "fastkv-apple.undecided-key": 0.13,
        "log.alternate-length": 0.4,
        "log.before-gap": 0.22,
        "log.believable-length": -0.62,
        "log.contradicted-record": -1.88,
        "log.corrected-record": 0.04,
        "log.cut-file": 0.15,
        "log.key-length": -0.11,
        "log.partial-checksum": -0.3,
        "log.record-checksums": -0.2,
        "log.stated-length": -2.07,
        "log.unverified-end": 0.15,
      ]),
    newest: .init(
      base: 11.59,
      answers: [
        .evidence: [0, -2.41, 0.07, 2.41],
        .lostAtEnd: [0.48, 0, 0, 0, 1.37, 1.74, 1.88, -3.04, -2.48],
        .lostInGaps: [1.09, 1.08, 2.86, 0.73, 0.73, -0.46, -1.73, -0.28, -3.95],
        .recordsOfKey: [0, -1.48, 0.27, -0.64, -0.14, 2.05],
        .rewrites: [2.54, 0.79, -1.43, 0.86, -1.43, -1.27],
        .sectorEdges: [0.77, -0.33, 0, 0, 0],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.05,
        "fastkv-apple.log-end": -0.01,
        "fastkv-apple.undecided-key": 0.29,
        "log.alternate-length": 0.15,
        "log.before-gap": -1.02,
        "log.believable-length": -0.12,
        "log.contradicted-record": 0.27,
        "log.corrected-record": 0.11,
        "log.cut-file": -4.32,
        "log.key-length": 1.39,
        "log.partial-checksum": 0.04,
        "log.record-checksums": -0.35,
        "log.stated-length": 0.22,
        "log.unverified-end": 0.08,
      ]))
}
