import { setKillSwitch } from '@pinkas/contracts';
import type { Command } from './command.js';

/** `pinkas api …` */
export const apiCommands: readonly Command[] = [
  {
    noun: 'api',
    verb: 'disable',
    summary: 'disables the HTTP API for all callers at once; pages and PDFs stay available',
    arguments: [],
    options: {},
    run: async (_input, call) => ({
      json: await call(setKillSwitch, { enabled: false }),
      text: 'The HTTP API is disabled: every request gets api_disabled\nTo enable it: pinkas api enable',
    }),
  },
  {
    noun: 'api',
    verb: 'enable',
    summary: 'enables the HTTP API again',
    arguments: [],
    options: {},
    run: async (_input, call) => ({
      json: await call(setKillSwitch, { enabled: true }),
      text: 'The HTTP API is enabled',
    }),
  },
];
