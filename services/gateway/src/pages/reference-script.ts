import { colors } from './docs-page.js';

/** For reading only: no console that sends requests, and no field for a key. */
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
      primary: { main: colors.accent },
      text: { primary: colors.text },
      responses: {
        success: { color: colors.good, backgroundColor: colors.goodGround },
        error: { color: colors.text, backgroundColor: colors.badGround, tabTextColor: colors.badOnDark },
      },
    },
    typography: {
      fontFamily: 'system-ui, sans-serif',
      headings: { fontFamily: 'system-ui, sans-serif', fontWeight: '600' },
      code: { fontFamily: 'ui-monospace, monospace', color: colors.code, wrap: true },
      links: { color: colors.accent },
    },
    sidebar: { backgroundColor: colors.shade },
    rightPanel: { backgroundColor: colors.dark },
    codeBlock: { backgroundColor: colors.darker },
  },
};

/**
 * The script that shows the reference.
 * @param descriptionName the asset with the OpenAPI document, in the folder of the script.
 */
export function referenceScript(descriptionName: string): string {
  return `const here = new URL('.', document.currentScript.src);
const place = document.getElementById('reference');
Redoc.init(new URL(${JSON.stringify(descriptionName)}, here).href, ${JSON.stringify(options)}, place);
`;
}
