#!/usr/bin/env bash
# Java's IDN, the validators on it and Python's codec refuse a Hebrew domain that ends in digits; Node, idna and Go take it.
#
# Packages  commons-validator 1.10.0 (Maven), idna 3.20 and email-validator 2.4.0 (PyPI), golang.org/x/net v0.62.0 (Go module), and
#           Java, Python and Node of the machine (17, 3.11, 20 when seen)
# Expected  דוגמה24.co.il is a name as RFC 5893 has it since 2010 (section 2, rule 3: a label from right to left may end in digits), so
#           whoever takes דוגמה.co.il takes it, too: xn--24-0lddge8d.co.il.
# Seen      Node's `domainToASCII`, PyPI idna, PyPI email-validator and Go take both. `java.net.IDN` and Python's codec `idna` have the
#           rules of 2003 (RFC 3454: a Hebrew label begins and ends with a letter) and refuse the second; so do commons-validator's
#           DomainValidator and EmailValidator, which answer false without a reason. In its ASCII form all of them take it. 2026-11-29.
# Matters   A shop on Java tells the customer of such a domain that the address is wrong, and one on Node sends there. An address that
#           goes to others in ASCII is taken by both.
set -eu
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check idna==3.20 email-validator==2.4.0
mvn --quiet -Dmaven.repo.local="$work/m2" dependency:copy -Dartifact=commons-validator:commons-validator:1.10.0 -DoutputDirectory="$work"
cat > Take.java <<'JAVA'
import java.net.IDN;
import org.apache.commons.validator.routines.DomainValidator;
import org.apache.commons.validator.routines.EmailValidator;

class Take {
    public static void main(String[] domains) {
        for (String domain : domains) {
            boolean isTaken;
            try {
                IDN.toASCII(domain);
                isTaken = true;
            } catch (IllegalArgumentException error) {
                isTaken = false;
            }
            System.out.println("java.net.IDN " + isTaken);
            System.out.println("DomainValidator " + DomainValidator.getInstance().isValid(domain));
            System.out.println("EmailValidator " + EmailValidator.getInstance().isValid("office@" + domain));
        }
    }
}
JAVA
cat > take.py <<'PY'
import sys
import email_validator
import idna

def takes(name, check):
    try:
        check()
        print(name, 'true')
    except ValueError:
        print(name, 'false')

for domain in sys.argv[1:]:
    takes('codec', lambda: domain.encode('idna'))
    takes('idna', lambda: idna.encode(domain))
    takes('email-validator', lambda: email_validator.validate_email('office@' + domain, check_deliverability=False))
PY
mkdir go && cat > go/main.go <<'GO'
package main

import (
	"fmt"
	"os"

	"golang.org/x/net/idna"
)

func main() {
	for _, domain := range os.Args[1:] {
		_, err := idna.Lookup.ToASCII(domain)
		fmt.Println("go", err == nil)
	}
}
GO
export GOPATH=$work/go/path GOFLAGS=-modcacherw
(cd go && go mod init take && go get golang.org/x/net/idna@v0.62.0 && go build -o ../take .) > go.log 2>&1
take() {
  echo "$1"
  java -cp commons-validator-1.10.0.jar Take.java "$1"
  venv/bin/python take.py "$1"
  node -e 'console.log("node", require("node:url").domainToASCII(process.argv[1]) !== "")' "$1"
  ./take "$1"
}
{
  take דוגמה.co.il
  take דוגמה24.co.il
  take xn--24-0lddge8d.co.il
} | tee seen
diff seen - <<'EXPECTED'
דוגמה.co.il
java.net.IDN true
DomainValidator true
EmailValidator true
codec true
idna true
email-validator true
node true
go true
דוגמה24.co.il
java.net.IDN false
DomainValidator false
EmailValidator false
codec false
idna true
email-validator true
node true
go true
xn--24-0lddge8d.co.il
java.net.IDN true
DomainValidator true
EmailValidator true
codec true
idna true
email-validator true
node true
go true
EXPECTED
