#!/bin/sh
# Install the Debian packages that tests and bench need, when this user may; else say which
# are missing: the tests that need them skip themselves with the reason.
set -eu

missing=""
need() {
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

need chromium chromium
need tmux tmux
need node nodejs
need gcc gcc
need espeak-ng espeak-ng
[ -e /usr/include/stdio.h ] || missing="$missing libc6-dev"

if [ -z "$missing" ]; then
    exit 0
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "Installing$missing..."
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086 - a list of words
    if apt-get update -qq && apt-get install -qq -y --no-install-recommends $missing >/dev/null; then
        exit 0
    fi
fi
echo "Missing:$missing (the tests that need them will be skipped)." >&2
