#!/usr/bin/env bats
# scripts/: each check finds what it is there for, and scripts/check counts right.
load lib

# A small repository of its own with the scripts of ours.
setup() {
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE/test"
	cp -R "$TOP/scripts" "$TREE/scripts"
	cd "$TREE"
}

# source PATH LINE...: a file of the tree.
source_file() {
	mkdir -p "$(dirname "$1")"
	printf '%s\n' "${@:2}" >"$1"
}

@test "check-layers: downwards is fine" {
	source_file common/frame/reader.c '#include "common/base/buf.h"' '#include "common/frame/varint.h"' '#include <stdio.h>'
	source_file cmd/bep-tail/main.c '#include "cmd/bep-tail/tail.h"' '#include "tail.h"' '#include "common/bep/event.h"' '#include "proto/x.pb-c.h"'
	run scripts/check-layers
	assert_success
	assert_output ''
}

@test "check-layers: upwards, sideways, unknown and across programs are not" {
	source_file common/base/buf.c '#include "common/io/fd.h"'
	source_file common/frame/reader.c '' '#include "common/json/read.h"'
	source_file common/moon/rock.c '#include "common/base/buf.h"'
	source_file cmd/bep-tail/main.c '#include "cmd/bep-fifo/fifo.h"'
	run scripts/check-layers
	assert_failure
	assert_line 'common/base/buf.c:1: common/io/fd.h: common/io is no lower layer than common/base'
	assert_line 'common/frame/reader.c:2: common/json/read.h: common/json is no lower layer than common/frame'
	assert_line --partial 'common/moon is in no layer'
	assert_line 'cmd/bep-tail/main.c:1: cmd/bep-fifo/fifo.h: no file of a program is for others'
	assert_equal "${#lines[@]}" 4
}

@test "check-size: 80 lines are fine, 81 are not" {
	mkdir -p common/base cmd
	{ echo 'int f(void) {'; seq -f ' g(%g);' 78; echo '}'; } >common/base/short.c
	run scripts/check-size
	assert_success
	{ echo 'int h(void) {'; seq -f ' g(%g);' 79; echo '}'; } >common/base/long.c
	run scripts/check-size
	assert_failure
	assert_output --partial 'h: 81 lines, at most 80'
	assert_equal "${#lines[@]}" 1
}

@test "check-size: paths of a function, lines of a file" {
	mkdir -p common/base cmd
	{ echo 'int f(int a) {'; seq -f ' if (a == %g) return 1;' 15; echo ' return 0; }'; } >common/base/many.c
	seq -f '#define N%g' 501 >common/base/table.h
	run scripts/check-size
	assert_failure
	assert_line --partial 'f: 16 paths, at most 15'
	assert_line 'common/base/table.h: 501 lines, at most 500'
}

@test "check-banned: a call, not a comment or a longer name" {
	source_file cmd/bep-tail/main.c '/* strcpy(a, b) */' 'my_strcpy(a, b);' ' * atoi(x)'
	mkdir -p common
	run scripts/check-banned
	assert_success
	source_file common/base/num.c 'int n = atoi(text);'
	run scripts/check-banned
	assert_failure
	assert_output 'common/base/num.c:1:int n = atoi(text);  <- atoi: num.h'
}

@test "check-man: options of the page and of --help are the same, each program has one" {
	mkdir -p man cmd/one cmd/two build/bin
	touch cmd/one/main.c cmd/two/main.c
	cat >build/bin/one <<-'STUB'
		#!/bin/sh
		printf 'options:\n  -f, --force     do it\n      --level=N   how much\n      --version   print it\n'
	STUB
	chmod +x build/bin/one
	printf '.Dd January 1, 2026\n.Dt ONE 1\n.Os\n.Sh NAME\n.Nm one\n.Nd example\n.Sh DESCRIPTION\n.Bl -tag -width Ds\n.It Fl f , Fl -force\nDo.\n.It Fl -old\nGone.\n.It Fl -version\nSay.\n.El\n' >man/one.1
	run scripts/check-man
	assert_failure
	assert_line 'man/one.1: no entry for --level'
	assert_line 'man/one.1: --old is not in one --help'
	assert_line 'man/two.1 is missing'
	refute_line --partial -- --force
}

@test "setup: unknown sets and options, the list, nothing missing" {
	run scripts/setup nosuch
	assert_equal "$status" 64
	run scripts/setup --nosuch
	assert_equal "$status" 64
	run scripts/setup --list run
	assert_success
	assert_line bazel-bootstrap
	refute_line libuv1-dev
	run scripts/setup run
	assert_success
	assert_output --partial 'nothing is missing'
}

@test "setup: without root it names what is missing and installs nothing" {
	[ "$(id -u)" -ne 0 ] || need setpriv
	echo 'run no-such-package-of-ours nothing' >>scripts/packages.txt
	chmod -R a+rX "$BATS_RUN_TMPDIR"
	as_user=()
	[ "$(id -u)" -ne 0 ] || as_user=(setpriv --reuid=65534 --clear-groups)
	run "${as_user[@]}" scripts/setup run
	assert_equal "$status" 77
	assert_output "setup: missing: no-such-package-of-ours; run as root once: sudo scripts/setup"
}

# A tree whose only tests are those suites.
bare_tree() {
	printf 'all:\n' >Makefile
	printf '#!/bin/sh\n' >scripts/setup
}

@test "check: counts what passed, failed, was skipped" {
	bare_tree
	printf '@test "good" { true; }\n@test "left" { skip "no moon"; }\n' >test/a.bats
	printf '@test "bad" { false; }\n@test "also good" { true; }\n' >test/b.bats
	run scripts/check bats
	assert_failure
	assert_line --partial 'not ok 1 bad'
	assert_line --partial 'skipped: no moon'
	assert_equal "${lines[-1]}" '2 passed, 1 failed, 1 skipped'
}

@test "check: all well is 0" {
	bare_tree
	printf '@test "good" { true; }\n' >test/a.bats
	run "$TREE/scripts/check" bats:a
	assert_success
	assert_equal "${lines[-1]}" '1 passed, 0 failed'
}

@test "check: a suite that crashes has failed, one that stops early too" {
	bare_tree
	printf 'this is no bats {\n' >test/crash.bats
	printf '@test "first" { true; }\n@test "kills bats" { kill -9 $PPID; sleep 1; }\n@test "never" { true; }\n' >test/stops.bats
	run scripts/check bats
	assert_failure
	assert_line --regexp '^FAIL bats:crash: '
	assert_line --regexp '^FAIL bats:stops: '
	refute_line --regexp ' 0 failed$'
}

@test "check: a build that fails is one failure" {
	bare_tree
	printf 'all:\n\tfalse\n' >Makefile
	run scripts/check
	assert_failure
	assert_equal "${lines[-1]}" '0 passed, 1 failed'
}

@test "check: a unit test that no longer builds has failed, though its old program passes" {
	bare_tree
	mkdir -p test/unit build/test
	touch test/unit/x_test.c
	printf '#!/bin/sh\necho 1..1\necho ok 1\n' >build/test/x_test
	chmod +x build/test/x_test
	printf 'all:\nbuild/test/x_test: FORCE\n\tfalse\nFORCE:\n' >Makefile
	run scripts/check '^unit:'
	assert_failure
	assert_line --regexp '^FAIL build: '
	assert_equal "${lines[-1]}" '1 passed, 1 failed'
}
