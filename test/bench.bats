#!/usr/bin/env bats
# The benchmarks run, with sizes that take no time, and report what they promise. No time is judged here.
load lib

setup_file() {
	make -C "$TOP" --no-print-directory -s bench-programs >&2
}

# bench NAME ARGUMENT...: its report in $output.
bench() {
	local name=$1
	shift
	run --separate-stderr "$TOP/bench/$name" "$@"
	[ "$status" -eq 0 ] || echo "${stderr-}"
	assert_success
}

# has FILTER...: each is true of the report.
has() {
	local filter
	for filter; do
		jq -e "$filter" <<<"$output" >/dev/null || fail "not so: $filter"$'\n'"$output"
	done
}

@test "each says how to use it, and every file of bench/ is tested here" {
	local path name
	for path in "$TOP"/bench/*; do
		name=${path##*/}
		[[ $name != *.* && $name != __pycache__ ]] || continue
		run "$path" --help
		assert_success
		assert_output --partial "usage: $name"
		grep -q "bench $name" "$BATS_TEST_FILENAME" || fail "$name has no test"
	done
}

@test "bes-live: five ways, what differs from bare Bazel, processor time" {
	need bazel
	bench bes-live --samples 2 --warmups 0 --build-arg=--jobs=2 --label=x
	has '.label == "x" and .samples == 2' '.build_args == ["--jobs=2"]' \
		'all(.bare, .tail, .fifo, .bes, .drain; .wall.samples_ms | length == 2)' \
		'all(.tail, .fifo, .bes; .reported.samples_ms | length == 2)' \
		'all(.over_bare[]; .pairs == 2 and .median_interval_ms[0] <= .median_ms)' \
		'.bes_over_drain.pairs == 2' '.cpu_ms.tail > 0'
}

@test "bes-transport: what was sent is what was written" {
	bench bes-transport --repetitions 2 --samples 1
	has '.events_per_sample > 0 and .bytes_per_sample > 0' \
		'all(.tail, .bes, .floor; .median_ms > 0 and .median_mib_per_second > 0)' '.bes_over_floor_median_ratio > 0'
	run "$TOP/bench/bes-transport" --samples 0
	assert_failure 2
}

@test "startup: multiples of programs that do nothing, and memory" {
	bench startup --samples 2
	has '.mcp_front_over_empty.median > 0' '.bes_recv_over_grpc_init.median > 0' \
		'.mcp_front_memory.after_initialize_kib <= .mcp_front_memory.after_tools_list_kib'
}

@test "memory: the peak of each filter on each path" {
	bench memory --events 1000
	has '.tail.peak_kib | keys == ["bep-reduce", "bep-tail"]' '.fifo.peak_kib | keys == ["bep-durable", "bep-fifo"]' \
		'.bes.peak_kib | keys == ["bep-durable", "bes-recv"]' 'all(.tail, .fifo, .bes; .events >= 1000)' \
		'all(.tail, .fifo, .bes; .peak_kib[] > 0)'
}

@test "bytes: what an agent reads for one task, and the list of tools" {
	need bazel
	bench bytes --fanout 2 --rows 3 --task "loading error"
	has '.tasks | length == 1' '.tasks[0] | .missing == [] and .bytes > 0 and .plain_bytes > 0' \
		'.tasks[0] | .within == (.bytes <= .target_bytes)' '.tools_list.bytes > 0'
}

@test "pages: every row is reached" {
	bench pages --rows 250 --lines 250 --diagnostics 250
	has 'all(.query_results, .log, .diagnostics; .rows == 250 and .multiple > 0)' '.peak_kib > 0'
}

@test "reduce: six streams" {
	bench reduce --events 1000 --sets 100 --diagnostics 20 --log-bytes 100000
	has 'all(.fixture_x100, .million_events, .file_sets, .diagnostics_all, .diagnostics_tenth, .log; .us_per_event > 0)' \
		'.diagnostics_all.events == 42 and .diagnostics_tenth.events == 6'
}

@test "crowd: each answer is its own, and nothing stays open" {
	bench crowd --invocations 6 --servers 3 --seconds 0.1
	has '.invocations == 6' '.alone_s >= 0.1 and .crowd_p95_s >= .crowd_median_s and .p95_over_alone > 0'
}

@test "store: two sizes and their multiples" {
	bench store --invocations 200 --samples 1
	has '.multiple | keys == ["history", "last_page", "lookup", "page", "run", "start"]' '.invocations == 200'
}
