/** Where files are checked, below the origin of the HTTP API. */
export const verifyPath = '/verify';

/** The address of the check of one document. */
export function verifyUrl(baseUrl: string, publicId: string, language: string | undefined): string {
  const url = new URL(verifyPath, baseUrl);
  url.searchParams.set('id', publicId);
  if (language !== undefined) {
    url.searchParams.set('lang', language);
  }
  return url.href;
}
