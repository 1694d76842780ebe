/** The process that runs a home in the background. `up` starts it, `down` sends it SIGTERM, SIGUSR2 starts a repair. */
import { readConfig } from './config.js';
import { onStopSignals } from './signals.js';
import { startStack } from './stack.js';

async function supervise(): Promise<void> {
  const stack = await startStack(readConfig(), () => undefined);
  process.on('SIGUSR2', () => void stack.repair());
  onStopSignals(
    () => void stack.stop().then(() => process.exit(0)),
    () => {
      stack.kill();
      process.exit(1);
    },
  );
  try {
    await stack.ready;
  } catch {
    await stack.stop();
    process.exit(1);
  }
}

supervise().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
