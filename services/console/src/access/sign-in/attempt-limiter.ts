import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  acrossTenants,
  type Clock,
  type Database,
  InjectClock,
  InjectConfig,
  InjectDatabase,
} from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { ConsoleConfig } from '../../config.js';
import type { ConsoleTables } from '../../db/console.tables.js';

const minuteMs = 60 * 1000;

/** How often something may be attempted in how many milliseconds. */
const attemptLimits = {
  /** Requests from one network for a link to one address, known or not: what a stranger asks for counts for the stranger. */
  link_source: { most: 5, windowMs: 15 * minuteMs },
  /** Mails to one address, of all that ask. Beyond it each network still gets one, so that strangers keep no one out. */
  link_address: { most: 20, windowMs: 15 * minuteMs },
  link_reserve: { most: 1, windowMs: 15 * minuteMs },
  /** It bounds the work of the console only: many people may share a network. */
  link_network: { most: 400, windowMs: 15 * minuteMs },
  /** Mails that a signed-in person asks for as a proof; no one else counts here. */
  proof_person: { most: 10, windowMs: 15 * minuteMs },
  /** Links, passkeys and answers of the issuer that were wrong; right ones are never refused. */
  guess_network: { most: 30, windowMs: 15 * minuteMs },
  /** Proofs that begin: challenges, and visits to the issuer. */
  ceremony_network: { most: 1_200, windowMs: 15 * minuteMs },
  /** Drawings of logos, which cost seconds each. */
  logo_business: { most: 20, windowMs: 15 * minuteMs },
  /** Invitations that owners of one business send. */
  invitation_business: { most: 50, windowMs: 24 * 60 * minuteMs },
} as const satisfies Record<string, { most: number; windowMs: number }>;
type AttemptKind = keyof typeof attemptLimits;

/** So many rows of each kind at most. */
const buckets = 1_000_000;

/** Counts attempts in the database, so that all replicas share the limit. No address is stored. */
@Injectable()
export class AttemptLimiter {
  readonly #all: Database<ConsoleTables>;

  constructor(
    @InjectDatabase() db: Database<ConsoleTables>,
    @InjectConfig() private readonly config: Pick<ConsoleConfig, 'cookieSecret'>,
    @InjectClock() private readonly clock: Clock,
  ) {
    this.#all = acrossTenants(db);
  }

  /** Counts an attempt. @returns after how many seconds the next is of use; null: this one may go on. */
  async consume(kind: AttemptKind, value: string): Promise<number | null> {
    const { most, windowMs } = attemptLimits[kind];
    const now = this.clock.now();
    const ends = new Date(now.getTime() + windowMs);
    const isOver = sql<boolean>`attempt_count.ends_at <= ${now}`;
    const row = await this.#all
      .insertInto('attempt_count')
      .values({ kind, bucket: this.#bucketOf(kind, value), attempts: 1, ends_at: ends })
      .onConflict((conflict) =>
        conflict.columns(['kind', 'bucket']).doUpdateSet((set) => ({
          // Beyond the limit nothing is counted: a number that grows without end says nothing more.
          attempts: sql<number>`case when ${isOver} then 1 else least(attempt_count.attempts + 1, ${most + 1}) end`,
          ends_at: sql<Date>`case when ${isOver} then ${ends} else ${set.ref('attempt_count.ends_at')} end`,
        })),
      )
      .returning(['attempts', 'ends_at'])
      .executeTakeFirstOrThrow();
    return row.attempts <= most ? null : secondsUntil(row.ends_at, now);
  }

  #bucketOf(kind: AttemptKind, value: string): number {
    const hash = createHmac('sha256', this.config.cookieSecret).update(`${kind} ${value}`).digest();
    return hash.readUIntBE(0, 6) % buckets;
  }
}

function secondsUntil(end: Date, now: Date): number {
  return Math.max(1, Math.ceil((end.getTime() - now.getTime()) / 1000));
}
