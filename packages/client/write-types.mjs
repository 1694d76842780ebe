import { writeFile } from 'node:fs/promises';
import { typeScriptTypes } from '@pinkas/contracts/openapi';

/* `npm run types` writes the types anew; a test fails while they are old ones. */
await writeFile(new URL('src/types.ts', import.meta.url), typeScriptTypes());
