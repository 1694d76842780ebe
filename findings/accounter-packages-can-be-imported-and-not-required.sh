#!/usr/bin/env bash
# Two packages for the files of the Israeli tax authority can be imported, and fail where they are required.
#
# Packages  @accounter/shaam-uniform-format-generator 0.1.1 and @accounter-toolkit/pcn874-generator 0.3.0 (npm)
# Expected  Both state `exports` for `import` and for `require`, so both ways load what the README shows.
# Seen      `import` loads them. `require` ends with "Cannot find module 'tslib'": their CommonJS build uses it and no dependency names
#           it. Where another package has brought tslib along, as in most projects, it works; in a new folder, in a workspace with
#           strict folders, or in a bundle it does not. With tslib 2.8.1 installed both load. 2026-11-29.
# Matters   A comparison of BKMVDATA or PCN874 files with these peers passes on the machine of who wrote it and fails in a clean
#           clone. It installs tslib itself, or imports.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
packages='@accounter/shaam-uniform-format-generator @accounter-toolkit/pcn874-generator'
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund @accounter/shaam-uniform-format-generator@0.1.1 @accounter-toolkit/pcn874-generator@0.3.0
load() {
  for name in $packages; do
    node --input-type=module -e "await import('$name'); console.log('$1: import loads $name')"
    node -e "try { require('$name'); console.log('$1: require loads $name') } catch (error) { console.log('$1: require: ' + error.message.split('\n')[0]) }"
  done
}
{
  load 'alone'
  npm install --silent --no-audit --no-fund tslib@2.8.1 > /dev/null
  load 'with tslib'
} | tee seen
diff seen - <<'EXPECTED'
alone: import loads @accounter/shaam-uniform-format-generator
alone: require: Cannot find module 'tslib'
alone: import loads @accounter-toolkit/pcn874-generator
alone: require: Cannot find module 'tslib'
with tslib: import loads @accounter/shaam-uniform-format-generator
with tslib: require loads @accounter/shaam-uniform-format-generator
with tslib: import loads @accounter-toolkit/pcn874-generator
with tslib: require loads @accounter-toolkit/pcn874-generator
EXPECTED
