"""Parses bytes as a Kaitai Struct description says: as much of the language as Docs/formats uses.

It has no compiler's checks; it is here to hold the descriptions against what kvfsck reads.
"""

import re
import struct

import yaml

NUMBERS = {"u1": "B", "u2": "H", "u4": "I", "u8": "Q", "s1": "b", "s2": "h", "s4": "i", "s8": "q"}


class EndOfStream(Exception):
    pass


class Stream:
    """A range of the file; `start` is its first offset."""

    def __init__(self, content, start, end):
        self.content, self.start, self.end, self.offset = content, start, end, start

    size = property(lambda self: self.end - self.start)
    pos = property(lambda self: self.offset - self.start)
    eof = property(lambda self: self.offset >= self.end)

    def take(self, count):
        if not 0 <= count <= self.end - self.offset:
            raise EndOfStream(f"{count} bytes at {self.offset:#x}")
        self.offset += count
        return self.content[self.offset - count : self.offset]


class Sequence(list):
    size = property(len)


class Name(dict):
    """What a name in an expression of `parsed` stands for."""

    def __init__(self, parsed, element=None):
        super().__init__(_io=parsed._io, _root=parsed._root, _parent=parsed._parent, _=element)
        self.parsed = parsed

    def __missing__(self, name):
        return getattr(self.parsed, name)


def python(text, enums):
    """The expression `text` in Python; the languages differ in `a ? b : c` and in enums only."""
    text = re.sub(r"(\w+)::(\w+)", lambda m: str(enums[m[1]][m[2]]), text.replace("\n", " "))
    parts = [""]
    while text:
        if text[0] == "(":
            end = closing(text)
            parts[-1] += "(" + python(text[1:end], enums) + ")"
            text = text[end:]
        elif text[0] == "?" or text[0] == ":" and len(parts) == 2:
            parts.append("")
        else:
            parts[-1] += text[0]
        text = text[1:]
    parts = [part.strip() for part in parts]
    if len(parts) == 1:
        return {"true": "True", "false": "False"}.get(parts[0], parts[0])
    condition, yes, no = parts
    return f"({yes} if {condition} else {no})"


def closing(text):
    """The place of the parenthesis that closes the first character of `text`."""
    depth = 0
    for at, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return at
    raise SyntaxError(text)


class Parsed:
    """An object of a type; `_spans` has the offset and the end of each field, in order."""

    def __init__(self, kinds, kind, stream, root=None, parent=None, arguments=()):
        self._kinds, self._kind, self._io = kinds, kind, stream
        self._root, self._parent, self._spans = root or self, parent, {}
        for parameter, argument in zip(kind.get("params", []), arguments, strict=True):
            setattr(self, parameter["id"], argument)
        self._start = stream.offset
        for field in kind.get("seq", []):
            setattr(self, field["id"], self._field(field))
        self._end = stream.offset

    def __getattr__(self, name):
        instance = self._kind.get("instances", {}).get(name)
        if instance is None:
            raise AttributeError(name)
        if "value" in instance:
            found = self._value(instance["value"])
        else:
            whole = Stream(self._io.content, self._io.start, self._io.end)
            whole.take(self._value(instance["pos"]))
            found = self._read(instance, whole)
        setattr(self, name, found)
        return found

    def _value(self, text, element=None):
        return eval(python(str(text), self._kinds[None]), {"__builtins__": {}}, Name(self, element))

    def _field(self, field):
        if "if" in field and not self._value(field["if"]):
            return None
        start, found = self._io.offset, Sequence()
        if "repeat" not in field:
            found = self._read(field, self._io)
        elif field["repeat"] == "eos":
            while not self._io.eof:
                found.append(self._read(field, self._io))
        else:
            while not found or not self._value(field["repeat-until"], found[-1]):
                found.append(self._read(field, self._io))
        self._spans[field["id"]] = start, self._io.offset
        return found

    def _read(self, field, stream):
        if "contents" in field:
            wanted = field["contents"].encode()
            assert stream.take(len(wanted)) == wanted, field["id"]
            return wanted
        kind = field.get("type")
        if isinstance(kind, dict):
            chosen = self._value(kind["switch-on"])
            kind = next(v for k, v in kind["cases"].items() if self._value(k) == chosen)
        count = self._value(field["size"]) if "size" in field else None
        if field.get("size-eos"):
            count = stream.end - stream.offset
        if kind is None:
            return stream.take(count)
        if kind in NUMBERS:
            return struct.unpack("<" + NUMBERS[kind], stream.take(int(kind[1])))[0]
        name, _, arguments = kind.partition("(")
        values = [self._value(a.strip()) for a in arguments.rstrip(")").split(",") if a]
        if count is not None:
            start = stream.offset
            stream.take(count)
            stream = Stream(stream.content, start, start + count)
        return Parsed(self._kinds, self._kinds[name], stream, self._root, self, values)


class Description:
    """A .ksy file."""

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            self.top = yaml.safe_load(file)
        self.kinds = dict(self.top.get("types", {}))
        # The values of the enums are kept beside the types, under the key None.
        self.kinds[None] = {
            name: {label: number for number, label in values.items()}
            for name, values in self.top.get("enums", {}).items()
        }

    def parse(self, content, *arguments):
        stream = Stream(content, 0, len(content))
        return Parsed(self.kinds, self.top, stream, arguments=arguments)
