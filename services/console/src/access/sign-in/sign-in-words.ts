import type { Words } from '@pinkas/ui';

/** What the pages of signing in say. */
export const signInWords = {
  slogan: {
    he: 'המסמכים של העסק, חוקיים ובמקום אחד',
    en: 'The documents of your business, valid and in one place',
  },
  pointLaw: {
    he: 'חתימה דיגיטלית ומספרי הקצאה של רשות המסים',
    en: 'Digital signatures and allocation numbers of the tax authority',
  },
  pointDelivery: {
    he: 'שליחה ללקוח באימייל ובוואטסאפ',
    en: 'Sent to the customer by email and WhatsApp',
  },
  pointAccountant: {
    he: 'מבנה אחיד ויומן שינויים לרואה החשבון',
    en: 'Uniform files and an audit trail for the accountant',
  },
  title: { he: 'כניסה לפנקס', en: 'Sign in to Pinkas' },
  email: { he: 'כתובת אימייל', en: 'Email address' },
  emailWrong: {
    he: 'זו אינה כתובת אימייל. לדוגמה: name@example.com',
    en: 'This is not an email address. For example: name@example.com',
  },
  sendLink: { he: 'לשלוח לי קישור כניסה', en: 'Email me a link to sign in' },
  or: { he: 'או', en: 'or' },
  withPasskey: { he: 'כניסה במפתח גישה', en: 'Sign in with a passkey' },
  withIssuer: { he: 'כניסה באמצעות', en: 'Sign in with' },
  passkeyFailed: {
    he: 'הכניסה במפתח הגישה לא הצליחה. אפשר לנסות שוב, או לבקש קישור.',
    en: 'The passkey did not work. Try again, or ask for a link.',
  },
  sentTitle: { he: 'כדאי לבדוק את האימייל', en: 'Check your email' },
  sent: {
    he: 'אם הכתובת מוכרת, נשלח אליה קישור. הוא פועל פעם אחת, במשך 15 דקות, והכי פשוט לפתוח אותו בדפדפן הזה.',
    en: 'If the address is known, a link is on its way to it. It works once, for 15 minutes; it is easiest to open it in this browser.',
  },
  sentMore: {
    he: 'לא הגיע? כדאי לבדוק את תיקיית הספאם ואת הכתובת שהוקלדה. רק כתובת שהוזמנה מקבלת קישור.',
    en: 'It did not come? Check the spam folder, and the address that you typed. Only an address that was invited gets a link.',
  },
  again: { he: 'לבקש קישור נוסף', en: 'Ask for another link' },
  linkTitle: { he: 'כניסה', en: 'Sign in' },
  linkHere: { he: 'כניסה בתור', en: 'Sign in as' },
  linkElsewhere: {
    he: 'הקישור הזה לא התבקש בדפדפן הזה. הוא פותח כאן את החשבון של',
    en: 'This link was not asked for in this browser. Here it opens the account of',
  },
  linkElsewhereMore: {
    he: 'להמשיך רק אם זה החשבון שלך, ואם הקישור הגיע אליך.',
    en: 'Go on only if this is your account, and the link came to you.',
  },
  linkConfirm: { he: 'כן, להיכנס', en: 'Yes, sign in' },
  linkGone: { he: 'הקישור אינו בתוקף', en: 'This link is not valid any more' },
  linkGoneMore: {
    he: 'קישור פועל פעם אחת, במשך 15 דקות. אפשר לבקש קישור חדש.',
    en: 'A link works once, for 15 minutes. Ask for another.',
  },
  invitationTitle: { he: 'הזמנה לפנקס', en: 'Invitation to Pinkas' },
  invitationFor: { he: 'ההזמנה היא לכתובת', en: 'The invitation is for' },
  invitationMore: {
    he: 'אם זו הכתובת שלך, אפשר להיכנס.',
    en: 'If that is your address, sign in.',
  },
  invitationUsed: { he: 'ההזמנה כבר נוצלה', en: 'The invitation was used already' },
  invitationUsedMore: {
    he: 'קישור של הזמנה פועל פעם אחת. מעכשיו נכנסים לעסק דרך דף הכניסה, עם הכתובת שאליה הגיעה ההזמנה.',
    en: 'The link of an invitation works once. From now on, sign in on the sign-in page with the address that got the invitation.',
  },
  invitationOver: { he: 'תוקף ההזמנה הסתיים', en: 'The invitation has expired' },
  invitationOverMore: {
    he: 'קישור של הזמנה פועל שלושה ימים. ההרשאה שלך לעסק נשארה: מקלידים בדף הכניסה את הכתובת שאליה הגיעה ההזמנה, ומקבלים קישור חדש.',
    en: 'The link of an invitation works for three days. You may still use the business: enter the address that got the invitation on the sign-in page, and get a new link.',
  },
  invitationWithdrawn: { he: 'ההזמנה בוטלה', en: 'The invitation was withdrawn' },
  invitationWithdrawnMore: {
    he: 'הכתובת הזאת אינה עוד ברשימת האנשים של העסק. הזמנה חדשה מבקשים מבעלי העסק.',
    en: 'This address is no longer one of the people of the business. Ask an owner of the business for a new invitation.',
  },
  inviter: {
    he: 'לא הגיע קישור? אפשר לפנות למי שהזמין אותך:',
    en: 'No link came? Ask the person who invited you:',
  },
  tooMany: { he: 'יותר מדי ניסיונות', en: 'Too many attempts' },
  tooManyMore: { he: 'אפשר לנסות שוב בעוד', en: 'Try again in' },
  minutes: { he: 'דקות', en: 'minutes' },
  minute: { he: 'דקה', en: 'minute' },
  issuerFailed: { he: 'הכניסה לא הצליחה', en: 'Signing in did not work' },
  issuerUnreachable: {
    he: 'שירות הכניסה אינו עונה. אפשר לנסות שוב בעוד רגע, או להיכנס בקישור באימייל.',
    en: 'The sign-in service does not answer. Try again in a moment, or sign in by a link in the mail.',
  },
  issuerRefused: {
    he: 'שירות הכניסה לא אישר את הכניסה, או שהיא נמשכה יותר מדי. אפשר להתחיל שוב.',
    en: 'The sign-in service did not confirm it, or it took too long. Start again.',
  },
  issuerUnverified: {
    he: 'שירות הכניסה אינו מאשר שכתובת האימייל אומתה. אפשר לאמת אותה שם, או להיכנס בקישור באימייל.',
    en: 'The sign-in service does not say that your address is verified. Verify it there, or sign in by a link in the mail.',
  },
  issuerUnknown: {
    he: 'הכתובת באותו שירות לא הוזמנה לפנקס. אפשר לבקש הזמנה מבעלי העסק, או להיכנס בכתובת אחרת.',
    en: 'Your address there was not invited to Pinkas. Ask an owner of the business to invite it, or sign in with another address.',
  },
  issuerOther: {
    he: 'זה חשבון של אדם אחר. יש להמשיך בחשבון שאיתו נכנסת.',
    en: 'That is the account of another person. Go on with the one that you signed in with.',
  },
  issuerStale: {
    he: 'שירות הכניסה אינו אומר מתי הוכחת שם את זהותך. אפשר להמשיך בקישור באימייל או במפתח גישה.',
    en: 'The sign-in service does not say when you proved there who you are. Go on by a link in the mail or a passkey.',
  },
  backToSignIn: { he: 'לדף הכניסה', en: 'To the sign-in page' },
  proveTitle: { he: 'אימות זהות', en: "Confirm it's you" },
  proveLead: {
    he: 'לפני שינוי רגיש צריך להוכיח שוב את הזהות. זה תקף לעשר דקות.',
    en: 'Before a sensitive change, prove again who you are. It counts for ten minutes.',
  },
  ended: {
    he: 'יצאת מהמערכת, ולכן דבר לא בוצע. אחרי כניסה אפשר לחזור על הפעולה.',
    en: 'You are signed out, so nothing was done. Sign in, and do it again.',
  },
  endedForm: {
    he: 'יצאת מהמערכת. אחרי כניסה הטופס ימשיך מאותה נקודה.',
    en: 'You are signed out. After you sign in, the form goes on where you were.',
  },
  proveForm: {
    he: 'מה שכתבת נשמר, ואחרי האימות הטופס ימשיך מאותה נקודה.',
    en: 'What you typed is kept, and the form goes on where you were.',
  },
  proveSent: {
    he: 'נשלח קישור לכתובת שלך. יש לפתוח אותו בדפדפן הזה, והשינוי ימשיך משם.',
    en: 'A link is on its way to your address. Open it in this browser; the change goes on from there.',
  },
} as const satisfies Record<string, Words>;
