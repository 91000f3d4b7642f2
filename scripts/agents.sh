#!/bin/sh
# Installs the real agent programs that the tests of tests/agents run into a folder. They are other people's programs,
# for tests only: nothing of them is part of the project.
set -eu
folder=${1:?the folder}
python=${2:?the Python}
sdk=0.2.187 # brings Claude Code 2.1.330

if [ ! -x "$folder/claude-$sdk" ]; then
    mkdir -p "$folder"
    "$python" -m pip --disable-pip-version-check install --quiet --no-deps --upgrade --target "$folder/sdk-$sdk" \
        "claude-agent-sdk==$sdk"
    bundled=$(cd "$folder" && pwd)/sdk-$sdk/claude_agent_sdk/_bundled/claude
    [ -x "$bundled" ] || { echo "the wheel for this machine brings no Claude Code" >&2; exit 1; }
    ln -sf "$bundled" "$folder/claude-$sdk"
fi
ln -sf "claude-$sdk" "$folder/claude"

"$(dirname "$0")/openclaw.sh" "$folder"
