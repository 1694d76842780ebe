const halfSurrogatePair = /\p{Surrogate}/u;

/**
 * A JSON value in the canonical form of RFC 8785: members in the order of their UTF-16 code units, numbers and texts as ECMAScript
 * writes them, no white space. Members that are undefined are left out, as JSON leaves them out.
 * @throws Error for what JSON cannot hold: a number that is not finite, a text with half of a surrogate pair.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) {
    return `[${value.map(canonicalJson).join(',')}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => `${scalar(name)}:${canonicalJson(member)}`);
    return `{${members.join(',')}}`;
  }
  return scalar(value);
}

function scalar(value: unknown): string {
  const isJson =
    value === null ||
    typeof value === 'boolean' ||
    (typeof value === 'number' && Number.isFinite(value)) ||
    (typeof value === 'string' && !halfSurrogatePair.test(value));
  if (!isJson) {
    throw new Error(`a value has no canonical form in JSON: ${typeof value}`);
  }
  return JSON.stringify(value);
}
