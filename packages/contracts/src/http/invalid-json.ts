import { type Sentence, sentence } from '../schema/error-sentences.js';

/** Why a body is `invalid_json`: what follows the message of the catalogue. */
export const invalidJsonCauses = {
  contentType: sentence('its Content-Type is not application/json', 'ה-Content-Type אינו application/json'),
  charset: sentence(
    'its Content-Type names another encoding than UTF-8',
    'ה-Content-Type מציין קידוד שאינו UTF-8',
  ),
  compressed: sentence(
    'it has a Content-Encoding or a Transfer-Encoding, such as gzip; send it uncompressed',
    'יש לו Content-Encoding או Transfer-Encoding, כגון gzip; יש לשלוח אותו לא דחוס',
  ),
  empty: sentence('it is empty', 'הוא ריק'),
  notUtf8: sentence('its bytes are not UTF-8', 'הבתים אינם UTF-8'),
  notJson: sentence('it is not JSON', 'הוא אינו JSON'),
  notObject: sentence('it is JSON, but not an object', 'הוא JSON, אך אינו אובייקט'),
  tooDeep: sentence('it is nested too deeply', 'הקינון בו עמוק מדי'),
  incomplete: sentence('it did not arrive completely', 'הוא לא הגיע בשלמותו'),
} as const satisfies Record<string, Sentence>;

/** An object of the body has two members of one name, whose value would depend on the reader. */
export function memberTwice(name: string): Sentence {
  const quoted = JSON.stringify([...name].slice(0, 40).join(''));
  return sentence(`it has the member ${quoted} twice`, `השדה ${quoted} מופיע בו פעמיים`);
}
