#!/usr/bin/env bats
# mcp-front with a stand-in for Bazel (test/store/stand-in-bazel): what needs odd neighbours, many at once,
# or many moments. `make night` runs the long versions (test/front/night).

load lib

setup() {
	export STAND_IN="$TOP/test/store/stand-in-bazel" PYTHONPATH="$TOP/test"
	mkdir "$BATS_TEST_TMPDIR/ws"
	touch "$BATS_TEST_TMPDIR/ws/WORKSPACE"
}

# config [JSON]: writes a configuration, with these members too, and gives its path.
config() {
	local file="$BATS_TEST_TMPDIR/config.json"
	jq -n --arg cache "$BATS_TEST_TMPDIR/store" --arg bazel "$STAND_IN" --argjson more "${1-{\}}" \
		'{cache_root: $cache, bazel_executable: $bazel} + $more' >"$file"
	echo "$file"
}

# one_build SERVER CONFIG [ARGUMENT...]: the answer to one bazel.run.
one_build() {
	python3 - "$BATS_TEST_TMPDIR/ws" "$@" <<-'END'
		import sys
		from mcp_client import Client, text_of
		workspace, server, config, *args = sys.argv[1:]
		c = Client([server, "--config", config], timeout=30)
		c.initialize()
		print(text_of(c.call("bazel_run", workspace=workspace, command="build", args=args)))
		assert c.close() == 0
	END
}

# own_tools: the programs in a folder where a test may replace some; gives the folder.
own_tools() {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cp "$BIN"/* "$BATS_TEST_TMPDIR/bin"
	echo "$BATS_TEST_TMPDIR/bin"
}

@test "a bep-tail that ends late keeps nobody waiting" {
	local tools
	tools=$(own_tools)
	rm "$tools/bep-tail"
	printf '#!/bin/sh\n"%s/bep-tail" "$@"\nexec sleep 60 >&-\n' "$BIN" >"$tools/bep-tail"
	chmod +x "$tools/bep-tail"
	run one_build "$tools/mcp-front" "$(config)" //x
	assert_success
	assert_output --partial 'state: succeeded'
	refute_output --partial fault
	assert_no_leak
}

# stubborn: a stand-in in place of $STAND_IN that takes no SIGINT or SIGTERM; its child writes their group to
# the file `group`.
stubborn() {
	export STAND_IN="$BATS_TEST_TMPDIR/stubborn"
	cat >"$STAND_IN" <<-END
		#!/bin/sh
		[ "\$1" != --version ] || { echo 'bazel 4.2.3'; exit; }
		$1
		sh -c "$1 echo \\\$\\\$ >'$BATS_TEST_TMPDIR/group'; while :; do sleep 1; done"
	END
	chmod +x "$STAND_IN"
}

parent_of() { awk '/^PPid:/ {print $2}' "/proc/$1/status"; }

# kill_guard [ALSO]: SIGKILL for the guard of the stand-in, and for its mcp-front.
kill_guard() {
	local command guard front
	wait_for 10 test -s "$BATS_TEST_TMPDIR/group"
	command=$(parent_of "$(cat "$BATS_TEST_TMPDIR/group")")
	guard=$(parent_of "$command")
	front=$(parent_of "$guard")
	grep -q -e --guard "/proc/$guard/cmdline" || fail "no guard: $guard"
	kill -KILL ${1:+"$front"} "$guard"
}

@test "what a killed guard leaves is ended, however stubborn, and the answer says so" {
	stubborn "trap '' INT TERM;"
	one_build mcp-front "$(config '{"cancellation_interrupt_grace_seconds": 1, "cancellation_terminate_grace_seconds": 1}')" \
		//x >"$BATS_TEST_TMPDIR/answer" &
	kill_guard
	wait $!
	run cat "$BATS_TEST_TMPDIR/answer"
	assert_output --partial "Bazel's guard process was killed; Bazel was stopped"
	assert_output --partial 'state: interrupted'
	assert_no_leak
}

@test "Bazel's client does not survive its guard and mcp-front" {
	stubborn ''
	one_build mcp-front "$(config)" //x >"$BATS_TEST_TMPDIR/answer" 2>&1 &
	wait_for 10 test -s "$BATS_TEST_TMPDIR/group"
	local client
	client=$(parent_of "$(cat "$BATS_TEST_TMPDIR/group")")
	kill_guard too
	wait_for 2 gone "$client"
	kill "$(cat "$BATS_TEST_TMPDIR/group")" || : # the guard may have had the time to end the group
	assert_no_leak
}

@test "an answer is final though its sync follows: a failing one is told next, a kill changes nothing" {
	cc -D_GNU_SOURCE -shared -fPIC -o "$BATS_TEST_TMPDIR/faultio.so" "$TOP/test/fault/faultio.c"
	python3 - "$BATS_TEST_TMPDIR/ws" "$(config)" "$BATS_TEST_TMPDIR/faultio.so" <<-'END'
		import os, re, subprocess, sys
		from mcp_client import Client, text_of
		workspace, config, preload = sys.argv[1:]
		def serve(**env):
		    c = Client(["mcp-front", "--config", config], env=dict(os.environ, **env), stderr=subprocess.PIPE)
		    c.initialize()
		    return c
		def build(c):
		    text = text_of(c.call("bazel_run", workspace=workspace, command="build", args=["//x"]))
		    assert "state: succeeded" in text, text
		    return text
		for _ in range(5):
		    c = serve()
		    ident = re.search(r"invocation_id: (\S+)", build(c))[1]
		    c.server.kill()
		    c.server.wait()
		    c = serve()
		    text = text_of(c.call("bazel_inspect", view="summary", invocation_id=ident))
		    assert "state: succeeded" in text, text
		    assert c.close() == 0
		told = 0
		for nth in range(1, 8):
		    c = serve(LD_PRELOAD=preload, FAULT_PROGRAM="mcp-front", FAULT_CALL="sync", FAULT_NTH=str(nth), FAULT_ERRNO="5")
		    answers = [build(c) for _ in range(3)]
		    assert c.close() == 0
		    for lost in re.findall(rb"mcp-front: invocation (\S+) may be lost", c.server.stderr.read()):
		        first = next(i for i, a in enumerate(answers) if lost.decode() in a)
		        assert first == 2 or f"warning: \"invocation {lost.decode()} may be lost" in answers[first + 1], answers
		        told += 1
		assert told, "no sync failed after an answer"
	END
	assert_no_leak
}

@test "broken messages at random: every line out is a message, memory stays flat" {
	run "$TOP/test/front/attack" fuzz 5
	assert_success
}

@test "an end at a random moment leaves nothing" {
	run "$TOP/test/front/attack" endings 15
	assert_success
}

@test "every part killed at random moments: the answer is right and names it, nothing stays" {
	run "$TOP/test/front/killsweep" 2
	assert_success
}

@test "many at once over ten servers do not mix" {
	run "$TOP/test/front/attack" crowd 20
	assert_success
}

@test "pages of random size, view and encoding are within max_bytes" {
	run "$TOP/test/front/attack" bytes 200
	assert_success
}
