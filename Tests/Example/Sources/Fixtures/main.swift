import KVFixtures
import KVModel

let token = Key(Array("token".utf8))
let script = Script {
  ScriptOperation.set(token, .string("abc"))
  ScriptOperation.set(Key(Array("launches".utf8)), .int32(2))
}
var simulation = try Simulation(script, seed: 1)
while let step = try simulation.next() {
  print(step.events.count, step.after.files.map(\.bytes.count))
}

let target = try DamageTarget(simulation)
let damaged = DamageOperator.named("burst")?.apply(to: target, seed: 7)
print(damaged?.answer.must ?? [], damaged?.image.files.map(\.name) ?? [])
