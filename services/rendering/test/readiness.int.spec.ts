import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { renderArtifact } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import { type RenderingUnderTest, startRendering } from './rendering.js';
import { sampleBusiness, sampleDocument } from './sample-documents.js';

interface Readiness {
  ready: boolean;
  reasons: string[];
  warnings: string[];
}

describe('the readiness of rendering', () => {
  let rendering: RenderingUnderTest;
  beforeAll(async () => {
    rendering = await startRendering();
  }, 60_000);
  afterAll(() => rendering?.stop());
  const business = sampleBusiness();
  const render = () =>
    rendering.network.ask(renderArtifact, { document: sampleDocument('tax_invoice', business), business });
  const readiness = async () => {
    const answer = await fetch(`http://127.0.0.1:${rendering.service.healthPort}/readyz`);
    return { status: answer.status, ...((await answer.json()) as Readiness) };
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`http://127.0.0.1:${rendering.service.healthPort}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const inDays = (count: number) => new Date(Date.now() + count * 86_400_000);

  it('warns of a certificate that ends soon, and ends with it', async () => {
    expect(await readiness()).toEqual({ status: 200, ready: true, reasons: [], warnings: [] });
    rendering.clock.now = inDays(350);
    expect(await readiness()).toMatchObject({
      status: 200,
      ready: true,
      warnings: [expect.stringMatching(/^the signing certificate ends in 1\d days$/)],
    });
    expect(await metric('pinkas_signing_certificate_days_left')).toBeCloseTo(15, 0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
    rendering.clock.now = inDays(400);
    expect(await readiness()).toMatchObject({
      status: 503,
      ready: false,
      reasons: ['the signing certificate has ended'],
    });
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    rendering.clock.now = new Date();
    expect((await readiness()).status).toBe(200);
  });

  it('ends when the printer fails again and again, and comes back by itself when it prints', async () => {
    await rendering.gotenberg.mode({ fail_every: 1 });
    for (let time = 0; time < 6; time += 1) {
      await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    }
    expect(await readiness()).toMatchObject({
      status: 503,
      reasons: [expect.stringContaining('the printer is left alone')],
    });
    expect(await metric('pinkas_printer_left_alone')).toBe(1);
    const before = await rendering.gotenberg.read<{ failed: number }>('/_calls');
    await expect(render()).rejects.toMatchObject({ code: 'document_generation_failed' });
    const after = await rendering.gotenberg.read<{ failed: number }>('/_calls');
    // At the most it was tried once meanwhile, by a page of our own.
    expect(after.failed - before.failed).toBeLessThanOrEqual(1);
    await rendering.gotenberg.mode({});
    await eventually('rendering is ready again', async () => (await readiness()).ready);
    expect(await metric('pinkas_printer_left_alone')).toBe(0);
    await expect(render()).resolves.toMatchObject({ revision: 1 });
  });
});
