import { randomUUID } from 'node:crypto';
import {
  type CustomerCard,
  type DocumentState,
  getDocument,
  type IssuedDocument,
  issueDocument,
  listArticles,
  previewDocument,
  type ReplyOf,
  type RequestOf,
  renderDraft,
  searchCustomers,
} from '@pinkas/contracts';
import { ApiError } from '@pinkas/service-kit';
import { exampleDocument } from '@pinkas/testkit';
import { fieldsIn } from '../browser.js';
import { type ConsoleUnderTest, type TestBrowser } from '../console.js';
import { previewOf } from './previewed.js';

export type Issue = RequestOf<typeof issueDocument>;
type Preview = RequestOf<typeof previewDocument>;

/** What a test has, and what the services answer in it. */
export interface ByHand {
  readonly browser: TestBrowser;
  readonly root: string;
  readonly source: IssuedDocument;
  readonly state: DocumentState;
  readonly customers: CustomerCard[];
  /** What issuing answers a preview with in addition to the totals, or refuses it with. */
  readonly known: Partial<ReplyOf<typeof previewDocument>>;
  readonly refusal: ApiError | null;
  readonly issueRefusal: ApiError | null;
}

export const typed = {
  'customer.name': 'Typed customer',
  'items.0.description': 'Work',
  'items.0.unit_price': '100',
};

/** What tests of issuing by hand share. @param now what the present test has. */
export function issuingByHand(now: () => ByHand) {
  const previewed: Preview[] = [];
  const drawn: RequestOf<typeof renderDraft>[] = [];
  const issued = new Map<string, Issue>();
  const id = randomUUID();
  const answerForIssuing = ({ network }: ConsoleUnderTest) => {
    network.answer(getDocument, ({ document_id }) => {
      if (document_id !== now().source.id) {
        throw new ApiError('not_found');
      }
      return { document: now().source, state: now().state };
    });
    network.answer(searchCustomers, ({ query }) => ({
      customers: now().customers.filter(({ name, tax_id }) => name.includes(query ?? '') || tax_id === query),
    }));
    network.answer(listArticles, () => ({
      articles: [{ sku: 'A-1', description: 'Known article', unit_price: 49.9, prices_include_vat: false }],
    }));
    network.answer(previewDocument, (request) => {
      previewed.push(request);
      if (now().refusal) {
        throw now().refusal;
      }
      return previewOf(request, now().known);
    });
    network.answer(renderDraft, (request) => {
      drawn.push(request);
      return { html: '<!doctype html><title>draft</title>' };
    });
    network.answer(issueDocument, (request) => {
      if (now().issueRefusal) {
        throw now().issueRefusal;
      }
      const first = issued.get(request.idempotency_key);
      if (first && JSON.stringify(first.body) !== JSON.stringify(request.body)) {
        throw new ApiError('idempotency_key_reused');
      }
      issued.set(request.idempotency_key, request);
      const { business: issuing, issuer, body } = request;
      const { customer } = previewOf({ business: issuing, issuer, body }).draft;
      const reply: ReplyOf<typeof issueDocument> = {
        document: exampleDocument({
          ...{ id, business_id: issuing.id, type: body.type },
          customer: { ...customer, id: customer.id ?? randomUUID() },
        }),
        state: { status: 'open', paid: 0, allocation_number: null, cancelled_at: null },
        allocation: { status: 'not_required', number: null, reason: 'below the threshold' },
        delivery: { status: 'disabled', channel: null, scheduled_for: null },
        replayed: first !== undefined,
      };
      return reply;
    });
  };
  const forget = () => {
    previewed.length = 0;
    drawn.length = 0;
    issued.clear();
  };

  const open = async (query: string) =>
    fieldsIn((await now().browser.get(`${now().root}/issue/document?${query}`)).text);
  /** Sends the form; what it leads to is another page of the form, as a browser shows it. */
  const send = async (fields: Record<string, string>, step: string) => {
    const reply = await now().browser.post(`${now().root}/issue/document`, { ...fields, step });
    return step === 'issue' || reply.location === null ? reply : now().browser.get(reply.location);
  };
  return { answerForIssuing, forget, previewed, drawn, issued, id, open, send };
}
