#!/usr/bin/env bats
# What bep-reduce reads in other people's words does not depend on their names.

source test/lib.bash

rename() {
    run test/rename-corpus --bin "$BIN/bep-reduce" "$@"
    [ "$status" -eq 0 ]
}

@test "bep-reduce scores the same when targets, files and messages of its corpus have other names" {
    need python3
    rename --cases 20 test/corpus
}

@test "bep-reduce scores the same when targets, files and messages of 20 other invocations have other names" {
    need python3
    need_shared
    rename --cases 20 --seed 2 ../shared/corpus
}

@test "bep-reduce reads what Bazel says of modules, lock files, extensions, fetches, toolchains and remote execution" {
    need python3
    run test/console/check --bin "$BIN/bep-reduce"
    [ "$status" -eq 0 ]
    [[ $output == *"cases, 0 wrong" ]]
}
