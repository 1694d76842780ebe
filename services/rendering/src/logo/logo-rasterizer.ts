import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { storeLogo } from '@pinkas/contracts';
import { remainingMs } from '@pinkas/service-kit';
import { KeyedQueue, Semaphore } from '@pinkas/service-kit/concurrency';
import { InvalidLogoError, type StoredLogo, type UploadedLogo } from './logo.js';
import type { RasterizerReply } from './rasterizer-process.js';

/**
 * Seconds of processor time, which the kernel counts: a usual logo takes a quarter of a second, most of which starts the process,
 * however long a busy machine lets it wait.
 */
const drawSeconds = 2;
const limited = ['-c', `ulimit -S -t ${drawSeconds} && exec "$0" "$@"`, process.execPath];
const concurrency = 2;
const queueMax = 32;
/** Of one business, the one that is drawn included. */
const ownMax = 3;

/** The same path from the sources and from the build, as Node cannot start a TypeScript file. */
const processFile = new URL('../../dist/logo/rasterizer-process.js', import.meta.url);

/**
 * Draws uploaded files in a process of its own, which has no environment and ends with the drawing: a kilobyte of SVG can hold
 * librsvg for minutes, its decoders are native code, and this process holds the signing key (ADR 0014).
 */
@Injectable()
export class LogoRasterizer {
  readonly #semaphore = new Semaphore(concurrency, queueMax);
  readonly #ofBusiness = new KeyedQueue(ownMax);

  /**
   * One drawing of a business at a time, so that it holds up no other: there is another place.
   * @throws InvalidLogoError when the file is rejected or takes too long; QueueFullError; the reason of a deadline that passes.
   */
  async rasterize(businessId: string, upload: UploadedLogo): Promise<StoredLogo> {
    const deadline = AbortSignal.timeout(Math.max(1, Math.floor(remainingMs(storeLogo.timeoutMs))));
    const reply = await this.#ofBusiness.run(businessId, deadline, () =>
      this.#semaphore.run(deadline, () => draw(upload, deadline)),
    );
    if ('invalid' in reply) {
      throw new InvalidLogoError(reply.invalid);
    }
    return { ...reply.logo, bytes: Buffer.from(reply.logo.bytes) };
  }
}

async function draw(upload: UploadedLogo, deadline: AbortSignal): Promise<RasterizerReply> {
  const child = fork(processFile, [], {
    env: {},
    execPath: '/bin/sh',
    execArgv: limited,
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  try {
    return await firstMessage(child, upload, deadline);
  } finally {
    child.kill('SIGKILL');
  }
}

async function firstMessage(
  child: ChildProcess,
  upload: UploadedLogo,
  signal: AbortSignal,
): Promise<RasterizerReply> {
  const exited = once(child, 'exit', { signal }).then(([code, killedBy]) => {
    if (killedBy === 'SIGXCPU') {
      throw new InvalidLogoError('takes too long to draw: it must be simpler');
    }
    throw new Error(`logo rasterizer exited: ${code ?? killedBy}`);
  });
  const replied = once(child, 'message', { signal }).then(([reply]) => reply as RasterizerReply);
  child.send(upload);
  return Promise.race([replied, exited]);
}
