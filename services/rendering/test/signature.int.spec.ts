import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { PDF } from '@libpdf/core';
import { ConfigError, systemClock } from '@pinkas/service-kit';
import { ArtifactPress } from '../src/artifact/artifact-press.js';
import { Signature } from '../src/artifact/signature.js';
import type { RenderingConfig } from '../src/config.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { signatureReport } from './pdf-tools.js';
import { signingP12File, signingP12Password } from './rendering.js';

describe('the signing certificate', () => {
  it('signs what pdfsig calls valid', async () => {
    const signature = await Signature.open(await readFile(signingP12File), signingP12Password, new Date());
    const pdf = PDF.create();
    pdf.addPage();
    const signed = await signature.sign(await pdf.save(), {
      reason: 'מסמך ממוחשב',
      producedAt: new Date(),
    });
    expect(await signatureReport(signed)).toContain('Signature is Valid.');
  });

  it('signs nothing outside its own time', async () => {
    const p12 = await readFile(signingP12File);
    await expect(Signature.open(p12, signingP12Password, new Date('2001-01-01'))).rejects.toThrow(
      'the signing certificate is valid from',
    );
  });

  it.each<[string, Partial<RenderingConfig>, string]>([
    ['the password is wrong', { signingP12Password: 'wrong' }, 'the password is wrong'],
    ['the file is not there', { signingP12File: join(tmpdir(), 'no-such.p12') }, 'ENOENT'],
    ['the file is something else', { signingP12File: import.meta.filename }, 'no PKCS#12 file'],
  ])('stops the start with a sentence when %s', async (_what, change, words) => {
    const config = {
      gotenbergUrl: 'http://127.0.0.1:9',
      signingP12File,
      signingP12Password,
      renderConcurrency: 1,
      renderQueueMax: 1,
      renderTimeoutMs: 1_000,
      ...change,
    } as RenderingConfig;
    const opening = ArtifactPress.open(config, systemClock, loadTypeface());
    await expect(opening).rejects.toThrow(ConfigError);
    await expect(opening).rejects.toThrow(words);
    await expect(opening).rejects.toThrow('SIGNING_P12_FILE');
  });
});
