import { switchApi } from '@pinkas/contracts';
import type { Command } from './command.js';

/** `pinkas api …` */
export const apiCommands: readonly Command[] = [
  {
    noun: 'api',
    verb: 'disable',
    does: 'turns the interface off for every caller at once; pages and PDFs stay',
    arguments: [],
    options: {},
    run: async (_given, ask) => ({
      json: await ask(switchApi, { enabled: false }),
      text: 'The interface is off: callers are answered api_disabled\nOn again: pinkas api enable',
    }),
  },
  {
    noun: 'api',
    verb: 'enable',
    does: 'turns the interface on again',
    arguments: [],
    options: {},
    run: async (_given, ask) => ({
      json: await ask(switchApi, { enabled: true }),
      text: 'The interface is on',
    }),
  },
];
