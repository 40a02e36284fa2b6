package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 61 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0072.
  private static let measured = EntryWeights(
    record: .init(
      base: 9.76,
      answers: [
        .chain: [0.25, 0, 0, 0, 0],
        .content: [0.4, -1.41, 1.19, -0.01, 0.08],
        .evidence: [0, -2.22, 0.04, 2.43],
        .gaps: [0.75, 2.09, -2.61, 0.01, 0],
        .key: [0.4, 3.9, -4.05],
        .recordsSinceGap: [2.57, -3.2, -2.89, 0.01, 1.51, 1.43, 0.82],
        .recordsToGap: [-0.91, -0.98, 0.05, 0.31, -0.14, 0.7, 1.22],
        .sectorEdges: [-1.23, 1.47, 0, 0, 0],
        .shape: [0.4, -0.57, 0.19, 0.23],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.18,
        "fastkv-apple.log-end": 0.93,
        "fastkv-apple.undecided-key": 0.67,
        "log.alternate-length": 0.94,
        "log.before-gap": 1.16,
        "log.believable-length": -0.18,
        "log.contradicted-record": -0.15,
        "log.corrected-record": 0.07,
        "log.cut-file": -2.58,
        "log.key-length": 2.84,
        "log.record-checksums": -1.96,
        "log.stated-length": -1.02,
        "log.unverified-end": -0.63,
      ]),
    unchanged: .init(
      base: 8.90,
      answers: [
        .chain: [0.04, 0, 0, 0, 0],
        .content: [1.94, 1.74, 0.43, -3.32, -0.77],
        .evidence: [0, -0.71, 0.01, 0.74],
        .gaps: [-0.48, 0.13, 0.56, -0.18, 0],
        .share: [
          1.94, 0, 0.64, 1.48, -0.26, -1.35, -3.3, 0.25, 0, 0, -1.19, 0.18, 0.42, 0.38, 0, 0, 0,
        ],
        .valueLength: [1.94, -0.19, -0.69, 0.3, 0.72, -0.73, -1.31],
      ],
      rules: [
        "fastkv-apple.divided-record": -0.15,
        "fastkv-apple.log-end": -3.92,
        "fastkv-apple.undecided-key": 0.08,
        "log.alternate-length": 0.45,
        "log.before-gap": -0.02,
        "log.believable-length": -0.55,
        "log.contradicted-record": -1.58,
        "log.corrected-record": 0.02,
        "log.cut-file": 0.08,
        "log.key-length": -0.18,
        "log.partial-checksum": -0.33,
        "log.record-checksums": -0.61,
        "log.stated-length": -1.86,
        "log.unverified-end": 0.05,
      ]),
    newest: .init(
      base: 12.21,
      answers: [
        .evidence: [0, -1.52, 0.14, 1.64],
        .lostAtEnd: [-0.62, 0, 0, 0, 0, 0, 0.18, -2.35, -1.42],
        .lostInGaps: [1.07, 0, 4.58, -0.17, 0.63, -0.58, -1.56, -0.41, -3.92],
        .recordsOfKey: [0, -1.71, -0.42, -0.64, 0.88, 2.14],
        .rewrites: [2.18, 0.77, -0.88, 1.51, -1.5, -1.82],
        .sectorEdges: [-0.59, -0.71, 0, 0, 0],
      ],
      rules: [
        "fastkv-apple.divided-record": 1,
        "fastkv-apple.log-end": 0.02,
        "fastkv-apple.undecided-key": 0.52,
        "log.alternate-length": 0.11,
        "log.before-gap": -0.81,
        "log.believable-length": -0.03,
        "log.contradicted-record": 0.27,
        "log.corrected-record": 0.38,
        "log.cut-file": -5.65,
        "log.key-length": 2.1,
        "log.partial-checksum": 0.22,
        "log.record-checksums": -0.57,
        "log.stated-length": 0.2,
        "log.unverified-end": 0.4,
      ]))
}
