import { type ServiceName, serviceNames } from '@pinkas/contracts';
import { provisionDatabase } from '@pinkas/service-kit/schema';
import type { Secrets } from './secrets.js';

/** The URLs of one service's database. */
interface DatabaseUrls {
  /** With the role that the service uses. */
  login: string;
  /** With the role that owns the tables and runs migrations. */
  owner: string;
}

function roleOf(name: string, secrets: Secrets): { name: string; password: string } {
  const password = secrets.rolePasswords[name];
  if (password === undefined) {
    throw new Error(`the database role ${name} has no stored password`);
  }
  return { name, password };
}

function withRole(adminUrl: string, database: string, role: { name: string; password: string }): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  url.username = role.name;
  url.password = role.password;
  return url.href;
}

/** Returns the URLs of one service's database. */
export function databaseUrls(adminUrl: string, service: ServiceName, secrets: Secrets): DatabaseUrls {
  const database = `pinkas_${service}`;
  return {
    login: withRole(adminUrl, database, roleOf(database, secrets)),
    owner: withRole(adminUrl, database, roleOf(`${database}_owner`, secrets)),
  };
}

/** Creates every service's database and its two roles, unless they exist. */
export async function provisionDatabases(adminUrl: string, secrets: Secrets): Promise<void> {
  for (const service of serviceNames) {
    const database = `pinkas_${service}`;
    await provisionDatabase(adminUrl, {
      database,
      owner: roleOf(`${database}_owner`, secrets),
      login: roleOf(database, secrets),
    });
  }
}
