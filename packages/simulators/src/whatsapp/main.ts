import { listenFrom, runSimulator } from '../run-simulator.js';
import { startWhatsApp } from './whatsapp-simulator.js';

await runSimulator('whatsapp', (environment) =>
  startWhatsApp({
    ...listenFrom(environment),
    phoneNumberId: environment.PHONE_NUMBER_ID || undefined,
    token: environment.TOKEN || undefined,
    template: environment.TEMPLATE || undefined,
    dataDir: environment.DATA_DIR || undefined,
  }),
);
