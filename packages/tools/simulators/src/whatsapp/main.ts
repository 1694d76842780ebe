import { listenFrom, runSimulator } from '../run-simulator.js';
import { startWhatsApp } from './whatsapp-simulator.js';

await runSimulator('whatsapp', (environment) =>
  startWhatsApp({
    ...listenFrom(environment),
    phoneNumberId: environment.PHONE_NUMBER_ID || undefined,
    token: environment.TOKEN || undefined,
    templates: environment.TEMPLATES?.split(','),
    dataDir: environment.DATA_DIR || undefined,
  }),
);
