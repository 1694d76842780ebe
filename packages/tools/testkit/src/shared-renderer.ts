import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Simulator } from './simulator.js';
import { startTestPrinter, type TestPrinter } from './test-printer.js';

const addressVariable = 'PINKAS_TEST_RENDERER';

/** The renderer of a test run, which starts when the first spec calls `sharedRendererUrl`. */
interface RendererOffer {
  stop(): Promise<void>;
}

/**
 * Lets every spec of a run use one renderer. Called in the global setup, so that the renderer belongs to the process of the run and
 * not to a worker, which Jest may replace.
 */
export async function offerRenderer(): Promise<RendererOffer> {
  let renderer: Promise<TestPrinter> | undefined;
  const server = createServer((_request, response) => {
    renderer ??= startTestPrinter();
    renderer.then(
      ({ url }) => response.end(url),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env[addressVariable] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await (await renderer?.catch(() => undefined))?.stop();
    },
  };
}

/** The address of the run's renderer. */
export async function sharedRendererUrl(): Promise<string> {
  const response = await fetch(process.env[addressVariable] ?? '');
  const text = await response.text();
  if (!response.ok) {
    throw new Error(text);
  }
  return text;
}

/** A proxy in front of the run's renderer, for a spec that makes it slow or failing, or counts its calls. */
export async function startFaultyRenderer(): Promise<Simulator> {
  return Simulator.start('fault-proxy', { UPSTREAM_URL: await sharedRendererUrl() });
}
