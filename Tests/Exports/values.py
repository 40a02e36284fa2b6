"""Values of kvfsck's JSON as exports have them."""

import base64
import json
import struct


def single(number):
    """The single-precision number that a short text stands for; a text is NaN or infinite."""
    if isinstance(number, str):
        return number
    return struct.unpack("<f", struct.pack("<f", number))[0]


def plain(value):
    """A typed value as plain JSON."""
    kind = value["kind"]
    if "hex" in value:
        return base64.b64encode(bytes.fromhex(value["hex"])).decode()
    content = value["value"]
    if kind == "float":
        return single(content)
    if kind == "dictionary":
        return {member["name"]: plain(member["value"]) for member in content}
    if kind == "array" or kind.startswith("list<"):
        return [plain(element) for element in content]
    return content


def is_same(cell, value):
    """Whether a cell of a database is the value, or its beginning."""
    if "count" in value:
        names = {"first_hex": "hex", "first": "value"}
        value = {names.get(key, key): value[key] for key in value if key != "count"}
    kind = value["kind"]
    if "hex" in value:
        return cell == bytes.fromhex(value["hex"])
    content = value["value"]
    if kind == "bool":
        return cell == int(content)
    if kind == "float":
        return cell == single(content)
    if kind == "uint64" and content >= 1 << 63:
        return cell == str(content)
    if isinstance(content, list):
        found = json.loads(cell)
        # Values that plain JSON cannot spell are written as in kvfsck's own lines.
        return found == value or found == plain(value)
    return cell == content
