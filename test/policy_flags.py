#!/usr/bin/env python3
"""Asks the real Bazel which flags it has and in which spellings it takes those that mcp-front refuses.

usage: policy_flags.py WORKSPACE OUTPUT_USER_ROOT [--owned]

--owned asks for the spellings of the flags that mcp-front sets itself only; the rest takes minutes.

Prints what it checked; exit 1 and one line each for what is wrong:
- a spelling that Bazel takes for a flag of the policy's table, and that mcp-front lets pass;
- a flag that takes a path and is neither in the table nor among the harmless ones below;
- a startup option whose spelling passes.
"""

import base64
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(__file__))
from mcp_client import Client  # noqa: E402

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# They have a word like "file" or "path" in their names, or a path as a value, and choose no file of
# the caller's: numbers, booleans with values, labels, patterns, things inside the execution root.
HARMLESS = set(
    """
    build_event_max_named_set_of_file_entries build_event_upload_max_threads min_param_file_size
    cc_output_directory_tag directory_creation_cache cache_computed_file_digests output_filter
    experimental_output_paths experimental_java_classpath experimental_skyframe_prepopulate
    experimental_profile_additional_tasks memory_profile_stable_heap_parameters sandbox_block_path
    log_top_n_packages experimental_max_directories_to_eagerly_visit_in_globbing
    experimental_repository_cache_hardlinks javac_bootclasspath javac_extdir fdo_profile cs_fdo_profile
    cs_fdo_prefetch_hints dump directories aquery_dump_after_build_format propeller_optimize
    experimental_aquery_dump_after_build_format per_file_copt per_file_ltobackendopt output
    output_groups test_output ios_signing_cert_name remote_download_outputs
    experimental_remote_download_outputs experimental_inmemory_dotd_files experimental_docker_image
    max_test_output_bytes experimental_ui_max_stdouterr_bytes bes_outerr_buffer_size
    bes_outerr_chunk_size auto_output_filter experimental_build_event_upload_strategy
    experimental_local_execution_delay starlark:output starlark:expr proto:output_rule_attrs
    order_output materialize_param_files enforce_proguard_file_extension
    xcode_version_config action_graph skyframe_state apple_crosstool_top
    experimental_profile_include_target_label flag_alias local_cpu_resources
    all_incompatible_changes restart_reason record_metrics_for_all_packages
    incompatible_remote_output_paths_relative_to_input_root experimental_enable_critical_path_profiling
    memprof_profile remote_bytestream_uri_prefix remote_cache remote_cache_header
    remote_result_cache_priority
    """.split()
)
SUSPICIOUS = re.compile(r"(^|_)(file|path|log|dir|out|profile|prefix|cache|base|root)(_|$)")


def run(arguments, **options):
    return subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, **options)


def wire(data):
    """The fields of a protobuf message: (number, value)."""

    def varint(at):
        value = shift = 0
        while True:
            value |= (data[at] & 0x7F) << shift
            shift += 7
            at += 1
            if data[at - 1] < 0x80:
                return value, at

    at = 0
    while at < len(data):
        tag, at = varint(at)
        if tag & 7 == 2:
            length, at = varint(at)
            yield tag >> 3, data[at : at + length]
            at += length
        else:
            value, at = varint(at)
            yield tag >> 3, value


class Bazel:
    def __init__(self, workspace, root):
        self.workspace = workspace
        self.command = ["bazel", "--output_user_root=" + root, "--max_idle_secs=600"]

    def ask(self, *arguments):
        return run(self.command + list(arguments), cwd=self.workspace)

    def flags(self):
        """name -> (has a no-form, commands, letter), from bazel help flags-as-proto."""
        flags = {}
        for _, flag in wire(base64.b64decode(self.ask("help", "flags-as-proto").stdout)):
            name, negative, commands, letter = "", False, [], ""
            for number, value in wire(flag):
                if number == 1:
                    name = value.decode()
                elif number == 2:
                    negative = bool(value)
                elif number == 4:
                    commands.append(value.decode())
                elif number == 5:
                    letter = value.decode()
            flags[name] = (negative, commands, letter)
        return flags

    def completion(self):
        """The words that bazel help completion offers: "--x", "--nox", "--x=", "--x=path"."""
        text = self.ask("help", "completion").stdout.decode()
        return set(re.findall(r"^(--[^\s\"]+)$", text, re.M))

    def meaning(self, command, spelling):
        """The flags that Bazel understands by these arguments, or None where it refuses them."""
        done = self.ask("canonicalize-flags", "--for_command=" + command, "--", *spelling)
        if done.returncode:
            return None
        return [line.split("=")[0][2:] for line in done.stdout.decode().splitlines()]


def table():
    with open(TOP + "/cmd/mcp-front/policy_flags.c", encoding="utf-8") as source:
        rows = re.findall(r'\{"([^"]+)", (true|false), POLICY_(\w+)\}', source.read())
    return [(name, startup == "true", rule) for name, startup, rule in rows]


class Front:
    """mcp-front with the transport bes, where most flags are owned."""

    def __init__(self, folder):
        os.makedirs(folder, exist_ok=True)
        config = os.path.join(folder, "policy.json")
        with open(config, "w", encoding="utf-8") as out:
            out.write('{"bep_transport": "bes", "output_user_root": "%s"}' % folder)
        self.client = Client(
            [os.environ.get("BIN", TOP + "/build/bin") + "/mcp-front", "--config", config]
        )
        self.client.request(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
        )

    def refuses(self, command, startup, arguments):
        answer = self.client.request(
            "tools/call",
            {
                "name": "bazel_run",
                "arguments": {
                    "workspace": "/nonexistent",
                    "command": command,
                    "startup_args": startup,
                    "args": arguments,
                },
            },
        )
        text = answer["result"]["content"][0]["text"]
        return "is set by mcp-front" in text or "of the caller's choice" in text

    def end(self):
        self.client.server.stdin.close()
        self.client.server.wait()


VALUES = ["1", "no", "all", "/x", "a=b", "tcp://x", "00000000-0000-4000-8000-000000000000"]


def check_value_forms(bazel, front, command, name, wrong):
    """--name=value and --name value, with the first value that Bazel takes."""
    asked = taken = 0
    for value in VALUES:
        asked += 1
        if name not in (bazel.meaning(command, ["--%s=%s" % (name, value)]) or []):
            continue
        for spelling in (["--%s=%s" % (name, value)], ["--" + name, value]):
            taken += 1
            if not front.refuses(command, [], spelling):
                wrong.append("passes: %s" % " ".join(spelling))
        break
    return asked, taken


def check_bare_forms(bazel, front, command, name, letter, wrong):
    some = ["--" + name, "--no" + name, "--no_" + name, "--no-" + name, "-" + name]
    some += ["--" + name.replace("_", "-"), "--" + name[:-1]]
    some += ["-" + letter, "-" + letter + "-"] if letter else []
    taken = 0
    for spelling in some:
        if name in (bazel.meaning(command, [spelling]) or []):
            taken += 1
            if not front.refuses(command, [], [spelling]):
                wrong.append("passes: " + spelling)
    return len(some), taken


def check_spellings(bazel, front, flags, owned, wrong):
    asked = taken = 0
    for name, startup, rule in table():
        if startup or name not in flags or (owned and not rule.startswith("OWNED")):
            continue
        commands = [c for c in ("test", "build", "cquery", "query", "info") if c in flags[name][1]]
        if not commands:
            continue
        for more in (
            check_value_forms(bazel, front, commands[0], name, wrong),
            check_bare_forms(bazel, front, commands[0], name, flags[name][2], wrong),
        ):
            asked += more[0]
            taken += more[1]
    return asked, taken


def check_startup(front, completion, wrong):
    count = 0
    for name, startup, _ in table():
        if not startup:
            continue
        for option in ("--" + name, "--%s=/x" % name, "--no" + name, "--%s=" % name):
            count += 1
            if not front.refuses("build", [option], []):
                wrong.append("passes as a startup option: " + option)
    # Whatever Bazel offers before the command is known, or has to be written with its value.
    for word in completion:
        name = word[2:].split("=")[0]
        if word.endswith("=path") and name in [n for n, s, _ in table() if s]:
            count += 1
            if not front.refuses("build", ["--" + name, "/x"], []):
                wrong.append("passes as a startup option: --%s /x" % name)
    return count


def check_unknown(flags, completion, wrong):
    known = {name for name, _, _ in table()} | HARMLESS | {"output_base"}
    paths = {word[2:-5] for word in completion if word.endswith("=path")}
    for name, (negative, _, _) in sorted(flags.items()):
        if name in known:
            continue
        if name in paths or (not negative and SUSPICIOUS.search(name)):
            wrong.append("takes a path, it seems, and the policy does not know it: --" + name)
    return len(paths)


def main():
    workspace, root = sys.argv[1:3]
    owned = sys.argv[3:4] == ["--owned"]
    bazel, front, wrong = Bazel(workspace, root), Front(root), []
    flags, completion = bazel.flags(), bazel.completion()
    paths = check_unknown(flags, completion, wrong)
    startups = check_startup(front, completion, wrong)
    asked, taken = check_spellings(bazel, front, flags, owned, wrong)
    front.end()
    print("%d flags, %d paths; %d spellings asked, %d taken; %d startup options"
          % (len(flags), paths, asked, taken, startups))
    for line in wrong:
        print(line)
    return 1 if wrong or len(flags) < 500 or taken < asked / 20 else 0


if __name__ == "__main__":
    sys.exit(main())
