import { isCalendarDate } from '@pinkas/domain';
import { ApiError } from '@pinkas/service-kit';

/** An address that has something else where a date, a period or a number belongs. @param name of the part of its query. */
export const wrongAddress = (name: string): ApiError =>
  ApiError.invalid([{ path: `/query/${name}`, message: 'is no date or period' }]);

/** The day that an address names; empty where it names none. @throws ApiError where it is no day. */
export function dayOf(query: URLSearchParams, name: string): string {
  const day = query.get(name)?.trim() ?? '';
  if (day !== '' && !isCalendarDate(day)) {
    throw wrongAddress(name);
  }
  return day;
}

/** Where a page of a list of the book begins: `2026-06-15~12`; null, so at its first page, where an address names no position. */
export function bookPosition(
  query: URLSearchParams,
): { readonly date: string; readonly position: number } | null {
  const [date = '', place = ''] = query.get('after')?.split('~') ?? [];
  const position = Number(place);
  return isCalendarDate(date) && Number.isSafeInteger(position) && position > 0 ? { date, position } : null;
}
