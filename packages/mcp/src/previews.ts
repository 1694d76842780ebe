import { createHash, randomBytes } from 'node:crypto';
import type { CreateDocument } from '@pinkas/client';
import { ToolError } from './result.js';
import schemas from './schemas.json' with { type: 'json' };

/** The oldest of more are forgotten; a preview is made again for nothing. */
const previewsMax = 1_000;
/** The largest total that the API compares with that of a document. */
const expectedTotalMax = schemas.CreateDocument.properties.expected_total.maximum;

/** What was shown and may be issued: this body, at this total, under this key. */
export interface Previewed {
  /** With `expected_total`, unless the total is above what the API takes there. */
  readonly body: CreateDocument;
  readonly total: number;
  readonly idempotencyKey: string;
}

/**
 * The previews that were made. A token names one; it is short, since a model copies it. The key of a document follows from its type,
 * its `external_ref` and how many of these were cancelled, so that an agent that begins again, in another process as well, comes to the same document.
 */
export class Previews {
  readonly #byToken = new Map<string, Previewed>();

  /**
   * @param total what the preview came to: a document of another total is not issued.
   * @param cancelled how many documents of this type and `external_ref` were cancelled.
   */
  keep(body: CreateDocument & { external_ref: string }, total: number, cancelled: number): string {
    const token = `preview_${randomBytes(9).toString('base64url')}`;
    const name = createHash('sha256').update(`${body.type}\n${body.external_ref}`).digest('hex');
    this.#byToken.set(token, {
      body: { ...body, ...(total <= expectedTotalMax && { expected_total: total }) },
      total,
      idempotencyKey: `agent-${name.slice(0, 40)}${cancelled === 0 ? '' : `-${cancelled + 1}`}`,
    });
    const [oldest] = this.#byToken.keys();
    if (this.#byToken.size > previewsMax && oldest !== undefined) {
      this.#byToken.delete(oldest);
    }
    return token;
  }

  /** @throws ToolError where no preview has this token. */
  find(token: string): Previewed {
    const found = this.#byToken.get(token);
    if (!found) {
      throw new ToolError(
        'No preview has this token. Call preview_document, show its total, and issue with its token.',
      );
    }
    return found;
  }
}
