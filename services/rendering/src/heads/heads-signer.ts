import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  type ChainHead,
  canonicalJson,
  headsPageMax,
  listSeriesHeads,
  type ReplyOf,
  type RequestOf,
  type ServiceName,
  serviceNames,
  trails,
} from '@pinkas/contracts';
import { type DocumentType, mayBeEmptied } from '@pinkas/domain';
import { verifyDetached } from '@pinkas/pdf';
import {
  type Clock,
  type Database,
  InjectClock,
  InjectDatabase,
  InjectLogger,
  type Logger,
  Metrics,
  RpcClient,
} from '@pinkas/service-kit';
import { PeriodicTask } from '@pinkas/service-kit/concurrency';
import type {
  HeadsCertificateTable,
  HeadsTables,
  SignedHeadsTable,
  StatedHeadTable,
} from '../db/heads.tables.js';
import { Signers } from '../signature/signers.js';
import {
  chainName,
  insertCertificates,
  insertSignedHeads,
  lastSignedHeads,
  lockSignedHeads,
  statedHeads,
  updateStated,
} from './heads.repository.js';

const lookEveryMs = 60 * 60 * 1_000;
const dayMs = 24 * lookEveryMs;

/** The end of one chain, in a statement. */
type StatedHead = ChainHead & { service: ServiceName; business_id: string; type: DocumentType | null };

/**
 * Signs the ends of the chains once a day. To rewrite a chain unseen takes the key as well, and where there is an authority a
 * time-stamp of the past.
 */
@Injectable()
export class HeadsSigner extends PeriodicTask {
  constructor(
    @InjectDatabase() private readonly db: Database<HeadsTables>,
    @InjectClock() private readonly clock: Clock,
    @InjectLogger() private readonly logger: Logger,
    private readonly rpc: RpcClient,
    private readonly signers: Signers,
    metrics: Metrics,
  ) {
    super('heads-signer', lookEveryMs, logger);
    const startedAt = clock.now();
    metrics.gauge(
      'pinkas_chain_heads_age_seconds',
      'Seconds since the ends of the chains were signed; since the start where they never were.',
      async () => {
        const signedAt = (await lastSignedHeads(db))?.signed_at ?? startedAt;
        return (clock.now().getTime() - signedAt.getTime()) / 1_000;
      },
    );
  }

  /** Signs where nothing was signed for a day. Another replica may sign while this one collects: then this one does not. */
  async tick(): Promise<undefined> {
    const isDue = (last: SignedHeadsTable | undefined) =>
      !last || this.clock.now().getTime() - last.signed_at.getTime() >= dayMs;
    if (isDue(await lastSignedHeads(this.db))) {
      await this.sign(isDue);
    }
  }

  /**
   * Signs the ends of all chains that have moved since they were stated, in statements of one page each; where none has, that none
   * has. The first time in a month all are stated: what is stored as stated may have been changed to leave a chain out.
   * @param isDue whether to sign after the last statement; by default in any case.
   * @throws where a service does not answer: nothing is signed.
   */
  async sign(
    isDue: (last: SignedHeadsTable | undefined) => boolean = () => true,
  ): Promise<{ chains: number; heads: number; statements: number }> {
    const all = await this.#heads();
    const signer = this.signers.operator;
    const signed = await this.db.transaction().execute(async (trx) => {
      await lockSignedHeads(trx);
      let last = await lastSignedHeads(trx);
      if (!isDue(last)) {
        return { chains: all.length, heads: 0, statements: 0 };
      }
      const isComplete = !last || monthOf(last.signed_at) !== monthOf(this.clock.now());
      const heads = toState(await statedHeads(trx), all, isComplete);
      const pages = pagesOf(heads);
      for (const page of pages) {
        const at = this.clock.now();
        const n = (last?.n ?? 0) + 1;
        const previous = last ? sha256(last.statement).toString('hex') : null;
        const statement = canonicalJson({ n, at: at.toISOString(), previous, heads: page });
        last = {
          n,
          signed_at: at,
          statement,
          signature: await signer.signDigest(sha256(statement), at),
          certificate_sha256: signer.certificate.fingerprint,
        };
        await insertSignedHeads(trx, last);
        await insertCertificates(trx, certificatesOf(last));
        await updateStated(
          trx,
          page.map((head) => ({ chain: chainName(head), n: head.n, hash: head.hash, stated_at: at })),
        );
      }
      return { chains: all.length, heads: heads.length, statements: pages.length };
    });
    if (signed.statements > 0) {
      this.logger.info(signed, 'chain heads signed');
    }
    return signed;
  }

  async #heads(): Promise<StatedHead[]> {
    const found: StatedHead[] = [];
    let series: RequestOf<typeof listSeriesHeads>['after'] = null;
    do {
      const page: ReplyOf<typeof listSeriesHeads> = await this.rpc.call(listSeriesHeads, {
        after: series,
        limit: headsPageMax,
      });
      found.push(...page.heads.map((head) => ({ service: 'issuing' as const, ...head })));
      series = page.next_after;
    } while (series !== null);
    for (const service of serviceNames) {
      const contract = trails[service].listChainHeads;
      let after: string | null = null;
      do {
        const page: ReplyOf<typeof contract> = await this.rpc.call(contract, { after, limit: headsPageMax });
        found.push(...page.heads.map((head) => ({ service, type: null, ...head })));
        after = page.next_after;
      } while (after !== null);
    }
    return found.filter(({ business_id }) => !mayBeEmptied(business_id));
  }
}

/**
 * The ends that have moved, or all of them. An end that is behind the stated one was collected before it; one of the same number with
 * another hash was computed again.
 */
const toState = (
  stated: ReadonlyMap<string, StatedHeadTable>,
  heads: readonly StatedHead[],
  isComplete: boolean,
) =>
  heads.filter((head) => {
    const before = stated.get(chainName(head));
    return !before || head.n > before.n || (head.n === before.n && (isComplete || head.hash !== before.hash));
  });

const monthOf = (instant: Date): string => instant.toISOString().slice(0, 7);

/** At least one page, which may be empty. */
const pagesOf = (heads: readonly StatedHead[]): StatedHead[][] =>
  Array.from({ length: Math.max(1, Math.ceil(heads.length / headsPageMax)) }, (_, index) =>
    heads.slice(index * headsPageMax, (index + 1) * headsPageMax),
  );

/** The certificates that have signed a statement and its time-stamp. @throws Error where it cannot be verified. */
function certificatesOf({
  statement,
  signature,
  certificate_sha256,
  signed_at,
}: SignedHeadsTable): HeadsCertificateTable[] {
  const { reason, timestamp } = verifyDetached(
    Buffer.from(statement),
    signature,
    certificate_sha256,
    signed_at,
  );
  if (reason !== null) {
    throw new Error(`a statement that was signed cannot be verified: ${reason}`);
  }
  const [authority] = timestamp?.certificates ?? [];
  return [
    { sha256: certificate_sha256, purpose: 'statement', since: signed_at },
    ...(authority === undefined
      ? []
      : [{ sha256: Buffer.from(authority, 'hex'), purpose: 'timestamp' as const, since: signed_at }]),
  ];
}

const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
