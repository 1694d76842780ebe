import { findBinary } from '@pinkas/local-stack/servers';
import { type Browser, chromium } from 'playwright-core';

/** A browser to look at pages with. */
export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findBinary('chromium-headless-shell') ?? 'chromium',
    args: ['--no-sandbox'],
  });
