import type { Generated } from 'kysely';

/** A logo of a business, stored for as long as documents may be printed with it. */
export interface LogoTable {
  business_id: string;
  /** SHA-256 of `bytes`. */
  sha256: Buffer;
  media_type: string;
  bytes: Buffer;
  width: number;
  height: number;
  created_at: Generated<Date>;
}
