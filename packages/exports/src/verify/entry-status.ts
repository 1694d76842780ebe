import type { BookEntry } from '@pinkas/contracts';
import { documentTypeRules, fromShekels, statusAtIssue } from '@pinkas/domain';
import { type Finding, findingOf } from './checks.js';

/** Compares the status of a document with its type and with what was issued on the basis of it. */
export function checkStatus(entry: BookEntry): Finding[] {
  const { document, state } = entry;
  const finding = (message: string) => [findingOf('status', document, message)];
  if (state.status === 'cancelled') {
    return documentTypeRules[document.type].cancellable
      ? []
      : finding('it is cancelled, which its type does not allow');
  }
  const cause = closingCause(entry);
  if (state.status === 'open') {
    return cause === null ? [] : finding(`it is open, although ${cause}`);
  }
  return cause === null ? finding('it is closed, although nothing has closed it') : [];
}

/** Why a document is closed; null where it is to be open. */
function closingCause({ document, received, invoiced, credited }: BookEntry): string | null {
  const { type, totals } = document;
  if (documentTypeRules[type].issuedAs === 'closed') {
    return `a ${type} is closed from its issue on`;
  }
  if (statusAtIssue(type, fromShekels(totals.total)) === 'closed') {
    return 'nothing was to be paid of it';
  }
  if (received > 0) {
    return 'a receipt was issued for it';
  }
  if (invoiced) {
    return 'it was invoiced';
  }
  // With a receipt it would be closed whatever was credited of it.
  const isCredited = credited !== null && fromShekels(credited) >= fromShekels(totals.total);
  return type === 'tax_invoice' && isCredited ? 'it was credited in full' : null;
}
