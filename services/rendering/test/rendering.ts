import { jest } from '@jest/globals';
import type { Clock } from '@pinkas/service-kit';
import {
  createTestCertificate,
  eventually,
  type ServiceUnderTest,
  StandIn,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { RenderingTables } from '../src/artifact/artifact.tables.js';
import type { RenderingConfig } from '../src/config.js';
import { migrations } from '../src/db/migrations.js';
import { renderingService } from '../src/rendering.module.js';

// A real Chromium on a busy machine takes its time.
jest.setTimeout(30_000);

/** A certificate that is its own issuer, made for these tests. */
export const { file: signingP12File, password: signingP12Password } = await createTestCertificate();

/** The rendering service over a real Chromium. */
export interface RenderingUnderTest extends ServiceUnderTest<RenderingTables> {
  readonly gotenberg: StandIn;
  readonly clock: { now: Date };
}

export async function startRendering(change: Partial<RenderingConfig> = {}): Promise<RenderingUnderTest> {
  const gotenberg = await StandIn.start('gotenberg');
  const clock = { now: new Date() };
  const tested = await startServiceUnderTest<RenderingTables, RenderingConfig>({
    service: { ...renderingService, clock: { now: () => clock.now } satisfies Clock },
    migrations,
    config: {
      gotenbergUrl: gotenberg.url,
      signingP12File,
      signingP12Base64: '',
      signingP12Password,
      signingP12Folder: '',
      timestampAuthorityUrl: '',
      timestampTimeoutMs: 1_500,
      timestampRequired: false,
      renderConcurrency: 8,
      renderQueueMax: 64,
      renderTimeoutMs: 6_000,
      ...change,
    },
  });
  const { healthPort } = tested.service;
  await eventually('the service is ready', async () => {
    return (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok;
  });
  return {
    ...tested,
    gotenberg,
    clock,
    stop: async () => {
      await tested.stop();
      await gotenberg.stop();
    },
  };
}
