#!/usr/bin/env bats
# bep-durable: FILE, acceptance, the reader. What is killed, fails or sleeps: test/fault.

load lib

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	# Three events, the last of which says last_message.
	{ frame 0a0161; frame 0a0162120163; frame a00101; } >whole
	export PYTHONPATH="$TOP/test/fault"
}

last=a00101

@test "FILE and stdout get the bytes of stdin" {
	bep-durable e.bep <whole >out
	cmp whole e.bep
	cmp whole out
	[ "$(stat -c %a e.bep)" = 600 ]
}

@test "recorded streams pass unchanged" {
	need_shared
	local file status n=0
	for file in "$SHARED"/corpus/bazel-*/*/events.bep; do
		status=0
		bep-durable --force e.bep <"$file" 2>err >out || status=$?
		cmp e.bep out
		if [ $status -eq 0 ]; then
			cmp e.bep "$file"
		else # a recording of a build that was cut off
			[ $status -eq 65 ]
			cmp -n "$(stat -c %s e.bep)" e.bep "$file"
			grep -q "at byte $(stat -c %s e.bep)" err
		fi
		n=$((n + 1))
	done
	[ $n -ge 10 ]
}

@test "an existing FILE is refused and left alone" {
	echo mine >e.bep
	run bep-durable e.bep <whole
	assert_failure 73
	assert_output "bep-durable: e.bep: exists; --append goes on behind it, --force empties it"
	[ "$(cat e.bep)" = mine ]
}

@test "--force empties FILE" {
	head -c 100000 /dev/zero >e.bep
	bep-durable --force e.bep <whole >out
	cmp whole e.bep
}

@test "--append goes on behind the last whole frame and passes on only what is new" {
	cp whole e.bep
	printf '\x05torn' >>e.bep
	run --separate-stderr bep-durable --append e.bep <whole
	assert_success
	cat whole whole | cmp - e.bep
	[ "$(tail -c 5 e.bep.torn)" = $'\x05torn' ]
	[ "$(stat -c %s-%a e.bep.torn)" = 5-600 ]
	[[ $stderr == *"e.bep: the frame at byte $(stat -c %s whole) was torn; its 5 bytes are in e.bep.torn now"* ]]
	bep-durable -q --append e.bep <whole | cmp - whole
	# Nothing is torn this time, so what was kept stays.
	[ "$(stat -c %s e.bep.torn)" = 5 ]
}

@test "--append makes a FILE that is missing" {
	bep-durable --append e.bep <whole | cmp - whole
	cmp whole e.bep
}

@test "--append leaves a FILE alone that is no stream of frames" {
	{ cat whole; hex ff ff ff ff ff ff ff ff ff ff 01; } >e.bep
	cp e.bep before
	run bep-durable --append e.bep <whole
	assert_failure 65
	assert_output --partial "e.bep: is no stream of frames: at byte $(stat -c %s whole)"
	cmp before e.bep
	[ ! -e e.bep.torn ]
}

@test "recovery of 128 MiB is not slow" {
	python3 - <<'PY'
import subprocess, time
from pipeline import DURABLE, LAST_MESSAGE, SANITIZED, frame
piece = b"".join(frame(400, i) for i in range(2600))
with open("e.bep", "wb") as file:
    for _ in range(128):
        file.write(piece)
start = time.monotonic()
subprocess.run([DURABLE, "-q", "--append", "e.bep"], input=LAST_MESSAGE, stdout=subprocess.DEVNULL, check=True)
took = time.monotonic() - start
print(f"# {took * 1000:.0f} ms")
assert took < (20 if SANITIZED else 2), took  # 0.1 s where nothing else runs
PY
}

@test "FILE must be a regular file" {
	mkfifo fifo
	mkdir folder
	local path option
	for path in fifo /dev/null; do
		for option in --append --force --sync=end; do
			run timeout 5 bep-durable $option $path <whole
			assert_failure 73
			assert_output "bep-durable: $path: is not a regular file"
		done
	done
	run bep-durable --force folder <whole
	assert_failure 73
	run bep-durable missing/e.bep <whole
	assert_failure 73
	assert_output "bep-durable: missing/e.bep: No such file or directory"
}

@test "FILE that another process writes is 75, and is not emptied" {
	mkfifo in
	bep-durable e.bep <in >out &
	exec 5>in
	cat whole >&5
	wait_for 5 cmp -s whole e.bep
	run bep-durable --force e.bep <whole
	assert_failure 75
	assert_output "bep-durable: e.bep: another process is writing it"
	exec 5>&-
	wait $!
	cmp whole e.bep
}

@test "FILE that is stdin or stdout is refused" {
	cp whole e.bep
	run bep-durable --append e.bep <e.bep
	assert_failure 64
	run bash -c 'bep-durable --force e.bep <whole >>e.bep'
	assert_failure 64
	cmp whole e.bep
}

@test "wrong use is 64" {
	run bep-durable <whole
	assert_failure 64
	run bep-durable a b <whole
	assert_failure 64
	run bep-durable --append --force a <whole
	assert_failure 64
	run bep-durable --sync=never a <whole
	assert_failure 64
	[ ! -e a ]
}

@test "an empty stream is incomplete" {
	run bep-durable e.bep </dev/null
	assert_failure 65
	assert_output "bep-durable: stdin: incomplete: ends at byte 0, after 0 events, without the last message"
	[ ! -s e.bep ]
}

@test "a stream without the last message is incomplete, and kept" {
	frame 0a0161 >part
	run --separate-stderr bep-durable e.bep <part
	assert_failure 65
	assert_equal "$stderr" "bep-durable: stdin: incomplete: ends at byte 4, after 1 events, without the last message"
	cmp part e.bep
}

@test "a stream that ends inside a frame: FILE and stdout have the whole ones" {
	{ cat whole; hex 85 80; } >cut
	local size
	size=$(stat -c %s whole)
	run -65 bash -c 'bep-durable e.bep <cut 2>err >out'
	assert_equal "$(cat err)" "bep-durable: stdin: incomplete: ends inside the frame at byte $size, of which 2 bytes came"
	cmp whole e.bep
	cmp whole out
}

@test "malformed: what came before is kept, the offset is named" {
	{ frame 0a0161; hex ff ff ff ff ff ff ff ff ff 02; cat whole; } >bad
	run -65 bash -c 'bep-durable e.bep <bad 2>err >out'
	assert_equal "$(cat err)" "bep-durable: stdin: malformed: no frame begins at byte 4"
	frame 0a0161 | cmp - e.bep
	frame 0a0161 | cmp - out
}

@test "--max-frame is exact, and costs nothing before it is refused" {
	{ head -c 65536 /dev/zero >body; hex "$(varint 65536)"; cat body; frame $last; } >max
	bep-durable --max-frame=64K e.bep <max | cmp - max
	{ cat whole; hex "$(varint 65537)"; } >more
	run -65 bash -c '(cat more; sleep 60) 2>/dev/null | bep-durable --force --max-frame=64K e.bep >out; exit ${PIPESTATUS[1]}' 3>&- &
	local job=$!
	wait_for 5 cmp -s whole out
	pkill -P $job -f 'sleep 60' || :
	kill $job 2>/dev/null || :
	run -65 bep-durable --force --max-frame=64K e.bep <more
	assert_output --partial "the frame at byte $(stat -c %s whole) announces 65537 bytes, more than --max-frame allows (65536)"
	cmp whole e.bep
}

@test "empty frames, unknown fields and long lengths pass as they came" {
	{ hex 00; hex 83 80 00; hex 0a 01 61; frame fa3e0178; hex 00; frame $last; hex 00 00; } >odd
	bep-durable e.bep <odd | cmp - odd
	cmp odd e.bep
}

@test "a reader that is gone is one line: FILE is whole, status 0" {
	python3 -c 'from pipeline import *; import sys; sys.stdout.buffer.write(Stream.of_sizes([400]*20000).bytes)' >big
	run bash -c 'bep-durable e.bep <big 2>err | head -c 1000 >/dev/null; echo "${PIPESTATUS[0]}"'
	assert_output 0
	assert_equal "$(cat err)" "bep-durable: stdout: its reader is gone; e.bep is written on"
	cmp big e.bep
}

@test "stdout without a reader from the start" {
	python3 - <<'PY'
import os, subprocess
from pipeline import DURABLE
r, w = os.pipe()
os.close(r)
p = subprocess.run([DURABLE, "e.bep"], stdin=open("whole"), stdout=w, stderr=subprocess.PIPE)
assert p.returncode == 0, p
assert p.stderr == b"bep-durable: stdout: its reader is gone; e.bep is written on\n", p.stderr
PY
	cmp whole e.bep
}

@test "stdout that fails is 74, and FILE is whole" {
	run -74 bash -c 'bep-durable e.bep <whole >/dev/full'
	assert_output "bep-durable: stdout: No space left on device"
	cmp whole e.bep
	run -0 bash -c 'bep-durable --force e.bep <whole >&-'
	cmp whole e.bep
}

@test "on a terminal only FILE is written" {
	need script
	run script -qec 'bep-durable e.bep <whole' /dev/null
	assert_success
	assert_output ""
	cmp whole e.bep
	run script -qec 'bep-durable f.bep' /dev/null
	assert_failure 64
	[ ! -e f.bep ]
}

@test "a shared stdout never becomes non-blocking, and a socket that nobody reads stops nothing" {
	python3 - <<'PY'
import fcntl, os, socket, subprocess
from pipeline import DURABLE, Stream
stream = Stream.of_sizes([400] * 20000)
for pair in (os.pipe, socket.socketpair):
    ours, theirs = pair()
    if pair is os.pipe:
        ours, theirs = os.fdopen(ours, "rb"), os.fdopen(theirs, "wb")
    p = subprocess.Popen([DURABLE, "--force", "e.bep"], stdin=subprocess.PIPE, stdout=theirs)
    p.stdin.write(stream.bytes)  # nobody reads: this would wait for ever
    p.stdin.close()
    assert not fcntl.fcntl(theirs, fcntl.F_GETFL) & os.O_NONBLOCK
    theirs.close()
    got = b""
    while len(got) < len(stream.bytes):
        got += os.read(ours.fileno(), 65536)
    assert got == stream.bytes and os.read(ours.fileno(), 1) == b""
    assert p.wait(10) == 0
    assert open("e.bep", "rb").read() == stream.bytes
PY
}

@test "a pipe that belongs to another user is written without waiting, too" {
	need setpriv
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	mkdir -m 777 open
	python3 - <<'PY'
import os
from pipeline import Stream, run, ack_name
stream = Stream.of_sizes([400] * 5000)
os.chmod(".", 0o755)
import pipeline
client = pipeline.Run(["open/e.bep"], wrap=["setpriv", "--reuid=65534", "--clear-groups"])
result = client.feed(stream.batches(64), sleep=True)
assert result.status == 0 and result.out == stream.bytes, result.err
PY
}

@test "the first signal changes nothing, the second one ends it with whole frames in FILE" {
	python3 - <<'PY'
import os, signal, time
from pipeline import Run, Stream, content
stream = Stream.of_sizes([400] * 100)
part = stream.bytes[:stream.ends[50]]

def start():
    client = Run(["--force", "e.bep"])
    assert client.connect()
    os.write(client.pipe, part + stream.bytes[len(part):len(part) + 100])
    while client.result.accepted < 50:
        client.take_numbers() if client.ack.setblocking(True) is None else None
    client.process.send_signal(signal.SIGTERM)
    time.sleep(0.1)
    assert client.process.poll() is None
    return client

# The rest comes: complete, so 0.
client = start()
client.ack.setblocking(False)
result = client.feed([stream.bytes[len(part) + 100:]])
assert result.status == 0 and content("e.bep") == stream.bytes, (result.status, result.err)
# The end comes: incomplete, so the signal's own end, and whole frames.
client = start()
result = client.feed([])
assert result.status == -signal.SIGTERM and "incomplete" in result.err, (result.status, result.err)
assert content("e.bep") == part
# Another signal comes.
client = start()
client.process.send_signal(signal.SIGINT)
assert client.process.wait(5) == -signal.SIGINT
assert content("e.bep") == part
PY
}

@test "a full disk: 74, FILE is cut back to the last accepted frame" {
	[ "$(id -u)" = 0 ] || skip "only root can mount a tmpfs"
	unshare -m bash -ec '
		mkdir small && mount -t tmpfs -o size=1m none small
		python3 - <<PY
from pipeline import Stream, check, content, run
stream = Stream.of_sizes([400] * 5000)
for sync in "end", "batch":
    result = run(["--force", "--sync=" + sync, "small/e.bep"], stream)
    assert result.status == 74 and "No space left on device" in result.err, result.err
    whole = check("small/e.bep", stream, result, "tmpfs")
    # What one read gave, at most the 256 KiB of the pipe, goes as a whole.
    assert stream.ends[whole] == len(content("small/e.bep")) > 700000
    assert result.accepted == whole, (result.accepted, whole)
PY'
}

@test "a file size limit: 74, not a signal" {
	python3 -c 'from pipeline import *; import sys; sys.stdout.buffer.write(Stream.of_sizes([400]*20000).bytes)' >big
	run -74 bash -c 'ulimit -f 1000; bep-durable e.bep <big >out'
	assert_output "bep-durable: e.bep: write: File too large"
	cmp e.bep out
	cmp -n "$(stat -c %s e.bep)" e.bep big
	bep-durable --append e.bep <whole | cmp - whole
}

@test "syncs: once at the end, or before each acceptance, with the folder" {
	need strace
	python3 - <<'PY'
from pipeline import LAST_MESSAGE, Stream, content, run
stream = Stream.of_sizes([400] * 64)

def syncs(*args, frames=stream):
    wrap = ["strace", "-qq", "-o", "trace", "-e", "trace=fsync,fdatasync"]
    result = run([*args, "--force", "e.bep"], frames, wrap=wrap, batch=8, stop_and_wait=True,
                 frames_of=lambda sent: min(8 * sent, len(frames.frames)))
    assert result.status == 0, result.err
    return [line.split("(")[0] for line in content("trace").decode().splitlines()]

assert syncs() == ["fsync", "fdatasync"], syncs()
assert syncs("--sync=batch") == ["fsync"] + ["fdatasync"] * 9, syncs("--sync=batch")
# A second attempt behind the first: each end is synced.
twice = Stream(stream.frames * 2)
twice = Stream(stream.frames[1:] + stream.frames[1:])
assert syncs(frames=twice) == ["fsync"] + ["fdatasync"] * 2, syncs(frames=twice)
PY
}

@test "memory stays small: a frame of 64 MiB, a reader that sleeps" {
	python3 - <<'PY'
import re
from pipeline import SANITIZED, Run, Stream, content
for stream in (Stream.of_sizes([64 << 20]), Stream.of_sizes([500] * 50000)):
    client = Run(["--force", "--max-frame=64M", "e.bep"])
    client.connect()
    peaks = []

    def batches():
        yield from stream.batches(64)
        with open(f"/proc/{client.process.pid}/status") as file:
            peaks.append(int(re.search(r"VmHWM:\s*(\d+)", file.read())[1]))

    result = client.feed(batches(), sleep=True)
    assert result.status == 0 and result.accepted == len(stream.frames), result.err
    assert content("e.bep") == stream.bytes == bytes(result.out)
    print("#", peaks[0], "KiB")
    assert peaks[0] <= (8 << 10) or SANITIZED, peaks
PY
}

@test "killed at its system calls: no accepted frame is missing" {
	need strace
	"$TOP"/test/fault/killsweep --step=7
}

@test "calls that fail: the right status, nothing accepted that is not in FILE" {
	"$TOP"/test/fault/errorsweep --step=7
}

@test "power cuts: --sync=batch keeps what it accepted" {
	"$TOP"/test/fault/powercut --step=3
}

@test "no deadlock whatever the sizes" {
	"$TOP"/test/fault/deadlock --step=9
}

@test "valgrind finds nothing" {
	need valgrind
	[[ $BIN != */san-* ]] || skip "sanitizers look already"
	{ cat whole; hex 85 80; } >e.bep
	valgrind -q --error-exitcode=99 --leak-check=full --show-leak-kinds=definite,possible \
		"$BIN/bep-durable" -q --append e.bep <whole | cmp - whole
	printf 'x' >>e.bep
	run -0 --separate-stderr valgrind -q --error-exitcode=99 --track-origins=yes --track-fds=no \
		"$BIN/bep-durable" --sync=batch --append e.bep <whole
}
