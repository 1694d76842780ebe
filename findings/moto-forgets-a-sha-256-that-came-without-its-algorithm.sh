#!/usr/bin/env bash
# moto's S3 server keeps the SHA-256 of an object only where the request also names the algorithm.
#
# Packages  moto 5.2.5 with flask 3.1.3 and flask-cors 6.0.5 (PyPI), @aws-sdk/client-s3 3.1175.0 (npm)
# Expected  `ChecksumSHA256` of a PUT is stored with the object, as S3 does, and returned by HEAD and GET with `ChecksumMode: ENABLED`.
# Seen      The SDK sends `x-amz-checksum-sha256` alone, and adds no CRC32 of its own. moto answers 200 without a checksum, and HEAD
#           and GET have none, of any kind. With `ChecksumAlgorithm: 'SHA256'` in addition, and with the CRC32 that the SDK adds where
#           nothing is said, all three answers have the checksum. 2026-11-29.
# Matters   A store of documents that has their SHA-256 as the object's checksum cannot be tested for it there: every object looks as
#           one from before checksums.
set -eu
work=$(mktemp -d)
trap 'kill "$(cat "$work/pid" 2>/dev/null)" 2>/dev/null || true; sleep 0.5; rm -rf "$work"' EXIT
cd "$work"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'moto[s3]==5.2.5' flask==3.1.3 flask-cors==6.0.5
echo '{"private":true}' > package.json
npm install --silent --no-audit --no-fund @aws-sdk/client-s3@3.1175.0
cat > run.mjs <<'JS'
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { CreateBucketCommand, GetObjectCommand, HeadObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';

const port = await new Promise((resolve) => {
  const probe = createServer().listen(0, '127.0.0.1', () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});
const server = spawn('venv/bin/moto_server', ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore' });
writeFileSync('pid', String(server.pid));
const s3 = new S3Client({
  ...{ endpoint: `http://127.0.0.1:${port}`, region: 'us-east-1', forcePathStyle: true },
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});
for (let attempt = 1; ; attempt += 1) {
  try {
    await s3.send(new CreateBucketCommand({ Bucket: 'documents' }));
    break;
  } catch (error) {
    if (attempt === 100) throw error;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}
const Body = Buffer.from('%PDF-1.7');
const ChecksumSHA256 = createHash('sha256').update(Body).digest('base64');
const checksums = (answer) => Object.entries(answer).filter(([name]) => /^Checksum(SHA|CRC)/.test(name)).map(([name]) => name).join() || 'none';
const seen = {};
for (const [Key, more] of [['sha', { ChecksumSHA256 }], ['named', { ChecksumSHA256, ChecksumAlgorithm: 'SHA256' }], ['default', {}]]) {
  const at = { Bucket: 'documents', Key };
  const put = await s3.send(new PutObjectCommand({ ...at, Body, ...more }));
  const head = await s3.send(new HeadObjectCommand({ ...at, ChecksumMode: 'ENABLED' }));
  const get = await s3.send(new GetObjectCommand({ ...at, ChecksumMode: 'ENABLED' }));
  seen[Key] = [put, head, get].map(checksums).join(' / ');
  console.log(Key.padEnd(8), 'put, head, get:', seen[Key]);
}
server.kill();
const three = (name) => [name, name, name].join(' / ');
process.exit(seen.sha === three('none') && seen.named === three('ChecksumSHA256') && seen.default === three('ChecksumCRC32') ? 0 : 1);
JS
NODE_NO_WARNINGS=1 node run.mjs
