import type { Transaction } from '@pinkas/service-kit';
import { listMembers } from '../../access/people/member.repository.js';
import type { ConsoleTables } from '../../db/console.tables.js';
import type { PackageFailure } from '../../db/export.tables.js';
import { endPackage, insertPackageNotices, type PackageKey } from './package.repository.js';

/** Ends the files of a period that did not reach the accountant, and makes the emails to the owners due. */
export async function failPackage(
  trx: Transaction<ConsoleTables>,
  key: PackageKey,
  failure: PackageFailure,
  now: Date,
): Promise<void> {
  await endPackage(trx, key, failure, now);
  const members = await listMembers(trx, key.business_id);
  const owners = members.filter(({ role }) => role === 'owner').map(({ email }) => email);
  await insertPackageNotices(trx, key, 'package_failed', owners, now);
}
