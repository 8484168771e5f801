#!/usr/bin/env bats
# bes-recv with the real Bazel: the one of Debian, and the official 2.1.0 where it can be had from npm.

load lib

export BATS_TEST_TIMEOUT=300

setup_file() { start_bazel; }
teardown_file() {
	[ -z "${OFFICIAL_ROOT-}" ] || kill_servers "$OFFICIAL_ROOT"
	stop_bazel
}
setup() { cd "$BATS_TEST_TMPDIR" || return; }

kill_servers() {
	local pid_file
	for pid_file in "$1"/*/server/server.pid.txt; do
		[ -e "$pid_file" ] && kill "$(cat "$pid_file")" 2>/dev/null
	done
	chmod -R u+w "$1" 2>/dev/null || :
}

# Bazel hands an event to the file and to the upload from several threads, so now and then two
# neighbours stand the other way round in one of them, with any server. Then the events are compared.
same_events() {
	cmp "$1" "$2" && return
	/usr/bin/python3 - "$1" "$2" <<-'END'
		import sys
		def frames(path):
		    data, at, out = open(path, "rb").read(), 0, []
		    while at < len(data):
		        size = shift = 0
		        while True:
		            byte = data[at]; at += 1
		            size |= (byte & 127) << shift; shift += 7
		            if byte < 128: break
		        out.append(data[at:at + size]); at += size
		    return sorted(out)
		sys.exit(frames(sys.argv[1]) != frames(sys.argv[2]))
	END
}

# capture STATUS ARGUMENT...: one invocation with file and upload, through bep-durable; both hold the same.
capture() {
	local wanted=$1 statuses
	shift
	cd "$WORKSPACE" || return
	rm -f "$BATS_TEST_TMPDIR"/*.bep
	bes-recv -- bash -c '"$@"; echo $? >"$0"' "$BATS_TEST_TMPDIR/status" \
		bazel --output_user_root="$BAZEL_ROOT" "$@" --build_event_binary_file="$BATS_TEST_TMPDIR/file.bep" \
		--bes_backend={} 2>"$BATS_TEST_TMPDIR/err" 3>&- |
		bep-durable "$BATS_TEST_TMPDIR/bes.bep" >"$BATS_TEST_TMPDIR/passed.bep"
	statuses="${PIPESTATUS[*]}"
	cd "$BATS_TEST_TMPDIR" || return
	[ "$statuses" = "0 0" ] || fail "bes-recv and bep-durable: $statuses: $(cat err)"
	[ "$(cat status)" = "$wanted" ] || fail "Bazel: $(cat status), not $wanted: $(cat err)"
	same_events file.bep bes.bep
	cmp bes.bep passed.bep
}

@test "the whole invocation in one line, as the manual has it" {
	cd "$WORKSPACE"
	run --separate-stderr bash -c '
		bes-recv -- bazel --output_user_root="$BAZEL_ROOT" build --bes_backend={} //good/cc/... |
			bep-durable "$BATS_TEST_TMPDIR/e.bep" | bep-reduce'
	assert_success
	[ "$(jq -r .exit.name <<<"$output" 2>/dev/null || echo SUCCESS)" = SUCCESS ]
	[ -s "$BATS_TEST_TMPDIR/e.bep" ]
}

@test "a good build, and the next one on the same Bazel server" {
	capture 0 build //good/cc/...
	capture 0 build //good/...
}

@test "a failing build" { capture 1 build -k //broken/gen_fail/... //good/cc/...; }

@test "tests that fail" { capture 3 test -k //tests/mixed/... //tests/flaky/...; }

@test "a command line that Bazel rejects" {
	cd "$WORKSPACE"
	run bash -c 'bes-recv -- bazel --output_user_root="$BAZEL_ROOT" build --no_such_option --bes_backend={} //good/... |
		bep-durable "$BATS_TEST_TMPDIR/e.bep"; echo "${PIPESTATUS[0]}"'
	assert_line 65
}

@test "an interrupted build" {
	cd "$WORKSPACE"
	bes-recv -- bash -c 'echo $$ >"$0"; exec "$@"' "$BATS_TEST_TMPDIR/pid" \
		bazel --output_user_root="$BAZEL_ROOT" test //slow/... \
		--build_event_binary_file="$BATS_TEST_TMPDIR/file.bep" --bes_backend={} 2>"$BATS_TEST_TMPDIR/err" 3>&- |
		bep-durable "$BATS_TEST_TMPDIR/bes.bep" >/dev/null 3>&- &
	local pipeline=$!
	wait_for 60 grep -qE 'Testing|Executing|/ [0-9]+\]' "$BATS_TEST_TMPDIR/err"
	sleep 1
	kill -INT "$(cat "$BATS_TEST_TMPDIR/pid")"
	wait $pipeline
	same_events "$BATS_TEST_TMPDIR/file.bep" "$BATS_TEST_TMPDIR/bes.bep"
}

@test "the writer fails in mid-build: with --on-failure=drain the build does not suffer" {
	cd "$WORKSPACE"
	run bash -c 'bes-recv --on-failure=drain -- bash -c "\"\$@\"; echo Bazel: \$? >&2" _ \
		bazel --output_user_root="$BAZEL_ROOT" build --bes_backend={} //good/... |
		timeout -s KILL 0.2 bep-durable "$BATS_TEST_TMPDIR/e.bep" >/dev/null; echo "bes-recv: ${PIPESTATUS[0]}"'
	assert_line 'Bazel: 0'
}

@test "the official Bazel 2.1.0, over a port and over a Unix socket" {
	[ -n "${BAZEL_2_1-}" ] || need npm
	local official=${BAZEL_2_1-} where
	local -a reach
	if [ -z "$official" ]; then
		npm pack --silent @bazel/bazel-linux_x64@2.1.0 >/dev/null 2>&1 ||
			skip "Bazel 2.1.0 cannot be downloaded from npm"
		tar -xf bazel-bazel-linux_x64-2.1.0.tgz
		official=$(find "$PWD/package" -name 'bazel-*linux*' -type f | head -1)
		chmod +x "$official"
	fi
	export OFFICIAL_ROOT="$BATS_FILE_TMPDIR/bz-2.1"
	mkdir old
	touch old/WORKSPACE
	echo 'genrule(name = "one", outs = ["one.txt"], cmd = "echo 1 > $@")' >old/BUILD
	cd old
	for where in 127.0.0.1:0 "unix:$BATS_TEST_TMPDIR/sock"; do
		reach=('--bes_backend={}')
		[ "$where" = 127.0.0.1:0 ] || reach=(--bes_backend=grpc://localhost '--bes_proxy={}')
		rm -f ../*.bep
		bes-recv --listen "$where" -- "$official" --output_user_root="$OFFICIAL_ROOT" build //:one \
			--build_event_binary_file="$BATS_TEST_TMPDIR/file.bep" "${reach[@]}" 2>../err 3>&- |
			bep-durable ../bes.bep >/dev/null
		[ "${PIPESTATUS[*]}" = "0 0" ] || fail "$(cat ../err)"
		same_events ../file.bep ../bes.bep
	done
	kill_servers "$OFFICIAL_ROOT"
}
