import { describe, expect, it } from '@jest/globals';
import { withTlsOf } from './provision.js';

const service =
  'postgres://login:x@db:5432/pinkas_issuing?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt&options=-c%20a%3Db';
const admin = 'postgresql://postgres:y@pinkas-postgres-rw.pinkas:5432/postgres';

describe('withTlsOf', () => {
  it('an administrator without sslmode connects with the TLS of the service', () => {
    expect(withTlsOf(service, admin)).toBe(`${admin}?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.crt`);
  });

  it('an administrator with sslmode keeps it', () => {
    expect(withTlsOf(service, `${admin}?sslmode=disable`)).toBe(`${admin}?sslmode=disable`);
  });

  it('an administrator of a service without TLS gets none', () => {
    expect(withTlsOf('postgres://login:x@db/pinkas_issuing', admin)).toBe(admin);
  });
});
