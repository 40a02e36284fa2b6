package import KVModel

extension AppleFastKVStore {
  /// The weights of ``Witness`` and rules for this format.
  package var entryWeights: EntryWeights { Self.measured }

  // Fitted by Tests/Calibration/fit.py to 7,316 entries of 506 damaged stores, 61 of them wrong,
  // with strength 2. Cross-validated by store, the Brier score is 0.0072.
  private static let measured = EntryWeights(
    record: .init(
      base: 9.74,
      answers: [
        .chain: [0.25, 0, 0, 0, 0],
        .content: [0.42, -1.37, 1.13, -0.01, 0.08],
        .copy: [2.19, -3.53],
        .evidence: [0, -2.17, 0.03, 2.38],
        .gaps: [1.13, 1.81, -2.71, 0, 0],
        .key: [0.42, 3.9, -4.08],
        .recordsSinceGap: [2.52, -3.18, -2.9, 0.03, 1.52, 1.43, 0.82],
        .recordsToGap: [-0.77, -0.89, 0.19, 0.25, 0.1, 0.5, 0.86],
        .sectorEdges: [-1.29, 1.53, 0, 0, 0],
        .shape: [0.42, -0.6, 0.2, 0.23],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.05,
        "fastkv-apple.log-end": 0.95,
        "fastkv-apple.undecided-key": 0.53,
        "log.alternate-length": 0.96,
        "log.before-gap": 1.01,
        "log.believable-length": -0.06,
        "log.contradicted-record": -0.17,
        "log.corrected-record": 0.05,
        "log.cut-file": -0.32,
        "log.key-length": 2.58,
        "log.record-checksums": -1.95,
        "log.stated-length": -1.18,
        "log.unverified-end": -0.52,
      ]),
    unchanged: .init(
      base: 8.90,
      answers: [
        .chain: [0.04, 0, 0, 0, 0],
        .content: [1.93, 1.75, 0.47, -3.34, -0.78],
        .copy: [2.6, -3.99],
        .evidence: [0, -0.71, 0.02, 0.73],
        .gaps: [-0.45, -0.02, 0.5, 0, 0],
        .share: [1.93, 0, 0.64, 1.49, -0.23, -1.31, -3.3, 0.2, 0, 0, 0, 0.15, 0.42, 0.58, 0, 0, 0],
        .valueLength: [1.93, -0.21, -0.68, 0.29, 0.65, -0.74, -1.2],
      ],
      rules: [
        "fastkv-apple.divided-record": -0.2,
        "fastkv-apple.log-end": -3.95,
        "fastkv-apple.undecided-key": 0.07,
        "log.alternate-length": 0.37,
        "log.before-gap": -0.03,
        "log.believable-length": -0.26,
        "log.contradicted-record": -1.54,
        "log.corrected-record": 0.02,
        "log.cut-file": 0.09,
        "log.key-length": -0.18,
        "log.partial-checksum": -0.35,
        "log.record-checksums": -0.51,
        "log.stated-length": -2.06,
        "log.unverified-end": 0.03,
      ]),
    newest: .init(
      base: 9.69,
      answers: [
        .copy: [-4.36, -8.09],
        .evidence: [0, -1.81, 0.2, 1.75],
        .lostAtEnd: [0.78, 0, 0, 0, 0, 0, -0.2, -2.09, -3.3],
        .lostInGaps: [0.75, 0, 4.58, 0.05, 0.61, -0.42, -1.68, -0.41, -3.99],
        .recordsOfKey: [0, -1.73, -0.43, -0.63, 0.83, 2.1],
        .rewrites: [2.64, 0.75, -0.39, 1.56, -1.34, -3.08],
        .sectorEdges: [0.16, -0.12, 0, 0, 0],
      ],
      rules: [
        "fastkv-apple.divided-record": 1.33,
        "fastkv-apple.log-end": 0.01,
        "fastkv-apple.undecided-key": 0.69,
        "log.alternate-length": 0.09,
        "log.before-gap": -0.61,
        "log.believable-length": 0.22,
        "log.contradicted-record": 0.54,
        "log.corrected-record": 0.42,
        "log.cut-file": -4.52,
        "log.key-length": 2.34,
        "log.partial-checksum": 0.23,
        "log.record-checksums": -0.66,
        "log.stated-length": 0.24,
        "log.unverified-end": 0.65,
      ]))
}
