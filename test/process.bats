#!/usr/bin/env bats
# Processes that behave badly around mcp-front: Bazels that leave children behind or print without end, clients
# that vanish. With stand-ins for Bazel.
load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir ws
	touch ws/WORKSPACE
	export PYTHONPATH="$TOP/test"
}

# bazel_is [JSON] < SCRIPT: the stand-in, in sh, and the configuration that names it, and more.
bazel_is() {
	{
		echo '#!/bin/sh'
		cat
	} >bazel
	chmod +x bazel
	jq -n --arg store "$PWD/store" --arg bazel "$PWD/bazel" --argjson more "${1-{\}}" \
		'{cache_root: $store, bazel_executable: $bazel, cancellation_interrupt_grace_seconds: 1,
		  cancellation_terminate_grace_seconds: 1} + $more' >config.json
}

# leaves_child: a program for the stand-in, `leave`: a child in a session of its own, where nobody ends it, that
# holds what it inherits; its pid goes into the file `left`.
leaves_child() {
	cat >leave <<-'END'
		#!/bin/sh
		cd "${0%/*}"
		rm -f ready
		setsid sh -c 'echo $$ >>left; : >ready; exec sleep 61' &
		while [ ! -e ready ]; do sleep 0.01; done
	END
	chmod +x leave
}

# end_children: they must be there still.
end_children() {
	local pid
	while read -r pid; do
		kill "$pid" || return
	done <left
}

# call COMMAND [TRANSPORT]: the answer to one bazel.run, and how long it took, in whole seconds.
call() {
	python3 - "$1" "${2-tail}" <<-'END'
		import json, os, sys, time
		from mcp_client import Client, text_of
		config = json.load(open("config.json")) | {"bep_transport": sys.argv[2]}
		json.dump(config, open("config.json", "w"))
		c = Client(["mcp-front", "--config", "config.json"], timeout=40)
		c.initialize()
		began = time.monotonic()
		more = {"target": "//x"} if sys.argv[1] == "run" else {}
		print(text_of(c.call("bazel_run", workspace=os.getcwd() + "/ws", command=sys.argv[1], **more)))
		print("took %d s" % (time.monotonic() - began))
		assert c.close() == 0
	END
}

@test "a child that outlives Bazel and holds its pipes holds nobody, on each capture path" {
	leaves_child
	bazel_is <<-'END'
		[ "$1" != --version ] || { echo 'bazel 4.2.3'; exit; }
		for word; do
		    case $word in --build_event_binary_file=*) exec 9>"${word#*=}" ;; esac
		done
		echo out
		"${0%/*}/leave"
		exit 3
	END
	local transport
	for transport in tail fifo bes; do
		run call build $transport
		assert_success
		assert_line 'exit_code: 3'
		assert_output --regexp 'took [0-4] s'
	done
	end_children
	assert_no_leak
}

@test "the version is known although what was asked for it has left a child that holds the pipe" {
	leaves_child
	bazel_is <<-'END'
		if [ "$1" = --version ]; then
		    "${0%/*}/leave"
		    echo 'bazel 8.1.0'
		    exit
		fi
		echo "$@" >"${0%/*}/words"
	END
	run call build
	assert_output --regexp 'took [0-4] s'
	end_children
	# A flag that only Bazel 8 and newer get.
	run cat words
	assert_output --partial '--build_event_binary_file_upload_mode='
	assert_no_leak
}

@test "who prints without end is stopped, whatever the command, and the answer says so" {
	bazel_is '{"maximum_output_bytes": 1048576, "maximum_run_output_bytes": 1048576, "allowed_commands": ["build", "query", "run"], "denied_commands": []}' <<-'END'
		[ "$1" != --version ] || { echo 'bazel 4.2.3'; exit; }
		trap '' INT
		i=0
		while [ $i -lt 200 ]; do
		    head -c 100000 /dev/zero | tr '\0' x
		    sleep 0.05
		    i=$((i + 1))
		done
	END
	local command
	for command in build query run; do
		run call $command
		assert_line 'state: failed'
		assert_output --partial 'stopped: Bazel printed more than is allowed'
	done
	assert_no_leak
}

# hanging: a stand-in that waits for a signal, as Bazel does, and says when it is there.
hanging() {
	bazel_is <<-'END'
		[ "$1" != --version ] || { echo 'bazel 4.2.3'; exit; }
		trap 'exit 8' INT TERM
		: >"${0%/*}/there"
		sleep 61 &
		wait "$!"
	END
}

@test "a client that is killed while its child keeps our input open: everything ends as cancelled" {
	hanging
	cat >client.py <<-'END'
		import os, subprocess, sys
		from mcp_client import Client
		c = Client(["mcp-front", "--config", "config.json"])
		c.initialize()
		# It inherits the writing end of the server's stdin.
		end = c.server.stdin.fileno()
		child = subprocess.Popen(["sleep", "61"], pass_fds=[end])
		print(c.server.pid, child.pid, flush=True)
		c.call("bazel_run", workspace=os.getcwd() + "/ws", command="build")
	END
	python3 client.py >pids 3>&- &
	local client=$! server child
	wait_for 10 test -e there
	read -r server child <pids
	kill -KILL $client
	wait_for 5 gone "$server" || fail "mcp-front lives on"
	assert [ -e "/proc/$child" ]
	kill "$child"
	assert_equal "$(python3 -c 'import sqlite3; print(*sqlite3.connect("store/store.db").execute("SELECT state FROM invocations"))')" "(5,)"
	assert_no_leak
}

@test "a client that reads no more: everything ends as cancelled" {
	hanging
	python3 - <<-'END'
		import os, sqlite3, time
		from mcp_client import Client
		c = Client(["mcp-front", "--config", "config.json"])
		c.initialize()
		c.start("tools/call", {"name": "bazel_run", "arguments": {"workspace": os.getcwd() + "/ws", "command": "build"}})
		while not os.path.exists("there"):
		    time.sleep(0.01)
		c.server.stdout.close()
		c.start("ping")
		assert c.server.wait(10) == 0
		assert sqlite3.connect("store/store.db").execute("SELECT state FROM invocations").fetchall() == [(5,)]
	END
	assert_no_leak
}
