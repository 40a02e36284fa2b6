import Foundation
import Testing

/// Files that are keyed archives, and documents in values, as `plistlib` writes them.
struct ArchivedFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  /// Writes archives and a list of nested documents.
  ///
  /// `Archive` makes the objects as `NSKeyedArchiver` does.
  private static let script = #"""
    import base64, datetime, gzip, plistlib, uuid, zlib
    from plistlib import UID
    binary = plistlib.FMT_BINARY
    epoch = datetime.datetime(2001, 1, 1)
    class Archive:
      def __init__(self):
        self.objects = ["$null"]
        self.types = {}
      def add(self, value):
        self.objects.append(value)
        return UID(len(self.objects) - 1)
      def type(self, name):
        if name not in self.types:
          self.types[name] = self.add({"$classname": name, "$classes": [name, "NSObject"]})
        return self.types[name]
      def make(self, name, fields):
        place = self.add(None)
        self.objects[place.data] = {k: self.encode(v) for k, v in fields.items()}
        self.objects[place.data]["$class"] = self.type(name)
        return place
      def list(self, values, name="NSArray"):
        return self.add({"NS.objects": [self.encode(v) for v in values], "$class": self.type(name)})
      def dict(self, members, name="NSDictionary"):
        return self.add({"NS.keys": [self.encode(k) for k in members], "$class": self.type(name),
          "NS.objects": [self.encode(v) for v in members.values()]})
      def wrap(self, name, **fields):
        return self.add({**{"NS." + k: v for k, v in fields.items()}, "$class": self.type(name)})
      def encode(self, value):
        if value is None: return UID(0)
        if isinstance(value, UID): return value
        if isinstance(value, dict): return self.dict(value)
        if isinstance(value, list): return self.list(value)
        if isinstance(value, uuid.UUID): return self.wrap("NSUUID", uuidbytes=value.bytes)
        if isinstance(value, datetime.datetime):
          return self.wrap("NSDate", time=(value - epoch).total_seconds())
        return self.add(value)
      def document(self, **top):
        return {"$archiver": "NSKeyedArchiver", "$version": 100000, "$top": top,
          "$objects": self.objects}
    def xml(x):
      if isinstance(x, UID): return {"CF$UID": x.data}
      if isinstance(x, dict): return {k: xml(v) for k, v in x.items()}
      return [xml(v) for v in x] if isinstance(x, list) else x
    def write(name, document, form=binary):
      open(name + ".plist", "wb").write(plistlib.dumps(document, fmt=form, sort_keys=False))
    a = Archive()
    settings = a.document(root=a.dict({
      "name": a.wrap("NSMutableString", string="Ann"), "long": a.wrap("NSMutableString",
      bytes="é".encode()), "born": datetime.datetime(2024, 5, 6, 7, 8, 9),
      "id": uuid.UUID(int=0x12345678123456781234567812345678),
      "site": a.wrap("NSURL", base=a.wrap("NSURL", base=UID(0), relative=a.add("https://a.b/")),
      relative=a.add("c")), "none": None, "null": a.make("NSNull", {}), 7: [1, [2.5]],
      "set": a.list(["x"], "NSMutableSet"), "raw": a.wrap("NSMutableData", data=b"\1\2"),
      "box": a.make("com.example.Mailbox", {"title": "Inbox", "owner": {"n": True}})}))
    write("settings", settings)
    write("settings_xml", xml(settings), plistlib.FMT_XML)
    a = Archive()
    write("custom", a.document(root=a.make("Mailbox", {"title": "Inbox"})))
    a = Archive()
    write("array", a.document(root=a.list([1, "two"], "NSMutableArray")))
    a = Archive()
    write("tops", a.document(first=a.encode({"k": "v"}), second=a.encode("text")))
    a = Archive()
    node = a.make("Node", {"name": "loop"})
    a.objects[node.data]["me"] = node
    write("cycle", a.document(root=node))
    write("broken", a.document(root=UID(99)))
    for name, keys, values in [("fewer", "ab", "v"), ("more", "a", "vw"), ("twice", "aa", "vw"),
        ("nowhere", "a", [UID(99)])]:
      a = Archive()
      write(name, a.document(root=a.add({"NS.keys": [a.encode(k) for k in keys],
        "NS.objects": [a.encode(v) for v in values], "$class": a.type("NSDictionary")})))
    inner = plistlib.dumps(settings, fmt=binary)
    third = plistlib.dumps({"third": "level"}, fmt=binary)
    message = b"\x08\x96\x01\x12\x0bhello world\x1a" + bytes([len(third)]) + third
    write("nested", {
      "list": plistlib.dumps({"more": plistlib.dumps({"a": third}, fmt=binary)}, fmt=binary),
      "gzip": gzip.compress(b'{"zipped": [1, 2]}', mtime=0), "zlib": zlib.compress(third),
      "base64": base64.b64encode(gzip.compress(third, mtime=0)).decode(), "message": message,
      "json": '{"b": "' + base64.b64encode(third).decode() + '"}',
      "parts": {"one": 1, "deep": [third]}, "archive": inner})
    """#

  private func make() async throws {
    let made = try await Python.run(Self.script, [], in: scratch.path)
    try #require(made.status == 0, "\(made.testDescription)")
  }

  private func dump(_ name: String, _ options: [String] = ["--full"]) async throws -> String {
    let outcome = try await Tool.run(
      ["dump", "--format", "plist"] + options + [name + ".plist"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    return outcome.output
  }

  /// The entries as nska_deserialize 1.5.1 returns them, but with classes, and with the texts, URLs
  /// and data that it shows as objects.
  private static let settings = """
    name = string "Ann"
    long = string "é"
    born = date 2024-05-06T07:08:09Z
    id = string "12345678-1234-5678-1234-567812345678"
    site = string "https://a.b/c"
    none = null null
    null = null null
    7 = array [1, [2.5]]
    set = array ["x"]
    raw = bytes 0x0102
    box = dictionary {title: "Inbox", owner: {n: true}, $class: "com.example.Mailbox"}

    """

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func anArchiveIsReadAsItsObjects() async throws {
    try await make()
    #expect(try await dump("settings") == Self.settings)
    #expect(try await dump("settings_xml") == Self.settings)
    #expect(
      try await dump("custom") == "root = dictionary {title: \"Inbox\", $class: \"Mailbox\"}\n")
    #expect(try await dump("array") == "root = array [1, \"two\"]\n")
    #expect(try await dump("tops") == "first = dictionary {k: \"v\"}\nsecond = string \"text\"\n")
    #expect(
      try await dump("cycle")
        == "root = dictionary {name: \"loop\", me: {$outer: \"Node\"}, $class: \"Node\"}\n")
    let note = try await Tool.run(
      ["dump", "--format", "plist", "array.plist"], in: scratch.path)
    #expect(note.errors.contains("--objects"), "\(note.testDescription)")
  }

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func theObjectsAreStillThere() async throws {
    try await make()
    let names = ["$archiver", "$version", "$top", "$objects"]
    for options in [["--objects"], ["--objects", "--json"]] {
      let text = try await dump("custom", options)
      for name in names { #expect(text.contains(name), "\(text)") }
    }
    let value = try await Tool.run(
      ["get", "--format", "plist", "custom.plist", "$archiver"], in: scratch.path)
    #expect(value.output == "NSKeyedArchiver\n", "\(value.testDescription)")
    let resolved = try await Tool.run(
      ["get", "--format", "plist", "settings.plist", "site"], in: scratch.path)
    #expect(resolved.output == "https://a.b/c\n", "\(resolved.testDescription)")
  }

  @Test(
    .enabled("there is no python3") { try await Python.isHere() },
    arguments: ["broken", "fewer", "more", "twice", "nowhere"])
  func anArchiveWhoseObjectsDoNotFitIsShownAsItIs(_ name: String) async throws {
    try await make()
    let text = try await dump(name)
    #expect(text.contains("$objects = ") && text.contains("CF$UID"), "\(text)")
  }

  private static let nested = [
    "list": "{more: ", "gzip": "{\"{\\\"zipped\\\": [1, 2]}\", {zipped: array {1, 2}}}",
    "base64": "{third: \"level\"}}}", "message": "{1: 150 (or int64 75), 2: \"hello world\"",
    "parts": "{deep: array {",
    "archive": "box: com.example.Mailbox {owner: NSDictionary {n: true}, title: ",
  ]

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func documentsInValuesAreShownAtAnyDepth() async throws {
    try await make()
    let lines = try await dump("nested").split(separator: "\n")
    #expect(lines.count == 8)
    for line in lines {
      let key = String(line.prefix { $0 != " " })
      #expect(line.contains(Self.nested[key] ?? "{third: \"level\"}"), "\(line)")
    }
    let short = try await dump("nested", [])
    #expect(!short.contains("third"), "\(short)")
    let value = try await Tool.run(
      ["get", "--format", "plist", "--full", "nested.plist", "list"], in: scratch.path)
    #expect(
      value.output.hasSuffix(
        "content: property-list\n  more: keyed-archive of unknown class, "
          + value.output.split(separator: "more: keyed-archive of unknown class, ")[1]),
      "\(value.testDescription)")
    #expect(value.output.contains("third: string \"level\""), "\(value.testDescription)")
    let json = try await Tool.run(
      ["get", "--format", "plist", "--json", "nested.plist", "parts"], in: scratch.path)
    let entry = try #require(try json.objects("entry").first)
    let part = entry["content"]?["members"]?.array?.first?["value"]?["members"]?.array?.first
    #expect(part?["content"]?["form"]?.string == "property-list", "\(json.testDescription)")
  }

  @Test(.enabled("there is no python3") { try await Python.isHere() })
  func reportsHaveTheContent() async throws {
    try await make()
    let outcome = try await Tool.run(
      ["report", "--format", "plist", "--out", "r.db", "nested.plist"], in: scratch.path)
    #expect(outcome.status == 0, "\(outcome.testDescription)")
    let rows = try await Python.run(
      #"""
      import json, sqlite3
      rows = dict(sqlite3.connect("r.db").execute("SELECT key, content FROM records"))
      print(json.loads(rows["gzip"])["members"][0]["content"]["form"], "level" in rows["json"])
      """#, [], in: scratch.path)
    #expect(rows.output == "json True\n", "\(rows.testDescription)")
  }
}
