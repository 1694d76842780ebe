/** The most statements that are prepared on a connection: what a program builds without end must not fill the server's memory. */
const preparedMax = 400;
/**
 * Planned for the values of each execution: an index that suits one value of a search or of a page may not suit another, and
 * `*` may name other columns after a migration, which PostgreSQL refuses in a prepared statement (ADR 0039).
 */
const unprepared = /\border by\b|\blimit\b|\bi?like\b|(?<!\()\*/;
/** Of a statement that one plan suits for all values although it sorts or has a `*`. */
const prepareMark = '/* prepare */';

const names = new Map<string, string>();

/** The name under which a connection prepares a statement at its first execution; undefined where it is not prepared. */
export function preparedName(text: string): string | undefined {
  const known = names.get(text);
  const isPrepared = !unprepared.test(text) || text.includes(prepareMark);
  if (known !== undefined || names.size >= preparedMax || !isPrepared) {
    return known;
  }
  const name = `s${names.size}`;
  names.set(text, name);
  return name;
}
