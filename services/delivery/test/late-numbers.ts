import type { Business, IssuedDocument } from '@pinkas/contracts';
import { eventually } from '@pinkas/testkit';
import type { DeliveryUnderTest } from './delivery.js';

export const number = '123456789';
/** What PDFs show. */
export const pending = { allocation_pending: true };
export const numbered = { revision: 2, allocation_number: number };
/** The subjects of a message and of its follow-up. */
export const first = 'חשבונית מס 1 מאת עסק לדוגמה בע"מ';
export const followUp = 'התקבל מספר הקצאה: חשבונית מס 1 מאת עסק לדוגמה בע"מ';

export interface Change {
  document?: Partial<IssuedDocument>;
  business?: Partial<Business>;
}

export const withAccountant = (email: string): Partial<Business> => ({
  accountant_copy: { enabled: true, email },
});

/** What tests of late numbers do. @param running the delivery service of the test. */
export function lateNumbers(running: () => DeliveryUnderTest) {
  /** Issues a document whose number is pending, and waits until its messages are held or due. */
  const issuePending = async (recipient: string | null, change: Change = {}) => {
    const invoice = await running().issue(recipient, change);
    await running().render(invoice, pending);
    await released(invoice);
    return invoice;
  };
  const released = (invoice: IssuedDocument) =>
    eventually('no message waits for its PDF', async () => {
      const rows = await running().rows(invoice);
      return rows.length > 0 && rows.every(({ state }) => state !== 'waiting') && rows;
    });
  /** Waits until the sender has worked through what is due: a message that is due now is sent. */
  const othersAreSent = async () =>
    running().inState(await running().issueReady(running().newRecipient()), 'sent');
  const rowsWhere = (invoice: IssuedDocument, count: number) =>
    eventually(`${count} messages are sent`, async () => {
      const rows = await running().rows(invoice);
      return rows.filter(({ state }) => state === 'sent').length === count && rows;
    });
  /** The oldest first. */
  const mailsTo = async (recipient: string) => (await running().mailbox.mailTo(recipient)).reverse();
  const subjectsTo = async (recipient: string) => (await mailsTo(recipient)).map(({ subject }) => subject);
  return { issuePending, released, othersAreSent, rowsWhere, mailsTo, subjectsTo };
}
