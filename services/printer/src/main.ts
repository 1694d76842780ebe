import { runProcess } from '@pinkas/service-kit/process';
import { readPrinterConfig } from './config.js';
import { startPrinter } from './start-printer.js';

await runProcess(() => {
  const config = readPrinterConfig();
  return {
    name: 'printer',
    logLevel: config.logLevel,
    start: (logger) => startPrinter(config, logger),
  };
});
