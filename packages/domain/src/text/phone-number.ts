import { parsePhoneNumberFromString } from 'libphonenumber-js/core';
import metadata from 'libphonenumber-js/min/metadata';
import { hasPhoneDigits } from './text.js';

/**
 * A phone number in E.164, `+972501234567`: from the forms that are written in Israel (050-…, 077-…, 02-…, +972 …), and
 * from any other country's that begins with its + and code.
 * An Israeli mobile number is known without them as well: `972501234567`, as WhatsApp writes it, and `501234567`, from a spreadsheet.
 * @returns null where it is none. Another number without 0 or + in front may be anything; an extension has no WhatsApp.
 */
export function parsePhoneNumber(text: string): string | null {
  const written = withPrefix(text.trim());
  if (!/^[+0]/.test(written) || !hasPhoneDigits(text)) {
    return null;
  }
  const parsed = parsePhoneNumberFromString(written, { defaultCountry: 'IL', extract: false }, metadata);
  return parsed?.isValid() && parsed.ext === undefined ? parsed.number : null;
}

/** The subscriber's part of a mobile number, with anything that is no digit between. */
const withoutPrefix = /^(?:972\D*0?)?(?=5(?:\D*\d){8}\D*$)/;

/** An Israeli mobile number with its 0. */
const withPrefix = (written: string): string => written.replace(withoutPrefix, '0');
