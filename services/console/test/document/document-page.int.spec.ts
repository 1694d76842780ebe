import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { DocumentState, IssuedDocument, listDebts, listKeys } from '@pinkas/contracts';
import { exampleDocument } from '@pinkas/testkit';
import type { TSchema } from 'typebox';
import { textOf } from '../browser.js';
import { messageOf, minute, ShownDocument } from './document-answers.js';

/** The paths of the members of a schema that are no objects: `items[].sku`. */
function membersOf(schema: TSchema, path = ''): string[] {
  const { anyOf, type, items, properties } = schema as {
    anyOf?: TSchema[];
    type?: string;
    items?: TSchema;
    properties?: Record<string, TSchema>;
  };
  if (anyOf) {
    return anyOf
      .filter((option) => !('type' in option && option.type === 'null'))
      .flatMap((option) => membersOf(option, path));
  }
  if (type === 'array' && items) {
    return membersOf(items, `${path}[]`);
  }
  return properties
    ? Object.entries(properties).flatMap(([name, member]) =>
        membersOf(member, path === '' ? name : `${path}.${name}`),
      )
    : [path];
}

describe('the page of a document', () => {
  const subject = ShownDocument.forTests();
  const open = (path = subject.at) => subject.open(path);

  /** A document that has every member, and what the page shows of each. */
  const fullDocument = (business_id: string) => {
    const payment = {
      amount: 501.11,
      date: '2026-06-11',
      reference: null,
      check_number: null,
      check_date: null,
      bank_code: null,
      branch: null,
      account: null,
      card_last_digits: null,
      card_type: null,
    } as const;
    const document = exampleDocument({
      business_id,
      type: 'tax_invoice_receipt',
      number: 4711,
      date: '2026-06-10',
      due_date: '2026-06-20',
      issued_at: '2026-06-10T07:08:00.000Z',
      external_ref: 'order 2001',
      customer: {
        id: randomUUID(),
        name: 'Dana Levi',
        tax_id: '777777723',
        legal_type: 'osek_murshe',
        email: 'dana@example.com',
        phone: '+972521234567',
        address: '12 Herzl Street',
        city: 'Haifa',
      },
      items: [
        { description: 'Consulting', quantity: 3.5, unit_price: 302.02, line_total: 1057.07, sku: 'K-9' },
      ],
      prices_include_vat: true,
      discount: { type: 'percent', value: 7.5 },
      payments: [
        {
          ...payment,
          method: 'check',
          check_number: '70071',
          check_date: '2026-07-01',
          bank_code: 12,
          branch: '655',
          account: '334455',
        },
        { ...payment, method: 'credit_card', card_last_digits: '1881', card_type: 'Isracard' },
        { ...payment, method: 'wallet_method_1', reference: 'R-55' },
      ],
      totals: {
        subtotal: 895.82,
        discount: 67.19,
        vat: 149.15,
        vat_rate: 18,
        total: 977.78,
        currency: 'ILS',
      },
      based_on: { id: randomUUID(), type: 'quote', number: 31, date: '2026-06-09' },
      title: 'Work in June',
      notes: 'Thank you.\nSee you.',
      send: false,
      foreign_donor: { country: 'FR', passport: '12AB34567' },
      withheld: 50.05,
    });
    const shown: Readonly<Record<string, string>> = {
      id: `/documents/${document.id}/pdf`,
      business_id: `/b/${business_id}/`,
      public_id: `https://api.example.com/d/${document.public_id}`,
      type: 'Tax invoice / receipt 4711',
      number: 'Tax invoice / receipt 4711',
      date: 'Date 10 Jun 2026',
      due_date: 'Due 20 Jun 2026',
      issued_at: 'Issued 10 Jun 2026 10:08',
      external_ref: 'Your reference order 2001',
      'customer.id': `/customers/${document.customer.id}`,
      'customer.name': 'Dana Levi',
      'customer.tax_id': '777777723',
      'customer.legal_type': 'VAT-registered business 777777723',
      'customer.email': 'dana@example.com · +972521234567',
      'customer.phone': 'dana@example.com · +972521234567',
      'customer.address': '12 Herzl Street · Haifa',
      'customer.city': '12 Herzl Street · Haifa',
      'totals.subtotal': 'Subtotal excl. VAT ₪895.82',
      'totals.discount': 'Discount 7.5% -₪67.19 Total before VAT ₪828.63',
      'totals.vat': 'VAT 18% ₪149.15',
      'totals.vat_rate': 'VAT 18% ₪149.15',
      'totals.total': 'Total received ₪977.78',
      'totals.currency': '₪',
      'based_on.id': `/documents/${document.based_on?.id}`,
      'based_on.type': 'Based on Quote 31',
      'based_on.number': 'Based on Quote 31',
      'based_on.date': 'Quote 31, 9 Jun 2026',
      'items[].description': 'Consulting',
      'items[].quantity': '3.5 302.02 1,057.07',
      'items[].unit_price': '3.5 302.02 1,057.07',
      'items[].line_total': '3.5 302.02 1,057.07',
      'items[].sku': 'SKU K-9',
      prices_include_vat: 'Unit price incl. VAT Amount incl. VAT',
      'discount.type': 'Discount 7.5%',
      'discount.value': 'Discount 7.5%',
      'payments[].method': 'Bit Reference R-55',
      'payments[].amount': '₪501.11',
      'payments[].date': '11 Jun 2026',
      'payments[].reference': 'Bit Reference R-55',
      'payments[].check_number': 'Check no. 70071',
      'payments[].check_date': 'Due 1 Jul 2026',
      'payments[].bank_code': 'Bank 12',
      'payments[].branch': 'Branch 655',
      'payments[].account': 'Account 334455',
      'payments[].card_last_digits': 'Credit card Isracard · ending 1881',
      'payments[].card_type': 'Credit card Isracard · ending 1881',
      title: 'Title Work in June',
      notes: 'Thank you.\nSee you.',
      send: 'Not sent to the customer automatically',
      'foreign_donor.country': 'Donor Foreign resident FR',
      'foreign_donor.passport': 'passport 12AB34567',
      withheld: 'Tax withheld at source ₪50.05 Total settled ₪1,027.83',
    };
    return { document, shown };
  };

  it('the page shows every member of a document', async () => {
    const { document, shown } = fullDocument(subject.answers.document.business_id);
    expect(Object.keys(shown)).toEqual(membersOf(IssuedDocument));
    subject.answers.document = document;
    const page = await open(subject.at.replace(/[^/]+$/, document.id));
    const text = textOf(page);
    const missing = Object.entries(shown).filter(
      ([, value]) => !page.includes(value) && !text.includes(value),
    );
    expect([missing, missing.length > 0 ? text : '']).toEqual([[], '']);
  });

  it('the page shows every member of the state of a document', async () => {
    subject.answers.state = {
      status: 'cancelled',
      paid: 40.04,
      allocation_number: '987654321',
      donation: { status: 'cancelled', number: '405123', reason: 'Returned.' },
      refusal: { decision: 'continue' },
      cancelled_at: '2026-06-16T07:00:00.000Z',
      cancel_reason: 'Ordered twice.',
      set_off: 13.03,
      withheld: 3.02,
      credited: 30.03,
      invoices: 2,
      other_customers: 1,
      undeductible_vat: 20.02,
    };
    const shown: Readonly<Record<string, string>> = {
      status: 'Tax invoice 1 Cancelled',
      paid: 'Paid ₪40.04',
      allocation_number: 'Allocation number 987654321',
      'donation.status': 'Report to the tax authority Report cancelled',
      'donation.number': 'Report cancelled 405123',
      'donation.reason': '405123 Returned.',
      'refusal.decision': 'It goes on without a number',
      cancelled_at: 'Cancelled Ordered twice. 16 Jun 2026 10:00',
      cancel_reason: 'Cancelled Ordered twice. 16 Jun 2026 10:00',
      set_off: 'Set off from credit ₪10.01 On the account again. Show',
      withheld: 'Tax withheld at source ₪3.02 Show or remove',
      credited: 'Credited ₪30.03',
      invoices: 'More than one invoice is based on it.',
      other_customers: 'A receipt or a credit note that is based on it names another customer.',
      undeductible_vat: 'cannot deduct VAT of ₪20.02',
    };
    expect(Object.keys(shown)).toEqual(membersOf(DocumentState));
    const text = textOf(await open());
    for (const value of Object.values(shown)) {
      expect(text).toContain(value);
    }
  });

  it('a set-off of a document that asks for a payment can be removed', async () => {
    subject.answers.state = { ...subject.answers.state, set_off: 10 };
    expect(textOf(await open())).toContain('Set off from credit ₪10.00 Show or remove');
  });

  it('the invoice of a paid proforma proposes to set off what is on account, while it is to pay', async () => {
    const { document, state } = subject.answers;
    let onAccount = 118;
    subject.console.network.answer(listDebts, ({ customer_id }) => ({
      ...{ debts: [], next_after: null },
      ...(customer_id === document.customer.id && { on_account: onAccount }),
    }));
    const proposed = 'the invoice is still to pay. On account: ₪118.00 Set it off';
    expect(textOf(await open())).not.toContain(proposed);
    const proforma = { id: randomUUID(), type: 'proforma', number: 3, date: document.date } as const;
    subject.answers.document = { ...document, based_on: proforma };
    const page = await open();
    expect(textOf(page)).toContain(proposed);
    expect(page).toContain(`/customers/${document.customer.id}/set-off`);
    onAccount = 0;
    expect(textOf(await open())).not.toContain('Set it off');
    onAccount = 118;
    subject.answers.state = { ...state, set_off: document.totals.total };
    expect(textOf(await open())).not.toContain('Set it off');
  });

  it('a discount of an amount off gross prices is shown as it was given, and as it is before VAT', async () => {
    const { document } = fullDocument(subject.answers.document.business_id);
    subject.answers.document = { ...document, discount: { type: 'amount', value: 79.28 } };
    expect(textOf(await open())).toContain('Discount (₪79.28 incl. VAT) -₪67.19');
  });

  it('a receipt shows no VAT, and that its total includes it', async () => {
    const { document } = fullDocument(subject.answers.document.business_id);
    subject.answers.document = { ...document, type: 'receipt', due_date: null };
    const text = textOf(await open());
    expect(text).toContain('Total received incl. VAT ₪977.78');
    expect(text).not.toContain('VAT 18%');
  });

  it('the page leads to the documents that are based on it', async () => {
    const { business_id, id } = subject.answers.document;
    const credit = exampleDocument({ business_id, type: 'credit_note', number: 7, due_date: null });
    const { items, prices_include_vat, discount, payments, title, notes, send, ...head } = credit;
    const outcome = { status: 'queued', channel: 'email', scheduled_for: null } as const;
    subject.answers.based = [
      {
        document: { ...head, based_on: { id, type: 'tax_invoice', number: 1, date: '2026-06-15' } },
        state: { ...subject.answers.state, status: 'closed' },
        allocation: { status: 'not_required', number: null, reason: 'Below the threshold.' },
        delivery: outcome,
      },
    ];
    const page = await open();
    const [, section = ''] = /<h2 id="based-title">(.*?)<\/section>/s.exec(page) ?? [];
    expect(section).toContain(`href="/b/${business_id}/documents/${credit.id}"`);
    expect(textOf(section)).toContain('Credit note 7');
  });

  it('the page states who issued the document, where its record does', async () => {
    expect(textOf(await open())).not.toContain('Issued by');
    const person = await subject.console.addPerson({ [subject.answers.document.business_id]: 'issuer' });
    subject.answers.issuer = { kind: 'person', id: person.id };
    expect(textOf(await open())).toContain(`Issued by ${person.email}`);
    subject.answers.issuer = { kind: 'person', id: randomUUID() };
    expect(textOf(await open())).toContain('Issued by a person who is not known any more');
    const id = randomUUID();
    subject.console.network.answer(listKeys, ({ business_id }) => ({
      keys: [
        {
          ...{ id, business_id, mode: 'live' as const, name: 'Web shop', prefix: 'pk_live_1', scopes: [] },
          ...{ per_minute: 60, daily_documents: 300, created_at: minute(0) },
          ...{ revoked_at: null, last_used_at: null },
        },
      ],
    }));
    subject.answers.issuer = { kind: 'key', id };
    expect(textOf(await open())).toContain('Issued by API key Web shop');
    subject.answers.issuer = { kind: 'key', id: randomUUID() };
    expect(textOf(await open())).toMatch(/Issued by API key (?!Web)/);
  });

  it('the head of a document leads to what is next by its type and state, and to the rest in a menu', async () => {
    const acts = async () => {
      const page = await open();
      const [, head = ''] = /<div class="page-head">([\s\S]*?)<div class="(?:stats|columns)/.exec(page) ?? [];
      const link = /<a class="button (\w+)" href="([^"]+)">([^<]+)<\/a>/g;
      return [...head.matchAll(link)].map(([, kind, , text]) => `${kind} ${text}`);
    };
    // Its customer does not have it.
    subject.answers.document = { ...subject.answers.document, type: 'tax_invoice' };
    subject.answers.messages = [messageOf({ state: 'failed' })];
    expect((await acts()).slice(0, 2)).toEqual(['primary Send to the customer', 'secondary Signed PDF']);
    subject.answers.messages = [messageOf()];
    const [first, , ...menu] = await acts();
    expect(first).toBe('primary Receipt');
    expect(menu).toEqual(
      expect.arrayContaining([
        ...['quiet Send to an address…', 'quiet Credit note…', 'quiet Duplicate', 'quiet Hosted page'],
      ]),
    );
    const { totals } = subject.answers.document;
    subject.answers.document = {
      ...subject.answers.document,
      totals: { ...totals, subtotal: 0, vat: 0, total: 0 },
    };
    expect(await acts()).not.toContain('quiet Credit note…');
    subject.answers.document = { ...subject.answers.document, type: 'quote', due_date: null, totals };
    expect((await acts())[0]).toBe('primary Tax invoice');
    expect(await acts()).toContain('danger Cancel the document…');
    subject.answers.state = { ...subject.answers.state, status: 'cancelled', cancelled_at: minute(1) };
    expect(await acts()).toEqual(['primary Signed PDF', 'quiet Duplicate', 'quiet Hosted page']);
    const { business_id } = subject.answers.document;
    subject.browser = await subject.console.signedIn(
      await subject.console.addPerson({ [business_id]: 'bookkeeper' }),
    );
    expect(await acts()).toEqual(['primary Signed PDF', 'quiet Hosted page']);
  });

  it.each(['owner', 'issuer', 'bookkeeper'] as const)(
    'a cancelled document has no card of actions for the %s: there are none',
    async (role) => {
      const { business_id } = subject.answers.document;
      subject.browser = await subject.console.signedIn(
        await subject.console.addPerson({ [business_id]: role }),
      );
      subject.answers.document = { ...subject.answers.document, type: 'quote', due_date: null };
      expect(await open()).toContain('id="actions"');
      subject.answers.state = { ...subject.answers.state, status: 'cancelled', cancelled_at: minute(1) };
      expect(await open()).not.toContain('id="actions"');
    },
  );
});
