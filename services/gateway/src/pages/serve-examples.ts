import { fixedPage } from '../http/http-page.js';
import { fileHeaders } from '../http/page-headers.js';
import { exampleFiles } from './guide-for.js';

/** The programs that the pages of the guide link, as text. */
export const serveExamples = exampleFiles.map(({ name, lines }) =>
  fixedPage(
    (config) => config.docsUrl,
    `/${name}`,
    () => ({ status: 200, headers: fileHeaders('text/plain; charset=utf-8'), body: lines.join('\n') }),
  ),
);
