import { deployedNatsUsers } from '../network/server-configuration.js';
import { agentToolSchemas } from './agent-tools.js';
import { guidePages } from './guide-pages.js';
import { lawPage } from './law-page.js';
import { openApiText } from './openapi-file.js';
import { phpShapes } from './php-shapes.js';
import { withTimeLimitsTable } from './time-limits-table.js';
import { typeScriptTypes } from './typescript-types.js';
import { wireText } from './wire-record.js';

/** A file of the repository that is written by `npm run generate`. */
export interface GeneratedFile {
  /** Below the root of the repository. */
  readonly path: string;
  /** The text that it should have. @param current the text that it has, for a file of which only a part is generated. */
  readonly text: (current: string) => string;
}

export const wirePath = 'packages/contracts/wire.json';

export const generatedFiles: readonly GeneratedFile[] = [
  { path: 'packages/contracts/openapi.json', text: openApiText },
  { path: wirePath, text: () => wireText() },
  { path: 'packages/client/src/types.ts', text: typeScriptTypes },
  { path: 'packages/client-php/src/Shapes.php', text: phpShapes },
  { path: 'packages/mcp/src/schemas.json', text: agentToolSchemas },
  { path: 'deploy/helm/pinkas/files/nats-users.conf', text: deployedNatsUsers },
  { path: 'docs/law.md', text: lawPage },
  { path: 'services/gateway/src/pages/guide-pages.json', text: guidePages },
  { path: 'ARCHITECTURE.md', text: withTimeLimitsTable },
];

/** The root of the repository. */
export const repositoryRoot = new URL('../../../../', import.meta.url);
