import { writeFile } from 'node:fs/promises';
import { openApiFile, openApiText } from './openapi-file.js';

/* `npm run openapi` writes the document anew; a test fails while the one in the repository is an old one. */
await writeFile(openApiFile, openApiText());
