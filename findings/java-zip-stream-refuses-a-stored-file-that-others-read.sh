#!/usr/bin/env bash
# A zip of stored files that was written to a stream is right for ZipFile and Python, and an error for ZipInputStream.
#
# Packages  OpenJDK and Python of the machine (17.0.15 and 3.11.7 when seen), yazl 3.3.1 (npm)
# Expected  PDFs are compressed already, so an export stores them. What writes a zip to a response knows size and checksum of a file
#           only behind it, and puts them there in a data descriptor (APPNOTE 4.3.9). Readers of zips read both.
# Seen      `java.util.zip.ZipInputStream`, with which Java reads an upload or a response as it arrives, refuses the archive at its
#           first file: "only DEFLATED entries can have EXT descriptor". The central directory has the sizes, so `ZipFile` and
#           Python's zipfile read both files. Deflated at level 1 they are read by all three. 2026-11-29.
# Matters   An export of documents that is sent while it is made: its files are deflated, however little that saves.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund yazl@3.3.1
cat > write.mjs <<'JS'
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import yazl from 'yazl';

for (const [name, options] of [['stored.zip', { compress: false }], ['deflated.zip', { compressionLevel: 1 }]]) {
  const zip = new yazl.ZipFile();
  zip.addReadStream(Readable.from([randomBytes(2000)]), 'invoice-1042.pdf', options);
  zip.addReadStream(Readable.from(['number\r\n1042\r\n']), 'documents.csv', options);
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(name));
}
JS
cat > Read.java <<'JAVA'
import java.io.FileInputStream;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import java.util.zip.ZipInputStream;

class Read {
    public static void main(String[] names) throws Exception {
        for (String name : names) {
            try (ZipFile file = new ZipFile(name)) {
                System.out.println(name + " ZipFile " + file.size() + " files");
            }
            try (ZipInputStream stream = new ZipInputStream(new FileInputStream(name))) {
                int files = 0;
                while (stream.getNextEntry() != null) {
                    stream.readAllBytes();
                    files++;
                }
                System.out.println(name + " ZipInputStream " + files + " files");
            } catch (ZipException error) {
                System.out.println(name + " ZipInputStream " + error.getMessage());
            }
        }
    }
}
JAVA
node write.mjs
{
  java Read.java stored.zip deflated.zip
  python3 -c 'import zipfile; print("stored.zip zipfile", "damaged" if zipfile.ZipFile("stored.zip").testzip() else "2 files")'
} | tee seen
diff seen - <<'EXPECTED'
stored.zip ZipFile 2 files
stored.zip ZipInputStream only DEFLATED entries can have EXT descriptor
deflated.zip ZipFile 2 files
deflated.zip ZipInputStream 2 files
stored.zip zipfile 2 files
EXPECTED
