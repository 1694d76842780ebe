/** What a browser's parser of addresses would not take for a part of the host. */
const notOfHost = /[/?#\\:@[\]%]/;

/** The domain in ASCII; empty where it is none. */
function domainInAscii(domain: string): string {
  const address = `ws://${domain}`;
  return notOfHost.test(domain) || !URL.canParse(address) ? '' : new URL(address).hostname;
}

/**
 * Parses an email address: the domain in ASCII (`דוגמה.example` becomes `xn--….example`), the local part as written.
 * @returns null where it is none.
 */
export function parseEmailAddress(text: string): string | null {
  const [, local, domain] = /^([^\s@<>"]+)@([^\s@<>"]+)$/u.exec(text.trim()) ?? [];
  const ascii = domainInAscii(domain ?? '');
  return local === undefined || ascii === '' ? null : `${local}@${ascii}`;
}

/** The form in which addresses are compared; null where the text is none. No mail server in practice distinguishes letter case. */
export function normaliseEmailAddress(text: string): string | null {
  return parseEmailAddress(text)?.toLowerCase() ?? null;
}
