import type { Type } from '@nestjs/common';
import { HttpPage, type PageHandler, type PageReply } from '../http/http-page.js';
import { textHeaders } from '../http/page-headers.js';
import { exampleFiles } from './guide-for.js';

function serveExample(path: string, text: string): Type<PageHandler> {
  @HttpPage((config) => config.docsUrl, path)
  class ServeExample implements PageHandler {
    async handle(): Promise<PageReply> {
      return { status: 200, headers: textHeaders('text/plain'), body: text };
    }
  }
  return ServeExample;
}

/** The programs that the pages of the guide link, as text. */
export const serveExamples = exampleFiles.map(({ name, lines }) =>
  serveExample(`/${name}`, lines.join('\n')),
);
