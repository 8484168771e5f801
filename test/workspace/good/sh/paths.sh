# strip_slash PATH: PATH without a slash at its end
strip_slash() { printf '%s\n' "${1%/}"; }
