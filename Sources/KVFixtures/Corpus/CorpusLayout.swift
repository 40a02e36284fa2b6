import FastKVFormat
import KVModel

/// The paths of the files in a corpus.
enum CorpusLayout {
  /// The folder that contains the cases.
  static let folder = "cases"
  /// The folder of a store within the folder of its case.
  static let storeFolder = "store"
  /// The file name of the answer key within the folder of its case.
  static let answerName = "answer.json"
  /// The file name of the description of the corpus.
  static let readmeName = "README.md"

  /// Returns the path of the folder of the case called `name`, relative to the corpus.
  static func path(of name: String) -> String { "\(folder)/\(name)" }

  /// Returns the path of the main file of a store, relative to the folder of its case.
  static func store(_ image: DiskImage) -> String {
    let copies: [FileRole] = [.data, .copyA, .copyB, .copyC]
    let name = copies.lazy.compactMap { role in image.files.first { $0.role == role }?.name }.first
    return "\(storeFolder)/\(name ?? "")"
  }
}
