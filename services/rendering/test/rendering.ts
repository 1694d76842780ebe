import { type ReplyOf, type RequestOf, renderArtifact } from '@pinkas/contracts';
import {
  createTestCertificate,
  eventually,
  ServiceUnderTest,
  sharedRendererUrl,
  startServiceUnderTest,
} from '@pinkas/testkit';
import type { RenderingConfig } from '../src/config.js';
import type { RenderingTables } from '../src/db/artifact.tables.js';
import { migrations } from '../src/db/migrations.js';
import { backgroundTasks, RenderingModule } from '../src/rendering.module.js';

/** A certificate that is its own issuer, made for these tests. */
export const { file: signingP12File, password: signingP12Password } = await createTestCertificate();
/** The certificate of test books. */
export const { file: testSigningP12File, password: testSigningP12Password } = await createTestCertificate();

/** The rendering service. */
export class RenderingUnderTest extends ServiceUnderTest<RenderingTables, RenderingConfig> {
  /** Makes the first PDF of a document: again, as issuing does, where a busy machine has not printed it within the limit. */
  render(request: RequestOf<typeof renderArtifact>): Promise<ReplyOf<typeof renderArtifact>> {
    return eventually('a PDF', () => this.network.call(renderArtifact, request));
  }
}

/** Starts the service over the renderer of the test run, unless `change` names another. */
export async function startRendering(change: Partial<RenderingConfig> = {}): Promise<RenderingUnderTest> {
  const rendering = await startServiceUnderTest(RenderingUnderTest, {
    service: { name: 'rendering', module: RenderingModule, backgroundTasks },
    clock: { now: new Date() },
    migrations,
    config: {
      gotenbergUrl: change.gotenbergUrl ?? (await sharedRendererUrl()),
      signingP12File,
      signingP12Base64: '',
      signingP12Password,
      signingP12Folder: '',
      testSigningP12File,
      testSigningP12Base64: '',
      testSigningP12Password,
      timestampAuthorityUrl: '',
      timestampTimeoutMs: 1_500,
      timestampRequired: false,
      signWhenRevoked: false,
      viewUrlBase: 'https://pinkas.example.com/d',
      artifactStore: null,
      artifactStoreKeepDays: 70,
      accessKeyId: '',
      secretAccessKey: '',
      renderConcurrency: 8,
      renderQueueMax: 64,
      renderTimeoutMs: 5_000,
      ...change,
    },
  });
  const { healthPort } = rendering.service;
  await eventually('the service is ready', async () => {
    return (await fetch(`http://127.0.0.1:${healthPort}/readyz`)).ok;
  });
  return rendering;
}
