# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# builds.py TOOL FOLDER COUNT [FIRST]: makes programs of this machine, whose
# sources have random fates: measured, compiled without a flag, left out of the
# link, without its object, and so on. The report must name each source with its
# fate, and nothing else; a build without a missing source has the same totals
# as without --sources.
import json
import os
import random
import shutil
import subprocess
import sys

TOOL, TOP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
COUNT = int(sys.argv[3])
FIRST = int(sys.argv[4]) if len(sys.argv) > 4 else 0
CLANG = os.environ.get("CLANG", "clang-22")
COVER = "-fprofile-instr-generate -fcoverage-mapping".split()

FATES = ["measured"] * 4 + [
    "uncalled", "plain", "data", "unlinked", "assembly", "other", "zero",
    "stale", "objectless", "nowhere", "unity", "missing", "header", "variant",
    "dropped"]
# What the report says, of a compile_commands.json, a folder or list, a map.
# None: it is not there.
SAID = {
    "measured": ["measured"] * 3,
    "uncalled": ["measured"] * 3,
    "plain": ["compiled without coverage"] * 3,
    "unlinked": ["compiled but not linked", "not compiled", None],
    "dropped": ["compiled but not linked"] * 3,
    "other": ["of another program", "not compiled", None],
    "data": ["data only"] * 3,
    "zero": ["data only"] * 3,
    "assembly": ["assembly"] * 3,
    "objectless": ["measured"] * 3,
    "nowhere": ["not compiled", "not compiled", None],
    "missing": ["missing on disk", "missing on disk", None],
    "stale": ["measured in part", "measured", "measured in part"],
    "header": ["header", "header", None],
    "unity": ["measured", "data only", "measured"],
    "variant": ["measured"] * 3,
    "unplanned": ["in an ELF but not planned"] * 3,
}


class Build:
    def __init__(self, number):
        self.number, self.random = number, random.Random(number)
        self.folder = os.path.join(TOP, "b%d" % number)
        self.what = ("commands" if number % 2 == 0 else
                     ["folder", "list", "gnu.map", "lld.map"][number // 2 % 4])
        self.debug = ["-g"] if self.random.random() < 0.7 else []
        self.fates, self.objects, self.commands = {}, [], []
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(os.path.join(self.folder, "src"))

    def write(self, name, text):
        with open(os.path.join(self.folder, name), "w") as file:
            file.write(text)

    def run(self, *words):
        subprocess.run(words, cwd=self.folder, check=True)

    def compile(self, source, flags, program="prog"):
        out = "CMakeFiles/%s.dir/%s.o" % (program, source)
        os.makedirs(os.path.dirname(os.path.join(self.folder, out)),
                    exist_ok=True)
        words = [CLANG, "-c", source, "-o", out] + self.debug + flags
        self.run(*words)
        self.command(source, words)
        return out

    def command(self, source, words):
        """An element in one of the forms that build systems write."""
        one = {"directory": self.folder, "file": source}
        form = self.random.randrange(4)
        if form == 0:
            one["arguments"] = words
        elif form == 1:
            one["command"] = " ".join("'%s'" % word for word in words)
            one["directory"] = "."
        elif form == 2:
            name = "r%d" % len(self.commands)
            self.write(name, "\n".join('"%s"' % word for word in words[1:]))
            one["command"] = "%s @%s" % (words[0], name)
        else:
            one["command"] = "launcher " + " ".join(words)
            one["file"] = os.path.join(self.folder, source)
            one["output"] = words[words.index("-o") + 1]
        self.commands.append(one)

    # Returns the text of module i, with a function that main calls.
    def text(self, i, more=""):
        lines = ['#include "../inline.h"', "int f%d(int a);" % i]
        if self.random.random() < 0.5:
            lines += ["static int h%d(int a) {" % i, "  return a + %d;" % i,
                      "}", "int f%d(int a) {" % i,
                      "  return a > 2 ? h%d(a) : 0;" % i, "}"]
        else:
            lines += ["int f%d(int a)" % i, "{", "  /* text */", "",
                      "  if (a)", "    return shared(a);", "  return 1;", "}"]
        return "\n".join(lines) + "\n" + more

    def module(self, i, fate):
        source, cover = "src/m%d.c" % i, COVER + ["-ffunction-sections"]
        called = fate in ("measured", "plain", "objectless", "stale", "unity",
                          "variant", "unplanned")
        if fate in ("data", "zero"):
            self.write(source, "int d%d[] = {1};\n" % i if fate == "data" else
                       "#if 0\nint z(void) { return 1; }\n#endif\n")
        elif fate == "assembly":
            source = "src/m%d.S" % i
            self.write(source, "\t.text\n\t.globl f%d\n\t.type f%d,@function\n"
                       "f%d:\n\tmovl $1, %%eax\n\tret\n"
                       "\t.section .note.GNU-stack\n" % (i, i, i))
            called = True
        elif fate == "header":
            source = "src/m%d.h" % i
            self.write(source, "static inline int i%d(void) { return 1; }\n"
                       % i)
            self.command(source, [CLANG, "-x", "c-header", source, "-o",
                                  "pre.h.pch"])
        elif fate == "missing":
            self.command(source, [CLANG, "-c", source, "-o", "lost.o"])
        elif fate == "unity":
            self.write("src/p%d.inc" % i, self.text(i))
            self.write(source, '#include "p%d.inc"\n' % i)
        else:
            self.write(source, self.text(i))
        self.fates[source] = fate
        if fate in ("header", "missing"):
            return False
        if fate == "nowhere":
            if self.random.random() < 0.5:
                self.command(source, [CLANG, "-c", source, "-o", "none.o"])
            return False
        program = "tool" if fate == "other" else "prog"
        flags = ["-ffunction-sections"] if fate in (
            "plain", "assembly", "dropped") else cover
        made = self.compile(source, flags, program)
        if fate == "variant":
            self.objects.append(self.compile(source, cover + ["-Df%d=v%d" %
                                             (i, i)], "prog2"))
        if fate not in ("unlinked", "other"):
            self.objects.append(made)
        return called

    def make(self):
        self.write("inline.h", "static inline int shared(int a) {\n"
                   "  return a * 2;\n}\n")
        fates = [self.random.choice(FATES)
                 for _ in range(self.random.randrange(2, 7))]
        # A few builds in a row have all.
        fates.append(FATES[3 + self.number % (len(FATES) - 3)])
        called = [i for i, fate in enumerate(fates) if self.module(i, fate)]
        data = [source[5:-2] for source, fate in self.fates.items()
                if fate == "data"]
        lines = ["int f%d(int a);" % i for i in called]
        lines += ["extern int d%s[];" % i for i in data]
        lines += ["int main(void) {", "  return 0"]
        lines += ["         * f%d(%d)" % (i, i) for i in called]
        lines += ["         * d%s[0]" % i for i in data]
        self.write("src/main.c", "\n".join(lines) + ";\n}\n")
        self.fates["src/main.c"] = "measured"
        self.objects.append(self.compile("src/main.c", COVER))
        linker = ["-fuse-ld=lld"] if self.what == "lld.map" else []
        self.run(CLANG, *COVER, *self.objects, "-o", "prog", *linker,
                 "-Wl,--gc-sections", "-Wl,--build-id", "-Wl,-Map=" +
                 ("lld.map" if linker else "gnu.map"))
        subprocess.run(["./prog"], cwd=self.folder,
                       env={"LLVM_PROFILE_FILE": "prog.profraw"})
        for source, fate in self.fates.items():
            made = "CMakeFiles/prog.dir/%s.o" % source
            if fate == "objectless":
                os.remove(os.path.join(self.folder, made))
            elif fate == "stale":
                text = open(os.path.join(self.folder, source)).read()
                self.write(source, text + "int later(int a) { return a; }\n")
                self.run(CLANG, "-c", source, "-o", made, *COVER)
                self.write(source, text)

    def plan(self):
        names = list(self.fates)
        if self.what == "commands":
            self.write("compile_commands.json", json.dumps(self.commands))
            return "compile_commands.json"
        if self.what == "folder":
            return "src"
        if self.what == "list":
            measured = [name for name in names
                        if self.fates[name] == "measured"]
            if self.random.random() < 0.5 and measured:
                self.fates[measured[0]] = "unplanned"
                names.remove(measured[0])
            self.write("list", "# sources\n" + "\n".join(names) + "\n")
            return "list"
        with open(os.path.join(self.folder, self.what)) as file:
            self.map = file.read()
        return self.what

    def said_of(self, source):
        """What must be said of a source."""
        fate = self.fates[source]
        said = SAID[fate][0 if self.what == "commands" else
                          1 if self.what in ("folder", "list") else 2]
        gone = fate in ("missing", "header") and self.what == "folder"
        unknown = fate == "nowhere" and self.what == "commands" and not any(
            one["file"].endswith(source) for one in self.commands)
        # Neither an object nor debug information shows the fate.
        dark = not self.debug and self.what in ("folder", "list")
        if dark and fate in ("plain", "data", "dropped"):
            said = "not compiled"
        # lld lists no object of which it keeps nothing. Of the first object it
        # keeps the header of .eh_frame.
        dropped = self.what == "lld.map" and (
            fate == "zero" or
            fate == "dropped" and source + ".o:(" not in self.map)
        return None if gone or unknown or dropped else said

    def report(self, name, *more):
        done = subprocess.run([TOOL, "report", "prog", "prog.profraw", "-o",
                               name, "--json", name + ".json", "--lcov",
                               name + ".lcov", *more], cwd=self.folder,
                              capture_output=True, text=True)
        if done.returncode:
            raise AssertionError("report: " + done.stderr)
        with open(os.path.join(self.folder, name + ".json")) as file:
            return json.load(file)

    def check(self):
        what = self.plan()
        made = self.report("with", "--sources", what)
        plain = self.report("without")
        stem = lambda name: os.path.basename(name).split(".")[0]
        said = {stem(one["file"]): one["state"]
                for one in made["bareprof"]["sources"]["list"]
                if one["file"].startswith(self.folder)}
        wanted = {stem(name): self.said_of(name) for name in self.fates}
        wanted = {name: state for name, state in wanted.items() if state}
        if said != wanted:
            raise AssertionError("%s: wanted %s, said %s" % (
                what, sorted(wanted.items() - said.items()),
                sorted(said.items() - wanted.items())))
        count = sum(one["counted"] != "not"
                    for one in made["bareprof"]["sources"]["list"])
        if not count and made["data"] != plain["data"]:
            raise AssertionError("the totals of a whole build differ")
        if count and made["data"][0]["totals"]["lines"]["count"] <= \
                plain["data"][0]["totals"]["lines"]["count"]:
            raise AssertionError("what is missing does not count")
        return count


whole = 0
for number in range(FIRST, FIRST + COUNT):
    build = Build(number)
    try:
        build.make()
        whole += not build.check()
    except Exception as error:
        sys.exit("build %d (%s): %s" % (number, build.folder, error))
    shutil.rmtree(build.folder)
print("%d builds, %d whole" % (COUNT, whole))
