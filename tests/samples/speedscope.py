# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Reads a file of speedscope from standard input, refuses what its readers do
# not expect, and prints the stacks in the folded form.
import json
import sys

UNITS = ("none", "bytes", "nanoseconds", "microseconds", "milliseconds",
         "seconds")


def must(right, what):
    if not right:
        sys.exit("speedscope: " + what)


def fields(thing, required, optional):
    must(isinstance(thing, dict), "no object")
    for key, kind in required.items():
        must(isinstance(thing.get(key), kind), "no " + key)
    for key, value in thing.items():
        must(key in required or isinstance(value, optional.get(key, ())),
             "field " + key)


file = json.load(sys.stdin)
fields(file, {"$schema": str, "shared": dict, "profiles": list},
       {"name": str, "exporter": str, "activeProfileIndex": int})
must(file["$schema"] == "https://www.speedscope.app/file-format-schema.json",
     "the schema's name")
fields(file["shared"], {"frames": list}, {})
for frame in file["shared"]["frames"]:
    fields(frame, {"name": str}, {"file": str, "line": int, "col": int})
names = [frame["name"] for frame in file["shared"]["frames"]]
must(len(set(names)) == len(names), "frames that occur twice")
must(0 <= file.get("activeProfileIndex", 0) < len(file["profiles"]), "active")
for one in file["profiles"]:
    fields(one, {"type": str, "name": str, "unit": str, "startValue": int,
                 "endValue": int, "samples": list, "weights": list}, {})
    must(one["type"] == "sampled" and one["unit"] in UNITS, "type or unit")
    must(len(one["samples"]) == len(one["weights"]), "weights")
    must(one["endValue"] - one["startValue"] == sum(one["weights"]), "sum")
    for stack, weight in zip(one["samples"], one["weights"]):
        must(stack and all(0 <= n < len(names) for n in stack), "a frame")
        print(";".join(names[n] for n in stack), weight)
