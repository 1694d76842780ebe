import type { ColumnType } from 'kysely';

/** The one row of the kill switch. */
export interface KillSwitchTable {
  only_row: ColumnType<true, never, never>;
  api_enabled: boolean;
  changed_at: Date;
}
