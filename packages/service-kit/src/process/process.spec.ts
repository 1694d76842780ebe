import { describe, expect, it } from '@jest/globals';
import { Closers } from './closers.js';
import { createLogger, withoutData } from './logger.js';
import { readNatsAddress } from './nats-connection.js';

describe('Closers', () => {
  it('closers run in the opposite order, each once, although one fails', async () => {
    const closers = new Closers(createLogger('test', 'silent'));
    const closed: string[] = [];
    closers.add('first', async () => closed.push('first'));
    closers.add('second', () => {
      closed.push('second');
      throw new Error('broken');
    });
    closers.add('third', () => closed.push('third'));
    await closers.close();
    await closers.close();
    expect(closed).toEqual(['third', 'second', 'first']);
  });
});

describe('an error in the log', () => {
  const quoting = () =>
    Object.assign(new Error('duplicate key'), { detail: 'Key (email)=(dana@example.com) already exists.' });

  it.each([
    ['itself', quoting()],
    ['its cause', new Error('not stored', { cause: quoting() })],
    ['one of several', new AggregateError([new Error('first'), quoting()], 'all failed')],
    [
      'the cause of one of several',
      new AggregateError([new Error('not stored', { cause: quoting() })], 'all failed'),
    ],
  ])('an error is logged without the row that %s quotes', (_which, error) => {
    const logged = JSON.stringify(withoutData(error));
    expect(logged).toContain('duplicate key');
    expect(logged).not.toContain('dana@example.com');
  });
});

describe('the address of NATS', () => {
  it('an address lists servers, a user for all of them, and whether TLS is used', () => {
    expect(readNatsAddress('tls://issuing:p%40ss@nats-0.nats:4222, tls://nats-1.nats')).toEqual({
      servers: ['nats-0.nats:4222', 'nats-1.nats:4222'],
      user: 'issuing',
      password: 'p@ss',
      encrypted: true,
    });
    expect(readNatsAddress('nats://[::1]:4333')).toEqual({ servers: ['[::1]:4333'], encrypted: false });
  });

  it.each(['127.0.0.1:4222', 'http://127.0.0.1', '', 'nats://'])(
    '%j is none, and is not repeated',
    (text) => {
      expect(() => readNatsAddress(text)).toThrow(/^expected URLs that start with nats/);
    },
  );
});
