/** Whether a client accepts gzip, from its `Accept-Encoding`. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return /(^|,)\s*gzip\s*(;\s*q=(1|0?\.\d*[1-9])\S*)?\s*(,|$)/i.test(acceptEncoding ?? '');
}
