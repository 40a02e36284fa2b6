import KVFixtures
import KVModel
import Testing

func makeTarget() throws -> DamageTarget {
  let script = try Script(
    parsing: """
      format mmkv
      string token abc
      int32 launches 1
      string draft random:300
      int32 launches 2
      """)
  var simulation = try Simulation(script, seed: 1)
  try simulation.finish()
  return try DamageTarget(simulation)
}

@Test func aChangedBit() throws {
  let damage = try #require(DamageOperator.named("flip-value"))
  let damaged = try #require(damage.apply(to: makeTarget(), seed: 7))
  print(damaged.answer.must)
}
