import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Injectable } from '@nestjs/common';
import { ApiError } from '@pinkas/service-kit';
import { KeyedQueue, Semaphore } from '@pinkas/service-kit/concurrency';
import { InvalidLogoError, type StoredLogo, type UploadedLogo } from './logo.js';
import type { RasterizerReply } from './rasterizer.js';

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
   * @throws InvalidLogoError when the file is rejected or takes too long; QueueFullError; engine_error when `deadline` passes.
   */
  async rasterize(businessId: string, upload: UploadedLogo, deadline: AbortSignal): Promise<StoredLogo> {
    const reply = await this.#ofBusiness
      .run(businessId, deadline, () => this.#semaphore.run(deadline, () => draw(upload, deadline)))
      .catch((error: unknown) => {
        throw deadline.aborted ? new ApiError('engine_error', { cause: error }) : error;
      });
    if ('invalid' in reply) {
      throw new InvalidLogoError(reply.invalid);
    }
    return { ...reply.logo, bytes: Buffer.from(reply.logo.bytes) };
  }
}

async function draw(upload: UploadedLogo, deadline: AbortSignal): Promise<RasterizerReply> {
  const child = fork(processFile, [], {
    env: {},
    execArgv: [],
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
    throw new Error(`logo rasterizer exited: ${code ?? killedBy}`);
  });
  const replied = once(child, 'message', { signal }).then(([reply]) => reply as RasterizerReply);
  child.send(upload);
  return Promise.race([replied, exited]);
}
