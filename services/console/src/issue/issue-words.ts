import { customerMembers, perDetail, typedDetails } from '@pinkas/contracts';
import type { DocumentType, PaymentField } from '@pinkas/domain';
import type { Language, Words } from '@pinkas/ui';

/** The texts of the form of a document. */
export const issueWords = {
  basedOn: { he: 'על בסיס', en: 'Based on' },
  copyOf: { he: 'שוכפל מ־', en: 'Duplicated from' },
  customer: { he: 'לקוח', en: 'Customer' },
  name: { he: 'שם הלקוח', en: 'Customer name' },
  nameHint: {
    he: 'שם של לקוח קיים, או שם חדש. מה שנשאר ריק נלקח מכרטיס הלקוח.',
    en: 'An existing customer, or a new name. What is left empty is taken from the card of the customer.',
  },
  find: { he: 'חיפוש לקוחות', en: 'Find customers' },
  found: { he: 'לקוחות שנמצאו', en: 'Customers that were found' },
  similar: {
    he: 'יש לקוח בשם דומה. יש לבחור אותו, או לקוח חדש.',
    en: 'A customer has a similar name. Choose one, or a new customer.',
  },
  newCard: { he: 'לקוח חדש:', en: 'New customer:' },
  nameOfNumber: {
    he: 'זה מספר ולא שם, ולכן הוא הועבר לשדה ח.פ. / ת.ז. יש לכתוב את שם הלקוח.',
    en: 'This is a number and no name; it was moved to the tax id. Write the customer name.',
  },
  noneFound: {
    he: 'לא נמצא לקוח בשם הזה; ייפתח כרטיס חדש.',
    en: 'No customer has this name; a new card is opened.',
  },
  details: { he: 'פרטי הלקוח במסמך', en: 'Customer details on this document' },
  ...perDetail(typedDetails, (detail) => customerMembers[detail].word),
  otherCustomer: {
    he: 'זה לקוח אחר עם אותו מספר: לפתוח כרטיס נפרד',
    en: 'This is another customer with the same number: open a card of its own',
  },
  lines: { he: 'שורות', en: 'Lines' },
  line: { he: 'שורה', en: 'Line' },
  sku: { he: 'מק"ט', en: 'SKU' },
  description: { he: 'תיאור', en: 'Description' },
  quantity: { he: 'כמות', en: 'Quantity' },
  unit_price: { he: 'מחיר ליחידה', en: 'Unit price' },
  setOffs: { he: 'אילו מסמכים משולמים', en: 'Documents that are paid' },
  setOffsHint: {
    he: 'הסכום מחולק בין המסמכים המסומנים, הראשון לתשלום קודם. מה שמעבר להם נשאר כזכות בחשבון הלקוח.',
    en: 'The amount is divided among the selected documents, the first due first. What is beyond them stays on the account of the customer.',
  },
  line_total: { he: 'סה"כ שורה', en: 'Line total' },
  received: { he: 'עבור מה', en: 'What it is for' },
  receivedFor: { he: 'עבור מה התקבל התשלום', en: 'What the payment is for' },
  addLine: { he: 'הוספת שורה', en: 'Add a line' },
  removeLine: { he: 'הסרת שורה', en: 'Remove line' },
  prices: { he: 'המחירים', en: 'Prices' },
  net: { he: 'לפני מע"מ', en: 'excl. VAT' },
  gross: { he: 'כולל מע"מ', en: 'incl. VAT' },
  discount: { he: 'הנחה', en: 'Discount' },
  noDiscount: { he: 'בלי הנחה', en: 'None' },
  percent: { he: 'באחוזים', en: 'Percent' },
  amount: { he: 'בשקלים', en: 'Amount' },
  discountValue: { he: 'שיעור או סכום ההנחה', en: 'Percent or amount' },
  payments: { he: 'תשלומים', en: 'Payments' },
  payment: { he: 'תשלום', en: 'Payment' },
  method: { he: 'אמצעי תשלום', en: 'Payment method' },
  paid: { he: 'סכום', en: 'Amount' },
  paidHint: {
    he: 'אפשר להשאיר ריק: יירשם מלוא הסכום.',
    en: 'An empty amount of a single payment is the total of the document.',
  },
  paidOn: { he: 'תאריך התשלום', en: 'Paid on' },
  paymentDetails: { he: 'פרטי התשלום', en: 'Payment details' },
  addPayment: { he: 'הוספת תשלום', en: 'Add a payment' },
  removePayment: { he: 'הסרת תשלום', en: 'Remove payment' },
  more: { he: 'תאריך ופרטים נוספים', en: 'Date and further details' },
  date: { he: 'תאריך המסמך', en: 'Document date' },
  dueDate: { he: 'לתשלום עד', en: 'Due on' },
  dueDateHint: { he: 'ריק: לפי תנאי התשלום של העסק.', en: 'Empty: by the payment terms of the business.' },
  title: { he: 'כותרת', en: 'Title' },
  notes: { he: 'הערות', en: 'Notes' },
  notesHint: { he: 'ריק: ההערות הקבועות של העסק.', en: 'Empty: the default notes of the business.' },
  reference: { he: 'אסמכתא', en: 'Your reference' },
  send: { he: 'לשלוח ללקוח', en: 'Send it to the customer' },
  preview: { he: 'המשך לאישור', en: 'Continue to confirm' },
  compute: { he: 'חישוב', en: 'Calculate' },
  saveDraft: { he: 'שמירת טיוטה', en: 'Save draft' },
  wrong: {
    he: 'המסמך לא הופק. יש לתקן את השדות המסומנים.',
    en: 'Nothing was issued. Correct the marked fields.',
  },
} as const satisfies Record<string, Words>;

/** A donation receipt is for a donor. */
const donationTexts: Partial<Record<keyof typeof issueWords, Words>> = {
  customer: { he: 'תורם', en: 'Donor' },
  name: { he: 'שם התורם', en: 'Donor name' },
  nameHint: {
    he: 'שם של תורם קיים, או שם חדש. מה שנשאר ריק נלקח מכרטיס התורם.',
    en: 'An existing donor, or a new name. What is left empty is taken from the card of the donor.',
  },
  find: { he: 'חיפוש תורמים', en: 'Find donors' },
  found: { he: 'תורמים שנמצאו', en: 'Donors that were found' },
  similar: {
    he: 'יש תורם בשם דומה. יש לבחור אותו, או תורם חדש.',
    en: 'A donor has a similar name. Choose one, or a new donor.',
  },
  newCard: { he: 'תורם חדש:', en: 'New donor:' },
  nameOfNumber: {
    he: 'זה מספר ולא שם, ולכן הוא הועבר לשדה הזהות. יש לכתוב את שם התורם.',
    en: 'This is a number and no name; it was moved to the id. Write the donor name.',
  },
  noneFound: {
    he: 'לא נמצא תורם בשם הזה; ייפתח כרטיס חדש.',
    en: 'No donor has this name; a new card is opened.',
  },
  details: { he: 'פרטי התורם בקבלה', en: 'Donor details on this receipt' },
  tax_id: { he: 'ת.ז. או ח.פ. של התורם', en: "Donor's id" },
  otherCustomer: {
    he: 'זה תורם אחר עם אותו מספר: לפתוח כרטיס נפרד',
    en: 'This is another donor with the same number: open a card of its own',
  },
  received: { he: 'התרומה', en: 'The donation' },
  receivedFor: { he: 'מטרת התרומה', en: 'What the donation is for' },
  date: { he: 'תאריך הקבלה', en: 'Receipt date' },
  send: { he: 'לשלוח לתורם', en: 'Send it to the donor' },
  wrong: {
    he: 'הקבלה לא הופקה. יש לתקן את השדות המסומנים.',
    en: 'Nothing was issued. Correct the marked fields.',
  },
};
export const donorIdHint: Words = {
  he: 'בלי מספר אפשר לדווח על התרומה רק בעילום שם, והתורם לא יקבל זיכוי ממס.',
  en: 'Without it the donation can only be reported as anonymous, and the donor gets no credit.',
};

/** The words of a type. */
export const textOf = (type: DocumentType, name: keyof typeof issueWords, language: Language): string =>
  ((type === 'donation_receipt' ? donationTexts[name] : undefined) ?? issueWords[name])[language];

export const extraWords: Readonly<Record<PaymentField, Words>> = {
  reference: { he: 'אסמכתא', en: 'Reference' },
  check_number: { he: 'מספר שיק', en: 'Check number' },
  check_date: { he: 'תאריך פירעון', en: 'Check date' },
  bank_code: { he: 'מספר בנק', en: 'Bank number' },
  branch: { he: 'סניף', en: 'Branch' },
  account: { he: 'חשבון', en: 'Account' },
  card_last_digits: { he: '4 ספרות אחרונות', en: 'Last 4 digits' },
  card_type: { he: 'סוג הכרטיס', en: 'Card type' },
};
