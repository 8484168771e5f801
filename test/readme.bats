#!/usr/bin/env bats
# The README's commands, as pasted, and what they print.
load lib

@test "README: the pipelines print what it says" {
	need bazel jq
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/test" "$tree/build"
	ln -s "$BIN" "$tree/build/bin"
	copy_workspace "$tree/test/workspace"
	# Each block in turn; its output between marks. HOME: an output root of its own.
	awk '/^```sh/ { block = 1; print "echo @" n++; next } /^```/ { block = 0; next } block' "$TOP/README.md" \
		>"$tree/commands"
	grep -q bes-recv "$tree/commands"
	cd "$tree"
	HOME=$tree USER=reader XDG_CACHE_HOME='' run bash -u commands
	pid_files=("$tree"/.cache/bazel/*/*/server/server.pid.txt)
	kill "$(cat "${pid_files[0]}")"
	chmod -R u+w "$tree"
	assert_success
	# What the README shows under its blocks, times aside, is in the output in this order.
	shown=$(awk '/^```sh/ { after = 1 } /^##/ { after = 0 } after && /^    / { print substr($0, 5) }' "$TOP/README.md")
	assert_equal "$(grep -vE '^@|^[0-9]+$|^$' <<<"$output" | without_times)" "$(grep -v '^$' <<<"$shown" | without_times)"
	assert_no_leak
}

without_times() { sed -E 's/[0-9]+\.[0-9]s/Ns/g'; }
