import {
  businessLegalTypes,
  documentTypes,
  hasValidCheckDigit,
  paymentTermsStarts,
  walletMethods,
} from '@pinkas/domain';
import Type, { type Static } from 'typebox';
import Format from 'typebox/format';
import { CalendarDate, EmailAddress, Instant, Nullable, PhoneNumber, Strict, Uuid } from './fields.js';

/** `HH:MM-HH:MM`, Israel time; the start is inside, the end outside; may pass midnight. */
export const QuietHours = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d-([01]\\d|2[0-3]):[0-5]\\d$' });

export const deliveryChannels = ['email', 'whatsapp', 'both'] as const;
/** The name of a wallet on a document, in each language. */
export const WalletLabel = Strict({
  he: Type.String({ minLength: 1, maxLength: 40 }),
  en: Type.String({ minLength: 1, maxLength: 40 }),
});

/** The settings of a business that its operator may write. */
export const businessSettingFields = {
  name: Type.String({ minLength: 2, maxLength: 120 }),
  /** Null while the profile is incomplete; the business may issue nothing then. */
  legal_type: Nullable(Type.Enum(Object.keys(businessLegalTypes) as (keyof typeof businessLegalTypes)[])),
  /** Nine digits with a valid check digit. */
  tax_id: Nullable(Type.String({ pattern: '^\\d{5,9}$' })),
  address: Nullable(Type.String({ maxLength: 200 })),
  city: Nullable(Type.String({ maxLength: 80 })),
  email: Nullable(EmailAddress),
  phone: Nullable(PhoneNumber),
  /** Percent, for example 18; 0 for exempt dealers and Eilat businesses. */
  vat_rate: Type.Number({ minimum: 0, maximum: 99.99, multipleOf: 0.01 }),
  prices_include_vat: Type.Boolean(),
  payment_terms_days: Type.Integer({ minimum: 0, maximum: 365 }),
  /** The first number that will be issued, by type; refused once the type has a document. */
  first_numbers: Strict(
    Object.fromEntries(
      documentTypes.map((type) => [type, Type.Optional(Type.Integer({ minimum: 1, maximum: 999_999_999 }))]),
    ) as Record<(typeof documentTypes)[number], Type.TOptional<Type.TInteger>>,
  ),
  /** ILS, net of VAT; a document strictly above it needs an allocation number. */
  allocation_threshold_net: Type.Number({ minimum: 0, maximum: 100_000_000 }),
  tax_authority_connected: Type.Boolean(),
  auto_send: Strict({
    enabled: Type.Boolean(),
    channel: Type.Enum([...deliveryChannels]),
    quiet_hours: Nullable(QuietHours),
  }),
  accountant_copy: Strict({ enabled: Type.Boolean(), email: Nullable(EmailAddress) }),
  wallet_labels: Strict(
    Object.fromEntries(walletMethods.map((method) => [method, WalletLabel])) as Record<
      (typeof walletMethods)[number],
      typeof WalletLabel
    >,
  ),
  /** The language of documents and mails. */
  language: Type.Enum(['he', 'en']),
  subscription: Type.Enum(['active', 'inactive']),
  archived: Type.Boolean(),
  /** `external`: the business issues through another provider. */
  provider: Type.Enum(['native', 'external']),
  track: Type.Enum(['full', 'expenses_only']),
};

/** A logo that rendering stores, by its content; see `storeLogo`. */
export const LogoRef = Strict({
  /** Of the stored bytes, hex. */
  sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
});
export type LogoRef = Static<typeof LogoRef>;

/** How long a message waits for its allocation number where the business does not say, in minutes. */
export const allocationHoldMinutesDefault = 10;

const allocationHoldMinutes = Type.Integer({ minimum: 0, maximum: 1_440 });

/** The tax authority's approval of an institution for donations (Income Tax Ordinance, section 46). */
export const DonationApproval = Strict({
  /** As the certificate writes it. */
  number: Type.String({ pattern: '^[0-9/-]{1,20}$' }),
  /** The last day on which a donation receipt names it; null: it has no end. */
  valid_until: Nullable(CalendarDate),
});
export type DonationApproval = Static<typeof DonationApproval>;

const quoteValidDays = Type.Integer({ minimum: 0, maximum: 3650 });

/** ASCII, with the domain in lower case, as the DNS has it. */
const mailFrom = Type.String({ pattern: '^[A-Za-z0-9._+-]+@([a-z0-9-]+\\.)+[a-z0-9-]+$', maxLength: 254 });

const defaultNotes = Type.String({ minLength: 1, maxLength: 1_000 });

/** Where and how a customer pays, as documents that ask for money state it. */
const paymentInstructionFields = {
  /** Its name, its number, or both. */
  bank: Type.String({ minLength: 1, maxLength: 60 }),
  branch: Type.String({ pattern: '^\\d{1,4}$' }),
  account: Type.String({ pattern: '^\\d[\\d/-]{1,19}$' }),
  account_holder: Type.String({ minLength: 1, maxLength: 120 }),
  /** Without spaces, in capitals; the gateway checks its digits. */
  iban: Type.String({ maxLength: 34 }),
  /** A page of the owner's for paying; https alone. Nothing here fetches it. */
  link: Type.String({ maxLength: 300 }),
};

/** Present members alone. */
export const PaymentInstructions = Type.Partial(Strict(paymentInstructionFields), {
  additionalProperties: false,
});
export type PaymentInstructions = Static<typeof PaymentInstructions>;

const accentColor = Type.String({ pattern: '^#[0-9a-f]{6}$' });

/** A business as it travels with each request and as the operator sees it. */
export const Business = Strict({
  id: Uuid,
  ...businessSettingFields,
  /** Counted from the issue: how long a message waits for an allocation number that the authority did not give at once. */
  allocation_hold_minutes: allocationHoldMinutes,
  /** `#rrggbb`, lower case; it can be read on white. Absent: the house's own. */
  accent_color: Type.Optional(accentColor),
  /** Its bytes travel nowhere: they would be in every event and every stored document. Absent: none. */
  logo: Type.Optional(LogoRef),
  /** Absent: the business is not approved, whatever its legal type. */
  donation_approval: Type.Optional(DonationApproval),
  /** For how many days a quote holds, from its date. Absent: it names no last day. */
  quote_valid_days: Type.Optional(quoteValidDays),
  /** Whether delivery and return notes show no prices. Absent: they do. */
  delivery_notes_without_prices: Type.Optional(Type.Boolean()),
  /**
   * The address that its emails are from, where delivery has a key for the domain (DKIM). Absent: the platform's, with `email` as
   * Reply-To.
   */
  mail_from: Type.Optional(mailFrom),
  /** Printed on a document whose request has no notes. Absent: none. */
  default_notes: Type.Optional(defaultNotes),
  /** How customers pay. Absent: documents do not state it. */
  payment_instructions: Type.Optional(PaymentInstructions),
  /** From when `payment_terms_days` count. Absent: from the date of the document. */
  payment_terms_from: Type.Optional(Type.Enum([...paymentTermsStarts])),
  /** Whether callers want the events of the business: only then they are published. Absent: they do not. */
  events: Type.Optional(Type.Boolean()),
  created_at: Instant,
});
export type Business = Static<typeof Business>;

Format.Set('valid-check-digit', hasValidCheckDigit);

const partOf = <T extends Type.TObject>(schema: T) => Type.Partial(schema, { additionalProperties: false });

/**
 * Any part of the settings, and any part of a nested one (`{ "auto_send": { "enabled": true } }`); what is absent stays,
 * or takes its default at creation.
 */
export const BusinessChange = partOf(
  Strict({
    ...businessSettingFields,
    tax_id: Nullable(Type.String({ pattern: '^\\d{5,9}$', format: 'valid-check-digit' })),
    allocation_hold_minutes: allocationHoldMinutes,
    /** In either case; null: the house's own. It must be read on white paper, which the gateway checks. */
    accent_color: Nullable(Type.String({ pattern: '^#[0-9a-fA-F]{6}$' })),
    /** A PNG or SVG file as a `data:` address; null: none. Rendering draws it into pixels and stores those. */
    logo: Nullable(Type.String({ maxLength: 100_000 })),
    /** Null: not approved. */
    donation_approval: Nullable(DonationApproval),
    /** Null: quotes name no last day. */
    quote_valid_days: Nullable(quoteValidDays),
    delivery_notes_without_prices: Type.Boolean(),
    /** Null: the platform's. */
    mail_from: Nullable(mailFrom),
    /** Null: none. */
    default_notes: Nullable(defaultNotes),
    /** Null, of it or of a member: removed. */
    payment_instructions: Nullable(
      partOf(
        Strict(
          Object.fromEntries(
            Object.entries(paymentInstructionFields).map(([name, schema]) => [name, Nullable(schema)]),
          ) as Record<keyof typeof paymentInstructionFields, ReturnType<typeof Nullable<Type.TString>>>,
        ),
      ),
    ),
    payment_terms_from: Type.Enum([...paymentTermsStarts]),
    events: Type.Boolean(),
    auto_send: partOf(businessSettingFields.auto_send),
    accountant_copy: partOf(businessSettingFields.accountant_copy),
    wallet_labels: partOf(
      Strict(
        Object.fromEntries(walletMethods.map((method) => [method, partOf(WalletLabel)])) as Record<
          (typeof walletMethods)[number],
          ReturnType<typeof partOf<typeof WalletLabel>>
        >,
      ),
    ),
  }),
);
export type BusinessChange = Static<typeof BusinessChange>;
