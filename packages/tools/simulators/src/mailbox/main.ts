import { listenFrom, positiveFrom, runSimulator } from '../run-simulator.js';
import { startMailbox } from './mailbox-simulator.js';

await runSimulator('mailbox', (environment) =>
  startMailbox({
    ...listenFrom(environment),
    smtpPort: listenFrom(environment, 'SMTP_PORT').port,
    dataDir: environment.DATA_DIR || undefined,
    messagesMax: positiveFrom(environment, 'MESSAGES_MAX', 5_000),
  }),
);
