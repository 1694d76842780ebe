import { afterAll, beforeAll, describe } from '@jest/globals';
import { startTestCollector, type TestCollector } from '@pinkas/testkit';
import { RunningStack } from '../harness/running-stack.js';
import { firstWeek } from './console/first-week/first-week.js';
import { agents } from './sections/agents.js';
import { client } from './sections/client.js';
import { concurrency } from './sections/concurrency.js';
import { damagedBook } from './sections/damaged-book.js';
import { exports } from './sections/exports.js';
import { firstDocument } from './sections/first-document.js';
import { isolation } from './sections/isolation.js';
import { lateNumber } from './sections/late-number.js';
import { outcomes } from './sections/outcomes.js';
import { testMode } from './sections/test-mode.js';
import { traces } from './sections/traces.js';

/** One system for all sections; each makes its own businesses. */
describe('the complete system', () => {
  let collector: TestCollector;
  let stack: RunningStack;
  beforeAll(async () => {
    collector = await startTestCollector();
    stack = await RunningStack.start({
      PINKAS_LAYOUT: 'separate',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    });
  });
  afterAll(async () => {
    await stack?.stop();
    await collector?.stop();
  });

  const system = () => stack;
  // First: it verifies the complete book again and again, which is small now.
  damagedBook(system);
  firstDocument(system);
  exports(system);
  outcomes(system);
  lateNumber(system);
  client(system);
  agents(system);
  concurrency(system);
  testMode(system);
  firstWeek(system);
  isolation(system);
  // Last: it leaves the collector hanging.
  traces(system, () => collector);
});
