import { listArticles, type ReplyOf, type RequestOf } from '@pinkas/contracts';
import { type Database, forTenant, InjectDatabase, Operation } from '@pinkas/service-kit';
import { sql } from 'kysely';
import type { IssuingTables } from '../document/document.tables.js';

/** The documents whose lines are read: the newest ones, by the index of the list, however large the book is. */
const documentsMax = 300;
const articlesMax = 200;

/** Lists what former lines have for each article number, so that no one types it twice. */
@Operation(listArticles)
export class ListArticles {
  constructor(@InjectDatabase() private readonly db: Database<IssuingTables>) {}

  async handle({ business_id }: RequestOf<typeof listArticles>): Promise<ReplyOf<typeof listArticles>> {
    const { rows } = await sql<ReplyOf<typeof listArticles>['articles'][number]>`
      with line as (
        select item.sku, item.description, item.unit_price, recent.prices_include_vat, recent.position, item.ordinality
        from (
          select items, prices_include_vat, position from document
          where business_id = ${business_id} order by position desc limit ${documentsMax}
        ) as recent
        cross join lateral (
          select item ->> 'sku' as sku, item ->> 'description' as description,
            (item ->> 'unit_price')::float8 as unit_price, ordinality
          from jsonb_array_elements(recent.items) with ordinality as element (item, ordinality)
        ) as item
        where item.sku is not null
      ),
      latest as (
        select distinct on (sku) * from line order by sku, position desc, ordinality desc
      )
      select sku, description, unit_price, prices_include_vat from latest
      order by position desc, ordinality limit ${articlesMax}`.execute(forTenant(this.db, business_id));
    return { articles: rows };
  }
}
