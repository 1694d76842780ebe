import { randomUUID } from 'node:crypto';
import { expect } from '@jest/globals';
import {
  type DocumentDetail,
  type DocumentPreview,
  type NewDocument,
  postDocuments,
} from '@pinkas/contracts';
import { expectConsistentBook } from '../harness/book.js';
import type { Operator } from '../harness/operator.js';
import type { Issuer, RunningStack } from '../harness/running-stack.js';
import {
  type Answered,
  expectDetail,
  expectIssued,
  expectPreviewOf,
  expectRefusal,
  expectRefused,
} from './answers.js';
import { BookModel, bornOf, dayInIsrael, types } from './book-model.js';
import { Caller } from './caller.js';
import { plainRequest, requestOfEveryType } from './create-requests.js';
import { readJson } from './json-text.js';
import { isRefusal } from './refusal.js';

const bodyBytesMax = 262_144;
/** Deeper than that, a body may be refused as a whole. */
const depthMax = 32;

/** The book of a business in the system, beside its model: each answer is held against what the model foresees. */
export class CheckedBook {
  readonly model: BookModel;
  /** Those of the model's documents that `expectSound` has read. */
  #read = 0;

  private constructor(
    private readonly stack: RunningStack,
    private readonly issuer: Issuer,
    readonly caller: Caller,
  ) {
    this.model = new BookModel(issuer.business, Number.POSITIVE_INFINITY);
  }

  /** A book with a document of every type. */
  static async open(stack: RunningStack, operator: Operator): Promise<CheckedBook> {
    const issuer = await operator.newIssuer();
    const book = new CheckedBook(stack, issuer, await Caller.with(stack, issuer.key));
    for (const request of requestOfEveryType(book.model)) {
      await book.post(JSON.stringify(request()));
    }
    expect(book.model.documents.map((document) => document.body.type)).toEqual(types);
    return book;
  }

  /** The day in Israel. */
  get today(): string {
    return dayInIsrael(new Date());
  }

  /** Sends a text as a create request, and expects the answer that the model foresees, and a preview of it. */
  async post(text: string): Promise<void> {
    const day = this.today;
    const key = randomUUID();
    const preview = await this.caller.send<DocumentPreview>('POST', '/documents/preview', { bytes: text });
    const answer = await this.caller.send<NewDocument>('POST', '/documents', {
      bytes: text,
      headers: { 'idempotency-key': key },
    });
    expectPreviewOf(answer, preview);
    await this.judge(answer, text, key, day);
  }

  /**
   * Expects the answer to a create request with a new key to be the one that the model foresees.
   * @param text its body.
   * @param day the day in Israel when it was sent.
   */
  async judge(answer: Answered, text: string, key: string, day: string): Promise<void> {
    if (Buffer.byteLength(text) > bodyBytesMax) {
      return expectRefused(answer, { code: 'payload_too_large' }, postDocuments);
    }
    const read = readJson(text);
    if (!read || read.repeats) {
      return expectRefused(answer, { code: 'invalid_json' }, postDocuments);
    }
    if (read.depth > depthMax) {
      expect(['invalid_json', 'validation_error']).toContain(expectRefusal(answer, postDocuments));
      return;
    }
    this.stack.recordPersonalData(read.value);
    const outcome = this.model.issue(read.value, day);
    if (isRefusal(outcome)) {
      return expectRefused(answer, outcome, postDocuments);
    }
    const born = bornOf(outcome);
    const created = expectIssued(answer, this.caller, outcome, {
      rate: this.model.rateOf(outcome.body),
      born,
    });
    const booked = this.model.record(outcome, key, created);
    expectDetail(await this.caller.send<DocumentDetail>('GET', `/documents/${created.id}`), {
      ...this.model.listed(booked),
      ...booked.detail,
    });
  }

  /**
   * Expects the next plain request to be issued, and the book to be without gap or double, and to have what was issued since the
   * last time; `expectComplete` reads the whole of it.
   */
  async expectSound(): Promise<void> {
    const { documents } = this.model;
    const before = documents.length;
    await this.post(JSON.stringify(plainRequest));
    expect(documents).toHaveLength(before + 1);
    await this.#expectConsistent(documents.slice(this.#read));
    this.#read = documents.length;
  }

  /** Expects the book to be without gap, double or loss. */
  expectComplete(): Promise<void> {
    return this.#expectConsistent(this.model.documents);
  }

  async #expectConsistent(documents: BookModel['documents']): Promise<void> {
    for (const type of types) {
      const seen = documents
        .filter((document) => document.body.type === type)
        .map(({ key, created }) => ({
          key,
          id: created.id,
          number: created.number,
          total: created.totals.total,
        }));
      await expectConsistentBook(this.stack, this.issuer, type, seen);
    }
  }
}
