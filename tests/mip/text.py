# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""MIP profiles as text, and back, by the format alone (tools/mip/mip_file.h).

  python3 tests/mip/text.py show RUN.mip          the text, in YAML
  python3 tests/mip/text.py make IN.yaml RUN.mip  the profile of such a text

The text has what tests read and write: revision, bits, version, type, hash,
build, lost, and of each function its numbers, blocks, callers, and which blocks
follow from others. A character below U+0100 in a name is that byte.
"""
import hashlib
import json
import struct
import sys

import yaml

TYPES = "coverage blocks times calls returns sampled follows".split()
FOLLOWS = 64


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, form):
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def name(self):
        end = self.data.index(0, self.at)
        name, self.at = self.data[self.at:end], end + 1
        return name


def half_md5(name):
    return struct.unpack("<Q", hashlib.md5(name).digest()[:8])[0]


def read_function(r, b, follows):
    key, raw, address, size, cfg, count, runs, calls, order = r.take(
        "QQqIIIIQQ" if b else "QIiIIIIQQ")
    f = {"key": key, "raw": raw, "address": address, "size": size, "cfg": cfg,
         "runs": runs, "calls": calls, "order": order, "edges": []}
    f["follows"] = ([r.take("I") for _ in range(r.take("I"))]
                    if follows else [])
    f["blocks"] = [r.take("IB") for _ in range(count)]
    assert r.take("I") == 0
    return f


def read(data):
    r = Reader(data)
    magic, version, kind, types, module = r.take("4sHHII")
    assert magic == b"\xfbMIP"
    b = struct.unpack_from("<I", data, 20)[0] != 24
    if b:
        assert r.take("Q") == 0
    build, size = r.take("II")
    assert size == r.at and kind in ((24, 40) if b else (3,))
    p = {"b": b, "bits": 64 if kind == 24 else 32, "version": version,
         "type": types, "hash": module, "build": build, "lost": 0}
    p["functions"] = [read_function(r, b, types & FOLLOWS)
                      for _ in range(r.take("Q"))]
    names = [r.name() for _ in range(r.take("Q"))]
    assert names == sorted(set(names))
    names = {half_md5(name): name for name in names}
    for f in p["functions"]:
        f["name"] = names[f.pop("key")]
    if r.at < len(data):
        r.at = (r.at + 7) // 8 * 8
        mark, one, p["lost"], count = r.take("4sIQQ")
        assert mark == b"\xfbBPE" and one == 1
        for _ in range(count):
            callee, start, calls = r.take("QqQ")
            p["functions"][callee]["edges"].append((start, calls))
    assert r.at == len(data)
    return p


def write(p):
    b, out = p["b"], bytearray()

    def put(form, *values):
        out.extend(struct.pack("<" + form, *values))

    kind = 3 if not b else 24 if p["bits"] == 64 else 40
    put("4sHHII", b"\xfbMIP", p["version"], kind, p["type"], p["hash"])
    if b:
        put("Q", 0)
    put("II", p["build"], 32 if b else 24)
    put("Q", len(p["functions"]))
    for f in p["functions"]:
        put("QQqIIIIQQ" if b else "QIiIIIIQQ", half_md5(f["name"]), f["raw"],
            f["address"], f["size"], f["cfg"], len(f["blocks"]), f["runs"],
            f["calls"], f["order"])
        if p["type"] & FOLLOWS:
            put("I%dI" % len(f["follows"]), len(f["follows"]), *f["follows"])
        for offset, covered in f["blocks"]:
            put("IB", offset, covered)
        put("I", 0)
    names = sorted({f["name"] for f in p["functions"]})
    put("Q", len(names))
    for name in names:
        out.extend(name + b"\0")
    edges = [(callee, *edge) for callee, f in enumerate(p["functions"])
             for edge in sorted(f["edges"])]
    if edges or p["lost"]:
        out.extend(bytes(-len(out) % 8))
        put("4sIQQ", b"\xfbBPE", 1, p["lost"], len(edges))
        for edge in edges:
            put("QqQ", *edge)
    return out


def show(p):
    types = [name for i, name in enumerate(TYPES) if p["type"] >> i & 1]
    print("revision:", "B" if p["b"] else "A")
    print("bits:", p["bits"])
    print("version:", p["version"])
    print("type: [%s]" % ", ".join(types))
    print("hash: %#x" % p["hash"])
    print("build: %#x" % p["build"])
    print("lost:", p["lost"])
    print("functions:")
    for f in p["functions"]:
        print("- name:", json.dumps(f["name"].decode("latin-1")))
        for key in ("raw", "address", "size", "cfg"):
            print("  %s: %#x" % (key, f[key]))
        for key in ("runs", "calls", "order", "follows"):
            print("  %s: %s" % (key, f[key]))
        print("  blocks:")
        for offset, covered in f["blocks"]:
            print("  - {offset: %#x, covered: %s}" %
                  (offset, "true" if covered else "false"))
        print("  edges:")
        for edge in f["edges"]:
            print("  - {from: %#x, count: %d}" % edge)


def parse(text):
    p = {"bits": 32, "version": 8, "hash": 0, "build": 0, "lost": 0}
    p.update(yaml.load(text, Loader=yaml.CSafeLoader))
    p["b"] = p["revision"] == "B"
    p["type"] = sum(1 << TYPES.index(name) for name in p["type"])
    functions = []
    for given in p["functions"]:
        f = {"address": 0, "size": 0, "cfg": 0, "runs": 0, "calls": 0,
             "order": 0, "follows": [], **given}
        f["name"] = f["name"].encode("latin-1")
        f["blocks"] = [(block["offset"], block["covered"])
                       for block in f.get("blocks") or []]
        f["edges"] = [(edge["from"], edge["count"])
                      for edge in f.get("edges") or []]
        functions.append(f)
    p["functions"] = functions
    return p


if sys.argv[1] == "show":
    with open(sys.argv[2], "rb") as file:
        show(read(file.read()))
else:
    with open(sys.argv[2]) as file:
        made = write(parse(file.read()))
    with open(sys.argv[3], "wb") as file:
        file.write(made)
