import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import type { SignedHeads } from '@pinkas/contracts';
import { chainName, type ExpectedHead } from '@pinkas/exports/verify';
import { examineFile, type FileSignature, readSignature, verifyDetached } from '@pinkas/pdf/verify';
import type { Output } from '../builder/command.js';
import { UsageError } from '../builder/usage-error.js';
import { type ChainLine, readChains } from './chain-file.js';
import { headsOfFile, parseSignedHeads } from './signed-heads.js';

/** A document of Pinkas has less than one MB. */
const fileBytesMax = 64 * 1024 * 1024;

/** The facts that one file is verified against; all of them are in files. */
interface FileEvidence {
  readonly file: string;
  readonly heads: string | undefined;
  readonly chains: string | undefined;
  /** SHA-256, in hex; null: those that signed the heads. */
  readonly certificates: ReadonlySet<string> | null;
}

interface SignedEnds {
  /** By the name of the chain, in the order of the statements. */
  readonly heads: ReadonlyMap<string, ExpectedHead[]>;
  readonly certificates: ReadonlySet<string>;
  readonly findings: readonly string[];
}

/** The document of the file, as the chain has it. */
interface ChainedDocument {
  readonly business_id: string;
  readonly type: string;
  readonly number: number;
  readonly id: string;
  /** The first signed end at or behind it; null: none was signed since. */
  end: ExpectedHead | null;
}

/** Verifies a PDF without a network. @throws UsageError where a file cannot be read. */
export async function verifyFile(evidence: FileEvidence): Promise<Output> {
  const bytes = await readWhole(evidence.file);
  const { kind, sha256, earlier, certificates } = examineFile(bytes);
  const ends = evidence.heads === undefined ? null : await signedEnds(evidence.heads, evidence.certificates);
  const accepted = evidence.certificates ?? ends?.certificates ?? null;
  if (accepted === null) {
    throw new UsageError(
      'name the certificates by --certificate, or a file of pinkas audit heads by --heads',
    );
  }
  const findings = [...(ends?.findings ?? [])];
  const certificate = certificates.find((item) => accepted.has(item));
  const { reason, signature } =
    certificate === undefined
      ? { reason: unsignedReason(kind), signature: null }
      : readSignature(bytes, Buffer.from(certificate, 'hex'));
  if (reason !== null) {
    findings.push(reason);
  }
  const hashes = [sha256, ...earlier.map((item) => item.sha256)];
  const chain =
    evidence.chains === undefined
      ? null
      : await followChains(evidence.chains, hashes, ends?.heads ?? new Map());
  findings.push(...chainFindings(chain, ends !== null));
  const { document = null } = chain ?? {};
  return {
    json: {
      ok: findings.length === 0,
      sha256,
      certificate: certificate ?? null,
      signed_by: signature?.subject ?? null,
      signed_at: signature?.at.toISOString() ?? null,
      time_stamped_at: signature?.timestamp?.at.toISOString() ?? null,
      document,
      findings,
    },
    text: textOf(sha256, signature, document, evidence, findings),
    ...(findings.length > 0 && {
      failure: `the file is not proven: ${findings.length} ${findings.length === 1 ? 'finding' : 'findings'}`,
    }),
  };
}

async function readWhole(file: string): Promise<Buffer> {
  const handle = await open(file).catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`);
  });
  try {
    const stat = await handle.stat();
    if (!stat.isFile() || stat.size > fileBytesMax) {
      throw new UsageError(`${file} is no file of at most 64 MB`);
    }
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

const unsignedReasons = {
  empty: 'the file is empty',
  not_pdf: 'the file is no PDF',
  encrypted: 'the file is encrypted',
  unsigned: 'the file has no signature',
  signed: 'the file is signed by none of the accepted certificates',
} as const;

const unsignedReason = (kind: keyof typeof unsignedReasons): string => unsignedReasons[kind];

/** Checks the signature of every statement of a file, and that each continues the one before it. */
async function signedEnds(file: string, accepted: ReadonlySet<string> | null): Promise<SignedEnds> {
  const heads = new Map<string, ExpectedHead[]>();
  const certificates = new Set<string>();
  const findings: string[] = [];
  let last = { n: 0, sha256: null as string | null };
  for await (const page of headsOfFile(file)()) {
    for (const signed of page) {
      const { n, at, heads: stated } = parseSignedHeads(signed);
      findings.push(...signedHeadsFindings(signed, last, accepted));
      certificates.add(signed.certificate_sha256);
      for (const { service, business_id, type, ...head } of stated) {
        const name = chainName(service, business_id, type);
        heads.set(name, [...(heads.get(name) ?? []), { n: head.n, hash: head.hash, at }]);
      }
      last = { n, sha256: createHash('sha256').update(signed.statement).digest('hex') };
    }
  }
  return { heads, certificates, findings };
}

function signedHeadsFindings(
  signed: SignedHeads,
  last: { readonly n: number; readonly sha256: string | null },
  accepted: ReadonlySet<string> | null,
): string[] {
  const { n, at, previous } = parseSignedHeads(signed);
  const { statement, signature, certificate_sha256: certificate } = signed;
  const bytes = [
    Buffer.from(statement),
    Buffer.from(signature, 'base64'),
    Buffer.from(certificate, 'hex'),
  ] as const;
  const { reason } = verifyDetached(...bytes, new Date(at));
  const isAccepted = accepted?.has(certificate) ?? true;
  const continues = n === last.n + 1 && previous === last.sha256;
  return [
    ...(reason === null ? [] : [reason]),
    ...(isAccepted ? [] : [`it is signed by the certificate ${certificate}`]),
    ...(continues ? [] : ['it does not continue the one before it']),
  ].map((message) => `statement ${n} of ${at}: ${message}`);
}

type Heads = ReadonlyMap<string, readonly ExpectedHead[]>;

/** Computes every hash of chains again, and finds the document of a PDF, and the signed end behind it. */
class FollowedChains {
  readonly findings: string[] = [];
  document: ChainedDocument | null = null;
  #chain = '';
  #previous: string | null = null;

  constructor(
    private readonly hashes: readonly string[],
    private readonly heads: Heads,
  ) {}

  see({ facts, hash }: ChainLine): void {
    const record = JSON.parse(facts) as ChainedDocument & {
      previous: string | null;
      artifact_sha256: string;
    };
    const { business_id, type, number, id } = record;
    const chain = nameOf(record);
    const previous = chain === this.#chain ? this.#previous : null;
    if (createHash('sha256').update(facts).digest('hex') !== hash || record.previous !== previous) {
      this.findings.push(`the chain breaks at ${type} ${number} (${id})`);
    }
    if (!this.document && this.hashes.includes(record.artifact_sha256)) {
      this.document = { business_id, type, number, id, end: null };
    }
    this.#compare(record, hash);
    [this.#chain, this.#previous] = [chain, hash];
  }

  #compare({ type, number, id, ...record }: ChainedDocument, hash: string): void {
    const name = nameOf({ type, business_id: record.business_id });
    for (const head of (this.heads.get(name) ?? []).filter(({ n }) => n === number)) {
      if (head.hash !== hash) {
        this.findings.push(`${type} ${number} (${id}) is not the one whose hash was signed at ${head.at}`);
      } else if (this.document && nameOf(this.document) === name) {
        this.document.end ??= head;
      }
    }
  }
}

async function followChains(file: string, hashes: readonly string[], heads: Heads): Promise<FollowedChains> {
  const followed = new FollowedChains(hashes, heads);
  for await (const line of readChains(file)) {
    followed.see(line);
  }
  return followed;
}

const nameOf = ({ business_id, type }: Pick<ChainedDocument, 'business_id' | 'type'>): string =>
  chainName('issuing', business_id, type);

function chainFindings(chain: FollowedChains | null, hasHeads: boolean): string[] {
  if (!chain) {
    return [];
  }
  const { document, findings } = chain;
  if (!document) {
    return [...findings, 'no document of the chains has this file as its first PDF'];
  }
  return [
    ...findings,
    ...(hasHeads && document.end === null ? ['no signed head is at or behind its document'] : []),
  ];
}

function textOf(
  sha256: string,
  signature: FileSignature | null,
  document: ChainedDocument | null,
  { heads, chains }: FileEvidence,
  findings: readonly string[],
): string {
  const signed = signature && `signed by ${signature.subject} at ${signature.at.toISOString()}`;
  const stamped = signature?.timestamp && `time-stamped at ${signature.timestamp.at.toISOString()}`;
  return [
    `SHA-256 ${sha256}`,
    ...[signed, stamped].filter((line) => line !== null && line !== undefined),
    ...(document
      ? [`${document.type} ${document.number} (${document.id}) of business ${document.business_id}`]
      : []),
    ...(document?.end
      ? [`its chain is unbroken up to number ${document.end.n}, whose hash was signed at ${document.end.at}`]
      : []),
    ...(chains === undefined ? ['its hash was compared with no chain: name one by --chains'] : []),
    ...(chains !== undefined && heads === undefined
      ? ['the end of the chain was compared with no signed head: name a file by --heads']
      : []),
    ...findings.map((message) => `finding: ${message}`),
  ].join('\n');
}
