import type { ProbeName } from '@pinkas/contracts';
import { errorsOf, membersOf } from '../authority/answer-object.js';
import type { AllocationConfig } from '../config.js';

/** The parts of a probe. */
interface ProbeContext {
  readonly config: Pick<
    AllocationConfig,
    'taxAuthorityUrl' | 'taxAuthorityInformationUrl' | 'accountingSoftwareNumber'
  >;
  readonly vatNumber: number;
  /** A new one for each probe. */
  readonly id: string;
  /** YYYY-MM-DD, so many days from now. */
  day(offset: number): string;
}

interface ProbeCall {
  readonly url: string;
  readonly body: object;
}

export interface ProbeAnswer {
  readonly status: number;
  readonly body: string;
}

interface Probe {
  readonly question: string;
  /** In the words of {@link Probe.answered}. */
  readonly assumed: string;
  calls(context: ProbeContext): readonly ProbeCall[];
  /** By default what the last answer is. */
  answered?(answers: readonly ProbeAnswer[]): string;
}

/** An id of a private person with a right check digit, and no file at the authority as far as anybody knows. */
const privatePerson = 123_456_782;
const sandboxBuyer = 18;
const amounts = {
  amount_before_discount: 6_000,
  discount: 0,
  payment_amount: 6_000,
  vat_amount: 1_080,
  payment_amount_including_vat: 7_080,
};

const approval = (context: ProbeContext, change: object = {}): ProbeCall => ({
  url: `${context.config.taxAuthorityUrl}/Invoices/v2/Approval`,
  body: {
    invoice_id: context.id,
    invoice_type: 305,
    vat_number: context.vatNumber,
    user_name: 'pinkas probe',
    invoice_reference_number: referenceOf(context),
    customer_vat_number: sandboxBuyer,
    invoice_date: context.day(0),
    invoice_issuance_date: context.day(0),
    accounting_software_number: context.config.accountingSoftwareNumber,
    ...amounts,
    ...change,
  },
});

const referenceOf = ({ id }: ProbeContext): string => `P${id.slice(-12)}`;

const minimumAmount = ({ config }: ProbeContext, date: string): ProbeCall => ({
  url: `${config.taxAuthorityInformationUrl}/general-information/v2/MinimumAmount`,
  body: { date },
});

const granted = 'a number';

/** What is not known, what is assumed, and the calls that settle it. Each assumption is one of the software's defaults. */
export const probes: Readonly<Record<ProbeName, Probe>> = {
  repeat: {
    question: 'An approval that was granted is requested again, with the same id and the same body',
    assumed: 'the same number',
    calls: (context) => [approval(context), approval(context)],
    answered: (answers) => {
      const [first, second] = answers.map(numberOf);
      if (!first || !second) {
        return answers.map(wordsOf).join(', then ');
      }
      return first === second ? 'the same number' : 'another number';
    },
  },
  too_old: {
    question: 'The document is 364 days old, then 367',
    assumed: `${granted}, then 434`,
    calls: (context) => [
      approval(context, { invoice_date: context.day(-364) }),
      approval({ ...context, id: `${context.id}-2` }, { invoice_date: context.day(-367) }),
    ],
    answered: inOrder,
  },
  too_early: {
    question: 'The document is 29 days ahead, then 32',
    assumed: `${granted}, then 435`,
    calls: (context) => [
      approval(context, { invoice_date: context.day(29) }),
      approval({ ...context, id: `${context.id}-2` }, { invoice_date: context.day(32) }),
    ],
    answered: inOrder,
  },
  credit_note: {
    question: 'A credit note (330), which the table of documents gives no number',
    assumed: granted,
    calls: (context) => [approval(context, { invoice_type: 330 })],
  },
  zero_vat: {
    question: 'An invoice without VAT and without action 3',
    assumed: granted,
    calls: (context) => [approval(context, { vat_amount: 0, payment_amount_including_vat: 6_000 })],
  },
  private_person: {
    question: "The buyer's number is the id of a private person",
    assumed: '431',
    calls: (context) => [approval(context, { customer_vat_number: privatePerson })],
  },
  sums: {
    question: 'Net and VAT do not add up to the total',
    assumed: granted,
    calls: (context) => [approval(context, { payment_amount_including_vat: 7_000 })],
  },
  decimals: {
    question: 'An amount with three decimals',
    assumed: granted,
    calls: (context) => [approval(context, { payment_amount: 6_000.001 })],
  },
  look_up: {
    question: "The seller's login looks up the number of an invoice that was granted",
    assumed: '406',
    calls: (context) => [
      approval(context),
      {
        url: `${context.config.taxAuthorityInformationUrl}/invoice-information/v2/confirmationNumber`,
        body: {
          customer_vat_number: sandboxBuyer,
          vat_number: context.vatNumber,
          payment_amount: amounts.payment_amount,
          vat_amount: amounts.vat_amount,
          invoice_date: context.day(0),
          invoice_reference_number: referenceOf(context),
        },
      },
    ],
  },
  minimum_amount: {
    question: 'The threshold of today, with the date as DD-MM-YYYY, then as YYYY-MM-DD',
    assumed: 'an amount, then 400',
    calls: (context) => {
      const today = context.day(0);
      const turned = today.split('-').reverse().join('-');
      return [minimumAmount(context, turned), minimumAmount(context, today)];
    },
    answered: inOrder,
  },
};

/** The words for what came of a probe. */
export function answeredWords(name: ProbeName, answers: readonly ProbeAnswer[]): string {
  const { answered } = probes[name];
  return answered ? answered(answers) : wordsOf(answers.at(-1));
}

function inOrder(answers: readonly ProbeAnswer[]): string {
  return answers.map(wordsOf).join(', then ');
}

/** `a number`, `an amount`, the codes of the errors, or the HTTP status. */
function wordsOf(answer: ProbeAnswer | undefined): string {
  const members = membersOf(parsed(answer?.body ?? ''));
  if (numberOf(answer) !== null) {
    return granted;
  }
  if (typeof members?.get('minimum_amount') === 'number') {
    return 'an amount';
  }
  const codes = errorsOf(members?.get('message')).flatMap((error) => {
    const code = error.get('code');
    return typeof code === 'number' || typeof code === 'string' ? [String(code)] : [];
  });
  return codes.length > 0 ? [...new Set(codes)].join(' and ') : String(answer?.status ?? 'nothing');
}

function numberOf(answer: ProbeAnswer | undefined): string | null {
  const number = membersOf(parsed(answer?.body ?? ''))?.get('confirmation_number');
  return answer?.status === 200 && typeof number === 'string' && !/^0*$/.test(number) ? number : null;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}
