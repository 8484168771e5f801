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
