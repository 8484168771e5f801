#!/usr/bin/env bats
# bep-reduce behind bep-tail and a real Bazel, on the sample workspace.
load lib

setup_file() { start_bazel; }
teardown_file() { stop_bazel; }
setup() { cd "$BATS_TEST_TMPDIR" || return; }

# summary COMMAND ARGUMENT...: what bep-reduce makes of that invocation, in `out`; Bazel's status in $bazel.
summary() {
	local command=$1
	shift
	rm -f e.bep
	bazel=0
	bz "$command" --build_event_binary_file="$PWD/e.bep" "$@" >stdout 2>stderr 3>&- || bazel=$?
	bep-tail -q --no-follow e.bep | bep-reduce -q -f json --stdout=stdout --stderr=stderr --exit-code="$bazel" --command="$command" >out
	[ "${PIPESTATUS[*]}" = "0 0" ] || fail "$(cat stderr)"
}

is() { assert_equal "$1 = $(jq -r "$1" out)" "$1 = $2"; }

@test "a good build" {
	summary build //good/cc/...
	assert_equal "$bazel" 0
	is .outcome succeeded
	is '.headline|test("^built [1-9][0-9]* targets?$")' true
	is '.targets|[.requested == .succeeded, .failed]|tostring' '[true,0]'
	is '.artifacts.count > 0' true
	is .bazel.workspace "$WORKSPACE"
}

@test "a compile error: one cause with message, place and target" {
	summary build //broken/cc_compile/...
	assert_equal "$bazel" 1
	is .outcome build_failed
	is '[.diagnostics[]|select(.severity=="error")]|length' 1
	is '.diagnostics[0]|.category,.action' $'compilation\nCppCompile'
	is '.diagnostics[0].location.path|test("^broken/cc_compile/.*cc$")' true
	is '.diagnostics[0].target|startswith("//broken/cc_compile:")' true
	is '.headline|contains(":")' true
}

@test "tests: passed, failed, flaky, sharded, cached" {
	summary test -k //tests/pass/... //tests/flaky/... //tests/shards/...
	assert_equal "$bazel" 3
	is .outcome tests_failed
	is '.tests.flaky' 1
	is '[.test_results[]|select(.status=="failed" and .shards==4)|.failures[0].shard]|tostring' '[3]'
	is '[.diagnostics[]|select(.severity=="error" and .category!="test")]|length' 0
	summary test //tests/pass/...
	is '.tests|.passed == .cached' true
}

@test "query, run and info" {
	summary query //good/gen/...
	is '.outcome, (.query.rows > 0)' $'succeeded\ntrue'
	summary run //run:fails
	assert_equal "$bazel" 3
	is '.outcome, .run.program_exit_code, .run.target' $'program_failed\n3\n//run:fails'
	bz info release output_base >info 3>&- 2>/dev/null
	bep-reduce -q -f json --command=info --exit-code=0 --stdout=info </dev/null >out || [ $? = 65 ]
	is '.info.output_base|startswith("/")' true
}

@test "coverage: files, lines, what was not reached" {
	summary coverage --combined_report=lcov //cov/...
	is '.coverage.files > 0, .coverage.lines_found > .coverage.lines_hit, .coverage.lines_hit > 0' $'true\ntrue\ntrue'
	bep-reduce -q --details=d e.bep >/dev/null
	assert [ "$(jq -r '.uncovered|length' d/coverage.jsonl | sort -n | tail -1)" -gt 0 ]
}

@test "a flag that does not exist, a pattern that does not load" {
	rm -f e.bep
	run bz build --no_such_flag --build_event_binary_file="$PWD/e.bep" //good/cc:all
	assert_equal "$status" 2
	bep-reduce -q -f json --stderr=<(printf '%s' "$output") --exit-code=2 --command=build </dev/null >out || [ $? = 65 ]
	is .outcome command_line_error
	is '.headline|contains("no_such_flag")' true
	summary build //no/such:thing
	is .outcome loading_failed
	is '.headline|contains("no such package")' true
}
