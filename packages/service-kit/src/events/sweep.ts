import {
  announcementsPageMax,
  type Contract,
  type MessagingService,
  messaging,
  type ReplyOf,
  type RequestOf,
} from '@pinkas/contracts';
import type { Kysely } from 'kysely';
import { newContext, withContext } from '../context.js';
import type { MessagingTables } from '../db/messaging-tables.js';
import type { Logger } from '../logger.js';
import { Loop } from '../loop.js';
import { Problem } from '../problem.js';
import type { Peers } from '../rpc/peers.js';
import type { Announced } from './announcement.repository.js';
import { reasonOf } from './dead-letter-reason.js';
import type { Arrival, Step } from './step.js';
import { countTry, forgetTries, noteSweptThrough, owedOf, sweptThrough } from './sweep.repository.js';

/**
 * How often a sweep tries a step before it is parked: at every half minute about as long as the stream tries it, so that
 * neither parks what the other may still manage.
 */
const triesMax = 20;
/** How many steps a sweep carries out at once: it must not take the database from those that come by the stream. */
const atOnceMax = 4;
/** How long one question to the owner is waited for. */
const askTimeoutMs = 5_000;

/**
 * The second net under a consumer: asks the owner of its event again and again what was announced, and carries out what has
 * not reached it. So a step is not lost with a message, a stream or the whole store of NATS.
 */
export class Sweep {
  readonly #loop: Loop;
  readonly #owner: (typeof messaging)[MessagingService];
  #stopping = false;

  constructor(
    private readonly step: Step,
    private readonly parts: {
      db: Kysely<MessagingTables>;
      peers: Peers;
      logger: Logger;
      everyMs: number;
    },
  ) {
    // Whoever owns an event announces it, and so has these contracts.
    this.#owner = messaging[step.event.owner as MessagingService];
    this.#loop = new Loop({
      name: `sweep of ${step.consumer}`,
      idleMs: parts.everyMs,
      turn: async () => {
        await this.#turn();
        return 'idle';
      },
      logger: parts.logger,
    });
  }

  start(): void {
    this.#loop.start();
  }

  /** Finishes the steps in hand. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#loop.stop();
  }

  async #turn(): Promise<void> {
    try {
      await this.#sweep();
    } catch (error) {
      if (!(error instanceof Problem && error.code === 'engine_error')) throw error;
      // What is owed stays owed until the owner is back.
      this.parts.logger.warn(
        { err: error, consumer: this.step.consumer },
        'the sweep could not ask the owner of its event',
      );
    }
  }

  async #sweep(): Promise<void> {
    const { db } = this.parts;
    const { consumer } = this.step;
    let after = await sweptThrough(db, consumer);
    /** Whether everything so far is settled, so that the cursor may move on. */
    let settled = true;
    for (;;) {
      const page = await this.#ask(this.#owner.listAnnouncements, {
        subject: this.step.event.subject,
        after,
        limit: announcementsPageMax,
      });
      const owed = await this.#carryOut(await owedOf(db, consumer, page.announcements));
      const through = owed === undefined ? page.through : owed.position - 1;
      if (settled && through > after) await noteSweptThrough(db, consumer, through);
      settled &&= owed === undefined;
      if (this.#stopping || !page.more) break;
      after = page.through;
    }
    if (settled) await forgetTries(db, consumer);
  }

  /** Carries out what is owed. @returns the first that still is. */
  async #carryOut(owed: readonly Announced[]): Promise<Announced | undefined> {
    const waiting = [...owed];
    const left: Announced[] = [];
    const work = async () => {
      for (let one = waiting.shift(); one; one = waiting.shift()) {
        if (this.#stopping || !(await this.#settle(one))) left.push(one);
      }
    };
    const workers = await Promise.allSettled(Array.from({ length: atOnceMax }, work));
    for (const worker of workers) if (worker.status === 'rejected') throw worker.reason;
    return left.sort((a, b) => a.position - b.position)[0];
  }

  /** @returns whether the step is handled or parked now. */
  async #settle({ id }: Announced): Promise<boolean> {
    const { db, logger } = this.parts;
    const { consumer } = this.step;
    const arrival = await this.#fetch(id);
    if (!arrival) {
      // Only what lies behind the days that announcements are kept can be gone.
      logger.error({ consumer, message_id: id }, 'an announcement was purged before it was handled');
      return true;
    }
    const tries = await countTry(db, consumer, id);
    try {
      if (tries > triesMax) await this.step.park(arrival, 'it was tried without coming to an end', triesMax);
      else await this.step.carryOut(arrival, 'swept');
    } catch (error) {
      logger.warn({ err: error, consumer, message_id: id, tries }, 'a swept event could not be handled');
      if (tries < triesMax) return false;
      await this.step.park(arrival, reasonOf(error), tries);
    }
    return true;
  }

  async #fetch(id: string): Promise<Arrival | undefined> {
    try {
      const { subject, body, request_id, trace } = await this.#ask(this.#owner.getAnnouncement, { id });
      return {
        messageId: id,
        subject,
        body: JSON.stringify(body),
        requestId: request_id,
        trace: trace ?? null,
      };
    } catch (error) {
      if (error instanceof Problem && error.code === 'not_found') return undefined;
      throw error;
    }
  }

  #ask<C extends Contract>(contract: C, request: RequestOf<C>): Promise<ReplyOf<C>> {
    return withContext(newContext(askTimeoutMs), () => this.parts.peers.ask(contract, request));
  }
}
