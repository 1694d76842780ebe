import type { Scope } from '@pinkas/contracts';
import type { Mode } from '@pinkas/domain';

/** One API key; its value is not stored, only its hash. */
export interface ApiKeyTable {
  business_id: string;
  id: string;
  /** Which book of the business it leads to. */
  mode: Mode;
  name: string;
  prefix: string;
  /** HMAC-SHA-256 of the key's value under the pepper. */
  hash: Buffer;
  scopes: Scope[];
  per_minute: number;
  daily_documents: number;
  created_at: Date;
  revoked_at: Date | null;
  /** To the minute; null: it never was. */
  last_used_at: Date | null;
}
