import { createHash } from 'node:crypto';
import {
  allocationHoldMinutesDefault,
  type Business,
  type BusinessChange,
  malformedTexts,
  type PaymentInstructions,
  type ValidationError,
} from '@pinkas/contracts';
import {
  allocationThresholdOn,
  asLine,
  type BusinessLegalType,
  contrast,
  decimalPlaces,
  defaultWalletLabels,
  isBlank,
  isIban,
  law,
  lawOn,
  normaliseTaxId,
  plainIban,
  storedTexts,
  textContrastMin,
  visibleLength,
} from '@pinkas/domain';

/** The settings of a business that its operator writes. */
type BusinessSettings = Omit<Business, 'id' | 'created_at'>;

/** What an operator changes, with a new logo stored already. */
export type SettingsChange = Omit<BusinessChange, 'logo'> & { logo?: BusinessSettings['logo'] | null };

/** Of the settings as they are stored: a change that is based on others is refused. */
export function settingsVersion({ id: _, created_at: __, ...settings }: Business): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}

/** Legal types that charge no VAT by default: exempt dealers, and bodies without taxed business. */
const exemptTypes: readonly BusinessLegalType[] = ['osek_patur', 'amuta', 'public_institution'];

const defaultVatRate = (legalType: BusinessLegalType | null, today: string): number =>
  legalType !== null && exemptTypes.includes(legalType) ? 0 : (lawOn(law.vatRate, today) ?? 0);

/**
 * The defaults of a new business.
 * @param today the day in Israel, YYYY-MM-DD; the law's threshold of allocation numbers depends on it.
 */
export function defaultSettings(
  legalType: BusinessLegalType | null,
  today: string,
): Omit<BusinessSettings, 'name'> {
  return {
    legal_type: legalType,
    tax_id: null,
    address: null,
    city: null,
    email: null,
    phone: null,
    vat_rate: defaultVatRate(legalType, today),
    prices_include_vat: false,
    payment_terms_days: 30,
    first_numbers: {},
    allocation_threshold_net: allocationThresholdOn(today),
    tax_authority_connected: false,
    allocation_hold_minutes: allocationHoldMinutesDefault,
    auto_send: { enabled: false, channel: 'email', quiet_hours: null },
    accountant_copy: { enabled: false, email: null },
    wallet_labels: defaultWalletLabels,
    language: 'he',
    subscription: 'active',
    archived: false,
    provider: 'native',
    track: 'full',
  };
}

/**
 * Merges a change into settings; nested settings are merged member by member.
 * @param today the day in Israel, YYYY-MM-DD; the default rate depends on it.
 */
export function changeSettings(
  settings: BusinessSettings,
  change: SettingsChange,
  today: string,
): BusinessSettings {
  const merged = storedTexts(mergeInto(settings, change) as BusinessSettings);
  const {
    accent_color,
    logo,
    donation_approval,
    quote_valid_days,
    delivery_notes_without_prices: withoutPrices,
    mail_from,
    default_notes,
    payment_instructions,
    payment_terms_from,
    events,
    ...changed
  } = merged;
  // Another legal type has its own default rate, unless the change names one.
  if (changed.legal_type !== settings.legal_type && change.vat_rate === undefined) {
    changed.vat_rate = defaultVatRate(changed.legal_type, today);
  }
  return {
    ...changed,
    name: asLine(changed.name),
    tax_id: changed.tax_id === null ? null : normaliseTaxId(changed.tax_id),
    // Present only where set.
    ...(accent_color && { accent_color: accent_color.toLowerCase() }),
    ...(logo && { logo }),
    ...(donation_approval && { donation_approval }),
    // Null where the change removes it.
    ...(typeof quote_valid_days === 'number' && { quote_valid_days }),
    ...(withoutPrices && { delivery_notes_without_prices: true }),
    ...(mail_from && { mail_from }),
    ...(default_notes && !isBlank(default_notes) && { default_notes }),
    ...instructionsOf(payment_instructions),
    // Only what differs from the default.
    ...(payment_terms_from === 'end_of_month' && { payment_terms_from }),
    ...(events && { events: true }),
  };
}

/** What is set of the instructions for paying; nothing where no member is. */
function instructionsOf(
  given: { readonly [K in keyof PaymentInstructions]: string | null } | null | undefined,
): Pick<BusinessSettings, 'payment_instructions'> {
  const members = Object.entries(given ?? {}).flatMap(([name, value]) => {
    const text = asLine(value ?? '');
    const stored = name === 'iban' ? plainIban(text) : text;
    return isBlank(stored) ? [] : [[name, stored] as const];
  });
  return members.length === 0 ? {} : { payment_instructions: Object.fromEntries(members) };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mergeInto(old: unknown, change: unknown): unknown {
  if (!isObject(old) || !isObject(change)) {
    return change;
  }
  const merged: Record<string, unknown> = { ...old };
  for (const [member, value] of Object.entries(change)) {
    merged[member] = mergeInto(merged[member], value);
  }
  return merged;
}

/** The validation errors of settings whose single fields match the schema. */
export function settingsErrors(settings: BusinessSettings): ValidationError[] {
  const errors = malformedTexts(settings);
  const fail = (path: string, message: string) => errors.push({ path, message });
  if (visibleLength(settings.name) < 2) {
    fail('/name', 'must have at least 2 characters that can be seen');
  }
  if (decimalPlaces(settings.allocation_threshold_net) > 2) {
    fail('/allocation_threshold_net', 'must have at most 2 decimals');
  }
  if (settings.legal_type === 'osek_patur' && settings.vat_rate !== 0) {
    // VAT law, section 50: an exempt dealer who shows VAT on a document pays the tax twice.
    fail('/vat_rate', 'must be 0 for osek_patur, who charges no VAT');
  }
  if (settings.accountant_copy.enabled && settings.accountant_copy.email === null) {
    fail('/accountant_copy/email', 'is required while the accountant copy is enabled');
  }
  if (settings.accent_color && contrast(settings.accent_color, '#ffffff') < textContrastMin) {
    fail(
      '/accent_color',
      `must have a contrast of at least ${textContrastMin} to white, to be read on paper`,
    );
  }
  const [start, end] = (settings.auto_send.quiet_hours ?? '').split('-');
  if (start && start === end) {
    fail('/auto_send/quiet_hours', 'must not end at the minute at which they start');
  }
  return [...errors, ...walletLabelErrors(settings), ...instructionErrors(settings)];
}

/** A customer who pays by them must reach the right account: half an account, or another address than it seems, is none. */
function instructionErrors({ payment_instructions: given = {} }: BusinessSettings): ValidationError[] {
  const fail = (name: keyof PaymentInstructions, message: string) => [
    { path: `/payment_instructions/${name}`, message },
  ];
  const account = ['bank', 'branch', 'account'] as const;
  const isNamed = account.some((name) => given[name] !== undefined);
  return [
    ...account
      .filter((name) => isNamed && given[name] === undefined)
      .flatMap((name) => fail(name, 'is required where the bank account is named')),
    ...(given.iban !== undefined && !isIban(given.iban) ? fail('iban', 'is no valid IBAN') : []),
    ...(given.link !== undefined && !isPaymentLink(given.link)
      ? fail('link', 'must be an https:// address without a user name, spaces or invisible characters')
      : []),
  ];
}

/** As a browser opens it: what is printed is where the customer arrives. */
function isPaymentLink(text: string): boolean {
  const url = /^https:\/\/[!-~]+$/.test(text) ? URL.parse(text) : null;
  return url !== null && url.username === '' && url.password === '' && url.hostname.includes('.');
}

function walletLabelErrors(settings: BusinessSettings): ValidationError[] {
  return Object.entries(settings.wallet_labels).flatMap(([method, label]) =>
    (['he', 'en'] as const)
      .filter((language) => isBlank(label[language]))
      .map((language) => ({
        path: `/wallet_labels/${method}/${language}`,
        message: 'must not be blank',
      })),
  );
}

/** The types whose first number a change would alter. */
export function movedFirstNumbers(
  settings: BusinessSettings,
  change: Pick<SettingsChange, 'first_numbers'>,
): (keyof BusinessSettings['first_numbers'])[] {
  const wanted = change.first_numbers ?? {};
  return (Object.keys(wanted) as (keyof typeof wanted)[]).filter(
    (type) => wanted[type] !== (settings.first_numbers[type] ?? 1),
  );
}
