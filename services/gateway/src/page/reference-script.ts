import { inks } from './docs-page.js';

/** What is read, not tried: no request leaves the page, and nobody types a key into it. */
const options = {
  disableSearch: true,
  hideDownloadButtons: true,
  nativeScrollbars: true,
  sortRequiredPropsFirst: true,
  pathInMiddlePanel: true,
  jsonSamplesExpandLevel: 4,
  hideSchemaTitles: true,
  theme: {
    colors: {
      primary: { main: inks.accent },
      text: { primary: inks.text },
      responses: {
        success: { color: inks.good, backgroundColor: inks.goodGround },
        error: { color: inks.text, backgroundColor: inks.badGround, tabTextColor: inks.badOnDark },
      },
    },
    typography: {
      fontFamily: 'system-ui, sans-serif',
      headings: { fontFamily: 'system-ui, sans-serif', fontWeight: '600' },
      code: { fontFamily: 'ui-monospace, monospace', color: inks.code, wrap: true },
      links: { color: inks.accent },
    },
    sidebar: { backgroundColor: inks.shade },
    rightPanel: { backgroundColor: inks.dark },
    codeBlock: { backgroundColor: inks.darker },
  },
};

/**
 * The script that shows the reference.
 * @param descriptionName the asset that holds the OpenAPI document; it lies beside the script.
 */
export function referenceScript(descriptionName: string): string {
  return `const here = new URL('.', document.currentScript.src);
const place = document.getElementById('reference');
Redoc.init(new URL(${JSON.stringify(descriptionName)}, here).href, ${JSON.stringify(options)}, place);
`;
}
