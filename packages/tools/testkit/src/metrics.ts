import type { RunningService } from '@pinkas/service-kit';

/** The metrics of a service, by sample as it is written there: `pinkas_documents_total{type="quote",outcome="issued"}`. */
export async function scrape({
  healthPort,
}: Pick<RunningService, 'healthPort'>): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${healthPort}/metrics`, {
    signal: AbortSignal.timeout(60_000),
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
