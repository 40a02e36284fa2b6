/// The text of a corpus's README, for readers who have only its folder.
enum CorpusReadme {
  static func text(_ manifest: CorpusManifest) -> String {
    """
    # A corpus of damaged key-value stores

    \(manifest.cases.count) stores, made by `\(manifest.generator)` with seed \(manifest.seed). The same \
    program and the same seed make the same bytes.

    - `corpus.json` lists the cases: name, format, kind of store, operator, and the paths of the store and its answer key.
    - `cases/NAME/store/` has the files of one store.
    - `cases/NAME/answer.json` says how it was damaged, what it contained, and which keys must be recoverable. Encrypted \
    stores have their key there (`key_hex`, `aes256`).

    ## How to measure another tool

    For each case, run the tool on the store and write its results as lines of JSON to a file called `NAME.jsonl`, \
    all of them in one folder:

        {"type":"entry","key_hex":"6e616d65","raw_hex":"0361626364"}

    `key_hex` has the bytes of the key, `raw_hex` the bytes of the value as the record stores them (MMKV: after the outer \
    length, including an inner length and an expiry time if there is one; FastKV: the value's own bytes). \
    `"evidence":"guess"` or a `"cautions"` array that is not empty marks an entry as unverified. Other lines and other \
    fields are ignored; if several lines have the same key, the last one is used. `kvfsck dump --json` prints such lines.

        kvfsck fixture score CORPUS RESULTS
        kvfsck fixture score CORPUS             # kvfsck itself and the app's own engine

    A tool may read the stores and `key_hex`, `aes256`, `format` and `now` of the answers, but nothing else in them.

    """ + "\n" + counts + "\n"
  }

  /// The meaning of the columns of a score.
  private static let counts = """
    ## What is counted

    | word | meaning |
    |---|---|
    | must | keys whose newest record the damage did not touch |
    | found, missing | how many of these are returned with their value, and how many are not |
    | right | all keys returned with their value, including keys that need not be recoverable |
    | stale | keys returned with an older value, including removed keys |
    | wrong | keys returned with a value they never had |
    | invented | returned keys that were never stored |
    """
}
