/** The latest answers of a mail server, the latest first. */
export interface ServerAnswers {
  /** The messages that it took. */
  readonly taken: readonly Answer[];
  /** The recipients that it refused, as unknown or with words about us. */
  readonly refused: readonly (Answer & { readonly concernsUs: boolean })[];
}

interface Answer {
  readonly address: string;
  readonly at: Date;
}

const domainOf = ({ address }: { address: string }): string => address.slice(address.lastIndexOf('@') + 1);

/**
 * Whether a recipient that was refused as unknown is: between two refusals the server has taken a message for another mailbox of the
 * domain, or for two other domains (one may be its own, for which no relaying is needed), and it does not refuse us.
 * @param firstRefusedAt null: it was not refused before.
 */
export function isUnknown(address: string, firstRefusedAt: Date | null, answers: ServerAnswers): boolean {
  if (firstRefusedAt === null || refusedDomains(answers) > 0) {
    return false;
  }
  const others = answers.taken.filter((answer) => answer.at > firstRefusedAt && answer.address !== address);
  const domains = new Set(others.map(domainOf));
  return domains.has(domainOf({ address })) || domains.size >= 2;
}

/**
 * The domains whose recipients a server refuses in a row, where that means that it refuses us: two since it last took a message,
 * three while it takes those of one domain alone, or one with words about us. 0: it does not refuse us.
 */
export function refusedDomains({ taken, refused }: ServerAnswers): number {
  const [last] = taken;
  const beforeLast = taken.find((answer) => last && domainOf(answer) !== domainOf(last));
  const since = (answer: Answer | undefined) =>
    refused.filter(({ at }) => answer === undefined || at > answer.at);
  const inARow = since(last);
  const domains = new Set(inARow.map(domainOf)).size;
  if (domains >= 2 || inARow.some(({ concernsUs }) => concernsUs)) {
    return domains;
  }
  const others = new Set(since(beforeLast).map(domainOf));
  if (last) {
    others.delete(domainOf(last));
  }
  return others.size >= 3 ? others.size : 0;
}
