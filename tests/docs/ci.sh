# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Runs the CI snippets of docs/how-to/ci.md as the server does: the action's
# step, and the lines of `script:`, on the example to copy, in a home where
# docs/get-started/uart-setup.md has installed bareprof. `run` sources this
# file.
# shellcheck disable=SC2154 # Of run.

# ci_yaml N: prints the Nth snippet.
ci_yaml() { block docs/how-to/ci.md yaml "$1"; }
ci_top=$PWD

# ci_scripts: prints the elements of `script:` of YAML on standard input, each
# with a line #end after it. A text of several lines begins with `|`.
ci_scripts() {
  awk '
    function indent(line) { match(line, /^ */); return RLENGTH }
    function finish() { if (inside) print "#end"; inside = 0 }
    inside && (!NF || indent($0) > depth) {
      if (!width && NF) width = indent($0)
      print substr($0, width + 1)
      next
    }
    { finish() }
    listed && (indent($0) < list || $1 != "-") { listed = 0 }
    $1 == "script:" { listed = 1; list = indent($0) + 1; next }
    listed {
      depth = indent($0)
      text = $0
      sub("^ *- *", "", text)
      if (text == "|") { inside = 1; width = 0; next }
      print text "\n#end"
    }
    END { finish() }'
}

# The same with a YAML library.
ci_read() {
  ci_yaml 2 | python3 -c 'import sys, yaml
for step in yaml.safe_load(sys.stdin)["coverage"]["script"]:
    print(step.rstrip("\n") + "\n#end")' >"$out/ci.read"
  [ -s "$out/ci.read" ] && ci_yaml 2 | ci_scripts | diff "$out/ci.read" -
}

# ci_project NAME: makes a repository of the example, on a branch from main.
ci_project() {
  rm -rf "$out/$1" && cp -r examples/start "$out/$1" &&
    rm -rf "$out/$1/build" &&
    (cd "$out/$1" && git init -q -b main && git add . &&
      git -c user.name=a -c user.email=a@example.com commit -qm first &&
      git update-ref refs/remotes/origin/main HEAD) &&
    ci_stand_in
}

# Replaces curl, which fetches the report of the branch, if there is one.
ci_stand_in() {
  mkdir -p "$out/ci-bin" &&
    printf '%s\n' '#!/bin/sh' 'for word; do last=$word; done' \
      'case "$* " in --fail\ *) ;; *) exit 2 ;; esac' \
      'case $last in *://*/raw/coverage.json\?job=coverage) ;; *) exit 3 ;;' \
      'esac' 'while [ "$1" != --output ]; do shift; done' \
      'cp base.kept "$2" 2>/dev/null || exit 22' >"$out/ci-bin/curl" &&
    chmod +x "$out/ci-bin/curl"
}

# Prints the script of action.yml with the snippet's values: `env:` maps inputs
# to names in capitals, and the snippet's `with:` has their values.
ci_action() {
  ci_yaml 1 | /usr/bin/python3 -c 'import sys, yaml
step, = yaml.safe_load(sys.stdin)
assert "bareprof" in step["uses"]
given = step["with"]
action = yaml.safe_load(open("action.yml"))
step = [s for s in action["runs"]["steps"] if "run" in s][0]
for name in given:
    assert name in action["inputs"], name
for variable, text in step["env"].items():
    if text.startswith("${{ inputs."):
        name = text[len("${{ inputs."):].split()[0]
        value = given.get(name, action["inputs"][name].get("default", ""))
        print("export %s=\x27%s\x27" % (variable, value))
print(step["run"].rstrip("\n") + "\n#end")'
}

# ci_run N PROJECT [VARIABLE=VALUE...]: runs the scripts of a snippet, up to the
# first that fails. GitHub runs each in its own shell, GitLab all in one. The
# action's step comes after a step that builds.
ci_run() {
  ci_text=$(ci_yaml "$1" | ci_scripts) ci_folder=$out/$2 ci_snippet=$1
  [ "$1" != 1 ] || ci_text="make $(ci_yaml 1 | sed -n 's/^ *elf: //p')
#end
$(ci_action)"
  shift 2
  (
    cd "$ci_folder" || exit
    rm -f step-*
    printf '%s\n' "$ci_text" | awk -v one="$ci_snippet" '
      BEGIN { file = "step-1" }
      /^#end$/ { if (one == 1) file = "step-" ++n + 1; next }
      { print >file }'
    for step in step-*; do
      env HOME="$out/home" PATH="$out/ci-bin:$out/home/.local/bin:$PATH" \
        MAKEFLAGS= PREFIX="$out/home/.local" GITHUB_ACTION_PATH="$ci_top" \
        "$@" sh -e "$step" \
        </dev/null || exit
    done
  ) >"$ci_folder.log" 2>&1
}

ci_passes() {
  ci_run "$@" || { tail -n 3 "$ci_folder.log"; return 1; }
  [ -e "$ci_folder/report/html/index.html" ] ||
    [ -e "$ci_folder/bareprof-report/html/index.html" ]
}

# ci_fails PATTERN N PROJECT...: succeeds if the snippet fails with a line of
# this pattern, as after lost coverage.
ci_fails() {
  ci_pattern=$1
  shift
  ! ci_run "$@" && grep -q -e "$ci_pattern" "$ci_folder.log" ||
    { tail -n 3 "$ci_folder.log"; return 1; }
}

# Removes the temperatures that make the thermostat heat, and adds new code.
ci_change() {
  sed 's/21, 19, 17, 18,/21, 19, 21, 21,/' examples/start/main.c \
    >"$out/$1/main.c" &&
    sed 's|^  return thermostat->heating;|  if (degrees > 90)\
    thermostat->heating = false;\
&|' examples/start/thermostat.c >"$out/$1/thermostat.c" &&
    (cd "$out/$1" && git -c user.name=a -c user.email=a@example.com commit \
      -qam second)
}

row_ci_github() {
  equal "$label: lines" 5 "$(ci_yaml 1 | wc -l)"
  check "$label: a repository" ci_project ci-github
  check "$label: the main branch" ci_passes 1 ci-github GITHUB_BASE_REF= \
    GITHUB_STEP_SUMMARY="$out/ci-github.md"
  check "$label: its summary" grep -q '^### Coverage' "$out/ci-github.md"
  check "$label: a change" ci_change ci-github
  check "$label: a loss in a pull request" ci_fails \
    'not covered any more, such as thermostat.c:11' 1 ci-github \
    GITHUB_BASE_REF=main GITHUB_STEP_SUMMARY="$out/ci-github.md"
  check "$label: a line of the change" grep -q \
    '^::warning file=thermostat.c,line=1[0-9]::not covered' \
    "$out/ci-github.log"
}

row_ci_gitlab() {
  set -- CI_API_V4_URL=https://gitlab.example.com/api/v4 CI_PROJECT_ID=1 \
    CI_JOB_TOKEN=none CI_DEFAULT_BRANCH=main
  check "$label: a repository" ci_project ci-gitlab
  check "$label: without an earlier report" ci_passes 2 ci-gitlab "$@"
  cp "$out/ci-gitlab/coverage.json" "$out/ci-gitlab/base.kept"
  pattern=$(ci_yaml 2 | sed -n "s,^ *coverage: '/\(.*\)/'\$,\1,p")
  equal "$label: the percentage of lines" \
    "$(sed -n 's/.*<coverage line-rate="\([0-9.]*\)".*/\1/p' \
      "$out/ci-gitlab/cobertura.xml" | awk '{ printf "%.1f", 100 * $1; found = 1 }
        END { if (!found) print "none" }')" \
    "$(python3 -c 'import re, sys
print("%.1f" % float(re.findall(sys.argv[1], sys.stdin.read(), re.M)[-1]))' \
      "$pattern" <"$out/ci-gitlab.log")"
  check "$label: a change" ci_change ci-gitlab
  check "$label: a loss" ci_fails 'such as thermostat.c:11' 2 ci-gitlab "$@"
}

for snippet in github gitlab; do
  label="docs: the snippet for $snippet"
  wanted "$label" || continue
  needs "$label" git || continue
  row_ci_$snippet
  [ -n "${FULL:-}" ] && [ $snippet = gitlab ] || continue
  needs "$label: YAML" /usr/lib/python3/dist-packages/yaml || continue
  check "$label: YAML" ci_read
done
