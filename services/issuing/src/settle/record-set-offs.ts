import type { WithheldConfirmation } from '@pinkas/contracts';
import { actorOf, appendTrail, type Transaction } from '@pinkas/service-kit';
import { decimalOf } from '../document/amounts.js';
import type { DocumentRow } from '../document/document.repository.js';
import type { IssuingTables, SetOffKind } from '../document/document.tables.js';
import type { SetOffEffect } from './source-document.js';

/** When tax was withheld, and how its customer has confirmed it. */
export interface WithheldFacts {
  /** YYYY-MM-DD */
  readonly on: string;
  readonly confirmation?: WithheldConfirmation | undefined;
}

/** Stores what an act sets against locked documents, each on its account. */
export async function storeSetOffs(
  trx: Transaction<IssuingTables>,
  act: {
    business_id: string;
    id: string;
    documents: ReadonlyMap<string, DocumentRow>;
    person_id: string | undefined;
    at: Date;
    /** Of what is withheld. */
    withheld?: WithheldFacts;
  },
  setOffs: readonly SetOffEffect[],
): Promise<void> {
  const { business_id, id, at, withheld } = act;
  const confirmation = withheld?.confirmation ?? {};
  await trx
    .insertInto('set_off')
    .values(
      setOffs.map(({ document_id, amount, kind }) => ({
        ...{ business_id, id, document_id, kind, set_at: at },
        account_id: lockedAccount(act.documents, document_id),
        amount: decimalOf(amount),
        person_id: act.person_id ?? null,
        removed_at: null,
        ...(kind === 'withheld' && {
          withheld_on: withheld?.on ?? null,
          confirmation_number: confirmation.number ?? null,
          confirmation_date: confirmation.date ?? null,
        }),
      })),
    )
    .execute();
}

function lockedAccount(documents: ReadonlyMap<string, DocumentRow>, id: string): string {
  const document = documents.get(id);
  if (!document) {
    throw new Error('settled document not locked');
  }
  return document.account_id;
}

const actions = {
  credit: { made: 'document.set_off', removed: 'document.set_off_removed', amount: 'set_off' },
  withheld: { made: 'document.withheld', removed: 'document.withheld_removed', amount: 'withheld' },
} as const satisfies Record<SetOffKind, Record<'made' | 'removed' | 'amount', string>>;

/** What is set off or withheld, or no longer is, is in the trail of each document. */
export async function recordSetOffs(
  trx: Transaction<IssuingTables>,
  act: {
    readonly business_id: string;
    readonly documents: ReadonlyMap<string, DocumentRow>;
    readonly person_id: string | undefined;
    readonly isRemoved: boolean;
    /** The number of the receipt that it was issued with. */
    readonly receipt?: number;
    /** Of what is withheld. */
    readonly withheld?: WithheldFacts;
  },
  setOffs: readonly SetOffEffect[],
): Promise<void> {
  for (const { document_id, amount, kind } of setOffs) {
    const { made, removed, amount: name } = actions[kind];
    const { on, confirmation = {} } = act.withheld ?? {};
    const fact = {
      type: act.documents.get(document_id)?.type,
      number: act.documents.get(document_id)?.number,
      [name]: decimalOf(amount),
      ...(act.receipt !== undefined && { receipt: act.receipt }),
      ...(kind === 'withheld' && {
        withheld_on: on,
        ...(confirmation.number !== undefined && { confirmation_number: confirmation.number }),
        ...(confirmation.date !== undefined && { confirmation_date: confirmation.date }),
      }),
    };
    await appendTrail(trx, {
      business_id: act.business_id,
      action: act.isRemoved ? removed : made,
      subject: document_id,
      actor: actorOf(act.person_id),
      before: act.isRemoved ? fact : null,
      after: act.isRemoved ? null : fact,
    });
  }
}
