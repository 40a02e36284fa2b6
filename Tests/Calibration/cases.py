"""Cases: folders with the files of a store and a file that states the truth about it."""
import json
import os

ANSWERS = ("case.json", "answer.json")


def answer(folder):
    """The path of the file with the truth; None if `folder` is no case."""
    return next((path for name in ANSWERS if os.path.isfile(path := os.path.join(folder, name))), None)


def read(folder):
    with open(answer(folder)) as file:
        return json.load(file)


def arguments(folder, case):
    """The store of a case, and the options with which a command reads it."""
    found = [os.path.join(folder, case["store"])]
    if case.get("key_hex"):
        found += ["--key-hex", case["key_hex"]]
    if case.get("aes256"):
        found.append("--aes256")
    if case.get("now"):
        found += ["--now", str(case["now"])]
    return found
