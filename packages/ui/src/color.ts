import { channelsOf, contrast } from '@pinkas/domain';

/** `share` of one color, 0 to 1, on top of another. */
export function mix(color: string, ground: string, share: number): string {
  const below = channelsOf(ground);
  const parts = channelsOf(color).map((channel, index) =>
    Math.round(channel * share + (below[index] ?? 0) * (1 - share)),
  );
  return `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`;
}

/** A color, lightened or darkened no further than it takes to be read on a ground. */
export function readableOn(color: string, ground: string, contrastMin: number): string {
  const towards = contrast('#ffffff', ground) > contrast('#000000', ground) ? '#ffffff' : '#000000';
  for (let share = 0; share < 1; share += 0.05) {
    const candidate = mix(towards, color, share);
    if (contrast(candidate, ground) >= contrastMin) {
      return candidate;
    }
  }
  return towards;
}
