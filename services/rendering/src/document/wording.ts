import type { BusinessLegalType, CustomerLegalType, DocumentType, Registry } from '@pinkas/domain';
import { html, type Language, Markup } from '@pinkas/ui';

/** One word or sentence in both languages. */
export type Words = Readonly<Record<Language, string>>;

const words = (he: string, en: string): Words => ({ he, en });

/**
 * A word that the law prescribes. Books are kept in Hebrew or Arabic (Income Tax Bookkeeping Instructions, 21), so an
 * English document carries the Hebrew word beside its own.
 */
const statutory = (he: string, en: string): Words => ({ he, en: `${en} · ${he}` });

/** A run of Hebrew words with the figures and signs between them. */
const hebrewRun = /[\u0590-\u05ff](?:[\u0590-\u05ff\d"'./ ־–-]*[\u0590-\u05ff.])?/g;

/** Words in one language; Hebrew words in an English line are marked as Hebrew for screen readers. */
export function phrase(words: Words, language: Language): Markup {
  const text = html`${words[language]}`;
  if (language === 'he') {
    return text;
  }
  return new Markup(text.text.replace(hebrewRun, (run) => `<bdi lang="he">${run}</bdi>`));
}

/** How a business states its registration number, by legal type (VAT Bookkeeping Regulations, 9A). */
export const registrations: Readonly<Record<BusinessLegalType, Words>> = {
  osek_murshe: statutory('עוסק מורשה', 'VAT no.'),
  hevra_baam: statutory('ח.פ. / עוסק מורשה', 'Company no.'),
  osek_patur: statutory('עוסק פטור', 'Exempt dealer'),
  amuta: statutory('עמותה (ע.ר.)', 'Registered non-profit'),
  public_institution: statutory('מוסד ציבורי', 'Public institution'),
};

/** What the number of a customer is called, by the customer's legal type. */
export const customerRegistrations: Readonly<Record<CustomerLegalType | 'unknown', Words>> = {
  osek_murshe: words('עוסק מורשה', 'VAT no.'),
  hevra_baam: words('ח.פ.', 'Company no.'),
  osek_patur: words('עוסק פטור', 'Exempt dealer no.'),
  amuta: words('ע.ר.', 'Non-profit no.'),
  private: words('ת.ז.', 'ID no.'),
  unknown: words('ח.פ. / ע.מ. / ת.ז.', 'Tax ID'),
};

/** What a number is called by the register that gave it, where the legal type is not known. */
export const registryWords: Readonly<Record<Registry, Words>> = {
  company: customerRegistrations.hevra_baam,
  cooperative: words('אגודה שיתופית', 'Cooperative no.'),
  amuta: customerRegistrations.amuta,
};

/** The role of the other side of a document. */
export const customerWords: Readonly<Record<DocumentType, Words>> = {
  quote: words('לכבוד', 'To'),
  order: words('לכבוד', 'To'),
  delivery_note: words('נשלח אל', 'Deliver to'),
  return_note: words('הוחזר מאת', 'Returned by'),
  proforma: words('לכבוד', 'Bill to'),
  tax_invoice: words('לכבוד', 'Bill to'),
  tax_invoice_receipt: words('לכבוד', 'Bill to'),
  receipt: words('התקבל מאת', 'Received from'),
  credit_note: words('לכבוד', 'Credit to'),
  donation_receipt: words('התקבל מאת', 'Received from'),
};

/** The words that the law demands of a document besides its heading. */
export const remarkWords: Readonly<Partial<Record<DocumentType, Words>>> = {
  quote: words('מסמך זה אינו חשבונית ואינו קבלה.', 'This document is neither an invoice nor a receipt.'),
  order: words('מסמך זה אינו חשבונית ואינו קבלה.', 'This document is neither an invoice nor a receipt.'),
  proforma: words('מסמך זה אינו חשבונית מס.', 'This document is not a tax invoice.'),
};

/** The status of a cancelled document. */
export const cancelledWords = words('מבוטל', 'Cancelled');

const issued = words('הופק', 'Issued');
const invoiced = words('הופקה חשבונית', 'Invoiced');

/** What the status of a document means to its customer, where there is no amount and no day to name. */
export const statusWords: Readonly<Record<'open' | 'closed', Readonly<Record<DocumentType, Words>>>> = {
  open: {
    quote: words('בתוקף', 'Valid'),
    order: words('התקבלה', 'Received'),
    delivery_note: issued,
    return_note: issued,
    proforma: words('לתשלום', 'To be paid'),
    tax_invoice: words('לתשלום', 'To be paid'),
    tax_invoice_receipt: issued,
    receipt: issued,
    credit_note: issued,
    donation_receipt: issued,
  },
  closed: {
    quote: invoiced,
    order: invoiced,
    delivery_note: invoiced,
    return_note: invoiced,
    proforma: invoiced,
    tax_invoice: words('הוסדר', 'Settled'),
    tax_invoice_receipt: issued,
    receipt: issued,
    credit_note: issued,
    donation_receipt: issued,
  },
};

/** Every other word on a document. */
export const wording = {
  number: words('מספר', 'No.'),
  original: statutory('מקור', 'Original'),
  copy: statutory('העתק', 'Copy'),
  computerized: statutory('מסמך ממוחשב', 'Computerized document'),
  cancelled: statutory('מבוטל', 'Cancelled'),
  draft: words('טיוטה', 'Draft'),
  test: words('מסמך בדיקה', 'TEST DOCUMENT'),
  testNotice: words(
    'מסמך בדיקה: אינו מסמך חשבונאי, ואין לו תוקף.',
    'Test document: not an accounting document, and without effect.',
  ),
  cancelReason: words('סיבה:', 'Reason:'),
  cancelledOn: words('בוטל בתאריך', 'Cancelled on'),
  atTime: words('בשעה', 'at'),
  date: words('תאריך', 'Date'),
  dueDate: words('לתשלום עד', 'Due date'),
  payUntil: words('לתשלום עד', 'To be paid by'),
  amountDue: words('סכום לתשלום', 'Amount due'),
  allocationNumber: statutory('מספר הקצאה', 'Allocation number'),
  numberPending: words('בתהליך קבלה מרשות המסים', 'Being obtained'),
  /** The sentence of the technical specification of allocation numbers v2, 2.2.2, in bold. */
  notDeductible: statutory(
    'אין לנכות מס תשומות בגין חשבונית זו',
    'Input VAT must not be deducted on this invoice',
  ),
  source: words('מסמך מקור', 'Source document'),
  credited: words('זיכוי בגין', 'Credit for'),
  paidFor: words('עבור', 'For'),
  ofDate: words('מיום', 'of'),
  phone: words('טל׳', 'Tel.'),
  /** The heading of the numbers of lines. */
  line: words('#', '#'),
  description: words('תיאור', 'Description'),
  sku: words('מק"ט', 'SKU'),
  quantity: words('כמות', 'Quantity'),
  unitPrice: words('מחיר יחידה', 'Unit price'),
  lineTotal: words('סכום', 'Amount'),
  withoutVat: words('ללא מע"מ', 'excl. VAT'),
  withVat: words('כולל מע"מ', 'incl. VAT'),
  sumOfLines: words('סכום ביניים', 'Subtotal'),
  totalBeforeVat: words('סה"כ לפני מע"מ', 'Total before VAT'),
  discount: words('הנחה', 'Discount'),
  /** 'The words מס ערך מוסף' beside the rate (VAT Bookkeeping Regulations, 9A). */
  vat: words('מס ערך מוסף (מע"מ)', 'VAT (מס ערך מוסף)'),
  payments: words('פירוט תשלומים', 'Payments'),
  method: words('אמצעי תשלום', 'Method'),
  amount: words('סכום', 'Amount'),
  notes: words('הערות', 'Notes'),
  donation: words('תרומה', 'Donation · תרומה'),
  /** The sentence of the Bookkeeping Instructions for an institution approved under section 46 of the Ordinance. */
  donationApproval: words(
    'למוסד אישור מס הכנסה לענין תרומות לפי סעיף 46 לפקודה',
    'The institution is approved for donations under section 46 of the Income Tax Ordinance · למוסד אישור מס הכנסה לענין תרומות לפי סעיף 46 לפקודה',
  ),
  donationNumber: statutory('מספר דיווח לרשות המסים', 'Tax authority report no.'),
  donationReport: statutory('דיווח לרשות המסים', 'Report to the tax authority'),
  donationUnreported: words('לא דווח', 'Not reported'),
  donationCancelled: statutory('דיווח בוטל', 'Report cancelled'),
  donationCancelledNotice: words(
    'הדיווח על תרומה זו לרשות המסים בוטל; התרומה אינה מזכה בזיכוי ממס.',
    'The report of this donation to the tax authority was cancelled: it gives no tax credit.',
  ),
  donationNotMade: words(
    'תרומה זו לא דווחה לרשות המסים באמצעות תוכנה זו. זיכוי ממס מותנה בדיווח.',
    'This donation was not reported to the tax authority by this software. A tax credit depends on the report.',
  ),
  donationAnonymous: statutory('תרומה בעילום שם', 'Anonymous donation'),
  foreignDonor: words('תושב חוץ', 'Foreign resident'),
  passport: words('דרכון', 'passport'),
  approvalNumber: words('אישור מס׳', 'approval no.'),
  validUntil: words('בתוקף עד', 'valid until'),
  offerUntil: words('בתוקף עד', 'Valid until'),
  recipientName: words('שם המקבל', 'Received by'),
  signature: words('חתימה', 'Signature'),
  produced: words('הופק בתאריך', 'Produced on'),
  signed: words('המסמך חתום בחתימה אלקטרונית.', 'This document is electronically signed.'),
  page: words('עמוד', 'Page'),
  pageOf: words('מתוך', 'of'),
  paid: words('שולם', 'Paid'),
  setOff: words('קוזז מזכות בחשבון', 'From credit on account'),
  total: words('סה"כ', 'Total'),
  creditedSum: words('זוכה', 'Credited'),
  balance: words('יתרה לתשלום', 'Balance due'),
  inCredit: words('יתרת זכות', 'In credit'),
  carried: words('סכום מועבר', 'Carried forward'),
  pageCode: words('קוד QR לדף המסמך', "QR code of the document's page"),
  scan: words('לצפייה במסמך', 'View online'),
  download: words('הורדת ה־PDF החתום', 'Download the signed PDF'),
  print: words('הדפסה', 'Print'),
  actions: words('פעולות', 'Actions'),
  otherLanguage: words('English', 'עברית'),
  genuine: words('אימות המסמך', 'Is it genuine?'),
  pageNotice: words(
    'דף זה הוא תצוגה של המסמך. המקור הוא קובץ ה־PDF החתום; פתחו אותו בקורא PDF והציגו את פרטי החתימה.',
    'This page is a view of the document. The original is the signed PDF file: open it in a PDF reader and look at the details of its signature.',
  ),
  checkFile: words('בדיקה אם קובץ שבידיכם מקורי', 'Check whether a file that you have is genuine'),
  certificatePrint: words('תעודת החותם, SHA-256', "The signer's certificate, SHA-256"),
  filePrint: words('קובץ ה־PDF, SHA-256', 'The PDF file, SHA-256'),
  compareNotice: words(
    'טביעות האצבע צריכות להיות זהות לאלה שמציג קורא ה־PDF, ולפלט של הפקודה sha256sum על הקובץ שהורד.',
    'These fingerprints must be the same as those that the PDF reader shows, and as what the command sha256sum says of the downloaded file.',
  ),
  revision: words('גרסה', 'Revision'),
} as const;
