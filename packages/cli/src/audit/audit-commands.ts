import { platformId, type ServiceName, serviceNames, signHeads, type TrailEntry } from '@pinkas/contracts';
import { checkChains, type Finding, followTrail, type Heads, trailPages } from '@pinkas/exports/verify';
import { anyText, businessId, type Kind, modeOption } from '../builder/arguments.js';
import { findBook, findBusiness } from '../builder/calls.js';
import type { Call, Command, Output, Progress } from '../builder/command.js';
import { UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';
import { listAllBusinesses } from '../commands/business-commands.js';
import { writeChains } from './chain-file.js';
import { type AcceptedCertificates, HeadsCollection } from './heads.js';
import { headsOfFile, storedHeads, writeHeads } from './signed-heads.js';
import { verifyFile } from './verify-file.js';

/** What the entries that belong to no business are listed under. */
const platform = 'platform';

type ListedEntry = TrailEntry & { service: ServiceName };

async function entriesOf(call: Call, businessId: string): Promise<ListedEntry[]> {
  const found: ListedEntry[] = [];
  for (const service of serviceNames) {
    for await (const { entries } of trailPages(call, businessId, service)) {
      found.push(...entries.map(({ finding: _, ...entry }) => ({ service, ...entry })));
    }
  }
  return found.sort((a, b) => a.at.localeCompare(b.at));
}

/** The members that differ, `before → after`. */
function changeText({ before, after }: TrailEntry): string {
  const [from, to] = [before, after].map((value) => (value ?? {}) as Record<string, unknown>);
  return [...new Set([...Object.keys(from ?? {}), ...Object.keys(to ?? {})])]
    .filter((name) => JSON.stringify(from?.[name]) !== JSON.stringify(to?.[name]))
    .map((name) => {
      const [old, now] = [from?.[name], to?.[name]].map((value) => JSON.stringify(value ?? null));
      return old === 'null' ? `${name} ${now}` : `${name} ${old} → ${now}`;
    })
    .join(', ');
}

/** Its change is below it: it may be the whole of a business. */
function entryText(entry: ListedEntry): string {
  const { at, service, n, action, actor, subject, request_id } = entry;
  return [
    `${at}  ${service} ${n}  ${action}  by ${actor}  of ${subject}`,
    `    ${changeText(entry) || 'no member differs'}`,
    ...(request_id === null ? [] : [`    request ${request_id}`]),
  ].join('\n');
}

async function list(call: Call, businessId: string): Promise<Output> {
  const entries = await entriesOf(call, businessId);
  return {
    json: entries,
    text: entries.length === 0 ? 'The trail is empty' : entries.map(entryText).join('\n'),
  };
}

interface VerifiedChains {
  readonly id: string;
  readonly name: string;
  readonly documents: number;
  readonly entries: number;
  readonly findings: readonly Finding[];
}

/** The trails of what belongs to no business. */
export async function verifyPlatform(call: Call, heads: Heads): Promise<VerifiedChains> {
  const trails = await heads.follow(platformId, (compare) =>
    Promise.all(serviceNames.map((service) => followTrail(call, platformId, service, compare))),
  );
  return {
    id: platformId,
    name: platform,
    documents: 0,
    entries: trails.reduce((sum, { entries }) => sum + entries, 0),
    findings: trails.flatMap(({ findings }) => findings),
  };
}

function linesOf({ id, name, documents, entries, findings }: VerifiedChains): string {
  return [
    `${name}  ${id}: ${documents} documents, ${entries} entries, ${findings.length} findings`,
    ...findings.map(
      ({ type, number, document_id, message }) =>
        `  ${document_id === null ? (type ?? 'trail') : `${type} ${number} (${document_id})`}: ${message}`,
    ),
  ].join('\n');
}

/** SHA-256 values, as this command or openssl prints them. */
const certificates: Kind<ReadonlySet<string>> = {
  read: (text, name) => {
    const found = text.split(',').map((value) => value.replaceAll(':', '').trim().toLowerCase());
    if (!found.every((value) => /^[0-9a-f]{64}$/.test(value))) {
      throw new UsageError(
        `--${name} takes the SHA-256 of certificates, 64 hexadecimal digits each, with commas`,
      );
    }
    return new Set(found);
  },
};

/** The business of a trail, or what belongs to none. */
const trailOwner: Kind<string> = {
  read: (text, name) => {
    if (text === platform) {
      return platformId;
    }
    const id = businessId.read(text, name);
    if (id === platformId) {
      throw new UsageError(`pinkas audit list --business ${platform} lists what belongs to no business`);
    }
    return id;
  },
};

async function verify(
  call: Call,
  id: string | undefined,
  file: string | undefined,
  accepted: AcceptedCertificates,
  progress: Progress,
): Promise<Output> {
  const businesses =
    id === undefined ? await listAllBusinesses(call) : [(await findBusiness(call, id)).business];
  const source = {
    name: file ?? 'the stored heads',
    statements: file === undefined ? storedHeads(call) : headsOfFile(file),
    businessId: id,
  };
  const collection = await new HeadsCollection(call, source, accepted).collect((count) =>
    progress.show(`${count} signed statements checked`),
  );
  const verified: VerifiedChains[] = [];
  for (const { id: business_id, name } of businesses) {
    progress.show(`${verified.length} of ${businesses.length} businesses verified`);
    verified.push({ id: business_id, name, ...(await checkChains(call, business_id, collection)) });
  }
  if (id === undefined) {
    verified.push(await verifyPlatform(call, collection));
    collection.findUnknown(new Set(verified.map((item) => item.id)));
  }
  const count = verified.reduce((sum, { findings }) => sum + findings.length, collection.findings.length);
  const { statements, certificates, timestamps, timestampCertificates } = collection;
  return {
    json: {
      ok: count === 0,
      chains: verified,
      heads: {
        statements,
        certificates: [...certificates.keys()],
        timestamps,
        timestamp_certificates: [...timestampCertificates],
        findings: collection.findings,
      },
    },
    text: [
      ...verified.map(linesOf),
      `${statements} signed ${statements === 1 ? 'statement' : 'statements'}, ${timestamps} with a time-stamp`,
      ...[...certificates].map(([sha256, origin]) => `  certificate ${sha256} (${origin})`),
      ...[...timestampCertificates].map((sha256) => `  time-stamps of ${sha256}`),
      ...collection.findings.map(({ message }) => `  ${message}`),
    ].join('\n'),
    ...(count > 0 && {
      failure: `${count} ${count === 1 ? 'finding' : 'findings'} in the chains: docs/trail.md says what to do`,
    }),
  };
}

async function heads(call: Call, file: string | undefined): Promise<Output> {
  const signed = await call(signHeads, {});
  const written = file === undefined ? undefined : await writeHeads(call, file);
  return {
    json: { ...signed, ...(file !== undefined && { file, written }) },
    text: [
      `Signed the heads of ${signed.heads} chains that have moved, of ${signed.chains}`,
      ...(file === undefined
        ? []
        : [`${written} statements are in ${file}: keep it where no operator of the databases can write`]),
    ].join('\n'),
  };
}

/** `pinkas audit …` */
export const auditCommands: readonly Command[] = [
  verb('audit list', {
    summary: 'lists what was changed, by whom, and what was there before and after',
    options: {
      business: {
        value: 'ID',
        meaning: `the business, or ${platform}`,
        required: true,
        kind: trailOwner,
      },
      mode: modeOption,
    },
    run: async ({ business, mode }, call) =>
      list(call, business === platformId ? platformId : await findBook(call, business, mode)),
  }),
  verb('audit verify', {
    summary: 'follows the chains of hashes of all documents and trails, and names each break',
    options: {
      business: { value: 'ID', meaning: 'only the chains of this business', kind: businessId },
      heads: {
        value: 'FILE',
        meaning: 'a file of pinkas audit heads, instead of the heads that the system has stored',
      },
      certificate: {
        value: 'SHA256',
        meaning:
          'the certificates that may have signed the heads, with commas; by default those of rendering',
        kind: certificates,
      },
      'timestamp-certificate': {
        value: 'SHA256',
        meaning: 'the certificates of time-stamp authorities, one of which every statement must have',
        kind: certificates,
      },
    },
    run: (values, call, progress) =>
      verify(
        call,
        values.business,
        values.heads,
        { statements: values.certificate ?? null, timestamps: values['timestamp-certificate'] ?? null },
        progress,
      ),
  }),
  verb('audit heads', {
    summary:
      'signs the heads of the chains, as the system does once a day, and writes all signed ones to a file',
    options: { out: { value: 'FILE', meaning: 'the file, which is replaced' } },
    run: ({ out }, call) => heads(call, out),
  }),
  verb('audit chains', {
    summary: 'writes the documents of a book with what their hashes are of, for audit verify-file',
    options: {
      business: { value: 'ID', meaning: 'the business', required: true, kind: businessId },
      mode: modeOption,
      out: { value: 'FILE', meaning: 'the file, which is replaced', required: true },
    },
    run: async ({ business, mode, out }, call, progress) => {
      const written = await writeChains(call, await findBook(call, business, mode), out, (count) =>
        progress.show(`${count} documents written`),
      );
      const text = `${written} documents are in ${out}, with all that they contain: it is as confidential as they are`;
      return { json: { file: out, written }, text };
    },
  }),
  verb('audit verify-file', {
    summary: 'verifies one PDF by files alone: its signature, and its hash in the chain up to a signed head',
    arguments: { FILE: anyText },
    options: {
      heads: { value: 'HEADS', meaning: 'a file of pinkas audit heads' },
      chains: { value: 'CHAINS', meaning: 'a file of pinkas audit chains' },
      certificate: {
        value: 'SHA256',
        meaning: 'the certificates that may have signed, with commas; by default those that signed the heads',
        kind: certificates,
      },
    },
    run: ({ FILE, heads: headsFile, chains, certificate }) =>
      verifyFile({ file: FILE, heads: headsFile, chains, certificates: certificate ?? null }),
  }),
];
