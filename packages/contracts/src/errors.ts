/** What the catalogue says of one error code. */
export interface ErrorEntry {
  readonly httpStatus: number;
  /** True: the same request with the same Idempotency-Key may be sent again. */
  readonly retryable: boolean;
  readonly message: string;
  readonly messageHe: string;
  /** What the caller should do; absent where there is nothing to do. */
  readonly hint?: string;
  /** The members of `error.details` that the code carries. */
  readonly details: readonly string[];
}

const entry = <const Member extends string = never>(
  httpStatus: number,
  retryable: boolean,
  message: string,
  messageHe: string,
  hint?: string,
  details: readonly Member[] = [],
): Omit<ErrorEntry, 'details'> & { readonly details: readonly NoInfer<Member>[] } => ({
  httpStatus,
  retryable,
  message,
  messageHe,
  ...(hint ? { hint } : {}),
  details,
});

/** Every error code of the interface (section 7). No other code leaves the gateway. */
export const errorCatalogue = {
  unauthorized: entry(
    401,
    false,
    'The API key is missing or invalid.',
    'מפתח ה-API חסר או שגוי.',
    'Send the key in the header "Authorization: Bearer <key>" or "X-Api-Key: <key>".',
  ),
  key_revoked: entry(
    401,
    false,
    'The API key was revoked.',
    'מפתח ה-API בוטל.',
    'Create a new key in the connection settings and use it instead.',
  ),
  subscription_required: entry(
    402,
    false,
    'The business has no active subscription.',
    'לעסק אין מנוי פעיל.',
    'Renew the subscription at details.payment_url.',
    ['payment_url'],
  ),
  business_archived: entry(
    403,
    false,
    'The business is archived.',
    'העסק הועבר לארכיון.',
    'Restore the business before issuing documents.',
  ),
  business_profile_incomplete: entry(
    403,
    false,
    'The business profile lacks its legal type.',
    'בפרופיל העסק חסר סוג ההתאגדות.',
    'Set the legal type in the business profile.',
  ),
  external_provider_not_supported: entry(
    403,
    false,
    'The business issues through an external provider.',
    'העסק מפיק מסמכים דרך ספק חיצוני.',
    'Only businesses that issue natively can use this interface.',
  ),
  issuing_blocked_expenses_only: entry(
    403,
    false,
    'The business is on the expenses-only track.',
    'העסק במסלול הוצאות בלבד.',
    'Move the business to the full track to issue documents.',
  ),
  insufficient_scope: entry(
    403,
    false,
    'The API key lacks the scope that this endpoint needs.',
    'למפתח ה-API אין ההרשאה הנדרשת.',
    'Use a key that has the scope named in the documentation of this endpoint.',
  ),
  not_found: entry(
    404,
    false,
    'The resource does not exist.',
    'המשאב לא נמצא.',
    'Check the path and the id; ids are scoped to the business of the key.',
  ),
  customer_not_found: entry(
    404,
    false,
    'customer.id is no customer of this business.',
    'הלקוח לא נמצא בעסק זה.',
    'Send the id of an existing customer, or customer.name instead.',
  ),
  based_on_not_found: entry(
    404,
    false,
    'based_on is no document of this business.',
    'מסמך המקור לא נמצא בעסק זה.',
    'Send the id of an existing document of this business.',
  ),
  invalid_json: entry(
    400,
    false,
    'The body is not a JSON object in UTF-8.',
    'גוף הבקשה אינו אובייקט JSON תקין.',
    'Send a JSON object, UTF-8, with Content-Type: application/json.',
  ),
  validation_error: entry(
    400,
    false,
    'The request does not match the schema.',
    'הבקשה אינה תואמת את הסכמה.',
    'Correct the members named in details.errors.',
    ['errors'],
  ),
  missing_idempotency_key: entry(
    400,
    false,
    'The Idempotency-Key header is missing.',
    'חסרה הכותרת Idempotency-Key.',
    'Send a unique Idempotency-Key for each document, and the same one on every retry.',
  ),
  invalid_customer_tax_id: entry(
    400,
    false,
    'customer.tax_id fails the checksum.',
    'ספרת הביקורת של מספר הזיהוי של הלקוח שגויה.',
    'Check the number with the customer, or leave it out.',
  ),
  idempotency_key_reused: entry(
    409,
    false,
    'This Idempotency-Key issued a document from a different body.',
    'מפתח האידמפוטנטיות כבר שימש לבקשה אחרת.',
    'Use a new Idempotency-Key for a new document.',
  ),
  request_in_progress: entry(
    409,
    true,
    'A request with this Idempotency-Key is still being processed.',
    'בקשה עם מפתח אידמפוטנטיות זה עדיין בטיפול.',
    'Send the same request again a little later to get its result.',
  ),
  customer_identity_conflict: entry(
    409,
    false,
    'customer.tax_id belongs to a customer of another name.',
    'מספר הזיהוי שייך ללקוח בשם אחר.',
    'Send customer.id = details.existing_customer_id, or resend with customer.identity_confirmed = true.',
    ['existing_customer_id'],
  ),
  legal_type_forbidden: entry(
    422,
    false,
    'The business may not issue this type of document.',
    'העסק אינו רשאי להפיק מסמך מסוג זה.',
    'GET /document-types lists the types that this business may issue.',
  ),
  payments_required: entry(
    422,
    false,
    'This type of document needs payments.',
    'מסמך מסוג זה מחייב פירוט תשלומים.',
    'Send payments that sum to the total.',
  ),
  payments_not_allowed: entry(
    422,
    false,
    'This type of document takes no payments.',
    'מסמך מסוג זה אינו כולל תשלומים.',
    'Leave payments out, or issue a tax_invoice_receipt or a receipt.',
  ),
  payments_total_mismatch: entry(
    422,
    false,
    'The payments do not sum to the total of the document.',
    'סכום התשלומים אינו שווה לסכום המסמך.',
    'Make the payments sum to details.total.',
    ['total'],
  ),
  discount_not_allowed: entry(
    422,
    false,
    'This type of document takes no discount.',
    'מסמך מסוג זה אינו כולל הנחה.',
    'Leave the discount out, or put it into the prices.',
  ),
  based_on_required: entry(
    422,
    false,
    'A credit note needs a source document.',
    'חשבונית זיכוי מחייבת מסמך מקור.',
    'Send based_on with the id of the tax invoice to credit.',
  ),
  based_on_type_not_allowed: entry(
    422,
    false,
    'The source document is of a type that this document cannot be based on.',
    'לא ניתן לבסס מסמך זה על מסמך מקור מסוג זה.',
    'Use a source of a type in details.allowed_source_types.',
    ['allowed_source_types'],
  ),
  based_on_cancelled: entry(
    422,
    false,
    'The source document is cancelled.',
    'מסמך המקור מבוטל.',
    'Use a source that is not cancelled.',
  ),
  total_mismatch: entry(
    422,
    false,
    'The computed total differs from expected_total.',
    'הסכום המחושב שונה מהסכום הצפוי.',
    'Compare with details.computed_total; nothing was issued.',
    ['computed_total'],
  ),
  future_date: entry(
    422,
    false,
    'The document date is in the future.',
    'תאריך המסמך עתידי.',
    'Use today (Asia/Jerusalem) or an earlier date.',
  ),
  date_before_last_document: entry(
    422,
    false,
    'The date is earlier than the last document of this type.',
    'התאריך מוקדם מתאריך המסמך האחרון מסוג זה.',
    'Use details.last_document_date or a later date.',
    ['last_document_date'],
  ),
  use_credit_note: entry(
    422,
    false,
    'An accounting document is not cancelled.',
    'מסמך חשבונאי אינו ניתן לביטול.',
    'Issue a credit_note based on it.',
  ),
  already_cancelled: entry(422, false, 'The document is already cancelled.', 'המסמך כבר בוטל.'),
  linked_document_closed: entry(
    422,
    false,
    'The document was already invoiced.',
    'כבר הופקה חשבונית על בסיס המסמך.',
    'Credit the invoice that is based on it.',
  ),
  rate_limited: entry(
    429,
    true,
    'Too many requests in this minute.',
    'יותר מדי בקשות בדקה זו.',
    'Wait for the seconds in Retry-After.',
  ),
  daily_limit_reached: entry(
    429,
    false,
    'The daily document limit of this key is reached.',
    'מכסת המסמכים היומית של המפתח נוצלה.',
    'The limit resets at midnight, Israel time.',
  ),
  payload_too_large: entry(
    413,
    false,
    'The body is larger than 256 KB.',
    'גוף הבקשה גדול מ-256 קילובייט.',
    'Send a smaller document.',
  ),
  document_generation_failed: entry(
    502,
    true,
    'The document could not be generated; no number was used.',
    'הפקת המסמך נכשלה; לא נוצל מספר.',
    'Send the same request again with the same Idempotency-Key.',
  ),
  engine_error: entry(
    502,
    true,
    'An internal service did not answer in time.',
    'שירות פנימי לא השיב בזמן.',
    'Send the same request again with the same Idempotency-Key.',
  ),
  api_disabled: entry(
    503,
    true,
    'The API is temporarily disabled.',
    'הממשק מושבת זמנית.',
    'Try again later.',
  ),
  internal_error: entry(
    500,
    true,
    'Something went wrong on our side.',
    'אירעה שגיאה בצד השרת.',
    'Send the same request again with the same Idempotency-Key; quote the request id when you report it.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Whether a string is a code of the catalogue. */
export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}
