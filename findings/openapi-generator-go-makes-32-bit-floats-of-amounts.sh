#!/usr/bin/env bash
# openapi-generator makes a float32 of each `number` in Go, which holds no amount above 131,072 to the agora.
#
# Packages  openapi-generator-cli 7.25.0 (Maven), generator `go`; Go of the machine (1.26.8 when seen)
# Expected  A JSON number without a format becomes float64, as encoding/json has it, and as the generators for Java (BigDecimal) and
#           Python (float) of the same version do with theirs.
# Seen      `{"type": "number"}` is float32 in the struct, the constructor and the accessors, without a warning. 1234567.89 that the
#           server sent is 1234567.9 when the client writes it again, 262144.01 is 262144, and 20000.05 is right, so that small
#           examples pass. With `"format": "double"` it is float64. 2026-11-29.
# Matters   A published document for amounts states `format: double`; otherwise invoices above 131,072 ILS lose agorot in Go.
set -eu
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
mvn --quiet -Dmaven.repo.local="$work/m2" dependency:copy -Dartifact=org.openapitools:openapi-generator-cli:7.25.0 -DoutputDirectory="$work"
cat > api.json <<'JSON'
{
  "openapi": "3.1.0",
  "info": { "title": "Documents", "version": "1" },
  "paths": {
    "/documents/{id}": {
      "get": {
        "operationId": "getDocument",
        "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "string" } }],
        "responses": {
          "200": { "description": "the document", "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Totals" } } } }
        }
      }
    }
  },
  "components": {
    "schemas": {
      "Totals": {
        "type": "object",
        "required": ["plain", "double"],
        "properties": { "plain": { "type": "number" }, "double": { "type": "number", "format": "double" } }
      }
    }
  }
}
JSON
java -jar openapi-generator-cli-7.25.0.jar generate -g go -i api.json -o client > generator.log
if grep -i 'warn.*plain' generator.log; then exit 1; fi
cat > client/totals_again_test.go <<'GO'
package openapi

import (
	"encoding/json"
	"fmt"
	"testing"
)

func TestTotals(t *testing.T) {
	for _, amount := range []string{"20000.05", "262144.01", "1234567.89"} {
		var totals Totals
		if err := json.Unmarshal([]byte(`{"plain":`+amount+`,"double":`+amount+`}`), &totals); err != nil {
			t.Fatal(err)
		}
		again, _ := json.Marshal(totals)
		fmt.Printf("%s %T %s\n", amount, totals.Plain, again)
	}
}
GO
rm -rf client/test
export GOPATH=$work/go GOFLAGS='-modcacherw -mod=mod'
(cd client && go test -run TestTotals -v . 2> go.log) | grep plain | tee seen
diff seen - <<'EXPECTED'
20000.05 float32 {"double":20000.05,"plain":20000.05}
262144.01 float32 {"double":262144.01,"plain":262144}
1234567.89 float32 {"double":1234567.89,"plain":1234567.9}
EXPECTED
