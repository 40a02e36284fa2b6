extension Value.List {
  /// The list of `elements`, all of the type called `kind`; nothing where there is no such list or an
  /// element is of another type.
  public init?(kind: String, _ elements: [Value]) {
    func list<Element>(
      _ make: ([Element]) -> Value.List, _ element: (Value) -> Element?
    ) -> Value.List? {
      let plain = elements.compactMap(element)
      return plain.count == elements.count ? make(plain) : nil
    }
    let found: Value.List? =
      switch kind {
      case "bool": list(Self.bool) { if case .bool(let it) = $0 { it } else { nil } }
      case "int32": list(Self.int32) { if case .int32(let it) = $0 { it } else { nil } }
      case "uint32": list(Self.uint32) { if case .uint32(let it) = $0 { it } else { nil } }
      case "int64": list(Self.int64) { if case .int64(let it) = $0 { it } else { nil } }
      case "uint64": list(Self.uint64) { if case .uint64(let it) = $0 { it } else { nil } }
      case "float": list(Self.float) { if case .float(let it) = $0 { it } else { nil } }
      case "double": list(Self.double) { if case .double(let it) = $0 { it } else { nil } }
      case "string": list(Self.string) { if case .string(let it) = $0 { it } else { nil } }
      case "bytes": list(Self.bytes) { if case .bytes(let it) = $0 { it } else { nil } }
      default: nil
      }
    guard let found else { return nil }
    self = found
  }
}
