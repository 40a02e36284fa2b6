package import KVModel

extension MMKVStore {
  /// Returns what MMKV 2.4.2 does when it opens the files and gets `answers`.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    LoadModel(found).load(answers)
  }
}
