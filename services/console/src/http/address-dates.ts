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
