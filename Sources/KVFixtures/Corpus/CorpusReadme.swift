/// The text of a corpus's README, for readers who have only its folder.
enum CorpusReadme {
  static func text(_ manifest: CorpusManifest) -> String {
    """
    # A corpus of damaged key-value stores

    \(manifest.cases.count) stores, made by `\(manifest.generator)` with seed \(manifest.seed). The same \
    program and the same seed make the same bytes.

    - `corpus.json` lists the cases: name, format, kind of store, operator, where the store and its answer key are.
    - `cases/NAME/store/` holds the files of one store.
    - `cases/NAME/answer.json` says what was done to it, what it held, and which keys must be recoverable. Encrypted \
    stores have their key there (`key_hex`, `aes256`).

    ## How another tool is measured

    For each case, hand the store to the tool and write what it returns as lines of JSON into a file called `NAME.jsonl`, \
    all of them in one folder:

        {"type":"entry","key_hex":"6e616d65","raw_hex":"0361626364"}

    `key_hex` is the bytes of the key; `raw_hex` the bytes of the value as the record stores them (MMKV: after the outer \
    length, with an inner length and a time of expiry where there is one; FastKV: the value's own bytes). \
    `"evidence":"guess"` or a `"cautions"` array that is not empty marks an entry as unverified. Other lines and other \
    fields are passed over; of several lines about one key the last one counts. `kvfsck dump --json` prints such lines.

        kvfsck fixture score CORPUS RESULTS
        kvfsck fixture score CORPUS             # kvfsck itself, and the app's own engine beside it

    A tool may read the stores and `key_hex`, `aes256`, `format` and `now` of the answers, and nothing else of them.

    """ + counts + "\n"
  }

  /// The meaning of the columns of a score.
  private static let counts = """
    ## What is counted

    | word | meaning |
    |---|---|
    | must | keys whose newest record the damage did not touch |
    | found, missing | those of them that are returned with their value, and those that are not |
    | right | all keys that are returned with their value, also those that nobody must find |
    | stale | keys that are returned with a value that they had before, removed keys included |
    | wrong | keys that were stored, with a value that they never had |
    | invented | keys that were never stored |
    """
}
