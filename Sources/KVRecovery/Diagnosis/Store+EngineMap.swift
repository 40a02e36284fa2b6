package import KVModel

extension Store {
  /// Returns the records of the entries that the app's engine has after it opens the files as
  /// found.
  ///
  /// The records belong to the store as found, without corrections.
  package func engineMap(answering answers: EngineAnswers) -> [Record] {
    EnginePredictor(self).snapshot(engineLoad(answering: answers)).live
  }
}
