import { acrossTenants, type Database, InjectDatabase } from '@pinkas/service-kit';
import { languages } from '@pinkas/ui';
import type { ConsoleTables } from '../db/console.tables.js';
import { ConsolePage, PageController, type PageReply, redirect } from '../http/console-page.js';
import { localPath } from '../http/local-path.js';
import type { Visit } from '../http/visit.js';

const yearSeconds = 365 * 24 * 60 * 60;

/** The language of the console. */
@PageController({ path: '/language', access: 'anyone' })
export class LanguagePages {
  constructor(@InjectDatabase() private readonly db: Database<ConsoleTables>) {}

  /** Changes the language of the console: of the person, or of the browser where no one is signed in. */
  @ConsolePage({ method: 'POST' })
  async choose({ form, session }: Visit): Promise<PageReply> {
    const language = languages.find((known) => known === form.get('language')) ?? 'he';
    if (session) {
      await acrossTenants(this.db)
        .updateTable('person')
        .set({ language })
        .where('id', '=', session.personId)
        .execute();
    }
    return redirect(localPath(form.get('next')), {
      cookies: [{ name: 'language', value: language, maxAgeSeconds: yearSeconds }],
    });
  }
}
