package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 61 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0068.
  private static let measured = EntryWeights(
    record: .init(
      base: 14.70,
      answers: [
        .chain: [0.29, 0, 0, 0, 0],
        .content: [0.29, -0, -0, 0, -0],
        .evidence: [0, 0.08, 0, 0.21],
        .gaps: [0.21, 0.07, 0.01, 0, 0],
        .key: [0.29, -0, -0],
        .recordsSinceGap: [0.24, -0.01, -0, 0.01, 0.01, 0.01, 0.03],
        .recordsToGap: [0.25, 0, 0, 0.01, 0, 0.01, 0.02],
        .sectorEdges: [0.26, 0.02, 0, 0, 0],
        .shape: [0.29, -0, -0, -0],
      ],
      rules: [
        "fastkv-apple.divided-record": 0.01,
        "log.before-gap": 0.03,
        "log.believable-length": -0.01,
        "log.contradicted-record": -0.01,
        "log.cut-file": 0.01,
        "log.key-length": 0.03,
        "log.record-checksums": 0.29,
        "log.unverified-end": 0.05,
      ]),
    unchanged: .init(
      base: 7.24,
      answers: [
        .chain: [-0.05, 0, 0, 0, 0],
        .content: [1.35, 2.11, 0.59, -3.12, -0.98],
        .evidence: [0, -2.25, 0.02, 2.18],
        .gaps: [2.76, 0.74, -3.72, 0, 0],
        .share: [
          1.35, 0, 0.45, 1.32, -0.46, -1.76, -4.39, 0.67, 0, 0, -0.94, 1.21, 0.17, 1.31, 0, 0, 0,
        ],
        .valueLength: [1.35, 0.03, -1.08, 0.53, 1.56, -0.48, -1.97],
      ],
      rules: [
        "fastkv-apple.divided-record": 0.19,
        "fastkv-apple.exchanged-blocks": 0.3,
        "fastkv-apple.log-end": -3.26,
        "fastkv-apple.undecided-key": 0.56,
        "log.alternate-length": 1,
        "log.before-gap": 4.72,
        "log.believable-length": -1.57,
        "log.contradicted-record": -1.31,
        "log.corrected-record": 0.03,
        "log.cut-file": -0.27,
        "log.key-length": 0.67,
        "log.partial-checksum": -0.09,
        "log.record-checksums": -1.95,
        "log.stated-length": -1.12,
        "log.unverified-end": -1.91,
      ]),
    newest: .init(
      base: 12.64,
      answers: [
        .evidence: [0, -1.72, 0.19, 1.84],
        .lostAtEnd: [-0.86, 0, 0, 0, 0, 0, -0.22, -2.08, -1.5],
        .lostInGaps: [0.85, 0, 4.64, 0.17, 0.7, -0.66, -1.99, -0.34, -3.77],
        .recordsOfKey: [0, -1.77, -0.39, -0.83, 0.95, 2.33],
        .rewrites: [2.19, 0.38, -0.46, 1.35, -1.66, -1.49],
        .sectorEdges: [-1.27, -1.04, 0, 0, 0],
      ],
      rules: [
        "fastkv-apple.divided-record": 1,
        "fastkv-apple.exchanged-blocks": -1.06,
        "fastkv-apple.log-end": -0.23,
        "fastkv-apple.undecided-key": 0.78,
        "log.alternate-length": 0.09,
        "log.before-gap": -0.54,
        "log.believable-length": -0.57,
        "log.contradicted-record": -0.35,
        "log.corrected-record": 0.4,
        "log.cut-file": -5.84,
        "log.key-length": 2.52,
        "log.partial-checksum": 0.26,
        "log.record-checksums": -0.66,
        "log.stated-length": 0.15,
        "log.unverified-end": 0.67,
      ]))
}
