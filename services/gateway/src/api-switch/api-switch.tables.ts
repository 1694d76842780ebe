import type { ColumnType } from 'kysely';

/** The one row that says whether the interface serves. */
export interface ApiSwitchTable {
  only_row: ColumnType<true, never, never>;
  enabled: boolean;
  changed_at: Date;
}
