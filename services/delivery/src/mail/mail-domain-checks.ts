import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import type { Check } from '@pinkas/contracts';
import { withTimeout } from '@pinkas/service-kit/concurrency';
import { failure, isReservedName, notChecked, ok, warning } from '@pinkas/service-kit/diagnosis';
import type { DkimKey } from '../dkim-keys.js';

/** Within the time limit of a check. */
const answerTimeoutMs = 2_500;
const installPage = 'docs/operating/install.md#emails-from-the-domain-of-a-business';

/** What the DNS has under a name. `unknown`: it does not answer, with the reason. */
type Texts = { readonly texts: readonly string[] } | { readonly unknown: string };

/** A domain that emails are sent from. */
interface MailDomain {
  readonly domain: string;
  /** What signs its emails; undefined: nothing does. */
  readonly key: DkimKey | undefined;
  /** Whether it is that of the envelope, whose SPF record counts. */
  readonly isEnvelope: boolean;
}

/** Compares what the DNS publishes about a domain with how its emails leave: SPF, DKIM, DMARC. */
export async function checkMailDomain(
  resolver: Pick<Resolver, 'resolveTxt'>,
  { domain, key, isEnvelope }: MailDomain,
): Promise<Check[]> {
  if (isReservedName(domain)) {
    const finding = 'the DNS never has this domain: no receiver can check its emails';
    return [
      notChecked(
        'mail',
        `SPF, DKIM and DMARC of ${domain}`,
        finding,
        'Set MAIL_FROM to an address of a real domain',
      ),
    ];
  }
  const inTime = (subject: string, check: Promise<Check>) =>
    withTimeout(check, answerTimeoutMs, () => dnsSilent(subject, 'ETIMEOUT'));
  return Promise.all([
    ...(isEnvelope ? [inTime(`SPF of ${domain}`, checkSpf(resolver, domain))] : []),
    inTime(`DKIM of ${domain}`, checkDkim(resolver, domain, key)),
    inTime(`DMARC of ${domain}`, checkDmarc(resolver, domain, key !== undefined)),
  ]);
}

async function textsOf(resolver: Pick<Resolver, 'resolveTxt'>, name: string): Promise<Texts> {
  try {
    return { texts: (await resolver.resolveTxt(name)).map((chunks) => chunks.join('')) };
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return code === 'ENODATA' || code === 'ENOTFOUND' ? { texts: [] } : { unknown: code };
  }
}

const dnsSilent = (subject: string, code: string): Check =>
  notChecked(
    'mail',
    subject,
    `the DNS does not answer (${code})`,
    'Check the DNS server of the pod of delivery',
  );

async function checkSpf(resolver: Pick<Resolver, 'resolveTxt'>, domain: string): Promise<Check> {
  const subject = `SPF of ${domain}`;
  const found = await textsOf(resolver, domain);
  if ('unknown' in found) {
    return dnsSilent(subject, found.unknown);
  }
  const records = found.texts.filter((text) => /^v=spf1( |$)/i.test(text));
  const [record] = records;
  if (record === undefined) {
    return failure(
      'mail',
      subject,
      'there is no record: receivers do not know who may send',
      `Publish a TXT record of ${domain} that names your mail server, such as: v=spf1 include:… -all`,
    );
  }
  if (records.length > 1) {
    return failure(
      'mail',
      subject,
      `there are ${records.length} records, so that none counts (RFC 7208, 4.5)`,
      `Join them into one TXT record of ${domain}`,
    );
  }
  return /(^| )\+?all( |$)/i.test(record)
    ? warning('mail', subject, `"${record}" lets everybody send`, 'End it with -all or ~all')
    : ok('mail', subject, `"${record}"; whether it names your mail server, only the mail server knows`);
}

async function checkDkim(
  resolver: Pick<Resolver, 'resolveTxt'>,
  domain: string,
  key: DkimKey | undefined,
): Promise<Check> {
  if (key === undefined) {
    return warning(
      'mail',
      `DKIM of ${domain}`,
      'emails are not signed here; only your mail server may still do that',
      `Give delivery a key (DKIM_KEY_FOLDER): ${installPage}`,
    );
  }
  const name = `${key.selector}._domainkey.${domain}`;
  const subject = `DKIM of ${domain}`;
  const found = await textsOf(resolver, name);
  if ('unknown' in found) {
    return dnsSilent(subject, found.unknown);
  }
  const record = found.texts.find((text) => /(^|;)\s*p\s*=/i.test(text));
  const publish = `Publish the TXT record ${name}: v=DKIM1; k=rsa; p=${publicKeyText(key)}`;
  if (record === undefined) {
    return failure('mail', subject, `there is no record ${name}: receivers reject the signature`, publish);
  }
  const tags = tagsOf(record);
  const published = tags.get('p') ?? '';
  if (published === '') {
    return failure('mail', subject, `${name} revokes the key`, publish);
  }
  if (!isKeyOf(key, published)) {
    return failure('mail', subject, `${name} has another key than the one that signs`, publish);
  }
  return /(^|:)\s*y\s*(:|$)/i.test(tags.get('t') ?? '')
    ? warning('mail', subject, `${name} has t=y: receivers ignore the signature`, `Remove t=y from ${name}`)
    : ok('mail', subject, `${name} has the key that signs`);
}

/** The record of a domain, or of the nearest domain above it that has one. */
async function checkDmarc(
  resolver: Pick<Resolver, 'resolveTxt'>,
  domain: string,
  isSigned: boolean,
): Promise<Check> {
  const subject = `DMARC of ${domain}`;
  for (let of = domain; of.includes('.'); of = of.slice(of.indexOf('.') + 1)) {
    const found = await textsOf(resolver, `_dmarc.${of}`);
    if ('unknown' in found) {
      return dnsSilent(subject, found.unknown);
    }
    const record = found.texts.find((text) => /^v\s*=\s*DMARC1\s*(;|$)/i.test(text));
    if (record !== undefined) {
      const tags = tagsOf(record);
      const policy = (of === domain ? tags.get('p') : (tags.get('sp') ?? tags.get('p')))?.toLowerCase();
      return dmarcCheck(subject, `_dmarc.${of}`, policy, isSigned);
    }
  }
  return warning(
    'mail',
    subject,
    'there is no record: large receivers demand one',
    `Publish the TXT record _dmarc.${domain}, at first: v=DMARC1; p=none; rua=mailto:…`,
  );
}

function dmarcCheck(subject: string, name: string, policy: string | undefined, isSigned: boolean): Check {
  if (policy !== 'none' && policy !== 'quarantine' && policy !== 'reject') {
    return failure(
      'mail',
      subject,
      `${name} has no valid policy, so that it does not count`,
      'Set p= to none, quarantine or reject',
    );
  }
  if (policy !== 'none' && !isSigned) {
    return warning(
      'mail',
      subject,
      `${name} has p=${policy}, and emails are not signed here: they depend on SPF alone`,
      `Give delivery a key (DKIM_KEY_FOLDER): ${installPage}`,
    );
  }
  return ok('mail', subject, `${name} has p=${policy}${policy === 'none' ? ': nothing is rejected' : ''}`);
}

/** The tags of a record such as `v=DKIM1; k=rsa; p=…`, without blanks. */
function tagsOf(record: string): ReadonlyMap<string, string> {
  return new Map(
    record.split(';').flatMap((part) => {
      const at = part.indexOf('=');
      return at < 0
        ? []
        : [[part.slice(0, at).trim().toLowerCase(), part.slice(at + 1).replaceAll(/\s/g, '')]];
    }),
  );
}

const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });

const publicKeyText = ({ privateKey }: DkimKey): string =>
  spkiOf(createPublicKey(privateKey)).toString('base64');

/** Published is the public key with its type, or the RSA key in it (RFC 6376, 3.6.1). */
function isKeyOf({ privateKey }: DkimKey, published: string): boolean {
  const key = createPublicKey(privateKey);
  const der = Buffer.from(published, 'base64');
  return der.equals(spkiOf(key)) || der.equals(key.export({ type: 'pkcs1', format: 'der' }));
}
