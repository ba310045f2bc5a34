#!/bin/sh
# The peers of the tests that come from npm: `lock FOLDER` takes their newest releases into
# FOLDER's lock file, `install FOLDER TARGET` installs what it names. Their scripts never run.
# Without npm nothing is installed: the tests that need these peers skip themselves.
set -eu
what=$1 folder=$2
quiet="--ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error"

if ! command -v npm >/dev/null 2>&1; then
    echo "No npm: the tests that need its packages will be skipped." >&2
    exit 0
fi

case $what in
lock)
    cd "$folder"
    # shellcheck disable=SC2086 - a list of words
    npm install $quiet --package-lock-only --save-dev --save-exact @copilotkit/aimock@latest
    ;;
install)
    mkdir -p "$3"
    cp "$folder/package.json" "$folder/package-lock.json" "$folder/.npmrc" "$3"
    # shellcheck disable=SC2086
    npm ci $quiet --prefix "$3" >/dev/null ||
        echo "npm failed: the tests that need its packages will be skipped." >&2
    ;;
esac
