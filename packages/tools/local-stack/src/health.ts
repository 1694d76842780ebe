import { get } from 'node:http';

/**
 * Whether GET answers 200. Rejects when there is no answer. A start asks hundreds of times, mostly before anything listens: `fetch`
 * would be half of the supervisor's work.
 */
export function answersOk(url: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, timeout: 4_000 }, (response) => {
      response.on('error', reject).resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy(new Error(`no answer from ${url}`)));
    request.on('error', reject);
  });
}
