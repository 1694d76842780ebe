import { connect } from 'node:net';
import { answerTimeoutMs } from '../harness/limits.js';
import type { WireAnswer } from '../harness/send.js';

let connections = 0;

/**
 * An address of this machine that no one else calls from: what reaches no route is counted for its address, and many such
 * requests must not hide behind the limit. Only Linux owns the whole of 127.0.0.0/8.
 */
function addressOfItsOwn(): { localAddress?: string } {
  connections += 1;
  const [high, low] = [Math.floor(connections / 250) % 250, connections % 250];
  return process.platform === 'linux'
    ? { localAddress: `127.${1 + high}.${process.pid % 250}.${1 + low}` }
    : {};
}

/** A request, or what looks like one. Texts are written as Latin-1, so that a character is a byte. */
export interface RawRequest {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  body?: Buffer;
}

/** The bytes of a request; its length and its host are added unless it has them. In chunks it is one chunk. */
export function bytesOf({ method, target, headers, body }: RawRequest): Buffer {
  const says = (name: string) => headers.some(([one]) => one.toLowerCase() === name);
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(says('host') ? [] : ['Host: pinkas.example']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined || says('content-length') || says('transfer-encoding')
      ? []
      : [`Content-Length: ${body.length}`]),
    'Connection: close',
    '',
    '',
  ];
  const head = Buffer.from(lines.join('\r\n'), 'latin1');
  const whole = body ?? Buffer.alloc(0);
  if (!says('transfer-encoding')) {
    return Buffer.concat([head, whole]);
  }
  const chunk = whole.length === 0 ? '' : `${whole.length.toString(16)}\r\n${whole.toString('latin1')}\r\n`;
  return Buffer.concat([head, Buffer.from(`${chunk}0\r\n\r\n`, 'latin1')]);
}

/**
 * Sends bytes over a connection of their own and waits for one answer.
 * @param bodyless whether the answer has no body whatever its headers say, as that to HEAD.
 * @throws Error when the connection ends, or the time is over, without a whole answer.
 */
export function sendBytes(origin: string, bytes: Buffer, bodyless = false): Promise<WireAnswer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect({ host: hostname, port: Number(port), ...addressOfItsOwn() }, () =>
      socket.write(bytes),
    );
    const end = (settle: () => void) => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const timer = setTimeout(
      () => end(() => reject(new Error(`no answer within ${answerTimeoutMs} ms`))),
      answerTimeoutMs,
    );
    const look = () => {
      const answer = readAnswer(Buffer.concat(chunks), bodyless);
      if (answer) {
        end(() => resolve(answer));
      }
    };
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      look();
    });
    // The server may close while we still write; what it said before is what counts.
    socket.on('error', () => {});
    socket.on('close', () =>
      end(() =>
        reject(
          new Error(
            `the connection was closed without a whole answer: ${Buffer.concat(chunks).toString('latin1').slice(0, 300)}`,
          ),
        ),
      ),
    );
  });
}

function readAnswer(bytes: Buffer, bodyless: boolean): WireAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    return undefined;
  }
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(start)?.[1]);
  const rest = bytes.subarray(end + 4);
  // An interim answer states only that the real one follows.
  if (status < 200) {
    return readAnswer(rest, bodyless);
  }
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const length = bodyless ? 0 : Number(headers['content-length'] ?? 0);
  const content = rest.subarray(0, length);
  // An answer of the gateway has a length; one in chunks comes from the server below us, and says nothing.
  return rest.length < length
    ? undefined
    : { status, headers, bytes: content, text: content.toString('utf8') };
}
