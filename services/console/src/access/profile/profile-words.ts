import type { Words } from '@pinkas/ui';

/** The words of the page of a person about themselves. */
export const profileWords = {
  address: { he: 'כתובת האימייל', en: 'Email address' },
  language: { he: 'שפה', en: 'Language' },
  hebrew: { he: 'עברית', en: 'עברית' },
  english: { he: 'English', en: 'English' },
  sessions: { he: 'חיבורים פעילים', en: 'Active sessions' },
  sessionsLead: {
    he: 'חיבור שאינו מוכר? לסיים אותו, ואז לבדוק מי קורא את האימייל שלך.',
    en: 'You do not know one of these? End it, and then check who reads your mail.',
  },
  device: { he: 'מכשיר', en: 'Device' },
  network: { he: 'רשת', en: 'Network' },
  lastUse: { he: 'שימוש אחרון', en: 'Last used' },
  action: { he: 'פעולה', en: 'Action' },
  thisOne: { he: 'החיבור הזה', en: 'This one' },
  end: { he: 'לסיים', en: 'End' },
  endOthers: { he: 'לסיים את כל האחרים', en: 'End all others' },
  passkeys: { he: 'מפתחות גישה', en: 'Passkeys' },
  passkeysLead: {
    he: 'מפתח גישה פותח את פנקס בטביעת אצבע, בזיהוי פנים או בקוד של המכשיר, בלי לחכות לאימייל.',
    en: 'A passkey opens Pinkas with a fingerprint, a face or the code of the device, without waiting for a mail.',
  },
  noPasskeys: { he: 'אין עדיין מפתחות גישה.', en: 'There are no passkeys yet.' },
  addPasskey: { he: 'להוסיף מפתח גישה', en: 'Add a passkey' },
  passkeyName: { he: 'שם', en: 'Name' },
  passkeyNameHint: { he: 'לדוגמה: הטלפון שלי', en: 'For example: my phone' },
  added: { he: 'נוסף', en: 'Added' },
  never: { he: 'עדיין לא', en: 'Not yet' },
  unnamed: { he: 'מפתח ללא שם', en: 'Passkey without a name' },
  rename: { he: 'לשנות את השם', en: 'Rename' },
  remove: { he: 'להסיר', en: 'Remove' },
  removeTitle: { he: 'להסיר את מפתח הגישה?', en: 'Remove this passkey?' },
  removeLead: {
    he: 'אי אפשר יהיה להיכנס איתו. כדאי למחוק אותו גם במכשיר עצמו.',
    en: 'It will not sign you in any more. Delete it on the device as well.',
  },
  addFailed: {
    he: 'המפתח לא נוסף. אולי המכשיר הזה כבר רשום, או שהפעולה בוטלה.',
    en: 'The passkey was not added. Perhaps this device has one already, or it was cancelled.',
  },
  needsScript: {
    he: 'כדי להוסיף מפתח גישה צריך דפדפן עם JavaScript שתומך במפתחות גישה.',
    en: 'Adding a passkey needs a browser with JavaScript and passkeys.',
  },
} as const satisfies Record<string, Words>;
