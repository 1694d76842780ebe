import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const txt = 16;
const replyFlags = 0x8180;
const nameErrorCode = 3;
const serverFailureCode = 2;
/** A text of a record is divided into such parts (RFC 1035, 3.3.14). */
const partMax = 255;

/** A DNS server that answers for TXT records. */
export interface TestDnsServer {
  readonly port: number;
  /** By name; SERVFAIL: it fails. */
  records: Readonly<Record<string, readonly string[] | 'SERVFAIL'>>;
  stop(): Promise<void>;
}

export async function startDnsServer(): Promise<TestDnsServer> {
  const socket = createSocket('udp4');
  const server: TestDnsServer = {
    get port() {
      return socket.address().port;
    },
    records: {},
    stop: async () => {
      socket.close();
      await once(socket, 'close');
    },
  };
  socket.on('message', (query, { address, port }) =>
    socket.send(replyTo(query, server.records), port, address),
  );
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return server;
}

function replyTo(query: Buffer, records: TestDnsServer['records']): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  const question = query.subarray(12, at + 5);
  const found = records[labels.join('.').toLowerCase()];
  const texts = Array.isArray(found) && query.readUInt16BE(at + 1) === txt ? (found as string[]) : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  const missing = found === undefined ? nameErrorCode : 0;
  const code = found === 'SERVFAIL' ? serverFailureCode : missing;
  header.writeUInt16BE(replyFlags | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(texts.length, 6);
  return Buffer.concat([header, question, ...texts.map(answerOf)]);
}

function answerOf(text: string): Buffer {
  const parts = text.match(new RegExp(`.{1,${partMax}}`, 'g')) ?? [''];
  const data = Buffer.concat(
    parts.flatMap((part) => [Buffer.from([part.length]), Buffer.from(part, 'latin1')]),
  );
  // The name of the question, TXT, IN, one minute.
  const head = Buffer.from([0xc0, 12, 0, txt, 0, 1, 0, 0, 0, 60, 0, 0]);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
