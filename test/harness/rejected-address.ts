import { randomUUID } from 'node:crypto';
import { eventually } from '@pinkas/testkit';
import { invoice, type RunningStack, sendsMail } from './running-stack.js';

interface DeliveryRows {
  delivery: { recipient: string; last_error: string | null };
  suppression: { address: string };
}

/**
 * Has the mail server reject an address as unknown until it is suppressed: between two refusals it takes a message for another mailbox
 * of the domain, of another business.
 * @param issue sends a document to the address.
 */
export async function rejectAddress<T>(
  stack: RunningStack,
  address: string,
  issue: () => Promise<T>,
): Promise<T> {
  await stack.setMode('mailbox', { mode: 'refuse', address });
  try {
    const issued = await issue();
    const db = await stack.database<DeliveryRows>('delivery');
    await eventually('it was refused', () =>
      db
        .selectFrom('delivery')
        .select('last_error')
        .where('recipient', '=', address)
        .where('last_error', 'is not', null)
        .executeTakeFirst(),
    );
    const other = await stack.newIssuer(sendsMail);
    const email = address.replace(/^[^@]*/, `other-${randomUUID()}`);
    await stack.issueUntilAnswered(other.key, invoice(1, { customer: { name: 'לקוח לדוגמה', email } }));
    await eventually('the address is suppressed', () =>
      db.selectFrom('suppression').select('address').where('address', '=', address).executeTakeFirst(),
    );
    return issued;
  } finally {
    await stack.setMode('mailbox', { mode: 'ok' });
  }
}
