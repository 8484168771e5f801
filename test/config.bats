#!/usr/bin/env bats
# The configuration of mcp-front: where it comes from, what is refused, what is in force.
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset MCP_FRONT_CONFIG XDG_CONFIG_HOME XDG_STATE_HOME
	export HOME=$PWD/home
	mkdir -p home ws
}

# config TEXT: this is the configuration.
config() { printf '%s' "$1" >c.json; }

check() { run --separate-stderr mcp-front --check-config "$@"; }

# refused TEXT WORD...: this configuration is refused, and each WORD is a line of stderr.
refused() {
	config "$1"
	shift
	check --config c.json
	assert_failure 78
	assert_equal "$output" ""
	local word
	for word; do
		grep -qxF -- "mcp-front: $word" <<<"$stderr" || fail "no '$word' in: $stderr"
	done
	[ "$(wc -l <<<"$stderr")" = $# ] || fail "more than that: $stderr"
}

# value KEY: what is in force.
value() { sed -nE "s/^ *\"$1\": (.*[^,]),? \/\/ .*/\1/p" <<<"$output"; }
# origin KEY: where it came from.
origin() { sed -nE "s/^ *(\/\/ )?\"$1\": .* \/\/ (.*)/\2/p" <<<"$output"; }

@test "without a file the defaults hold, and the store is in the state folder" {
	check
	assert_success
	assert_equal "$stderr" ""
	assert_equal "$(value global_concurrency) $(origin global_concurrency)" "4 default"
	assert_equal "$(value result_encoding)" '"toon"'
	assert_equal "$(value cache_root)" "\"$HOME/.local/state/mcp-front\""
	assert [ ! -e home/.local ]
}

@test "--config wins over the variable, the variable over the user's file" {
	mkdir -p home/.config/mcp-front
	echo '{"global_concurrency": 2}' >home/.config/mcp-front/config.json
	echo '{"global_concurrency": 3}' >v.json
	echo '{"global_concurrency": 5}' >c.json
	check
	assert_equal "$(value global_concurrency)" 2
	assert_equal "$(origin global_concurrency)" "$HOME/.config/mcp-front/config.json"
	MCP_FRONT_CONFIG=v.json check
	assert_equal "$(value global_concurrency) $(origin global_concurrency)" "3 v.json"
	MCP_FRONT_CONFIG=v.json check --config c.json
	assert_equal "$(value global_concurrency) $(origin global_concurrency)" "5 c.json"
	mkdir -p x/mcp-front
	echo '{"global_concurrency": 6}' >x/mcp-front/config.json
	XDG_CONFIG_HOME=$PWD/x check
	assert_equal "$(value global_concurrency)" 6
}

@test "empty and relative variables count as unset" {
	MCP_FRONT_CONFIG='' XDG_CONFIG_HOME='' XDG_STATE_HOME='' check
	assert_success
	assert_equal "$(value cache_root)" "\"$HOME/.local/state/mcp-front\""
	XDG_STATE_HOME=here check
	assert_equal "$(value cache_root)" "\"$HOME/.local/state/mcp-front\""
	XDG_STATE_HOME=$PWD/s check
	assert_equal "$(value cache_root)" "\"$PWD/s/mcp-front\""
}

@test "a file that was named must be a file" {
	check --config none.json
	assert_failure 78
	assert_equal "$stderr" "mcp-front: none.json: No such file or directory"
	check --config .
	assert_failure 78
	assert_equal "$stderr" "mcp-front: .: not a regular file"
	mkfifo fifo
	check --config fifo
	assert_failure 78
	MCP_FRONT_CONFIG=none.json check
	assert_failure 78
	head -c 1100000 /dev/zero >big.json
	check --config big.json
	assert_equal "$stderr" "mcp-front: big.json: longer than 1 MiB"
}

@test "unknown keys, wrong types and values out of bounds are errors with their key, all at once" {
	refused '{"global_concurency": 4, "result_encoding": "yaml", "retention_days": "7",
		"allow_outside_flags": 1, "allowed_commands": "build", "denied_commands": ["run", 3, ""],
		"task_poll_interval_ms": 99, "cache_root": "", "global_concurrency": -1,
		"retention_days": 1.5}' "c.json:4: retention_days: duplicate key"
	refused '{"global_concurency": 4, "result_encoding": "yaml", "retention_days": "7",
		"allow_outside_flags": 1, "allowed_commands": "build", "denied_commands": ["run", 3, ""],
		"task_poll_interval_ms": 99, "cache_root": "", "global_concurrency": -1,
		"retention_failure_days": 1.5, "bazel_executable": null}' \
		"c.json: global_concurency: unknown key" \
		"c.json: result_encoding: must be one of text, toon, structured, both" \
		"c.json: retention_days: must be an integer, not string" \
		"c.json: allow_outside_flags: must be true or false, not int" \
		"c.json: allowed_commands: must be an array of strings, not string" \
		"c.json: denied_commands[1]: must be a string that is not empty" \
		"c.json: denied_commands[2]: must be a string that is not empty" \
		"c.json: task_poll_interval_ms: must be between 100 and 60000" \
		"c.json: cache_root: must be a path, not empty" \
		"c.json: global_concurrency: must be between 1 and 1024" \
		"c.json: retention_failure_days: must be an integer, not double" \
		"c.json: bazel_executable: must be a path, not null"
}

@test "a syntax error has its line" {
	refused '{
  "global_concurrency": 4,
  "retention_days" 7
}' "c.json:3: not valid JSON"
	refused '{"a": 1,}' "c.json:1: not valid JSON"
	refused "{'a': 1}" "c.json:1: not valid JSON"
	refused '' "c.json:1: not valid JSON"
	refused '[]' "c.json: must be an object, not array"
	refused '{/* no end' "c.json:1: not valid JSON"
	refused $'{\n"a": "\xff"}' "c.json:2: not valid UTF-8"
}

@test "comments are allowed, and a key in one is none" {
	config '{ // one
  /* "global_concurrency": 9, */ "global_concurrency": 7 // "global_concurrency": 8
}'
	check --config c.json
	assert_success
	assert_equal "$(value global_concurrency)" 7
}

@test "what belongs together is checked together" {
	refused '{"global_concurrency": 9, "maximum_pending_invocations": 8,
		"default_timeout_seconds": 10, "maximum_timeout_seconds": 9}' \
		"c.json: maximum_pending_invocations: must not be below global_concurrency" \
		"c.json: default_timeout_seconds: must not be above maximum_timeout_seconds"
	refused "{\"allowed_roots\": [\"$PWD\"]}" \
		"c.json: cache_root: $HOME/.local/state/mcp-front is inside the allowed root $PWD"
	refused '{"redaction_patterns": ["ok", "(", "[a-"]}' \
		"c.json: redaction_patterns[1]: missing closing parenthesis at character 2" \
		"c.json: redaction_patterns[2]: missing terminating ] for character class at character 4"
}

@test "roots exist and are canonical; options add to them and win" {
	ln -s ws link
	touch file
	refused '{"allowed_roots": ["link", "nowhere", "file"]}' \
		"c.json: allowed_roots[1]: nowhere: No such file or directory" \
		"c.json: allowed_roots[2]: file: not a folder"
	config '{"allowed_roots": ["link/../link"], "cache_root": "ws/../c/./d"}'
	check --config c.json
	assert_equal "$(value allowed_roots)" "[\"$PWD/ws\"]"
	assert_equal "$(value cache_root) $(origin cache_root)" "\"$PWD/c/d\" c.json"
	mkdir more
	check --config c.json --allow-root more --cache-root else
	assert_equal "$(value allowed_roots)" "[\"$PWD/ws\",\"$PWD/more\"]"
	assert_equal "$(origin allowed_roots)" "the file and --allow-root"
	assert_equal "$(value cache_root) $(origin cache_root)" "\"$PWD/else\" --cache-root"
	check --allow-root nowhere
	assert_failure 78
	assert_equal "$stderr" "mcp-front: --allow-root: nowhere: No such file or directory"
}

@test "what others have and we do not is refused by name" {
	refused '{"aspect": {"executable": "x"}, "starlark": {}, "supported_bazel_major_versions": [8]}' \
		"c.json: aspect: Aspect CLI routing is not supported" \
		"c.json: starlark: Starlark reducers are not supported" \
		"c.json: supported_bazel_major_versions: not needed: every Bazel from 2.1 on is tried"
}

@test "what is printed can be used as a file" {
	config '{"allowed_roots": ["ws"], "retention_days": 3, "redaction_patterns": ["a\\d\"//"]}'
	check --config c.json
	printf '%s\n' "$output" >again.json
	check --config again.json
	assert_success
	assert_equal "$(value retention_days) $(origin retention_days)" "3 again.json"
	assert_equal "$(value redaction_patterns)" '["a\\d\"//"]'
}

@test "the manual has every key with its default, and its example works" {
	local page=$TOP/man/mcp-front.json.5 key
	check
	for key in $(sed -nE 's/^ *(\/\/ )?"([a-z_]+)": .*/\2/p' <<<"$output"); do
		grep -q "^\.It Va $key Pq " "$page" || fail "$key is not in the manual"
		case $(value "$key") in
		[0-9]* | true | false) grep -qx "\.It Va $key Pq $(value "$key")" "$page" || fail "$key has another default" ;;
		esac
	done
	for key in $(sed -nE 's/^\.It Va ([a-z_]+) Pq .*/\1/p' "$page"); do
		grep -q "\"$key\": " <<<"$output" || fail "the manual's $key is no key"
	done
	sed -n '/^\.Bd -literal/,/^\.Ed/p' "$page" | sed '/^\./d; s,/home/me/src,ws,' >c.json
	check --config c.json
	assert_success
	assert_equal "$(value denied_commands)" '["clean","shutdown"]'
}

@test "the manual names every flag of the policy" {
	local flag
	for flag in $(sed -nE 's/^ *\{"([^"]+)", .*/\1/p' "$TOP/cmd/mcp-front/policy_flags.c"); do
		grep -qE "(^|[ ,])$flag([ ,.]|\$)" "$TOP/man/mcp-front.json.5" || fail "$flag is not in the manual"
	done
}

@test "a server with a bad configuration does not start" {
	config '{"x": 1}'
	run --separate-stderr mcp-front --config c.json </dev/null
	assert_failure 78
	assert_equal "$output" ""
	assert_equal "$stderr" "mcp-front: c.json: x: unknown key"
}
