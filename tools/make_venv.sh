#!/bin/sh
# Make the virtual environment $1 with the newest Python >= 3.11 of this machine.
set -eu
venv=$1

usable() {
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    for name in ${PYTHON:-} python3 python3.13 python3.12 python3.11 python3.14; do
        if usable "$name"; then
            echo "$name"
            return
        fi
    done
}

can_make_venv() {
    "$1" -c 'import ensurepip, venv' >/dev/null 2>&1
}

python=$(find_python)
if [ -z "$python" ]; then
    echo "Palabre needs Python 3.11 or later, and none was found." >&2
    echo "Install one (Debian, Ubuntu: apt-get install python3 python3-venv)," >&2
    echo "or name it: make setup PYTHON=/path/to/python3" >&2
    exit 1
fi

if ! can_make_venv "$python"; then
    version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
    package="python$version-venv"
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "Installing $package..."
        apt-get update -qq && apt-get install -qq -y --no-install-recommends "$package" >/dev/null
    else
        echo "$python lacks its venv module. As root: apt-get install $package" >&2
        exit 1
    fi
fi

echo "Making $venv with $("$python" --version)..."
"$python" -m venv "$venv"
