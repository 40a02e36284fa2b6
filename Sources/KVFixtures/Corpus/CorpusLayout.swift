import FastKVFormat
import KVModel

/// Where the files of a corpus are.
enum CorpusLayout {
  /// The folder with the cases.
  static let folder = "cases"
  /// The folder of a store within that of its case.
  static let storeFolder = "store"
  /// The answer key within the folder of its case.
  static let answerName = "answer.json"
  /// What explains the corpus to people.
  static let readmeName = "README.md"

  /// The folder of the case called `name`, from that of the corpus.
  static func path(of name: String) -> String { "\(folder)/\(name)" }

  /// The file that a store is named by, from the folder of its case.
  static func store(_ image: DiskImage) -> String {
    let copies: [FileRole] = [.data, .copyA, .copyB, .copyC]
    let name = copies.lazy.compactMap { role in image.files.first { $0.role == role }?.name }.first
    return "\(storeFolder)/\(name ?? "")"
  }
}
