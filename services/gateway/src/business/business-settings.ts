import {
  allocationThresholdOn,
  type Business,
  type BusinessChange,
  type BusinessLegalType,
  contrast,
  type Fault,
  normaliseTaxId,
  textContrastMin,
} from '@pinkas/contracts';
import { malformedTexts } from '../fault/malformed-texts.js';

/** Everything of a business that its operator writes. */
export type BusinessSettings = Omit<Business, 'id' | 'created_at'>;

/** What an operator changes, with a new picture kept already. */
export type SettingsChange = Omit<BusinessChange, 'logo'> & { logo?: BusinessSettings['logo'] | null };

/** Who charges no VAT unless its settings say otherwise: exempt dealers, and bodies that do no taxed business. */
const exemptTypes: readonly BusinessLegalType[] = ['osek_patur', 'amuta', 'public_institution'];

/** The general rate since 1 January 2025, percent (VAT rate order). */
const generalVatRate = 18;

const defaultVatRate = (legalType: BusinessLegalType | null): number =>
  legalType !== null && exemptTypes.includes(legalType) ? 0 : generalVatRate;

/**
 * What a new business has where its operator says nothing.
 * @param today the day in Israel, YYYY-MM-DD: the law's threshold of allocation numbers is the one of that day.
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
    vat_rate: defaultVatRate(legalType),
    prices_include_vat: false,
    payment_terms_days: 30,
    first_numbers: {},
    allocation_threshold_net: allocationThresholdOn(today),
    tax_authority_connected: false,
    auto_send: { enabled: false, channel: 'email', quiet_hours: null },
    accountant_copy: { enabled: false, email: null },
    wallet_labels: {
      wallet_method_1: { he: 'ביט', en: 'Bit' },
      wallet_method_2: { he: 'פייבוקס', en: 'PayBox' },
      wallet_method_3: { he: 'פייפאל', en: 'PayPal' },
      wallet_method_4: { he: 'גוגל פיי', en: 'Google Pay' },
      wallet_method_5: { he: 'אפל פיי', en: 'Apple Pay' },
    },
    language: 'he',
    subscription: 'active',
    archived: false,
    provider: 'native',
    track: 'full',
  };
}

/** The settings with a change laid over them; nested settings are merged member by member. */
export function changeSettings(settings: BusinessSettings, change: SettingsChange): BusinessSettings {
  const { accent_color, logo, ...changed } = mergeInto(settings, change) as BusinessSettings;
  // Another legal type brings its own rate, unless the change names one.
  if (changed.legal_type !== settings.legal_type && change.vat_rate === undefined) {
    changed.vat_rate = defaultVatRate(changed.legal_type);
  }
  return {
    ...changed,
    name: changed.name.trim(),
    tax_id: changed.tax_id === null ? null : normaliseTaxId(changed.tax_id),
    // A service that does not know them yet refuses a business that has them: they are named only where they are set.
    ...(accent_color && { accent_color: accent_color.toLowerCase() }),
    ...(logo && { logo }),
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function mergeInto(old: unknown, change: unknown): unknown {
  if (!isObject(old) || !isObject(change)) return change;
  const merged: Record<string, unknown> = { ...old };
  for (const [member, value] of Object.entries(change)) merged[member] = mergeInto(merged[member], value);
  return merged;
}

/** What is wrong with settings whose single fields match the schema. */
export function settingsFaults(settings: BusinessSettings): Fault[] {
  const faults = malformedTexts(settings);
  const refuse = (path: string, message: string) => faults.push({ path, message });
  if ([...settings.name].length < 2) refuse('/name', 'must have at least 2 characters beside white space');
  if (Math.round(settings.allocation_threshold_net * 100) / 100 !== settings.allocation_threshold_net) {
    refuse('/allocation_threshold_net', 'must have at most 2 decimals');
  }
  if (settings.legal_type === 'osek_patur' && settings.vat_rate !== 0) {
    // VAT law, section 50: what looks like a tax document of an exempt dealer costs the tax twice.
    refuse('/vat_rate', 'must be 0 for osek_patur, who charges no VAT');
  }
  if (settings.accountant_copy.enabled && settings.accountant_copy.email === null) {
    refuse('/accountant_copy/email', 'is required while the accountant copy is enabled');
  }
  if (settings.accent_color && contrast(settings.accent_color, '#ffffff') < textContrastMin) {
    refuse(
      '/accent_color',
      `must have a contrast of at least ${textContrastMin} to white, to be read on paper`,
    );
  }
  const [start, end] = (settings.auto_send.quiet_hours ?? '').split('-');
  if (start && start === end) {
    refuse('/auto_send/quiet_hours', 'must not end at the minute at which they start');
  }
  for (const [method, label] of Object.entries(settings.wallet_labels)) {
    for (const language of ['he', 'en'] as const) {
      if (label[language].trim() === '') refuse(`/wallet_labels/${method}/${language}`, 'must not be blank');
    }
  }
  return faults;
}

/** The types whose first number a change would move. */
export function movedFirstNumbers(
  settings: BusinessSettings,
  change: Pick<SettingsChange, 'first_numbers'>,
): (keyof BusinessSettings['first_numbers'])[] {
  const wanted = change.first_numbers ?? {};
  return (Object.keys(wanted) as (keyof typeof wanted)[]).filter(
    (type) => wanted[type] !== (settings.first_numbers[type] ?? 1),
  );
}
