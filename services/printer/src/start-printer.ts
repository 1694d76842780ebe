import { Closers, HealthServer, type Logger } from '@pinkas/service-kit/process';
import type { PrinterConfig } from './config.js';
import { readInstalledFonts } from './installed-fonts.js';
import { PagePool } from './page-pool.js';
import { PrintServer } from './print-server.js';
import { PrinterMetrics } from './printer-metrics.js';

const bytesPerMb = 1024 * 1024;

/** A started printer. */
interface RunningPrinter {
  readonly httpPort: number;
  readonly healthPort: number;
  /** Finishes what was accepted, then ends Chromium. */
  stop(): Promise<void>;
}

const startPool = (config: PrinterConfig, logger: Logger, metrics: PrinterMetrics): Promise<PagePool> =>
  PagePool.start({
    chromium: { path: config.chromiumPath, sandbox: config.chromiumSandbox },
    pages: config.pages,
    printsPerPageMax: config.printsPerPageMax,
    page: { memoryBytesMax: config.pageMemoryMb * bytesPerMb, stallMs: config.pageStallMs },
    chromiumBytesMax: config.chromiumMemoryMb * bytesPerMb,
    logger,
    observer: metrics,
  });

/** Starts Chromium, then listens. @throws Error when Chromium does not start. */
export async function startPrinter(config: PrinterConfig, logger: Logger): Promise<RunningPrinter> {
  const closers = new Closers(logger);
  const metrics = new PrinterMetrics();
  const health = new HealthServer(metrics.source);
  closers.add('health server', () => health.stop());
  try {
    const [fonts, pool] = await Promise.all([readInstalledFonts(), startPool(config, logger, metrics)]);
    closers.add('chromium', () => pool.close());
    if (!pool.state.isSandboxed) {
      logger.warn({ sandbox: config.chromiumSandbox }, 'chromium sandbox off');
    }
    const server = new PrintServer({
      pool,
      inFlightMax: config.pages + config.queueMax,
      requestBytesMax: config.requestBytesMax,
      apiTimeoutMs: config.apiTimeoutMs,
      basicAuth:
        config.basicAuthPassword === ''
          ? null
          : { username: config.basicAuthUsername, password: config.basicAuthPassword },
      fonts,
      metrics,
      logger,
    });
    const httpPort = await server.start(config.httpHost, config.httpPort);
    closers.add('http server', () => server.stop());
    closers.add(
      'shutdown delay',
      () => new Promise((resolve) => setTimeout(resolve, config.shutdownDelayMs)),
    );
    health.report([async () => (pool.up ? null : 'Chromium does not run')], () => []);
    metrics.watch(pool, async () => (await health.reasons()).length === 0);
    const healthPort = await health.start(config.healthHost, config.healthPort);
    logger.info(
      { http_port: httpPort, health_port: healthPort, chromium: pool.state.version },
      'service ready',
    );
    return {
      httpPort,
      healthPort,
      stop: () => {
        health.drain();
        server.drain();
        return closers.close();
      },
    };
  } catch (error) {
    await closers.close();
    throw error;
  }
}
