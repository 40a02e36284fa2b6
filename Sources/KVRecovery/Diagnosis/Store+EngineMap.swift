package import KVModel

extension Store {
  /// Returns the records whose entries the app's engine has after it has opened the files as they
  /// are.
  ///
  /// They are records of the store as found.
  package func engineMap(answering answers: EngineAnswers) -> [Record] {
    EnginePredictor(self, [], best: nil).snapshot(engineLoad(answering: answers)).live
  }
}
