import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderArtifact } from '@pinkas/contracts';
import { eventually, type Simulator } from '@pinkas/testkit';
import { Artifacts } from './artifacts.js';
import type { RenderingUnderTest } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

interface Readiness {
  ready: boolean;
  reasons: string[];
  warnings: string[];
}

describe('readiness', () => {
  let artifacts: Artifacts;
  let gotenberg: Simulator;
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    artifacts = await Artifacts.start();
    ({ gotenberg, rendering } = artifacts);
  }, 60_000);
  afterAll(() => artifacts?.stop());
  const render = () => artifacts.render();
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    return { status: answer.status, ...((await answer.json()) as Readiness) };
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${rendering.service.healthPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const inDays = (count: number) => new Date(Date.now() + count * 86_400_000);

  it('readiness warns of a certificate that expires soon, and fails when it has expired', async () => {
    expect(await readiness()).toEqual({ status: 200, ready: true, reasons: [], warnings: [] });
    rendering.clock.now = inDays(350);
    expect(await readiness()).toMatchObject({
      status: 200,
      ready: true,
      warnings: [
        expect.stringMatching(/^the signing certificate expires in 1\d days$/),
        expect.stringMatching(/^the certificate of test documents expires in 1\d days$/),
      ],
    });
    expect(await metric('pinkas_signing_certificate_days_left')).toBeCloseTo(15, 0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    rendering.clock.now = inDays(400);
    expect(await readiness()).toMatchObject({
      status: 503,
      ready: false,
      reasons: ['the signing certificate has expired'],
    });
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    rendering.clock.now = new Date();
    expect((await readiness()).status).toBe(200);
  });

  it('a document is rendered after five pages of another business have failed', async () => {
    // Every page fails, and every self-test after it is rendered.
    await gotenberg.mode({ fail_every: 2 });
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    for (let time = 0; time < 5; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    await gotenberg.mode({});
    expect((await readiness()).status).toBe(200);
    const other = sampleBusiness();
    const document = sampleDocument('tax_invoice', other);
    await expect(
      rendering.network.call(renderArtifact, { document, business: other }),
    ).resolves.toMatchObject({ revision: 1 });
  });

  it('readiness fails while the circuit of the renderer is open, and returns when rendering works', async () => {
    await gotenberg.mode({ fail_every: 1 });
    for (let time = 0; time < 6; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    expect(await readiness()).toMatchObject({
      status: 503,
      reasons: [expect.stringContaining('the circuit of the renderer is open')],
    });
    expect(await metric('pinkas_renderer_circuit_open')).toBe(1);
    const before = await gotenberg.read<{ failed: number }>('/_calls');
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    const after = await gotenberg.read<{ failed: number }>('/_calls');
    // At most one probe was sent in between.
    expect(after.failed - before.failed).toBeLessThanOrEqual(1);
    await gotenberg.mode({});
    await eventually('rendering is ready again', async () => (await readiness()).ready);
    expect(await metric('pinkas_renderer_circuit_open')).toBe(0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
  });
});
