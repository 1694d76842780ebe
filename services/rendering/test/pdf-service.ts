import { type Clock, createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import { Diagnosis } from '@pinkas/service-kit/diagnosis';
import type { RenderingConfig } from '../src/config.js';
import { PdfService } from '../src/print/pdf-service.js';
import { Signers } from '../src/signature/signers.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import {
  signingP12File,
  signingP12Password,
  testSigningP12File,
  testSigningP12Password,
} from './rendering.js';

/** A PdfService outside of a process, over a renderer that a test has started. */
export async function openPdfService(gotenbergUrl: string, clock: Clock = systemClock): Promise<PdfService> {
  const config = {
    gotenbergUrl,
    signingP12File,
    signingP12Password,
    testSigningP12File,
    testSigningP12Password,
    viewUrlBase: 'https://pinkas.example.com/d',
    renderConcurrency: 4,
    renderQueueMax: 64,
    // Chromium is slow on a busy machine.
    renderTimeoutMs: 25_000,
  } as RenderingConfig;
  const logger = createLogger('rendering', 'silent');
  const metrics = new Metrics();
  const signers = await Signers.open(config, { clock, logger, metrics });
  return new PdfService(config, loadTypeface(), signers, clock, logger, metrics, new Diagnosis('rendering'));
}
