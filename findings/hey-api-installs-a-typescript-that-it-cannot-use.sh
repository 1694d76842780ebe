#!/usr/bin/env bash
# hey-api's generator of clients brings TypeScript 7 along, by its own peer range, and ends when it is loaded with it.
#
# Packages  @hey-api/openapi-ts 0.99.0 with typescript 7.0.2, and with 6.0.3 (npm)
# Expected  `npm install @hey-api/openapi-ts` installs what it works with: it states its peer, typescript ">=5.5.3 || >=6.0.0 ||
#           6.0.1-rc".
# Seen      The range has no upper end, so npm installs 7.0.2, the native compiler, whose package has a version and no API. Every
#           call ends before it reads the document, also `--version`: "Cannot read properties of undefined (reading 'AnyKeyword')",
#           with no hint at TypeScript. With typescript 6.0.3 the same call writes the client. 2026-11-29.
# Matters   Who makes a client for a documented API in a new folder has to name an older TypeScript.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat > api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Documents", "version": "1" },
  "paths": {
    "/documents": {
      "get": { "operationId": "listDocuments", "responses": { "200": { "description": "the documents" } } }
    }
  }
}
JSON
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund @hey-api/openapi-ts@0.99.0 > /dev/null
version() { node -p 'require("typescript/package.json").version'; }
generate() {
  if npx --no-install openapi-ts -i api.json -o client > log 2>&1; then ls client | grep -c sdk; else grep -o 'TypeError: .*' log; fi
}
first=$(version)
by_seven=$(generate)
npm install --silent --no-audit --no-fund typescript@6.0.3 > /dev/null
second=$(version)
by_six=$(generate)
echo "typescript $first: $by_seven"
echo "typescript $second: $by_six file with the operations"
case $first in 7.*) ;; *) exit 1 ;; esac
[ "$by_seven" = "TypeError: Cannot read properties of undefined (reading 'AnyKeyword')" ] && [ "$by_six" = 1 ]
