#!/bin/sh
printf 'hello %s\n' "${1:-world}"
