import { html } from '@pinkas/ui';
import { guideFor, guideNames } from './guide-for.js';
import { fixedDocsPage } from './reference/docs-page.js';
import { document } from './reference/markdown.js';

/** The guide for developers, from the first call to going live, and the pages that it links. */
export const showGuidePages = guideNames.map((name) =>
  fixedDocsPage(`/${name}`, (config) => {
    const page = guideFor(config).find((candidate) => candidate.name === name);
    return {
      title: name === 'guide' ? 'Guide' : (page?.title ?? name),
      body: html`<main>
${document(page?.text ?? '')}
</main>`,
    };
  }),
);
