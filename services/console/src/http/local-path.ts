/** A path of the console from a request; that of the first page where it is none, or leads elsewhere. */
export function localPath(given: string | null): string {
  // A browser reads a backslash as a slash, and drops tabs and line breaks.
  if (given === null || !/^\/(?!\/)[\x21-\x5b\x5d-\x7e]*$/.test(given)) {
    return '/';
  }
  const { origin, pathname, search } = new URL(given, 'http://console.invalid');
  // Without its dots, `/..//host` is another address.
  return origin === 'http://console.invalid' && !pathname.startsWith('//') ? `${pathname}${search}` : '/';
}
