import { type ProbeName, probeAuthority, probeNames, type ReplyOf } from '@pinkas/contracts';
import { businessId, type Kind } from '../builder/arguments.js';
import type { Command } from '../builder/command.js';
import { table } from '../builder/table.js';
import { RefusalError, UsageError } from '../builder/usage-error.js';
import { verb } from '../builder/verb.js';

/** The seller of the sandbox that is granted numbers. */
const sandboxSeller = 777_777_715;

type Probed = ReplyOf<typeof probeAuthority> & { readonly probe: ProbeName };

const vatNumber: Kind<number> = {
  read: (text) => {
    if (!/^[1-9]\d{1,8}$/.test(text)) {
      throw new UsageError(`--vat-number takes a VAT number such as ${sandboxSeller}, not "${text}"`);
    }
    return Number(text);
  },
};

const textOf = (probed: readonly Probed[]): string =>
  table(
    ['probe', 'what is sent', 'assumed', 'answered'],
    probed.map(({ probe, question, assumed, answered, reason }) => [
      `${assumed === answered ? ' ' : '*'} ${probe}`,
      question,
      assumed,
      answered ?? `nothing: ${reason}`,
    ]),
  );

/** `pinkas authority …` */
export const authorityCommands: readonly Command[] = [
  verb('authority probe', {
    summary: "makes ten calls at the tax authority's sandbox, and shows the answers next to what is assumed",
    options: {
      business: {
        value: 'ID',
        meaning: 'a business that is connected to the sandbox',
        required: true,
        kind: businessId,
      },
      'vat-number': { value: 'N', meaning: `the seller; default: ${sandboxSeller}`, kind: vatNumber },
    },
    run: async ({ business: business_id, 'vat-number': vat_number = sandboxSeller }, call, progress) => {
      const probed: Probed[] = [];
      for (const probe of probeNames) {
        progress.show(`${probed.length + 1} of ${probeNames.length}: ${probe}`);
        const reply = await call(probeAuthority, { business_id, probe, vat_number });
        if (reply.outcome === 'not_sandbox') {
          throw new RefusalError(
            'The configured tax authority is no sandbox: set TAX_AUTHORITY_URL and TAX_AUTHORITY_INFORMATION_URL to …/shaam/tsandbox',
          );
        }
        probed.push({ ...reply, probe });
      }
      const differing = probed.filter(({ assumed, answered }) => assumed !== answered).length;
      return {
        json: probed.map((item) => ({ ...item, agrees: item.assumed === item.answered })),
        text: textOf(probed),
        ...(differing > 0 && {
          failure: `${differing} answers are not as assumed (*): docs/operating/tax-authority.md has what each of them changes`,
        }),
      };
    },
  }),
];
