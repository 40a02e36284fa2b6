package import KVModel

extension MMKVStore {
  /// What MMKV 2.4.2 does when it opens the files and is answered like this.
  package func engineLoad(answering answers: EngineAnswers) -> EngineLoad {
    LoadModel(found).load(answers)
  }
}
