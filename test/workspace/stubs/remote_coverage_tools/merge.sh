#!/bin/sh
# Joins LCOV files: --reports_file names a list of them, --coverage_dir a folder that has them.
set -eu
for option; do
	case $option in
	--reports_file=*) reports=$(cat "${option#*=}") ;;
	--coverage_dir=*) dir=${option#*=} ;;
	--output_file=*) output=${option#*=} ;;
	esac
done
: >"$output"
if [ -n "${reports-}" ]; then
	for report in $reports; do
		cat "$report" >>"$output"
	done
elif [ -n "${dir-}" ]; then
	find -L "$dir" -name '*.dat' -type f -exec cat {} + >>"$output"
fi
