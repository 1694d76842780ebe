/** Values of the chart. */
export type Values = Record<string, unknown>;

/** The values of both; those of the second take precedence. */
export const merged = (into: Values, from: Values): Values => {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  const result = { ...into };
  for (const [key, value] of Object.entries(from)) {
    const under = result[key];
    result[key] = isMap(under) && isMap(value) ? merged(under, value) : value;
  }
  return result;
};
