import { createCustomer, customerMembers, isUuid } from '@pinkas/contracts';
import { normaliseTaxId } from '@pinkas/domain';
import { ApiError, RpcClient } from '@pinkas/service-kit';
import {
  button,
  card,
  type FieldErrors,
  form,
  hidden,
  html,
  join,
  type Markup,
  notice,
  pageHead,
  readField,
  type Words,
} from '@pinkas/ui';
import { fieldInput, readFields, type Values } from '../frame/form-fields.js';
import { draftActs, keepsTyping, typedNotice } from '../frame/typed-form.js';
import { words } from '../frame/words.js';
import { ConsolePage, PageController, type PageReply, page, redirect } from '../http/console-page.js';
import type { MemberVisit } from '../http/visit.js';
import { customerErrors, newCustomerFields, termsOf } from './customer-form.js';

const texts = {
  title: { he: 'לקוח חדש', en: 'New customer' },
  create: { he: 'פתיחת הכרטיס', en: 'Create the customer' },
  conflict: {
    he: 'למספר הזה יש כבר כרטיס לקוח:',
    en: 'There is a customer with this number already:',
  },
  open: { he: 'לכרטיס הקיים', en: 'To that customer' },
} as const satisfies Record<string, Words>;

/** Opens the card of a customer before any document. */
@PageController({ path: '/customers/new', access: 'issuer', books: true })
export class NewCustomerPages {
  constructor(private readonly rpc: RpcClient) {}

  @ConsolePage({ method: 'GET', changes: 'book', draft: true })
  async show(visit: MemberVisit): Promise<PageReply> {
    const { typed } = visit;
    const values = typed ? readFields(newCustomerFields, typed.form) : { terms_from: 'date' };
    return customerPage(visit, crypto.randomUUID(), values, {});
  }

  /** Opens it; a form that is sent twice opens one. */
  @ConsolePage({ method: 'POST', changes: 'book', draft: true })
  async create(visit: MemberVisit): Promise<PageReply> {
    const { bookId, form: sent, language, link, session } = visit;
    const typedId = readField(sent, 'customer_id');
    const id = isUuid(typedId) ? typedId : crypto.randomUUID();
    const values = readFields(newCustomerFields, sent);
    const { terms_days: _, terms_from: __, name, tax_id, ...details } = values;
    const stated = Object.entries(details).filter(([, value]) => value !== '');
    const terms = termsOf(values);
    try {
      const { customer } = await this.rpc.call(createCustomer, {
        business_id: bookId,
        customer_id: id,
        customer: {
          name,
          ...(tax_id !== '' && { tax_id: normaliseTaxId(tax_id) }),
          ...Object.fromEntries(stated),
          ...(terms && { payment_terms: terms }),
        },
        person_id: session.personId,
      });
      return redirect(link(`/customers/${customer.id}`), { outcome: 'created' });
    } catch (error) {
      if (!(error instanceof ApiError)) {
        throw error;
      }
      switch (error.code) {
        case 'validation_error':
          return customerPage(
            visit,
            id,
            values,
            customerErrors(error, { below: 'customer', values, language }),
          );
        case 'invalid_customer_tax_id':
          return customerPage(visit, id, values, { tax_id: customerMembers.tax_id.refused[language] });
        case 'customer_identity_conflict':
          return customerPage(visit, id, values, {}, conflictNotice(visit, error));
        default:
          throw error;
      }
    }
  }
}

function conflictNotice({ t, link }: MemberVisit, { details }: ApiError): Markup {
  const href = link(`/customers/${String(details?.existing_customer_id ?? '')}`);
  return html`${t(texts.conflict)} <a href="${href}">${t(texts.open)}</a>`;
}

/** @param refusal why nothing was opened, where that is about no field. */
function customerPage(
  visit: MemberVisit,
  id: string,
  values: Partial<Values>,
  errors: FieldErrors,
  refusal: Markup | null = null,
): PageReply {
  const { csrfToken, language, t, link } = visit;
  const given = { values, errors, language };
  const inputs = Object.entries(newCustomerFields).map(([name, spec]) => fieldInput(name, spec, given));
  const isWrong = refusal !== null || Object.keys(errors).length > 0;
  return page(
    t(texts.title),
    html`${pageHead({
      title: t(texts.title),
      language,
      crumbs: [{ text: t(words.customers), href: link('/customers') }],
    })}
${refusal && notice('error', refusal)}
${typedNotice(visit)}
${card({
  id: 'customer',
  title: t(texts.title),
  titleHidden: true,
  content: form({
    action: link('/customers/new'),
    csrfToken,
    data: keepsTyping,
    content: html`${hidden('customer_id', id)}
${join(inputs, '\n')}`,
    acts: html`${button({ text: t(texts.create) })}
    ${draftActs(visit)}`,
  }),
})}`,
    isWrong ? 422 : 200,
  );
}
