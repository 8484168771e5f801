#!/usr/bin/env bats
# bep-reduce over streams made by hand and recorded ones. What it makes of recordings with labelled causes
# is scored by scripts/score-corpus; reduce-bazel.bats has the real Bazel.
load lib
# stderr and status come from run; formats are data here.
# shellcheck disable=SC2059,SC2154

setup() { cd "$BATS_TEST_TMPDIR" || return; }

# Pieces of streams.
started() { event 'id{started{}} started{uuid:"u1" command:"'"${1:-build}"'" workspace_directory:"/ws" start_time_millis:1000}'; }
configured() { event 'id{target_configured{label:"'"$1"'"}} configured{target_kind:"cc_library rule"}'; }
completed() { event 'id{target_completed{label:"'"$1"'" configuration{id:"c"}}} completed{success:'"$2 ${3-}"'}'; }
finished() { event 'id{build_finished{}} finished{finish_time_millis:3000 exit_code{name:"'"$1"'" code:'"$2"'}} last_message:true'; }
aborted() { event "id{$1} aborted{reason:$2 description:\"${3-}\"}"; }

# of FILTER [OPTION...]: jq -r FILTER over the summary of stdin.
of() {
	local filter=$1
	shift
	bep-reduce -q -f json "$@" | jq -r "$filter"
}

# is FILTER VALUE FILE [OPTION...]
is() {
	local filter=$1 value=$2 file=$3
	shift 3
	assert_equal "$filter = $(of "$filter" "$@" <"$file")" "$filter = $value"
}

# ---- ends

@test "a good build" {
	{ started; configured //a:b; completed //a:b true; finished SUCCESS 0; } >s
	run --separate-stderr bep-reduce -f json s
	assert_success
	assert_equal "$stderr" ""
	is .schema 1 s
	is '.state + " " + .outcome' "succeeded succeeded" s
	is .headline "built 1 target" s
	is .duration_ms 2000 s
	is '.targets|tostring' '{"requested":1,"succeeded":1,"failed":0,"skipped":0}' s
	is '.diagnostics|length' 0 s
	is '.truncated|tostring' '{}' s
	is .metrics.bep_bytes "$(stat -c %s s)" s
}

@test "no events: the exit code decides, 65" {
	run --separate-stderr bep-reduce -f json </dev/null
	assert_failure 65
	assert_equal "$stderr" "bep-reduce: stdin: no events"
	assert_equal "$(jq -r .state <<<"$output")" incomplete
	is '.state + " " + .outcome' "succeeded succeeded" /dev/null --exit-code=0
	is '.state + " " + .outcome' "failed command_line_error" /dev/null --exit-code=2
	is '.state + " " + .outcome' "failed locked" /dev/null --exit-code=9
	is '.state + " " + .outcome' "failed server_crashed" /dev/null --exit-code=37
	is '.state + " " + .outcome' "interrupted interrupted" /dev/null --exit-code=8
	is '.state + " " + .outcome' "failed query_failed" /dev/null --exit-code=7 --command=query
	is '.exit|tostring' '{"code":8,"name":"INTERRUPTED"}' /dev/null --exit-code=8
}

@test "cut anywhere: a summary, incomplete, 65 and the offset" {
	local cut total
	{ started; configured //a:b; completed //a:b true; finished SUCCESS 0; } >s
	total=$(stat -c %s s)
	for cut in $(seq 1 7 $((total - 1))); do
		run --separate-stderr bep-reduce -f json <(head -c "$cut" s)
		assert_failure 65
		assert_equal "$(jq -r .state <<<"$output")" incomplete
		assert_regex "$stderr" "incomplete: ends (inside the frame )?at byte [0-9]+"
	done
}

@test "every byte of a small stream flipped: a summary all the same" {
	local at total
	{ started; completed //a:b false; finished BUILD_FAILURE 1; } >s
	total=$(stat -c %s s)
	for at in $(seq 0 "$((total - 1))"); do
		python3 -c 'import sys; b=bytearray(open("s","rb").read()); b[int(sys.argv[1])]^=0xff; sys.stdout.buffer.write(b)' "$at" >t
		run --separate-stderr bep-reduce -q -f json t
		[ "$status" = 0 ] || [ "$status" = 65 ] || fail "byte $at: status $status"
		jq -e .schema <<<"$output" >/dev/null || fail "byte $at: $output"
	done
}

@test "what is no stream: 65; no file: 66; misuse: 64; a full disk: 74; no reader: 69" {
	hex ffffffffffffffffffff01 >s
	run bep-reduce -q s
	assert_failure 65
	run --separate-stderr bep-reduce absent
	assert_failure 66
	assert_equal "$stderr" "bep-reduce: cannot open absent: No such file or directory"
	for bad in --format=nothing --exit-code=x --label=//a "--events=noSuchType" --no-such-option; do
		run bep-reduce "$bad" s
		assert_failure 64
	done
	finished SUCCESS 0 >s
	run --separate-stderr bash -c 'bep-reduce s >/dev/full'
	assert_failure 74
	assert_equal "$stderr" "bep-reduce: cannot write to stdout: No space left on device"
	run bash -c 'set -o pipefail; { sleep 0.2; cat s; } | bep-reduce | true; echo ${PIPESTATUS[1]}'
	assert_output 69
}

@test "A16 other formats are named, a directory too" {
	local -A words=(
		[gzip]="gzip data: decompress it first (gzip -dc)"
		[array]="a JSON array: give Bazel's --build_event_json_file, one event a line"
		[text]="protobuf text: give the file of --build_event_binary_file instead"
		[console]="console text: that is what --stderr takes"
	)
	finished SUCCESS 0 | gzip >gzip
	echo '[{"id": {"started": {}}}]' >array
	echo 'id { started { } }' >text
	echo 'ERROR: no such target' >console
	for format in "${!words[@]}"; do
		run --separate-stderr bep-reduce "$format"
		assert_failure 65
		assert_equal "$stderr" "bep-reduce: $format: looks like ${words[$format]}"
	done
	run --separate-stderr bep-reduce .
	assert_failure 66
	assert_equal "$stderr" "bep-reduce: cannot read .: Is a directory"
}

@test "the first SIGTERM lets it go on to the end of input" {
	{ started; completed //a:b true; finished SUCCESS 0; } >s
	mkfifo p
	bep-reduce -f json p >out 3>&- &
	exec 4>p
	head -c 20 s >&4
	kill -TERM $!
	sleep 0.1
	tail -c +21 s >&4
	exec 4>&-
	wait $!
	assert_equal "$(jq -r .state out)" succeeded
}

# ---- B: content and order of events

@test "B03 an abort reason under each id; only causes are failures" {
	local reason
	for reason in LOADING_FAILURE:failed ANALYSIS_FAILURE:failed SKIPPED:skipped NO_BUILD:skipped NO_ANALYZE:skipped INCOMPLETE:skipped; do
		{ started; aborted 'target_completed{label:"//a:b"}' "${reason%:*}" words; finished BUILD_FAILURE 1; } >s
		is ".targets.${reason#*:}" 1 s
	done
	for id in 'pattern{pattern:"//x"}' 'action_completed{label:"//a"}' 'test_summary{label:"//a"}' 'test_result{label:"//a"}' \
		'build_finished{}' 'pattern_skipped{pattern:"//x"}' 'unconfigured_label{label:"//a"}' 'configured_label{label:"//a"}' 'unknown{}'; do
		{ started; aborted "$id" INTERNAL words; finished BUILD_FAILURE 1; } >s
		is .state failed s
	done
	# A reason from the future: field 1 = 99.
	{ started; frame "0a082a060a042f2f613a 2202 0863"; finished BUILD_FAILURE 1; } >s
	run bep-reduce -q s
	assert [ "$status" -le 65 ]
}

@test "B03 a pattern that does not load is a loading failure" {
	{ started; aborted 'pattern{pattern:"//gone:t"}' LOADING_FAILURE "no such target '//gone:t': target 't' not declared in package 'gone'"; finished BUILD_FAILURE 1; } >s
	is .outcome loading_failed s
	is '.diagnostics[0].message|startswith("no such target")' true s
}

@test "B04 duplicates, unknown ids and payloads, events before what announces them" {
	{ completed //a:b true; completed //a:b true; started; configured //a:b; configured //a:b; started
	  frame 'fa0704 6e6f7065'; frame '0a04fa01016e'; hex 00; finished SUCCESS 0; } >s
	run bep-reduce -q -f json s
	assert_success
	is '.targets|tostring' '{"requested":1,"succeeded":1,"failed":0,"skipped":0}' s
	is .metrics.bep_events 10 s
}

@test "B05 file sets that come late, never, or in a circle" {
	local set='id{named_set{id:"%s"}} named_set_of_files{files{name:"%s" length:5 uri:"file:///x"} file_sets{id:"%s"}}'
	{ started
	  completed //a:b true 'output_group{name:"default" file_sets{id:"0"}}'
	  event "$(printf "$set" 0 one 1)"; event "$(printf "$set" 1 two 0)"; event "$(printf "$set" 2 three gone)"
	  finished SUCCESS 0; } >s
	is '.artifacts.count,.artifacts.bytes|tostring' $'2\n10' s
	is '.artifacts.important[0]|tostring' '{"label":"//a:b","path":"one","bytes":5}' s
}

@test "B06 one label in two configurations, and an aspect on it, are one target" {
	{ started
	  event 'id{target_completed{label:"//:t" configuration{id:"a"}}} completed{success:true}'
	  event 'id{target_completed{label:"//:t" configuration{id:"b"}}} completed{}'
	  event 'id{target_completed{label:"//:u" configuration{id:"a"}}} completed{success:true}'
	  event 'id{target_completed{label:"//:u" aspect:"//:a.bzl%a" configuration{id:"a"}}} completed{}'
	  finished BUILD_FAILURE 1; } >s
	is '.targets|tostring' '{"requested":2,"succeeded":1,"failed":1,"skipped":0}' s
	is '.failed_targets|tostring' '["//:t"]' s
	bep-reduce -q --details d s >/dev/null
	assert_equal "$(jq -c 'select(.label == "//:t")' d/targets.jsonl)" \
		'{"label":"//:t","outcome":"failed","configurations":2,"configurations_failed":1}'
	assert_equal "$(jq -r 'select(.aspect) | .outcome' d/targets.jsonl)" failed
}

@test "B09 escape sequences and redraws, cut between events" {
	{ started
	  event 'id{progress{}} progress{stderr_:"[5 / 10] Compiling a.cc\n\r\x1b[1A\x1b["}'
	  event 'id{progress{opaque_count:1}} progress{stderr_:"K\x1b[31mERR"}'
	  event 'id{progress{opaque_count:2}} progress{stderr_:"OR: \x1b[0mno such package '"'x'"': BUILD file not found\n[6 / 10] x\n"}'
	  finished BUILD_FAILURE 1; } >s
	is '.diagnostics|length' 1 s
	is '.diagnostics[0].message|startswith("no such package")' true s
}

@test "B12 success decides whether an action failed" {
	{ started
	  event 'id{action_completed{label:"//:a"}} action{success:true exit_code:1 type:"T"}'
	  event 'id{action_completed{label:"//:b"}} action{exit_code:1 type:"Genrule" stderr_{name:"stderr" contents:"x.c:3:4: error: bad thing\n"}}'
	  finished BUILD_FAILURE 1; } >s
	is '[.diagnostics[]|.target,.action,.message]|tostring' '["//:b","Genrule","bad thing"]' s
}

@test "B20 B21 test states, attempts, shards, caches" {
	local result='id{test_result{label:"//:%s" run:1 shard:%d attempt:%d}} test_result{status:%s %s}'
	{ started test
	  event "$(printf "$result" flaky 1 1 FAILED '')"; event "$(printf "$result" flaky 1 2 PASSED '')"
	  event 'id{test_summary{label:"//:flaky"}} test_summary{overall_status:FLAKY attempt_count:2}'
	  event "$(printf "$result" cached 1 1 PASSED 'cached_locally:true test_attempt_duration_millis:90000')"
	  event "$(printf "$result" remote 1 1 PASSED 'execution_info{cached_remotely:true}')"
	  event "$(printf "$result" sharded 1 1 PASSED '')"; event "$(printf "$result" sharded 2 1 TIMEOUT '')"
	  event 'id{test_summary{label:"//:sharded"}} test_summary{overall_status:TIMEOUT shard_count:2}'
	  event 'id{test_summary{label:"//:none"}} test_summary{overall_status:NO_STATUS}'
	  event 'id{target_configured{label:"//:nobuild"}} configured{test_size:SMALL}'; completed //:nobuild false
	  frame '0a09 3a07 0a05 2f2f3a39 39 4a02 2809' # overall_status 9
	  finished TESTS_FAILED 3; } >s
	is '[.test_results[]|[.label,.status]]|sort|tostring' \
		'[["//:99","no_status"],["//:cached","passed"],["//:flaky","flaky"],["//:nobuild","failed_to_build"],["//:none","no_status"],["//:remote","passed"],["//:sharded","timed_out"]]' s
	is '.tests.cached' 2 s
	is '.test_results[]|select(.label=="//:sharded")|[.shards,.failures[0].shard]|tostring' '[2,2]' s
	is '.test_results[]|select(.label=="//:flaky")|.attempts' 2 s
	is '[.diagnostics[]|select(.target=="//:flaky")]|length' 0 s
}

@test "Bazel's own retry: the last attempt decides, the first is told" {
	{ started; completed //a:b false; finished REMOTE_CACHE_EVICTED 39; started; completed //a:b true; finished SUCCESS 0; } >s
	is '.state + " " + .headline' "succeeded built 1 target" s
	is '.diagnostics[0]|.severity + ": " + .message' \
		"note: Bazel tried 2 times; the attempt before the last one ended with exit code 39 (REMOTE_CACHE_EVICTED)" s
	{ started; completed //a:b false; finished REMOTE_CACHE_EVICTED 39; } >s
	is '.outcome' remote_failed s
}

@test "names that are encoded twice, NULs, bytes that are no UTF-8" {
	{ started; event 'id{target_completed{label:"//a:\303\203\302\274"}} completed{}'
	  event 'id{target_completed{label:"//a:\303\274"}} completed{}'
	  event 'id{target_completed{label:"//a:\000\377"}} completed{}'; finished BUILD_FAILURE 1; } >s
	is '.failed_targets|tostring' '["//a:ü","//a:ü","//a:��"]' s
}

# ---- evidence

@test "run: the build's outcome apart from the program's" {
	{ started run; completed //a:b true
	  event 'id{exec_request{}} exec_request{argv:"bazel-bin/a/b" argv:"x y" should_exec:true}'; finished SUCCESS 0; } >s
	is '.outcome, (.run|tostring)' $'program_failed\n{"target":"//a:b","argv":["bazel-bin/a/b","x y"],"program_exit_code":3}' s --exit-code=3
	is '.outcome, .run.program_exit_code' $'succeeded\n0' s --exit-code=0
}

@test "query rows, info keys" {
	printf '//a:b\n//a:c\n' >out
	is '.headline, .query.rows, .query.sample[1]' $'2 rows\n2\n//a:c' /dev/null --command=query --exit-code=0 --stdout=out
	seq 1 30000 >out
	is '.query.rows, (.query.sample|length), .truncated.query' $'30000\n20\n29980' /dev/null --command=query --exit-code=0 --stdout=out
	printf 'bazel-bin: /x/bin\nrelease: release 8.4.2\n' >out
	is '.info.release' "release 8.4.2" /dev/null --command=info --exit-code=0 --stdout=out
}

@test "secrets reach neither the summary nor the details" {
	echo 'hunter[0-9]+' >patterns
	{ started test; event 'id{action_completed{label:"//:b"}} action{exit_code:1 type:"Genrule" stderr_{name:"e" contents:"x.c:3:4: error: key hunter22\n"}}'
	  event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" contents:"assert hunter23"}}'
	  event 'id{progress{}} progress{stderr_:"ERROR: hunter24\n" stdout_:"hunter25\n"}'; finished TESTS_FAILED 3; } >s
	bep-reduce -q --redact=patterns --details=d -f json s >out
	assert [ -n "$(grep -r REDACTED d out)" ]
	assert [ -z "$(grep -rE 'hunter[0-9]' d out)" ]
	assert [ -z "$(bep-reduce -q --redact=patterns --events s | grep -E 'hunter[0-9]')" ]
	echo '(' >patterns
	run --separate-stderr bep-reduce --redact=patterns s
	assert_failure 78
	assert_regex "$stderr" "^bep-reduce: patterns: line 1"
}

@test "details: private, as JSON lines, with copies of logs" {
	{ started test; event 'id{test_result{label:"//a/b:t" run:1 shard:1 attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" contents:"boom"} test_action_output{name:"test.xml" contents:"<a><testcase name=\"c\"><failure message=\"m\"/></testcase></a>"}}'
	  finished TESTS_FAILED 3; } >s
	bep-reduce -q --details=d -f json s >out
	assert_equal "$(stat -c %a d d/tests.jsonl d/test-logs d/test-logs/*.log | xargs)" "700 600 700 600"
	assert_equal "$(cat d/test-logs/*.log)" boom
	assert_equal "$(jq -r '.cases[0].message, .copies[]' d/tests.jsonl | head -1)" m
	assert [ -e "d/$(jq -r '.copies[0]' d/tests.jsonl)" ]
	# No empty files; a second run leaves nothing of the first one.
	assert [ ! -e d/coverage.jsonl ]
	{ started build; finished SUCCESS 0; } | bep-reduce -q --details=d -f json >out
	assert_equal "$(echo d/*)" d/test-logs
	run bep-reduce -q --details=/dev/null/x s
	assert_failure 73
}

@test "a log that changes afterwards was copied in time" {
	mkdir -p ws/testlogs/t
	echo first >ws/testlogs/t/test.log
	mkfifo p
	bep-reduce -q --workspace="$PWD/ws" --details=d -f json p >out 3>&- &
	exec 4>p
	{ started test; event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" uri:"file://'"$PWD"'/ws/testlogs/t/test.log"}}'; } >&4
	wait_for 5 grep -q first d/test-logs -r
	echo second >ws/testlogs/t/test.log
	finished TESTS_FAILED 3 >&4
	exec 4>&-
	wait $!
	assert_equal "$(cat d/test-logs/*.log)" first
}

@test "a failed case of test.xml is placed by its stack trace" {
	local trace='java.lang.AssertionError: totals differ&#10;\tat org.junit.Assert.fail(Assert.java:89)&#10;\tat shop.CartTest.total(CartTest.java:12)'
	for failure in '<failure message=\"totals differ\">'"$trace"'</failure>' '<failure>'"$trace"'</failure>'; do
		{ started test
		  event 'id{test_result{label:"//shop:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.xml" contents:"<a><testcase name=\"c\">'"$failure"'</testcase></a>"}}'
		  finished TESTS_FAILED 3; } >s
		is '.diagnostics|length' 1 s
		is '.diagnostics[0].location|[.path,.line]|tostring' '["shop/CartTest.java",12]' s
		assert_regex "$(of '.diagnostics[0].message' <s)" '^(java.lang.AssertionError: )?totals differ$'
	done
}

@test "a failed case knows better than a word in the log" {
	case_with() {
		started test
		event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" contents:"ERROR: retrying the connection"} test_action_output{name:"test.xml" contents:"<a><testcase name=\"c\"><failure'"$1"'/></testcase></a>"}}'
		finished TESTS_FAILED 3
	}
	case_with ' message=\"want 3, got 1\"' >told
	case_with '' >untold
	is '.diagnostics|map(.message)|tostring' '["want 3, got 1"]' told
	is '.diagnostics|map(.message)|tostring' '["retrying the connection"]' untold
}

@test "a failed case that says nothing does not hide the log" {
	{ started test
	  event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" contents:"header differs\n"} test_action_output{name:"test.xml" contents:"<a><testcase name=\"c\"><failure/></testcase></a>"}}'
	  finished TESTS_FAILED 3; } >s
	is '.diagnostics|map(.message)|tostring' '["header differs"]' s
}

# test_log SIZE LINE WHERE: a log of SIZE lines of 64 bytes, with LINE behind the line number WHERE.
test_log() {
	mkdir -p ws/testlogs/t
	awk -v n="$1" -v line="$2" -v at="$3" 'BEGIN { for (i = 1; i <= n; i++) { printf "%063d\n", i; if (i == at) print line } }' >ws/testlogs/t/test.log
}

# log_event [FIELDS]: the failed test whose log that is.
log_event() { event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.log" uri:"file://'"$PWD"'/ws/testlogs/t/test.log" '"${1-}"'}}'; }

@test "a log of many MiB is read at its ends and where it complains" {
	{ started test; log_event; finished TESTS_FAILED 3; } >s
	for where in 10 150000 300000; do
		test_log 300000 "t.py:3: error: lost at $where" "$where"
		is '.diagnostics|map(.message)|tostring' "[\"lost at $where\"]" s --workspace="$PWD/ws"
	done
}

@test "a log that is another run's by its length or time is not read" {
	test_log 2 "t.py:3: error: of another run" 1
	local length
	length=$(stat -c %s ws/testlogs/t/test.log)
	{ started test; log_event "length:$length"; finished TESTS_FAILED 3; } >same
	{ started test; log_event "length:$((length + 1))"; finished TESTS_FAILED 3; } >other
	is '.diagnostics[0].message' "of another run" same --workspace="$PWD/ws"
	is '.test_results[0].log|[.available,.reason]|tostring' '[false,"overwritten"]' other --workspace="$PWD/ws"
	is '.diagnostics|map(.message)|tostring' '["test failed"]' other --workspace="$PWD/ws"
	bep-reduce -q --workspace="$PWD/ws" --details=d -f json other >out
	assert [ ! -e d/test-logs ] || assert_equal "$(ls d/test-logs)" ""
	# Bazel before 5 tells no length: then the log may not be younger than the attempt's end.
	local fields='test_attempt_start_millis_epoch:1700000000000 test_attempt_duration_millis:1000'
	{ started test; log_event; finished TESTS_FAILED 3; } >unknown
	{ started test; event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED '"$fields"' test_action_output{name:"test.log" uri:"file://'"$PWD"'/ws/testlogs/t/test.log"}}'; finished TESTS_FAILED 3; } >timed
	is '.diagnostics[0].message' "of another run" unknown --workspace="$PWD/ws"
	is '.test_results[0].log.reason' overwritten timed --workspace="$PWD/ws"
	touch -d @1700000030 ws/testlogs/t/test.log
	is '.diagnostics[0].message' "of another run" timed --workspace="$PWD/ws"
	# What the user points to is what he means.
	touch ws/testlogs/t/test.log
	is '.diagnostics[0].message' "of another run" other --testlogs="$PWD/ws/testlogs"
}

# ---- other outputs

@test "text: 80 columns, colour only where asked for" {
	{ started; event 'id{action_completed{label:"//pkg:b"}} action{exit_code:1 type:"CppCompile" stderr_{name:"e" contents:"pkg/x.c:3:4: error: '"$(printf 'long word %.0s' {1..30})"'\n    3 | int x = '"$(printf 'y%.0s' {1..120})"';\n      |         ^\n"}}'
	  completed //pkg:b false; finished BUILD_FAILURE 1; } >s
	run bep-reduce -f text s
	assert_success
	refute_output --partial $'\x1b'
	assert_line --regexp '^pkg/x.c:3:4: error$'
	while IFS= read -r line; do [ "${#line}" -le 80 ] || fail "${#line} columns: $line"; done <<<"$output"
	run bep-reduce -f text --color=always s
	assert_output --partial $'\x1b[1;31m'
}

@test "sarif, junit and toon are what they say" {
	{ started test; event 'id{action_completed{label:"//pkg:b"}} action{exit_code:1 type:"CppCompile" stderr_{name:"e" contents:"pkg/x y.c:3:4: error: a < b & \"c\"\n"}}'
	  event 'id{test_result{label:"//:t" attempt:1}} test_result{status:FAILED test_action_output{name:"test.xml" contents:"<a><testcase name=\"c\"><failure message=\"1 &lt; 2\"/></testcase></a>"}}'
	  finished BUILD_FAILURE 1; } >s
	assert_equal "$(bep-reduce -q -f sarif s | jq -r '.version, .runs[0].results[0].locations[0].physicalLocation.region.startLine')" $'2.1.0\n3'
	bep-reduce -q -f junit s >out.xml
	python3 - <<-'P'
		import xml.etree.ElementTree as E
		s = E.parse("out.xml").getroot().find("testsuite")
		assert s.get("failures") == "1" and s.find("testcase/failure").get("message") == "1 < 2", E.tostring(s)
	P
	assert_equal "$(bep-reduce -q -f toon s | head -3)" $'schema: 1\nstate: failed\noutcome: build_failed'
	bep-reduce -q -f toon s | grep -q '^diagnostics\[[0-9]*\]{severity,category,message,'
}

@test "events: selected, and the same as Bazel's own JSON lines" {
	need_shared
	local case=$SHARED/corpus/bazel-4.2.3/test-mixed-k
	assert_equal "$(bep-reduce -q --events=finished "$case/events.bep" | jq -r .finished.exitCode.name)" BUILD_FAILURE
	assert_equal "$(bep-reduce -q --events=test_summary --label='//mixed:b*' "$case/events.bep" | jq -r .id.testSummary.label)" //mixed:b_fail_test
	assert_equal "$(bep-reduce -q --events --label=//mixed/... "$case/events.bep" | jq -r '.id|keys[0]' | sort -u | xargs)" \
		"actionCompleted targetCompleted targetConfigured testResult testSummary"
	for case in "$SHARED"/corpus/bazel-{4.2.3,2.1.0}/*/; do
		[ -e "$case/events.json" ] || continue
		bep-reduce -q --events "$case/events.bep" >ours.json || [ $? = 65 ]
		python3 "$TOP/test/reduce/subset.py" ours.json "$case/events.json" || fail "$case"
	done
}

@test "JSON lines give the same summary as frames" {
	need_shared
	local case
	for case in "$SHARED"/corpus/bazel-4.2.3/{build-ok,cc-compile-error,test-mixed-k,coverage-ok,run-ok,names-unicode,build-file-sets}; do
		assert_equal "$(of 'del(.metrics.bep_bytes)' <"$case/events.json")" "$(of 'del(.metrics.bep_bytes)' <"$case/events.bep")"
	done
	printf '{"id":{"started":{}},"started":{"uuid":"u"}}\nno JSON\n' >s
	run --separate-stderr bep-reduce -f json s
	assert_failure 65
	assert_equal "$stderr" "bep-reduce: s: 1 lines are no events; the first is line 2"
}

@test "progress: lines as events arrive; a reader that sleeps stops nothing" {
	{ started; event 'id{progress{}} progress{stderr_:"[3 / 9] Compiling a.cc; 2s\n"}'; completed //a:b true; finished SUCCESS 0; } >s
	bep-reduce -q --progress-fd=5 s 5>lines >/dev/null
	assert_equal "$(tail -1 lines | jq -r '.phase, .actions_done, .actions_total')" $'finished\n3\n9'
	mkfifo p
	sleep 60 <p 3>&- &
	for _ in {1..3000}; do cat s; done >many
	timeout 20 bep-reduce -q -f json --progress-fd=5 many 5>p >out
	kill $!
	assert_equal "$(jq -r .state out)" succeeded
}

@test "A15 one event of 100 MB of each kind, in bounded memory" {
	need python3
	for kind in progress set target test; do
		python3 "$TOP/test/reduce/huge.py" "$kind" | command time -f %M -o peak timeout 20 bep-reduce -q -f json >out
		[ "$(tail -1 peak)" -lt 300000 ] || fail "$kind: $(cat peak) KiB"
		jq -e .schema out >/dev/null || fail "$kind"
	done
}

@test "help, version and the man page agree" {
	bep-reduce --version | grep -q '^bep-reduce '
	for name in $(bep-reduce --help | grep -oE -- '--[a-z-]+' | sort -u | grep -v -e --build); do
		grep -q "Fl -${name#--}" "$TOP/man/bep-reduce.1" || fail "$name is not in the man page"
	done
}
