import { type Clock, createLogger, Metrics, systemClock } from '@pinkas/service-kit';
import { ArtifactPress } from '../src/artifact/artifact-press.js';
import type { RenderingConfig } from '../src/config.js';
import { loadTypeface } from '../src/typeface/typeface.js';
import { signingP12File, signingP12Password } from './rendering.js';

/** The press without its service, over a renderer that a test has started. */
export function openPress(gotenbergUrl: string, clock: Clock = systemClock): Promise<ArtifactPress> {
  const config = {
    gotenbergUrl,
    signingP12File,
    signingP12Password,
    renderConcurrency: 4,
    renderQueueMax: 64,
    // A real Chromium on a busy machine takes its time.
    renderTimeoutMs: 25_000,
  } as RenderingConfig;
  const logger = createLogger('rendering', 'silent');
  return ArtifactPress.open(config, loadTypeface(), { clock, logger, metrics: new Metrics() });
}
