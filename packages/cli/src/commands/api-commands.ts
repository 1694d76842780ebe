import { setKillSwitch } from '@pinkas/contracts';
import type { Command } from '../builder/command.js';
import { callVerb } from '../builder/verb.js';

/** `pinkas api …` */
export const apiCommands: readonly Command[] = [
  callVerb('api disable', {
    summary: 'disables the HTTP API for all callers at once; pages and PDFs stay available',
    contract: setKillSwitch,
    request: () => ({ enabled: false }),
    print: () => 'The HTTP API is disabled: every request gets api_disabled\nTo enable it: pinkas api enable',
  }),
  callVerb('api enable', {
    summary: 'enables the HTTP API again',
    contract: setKillSwitch,
    request: () => ({ enabled: true }),
    print: () => 'The HTTP API is enabled',
  }),
];
