/**
 * How the value of a field is written: `text` left-aligned and filled with spaces, `number` right-aligned and filled with zeros,
 * `amount` a sign and digits of which two are decimals, `quantity` the same with four, `date` YYYYMMDD, `time` hhmm.
 */
export type FieldKind = 'text' | 'number' | 'amount' | 'quantity' | 'date' | 'time';

/** One field of a record. */
export interface Field {
  /** As the authority numbers it. */
  readonly number: number;
  readonly name: string;
  /** The position of its first character; a record begins at 1. */
  readonly start: number;
  readonly length: number;
  readonly kind: FieldKind;
}

/** A record of fixed length, without the line end. */
export interface RecordLayout {
  readonly code: RecordCode;
  readonly length: number;
  readonly fields: readonly Field[];
}

/** The records of the two files; `summary` is a line of INI.TXT, which begins with the code of the records that it counts. */
export type RecordCode = 'A000' | 'summary' | 'A100' | 'C100' | 'D110' | 'D120' | 'Z900';

type Row = readonly [number: number, name: string, start: number, length: number, kind: FieldKind];

const layout = (code: RecordCode, length: number, rows: readonly Row[]): RecordLayout => ({
  code,
  length,
  fields: rows.map(([number, name, start, size, kind]) => ({ number, name, start, length: size, kind })),
});

/**
 * The layouts of the uniform structure 1.31 that a system without bookkeeping and without a stock writes (Israel Tax Authority,
 * instructions of 1 May 2009). Fields that the authority cancelled have no length, and are left out.
 */
export const recordLayouts: Readonly<Record<RecordCode, RecordLayout>> = {
  A000: layout('A000', 466, [
    [1000, 'record code', 1, 4, 'text'],
    [1001, 'reserved', 5, 5, 'text'],
    [1002, 'records in BKMVDATA', 10, 15, 'number'],
    [1003, 'VAT number', 25, 9, 'number'],
    [1004, 'primary id', 34, 15, 'number'],
    [1005, 'system constant', 49, 8, 'text'],
    [1006, 'software registration', 57, 8, 'number'],
    [1007, 'software name', 65, 20, 'text'],
    [1008, 'software version', 85, 20, 'text'],
    [1009, 'vendor VAT number', 105, 9, 'number'],
    [1010, 'vendor name', 114, 20, 'text'],
    [1011, 'software type', 134, 1, 'number'],
    [1012, 'path', 135, 50, 'text'],
    [1013, 'bookkeeping', 185, 1, 'number'],
    [1014, 'balance', 186, 1, 'number'],
    [1015, 'company number', 187, 9, 'number'],
    [1016, 'deductions file', 196, 9, 'number'],
    [1017, 'reserved', 205, 10, 'text'],
    [1018, 'business name', 215, 50, 'text'],
    [1019, 'business street', 265, 50, 'text'],
    [1020, 'business house', 315, 10, 'text'],
    [1021, 'business city', 325, 30, 'text'],
    [1022, 'business zip', 355, 8, 'text'],
    [1023, 'tax year', 363, 4, 'number'],
    [1024, 'first day', 367, 8, 'date'],
    [1025, 'last day', 375, 8, 'date'],
    [1026, 'run date', 383, 8, 'date'],
    [1027, 'run time', 391, 4, 'time'],
    [1028, 'language', 395, 1, 'number'],
    [1029, 'charset', 396, 1, 'number'],
    [1030, 'compression', 397, 20, 'text'],
    [1032, 'currency', 417, 3, 'text'],
    [1034, 'branches', 420, 1, 'number'],
    [1035, 'reserved', 421, 46, 'text'],
  ]),
  summary: layout('summary', 19, [
    [1050, 'record code', 1, 4, 'text'],
    [1051, 'records', 5, 15, 'number'],
  ]),
  A100: layout('A100', 95, [
    [1100, 'record code', 1, 4, 'text'],
    [1101, 'record number', 5, 9, 'number'],
    [1102, 'VAT number', 14, 9, 'number'],
    [1103, 'primary id', 23, 15, 'number'],
    [1104, 'system constant', 38, 8, 'text'],
    [1105, 'reserved', 46, 50, 'text'],
  ]),
  C100: layout('C100', 444, [
    [1200, 'record code', 1, 4, 'text'],
    [1201, 'record number', 5, 9, 'number'],
    [1202, 'VAT number', 14, 9, 'number'],
    [1203, 'document type', 23, 3, 'number'],
    [1204, 'document number', 26, 20, 'text'],
    [1205, 'production date', 46, 8, 'date'],
    [1206, 'production time', 54, 4, 'time'],
    [1207, 'customer name', 58, 50, 'text'],
    [1208, 'customer street', 108, 50, 'text'],
    [1209, 'customer house', 158, 10, 'text'],
    [1210, 'customer city', 168, 30, 'text'],
    [1211, 'customer zip', 198, 8, 'text'],
    [1212, 'customer country', 206, 30, 'text'],
    [1213, 'country code', 236, 2, 'text'],
    [1214, 'customer phone', 238, 15, 'text'],
    [1215, 'customer VAT number', 253, 9, 'number'],
    [1216, 'value date', 262, 8, 'date'],
    [1217, 'total in foreign currency', 270, 15, 'amount'],
    [1218, 'currency', 285, 3, 'text'],
    [1219, 'before document discount', 288, 15, 'amount'],
    [1220, 'document discount', 303, 15, 'amount'],
    [1221, 'after discount, without VAT', 318, 15, 'amount'],
    [1222, 'VAT', 333, 15, 'amount'],
    [1223, 'total with VAT', 348, 15, 'amount'],
    [1224, 'withholding tax', 363, 12, 'amount'],
    [1225, 'customer key', 375, 15, 'text'],
    [1226, 'matching', 390, 10, 'text'],
    [1228, 'cancelled', 400, 1, 'text'],
    [1230, 'document date', 401, 8, 'date'],
    [1231, 'branch', 409, 7, 'text'],
    [1233, 'user', 416, 9, 'text'],
    [1234, 'link to lines', 425, 7, 'number'],
    [1235, 'reserved', 432, 13, 'text'],
  ]),
  D110: layout('D110', 339, [
    [1250, 'record code', 1, 4, 'text'],
    [1251, 'record number', 5, 9, 'number'],
    [1252, 'VAT number', 14, 9, 'number'],
    [1253, 'document type', 23, 3, 'number'],
    [1254, 'document number', 26, 20, 'text'],
    [1255, 'line', 46, 4, 'number'],
    [1256, 'base document type', 50, 3, 'number'],
    [1257, 'base document number', 53, 20, 'text'],
    [1258, 'kind of sale', 73, 1, 'number'],
    [1259, 'SKU', 74, 20, 'text'],
    [1260, 'description', 94, 30, 'text'],
    [1261, 'maker', 124, 50, 'text'],
    [1262, 'serial number', 174, 30, 'text'],
    [1263, 'unit', 204, 20, 'text'],
    [1264, 'quantity', 224, 17, 'quantity'],
    [1265, 'unit price without VAT', 241, 15, 'amount'],
    [1266, 'line discount', 256, 15, 'amount'],
    [1267, 'line total without VAT', 271, 15, 'amount'],
    [1268, 'VAT rate', 286, 4, 'number'],
    [1270, 'branch', 290, 7, 'text'],
    [1272, 'document date', 297, 8, 'date'],
    [1273, 'link to header', 305, 7, 'number'],
    [1274, 'branch of base document', 312, 7, 'text'],
    [1275, 'reserved', 319, 21, 'text'],
  ]),
  D120: layout('D120', 222, [
    [1300, 'record code', 1, 4, 'text'],
    [1301, 'record number', 5, 9, 'number'],
    [1302, 'VAT number', 14, 9, 'number'],
    [1303, 'document type', 23, 3, 'number'],
    [1304, 'document number', 26, 20, 'text'],
    [1305, 'line', 46, 4, 'number'],
    [1306, 'means of payment', 50, 1, 'number'],
    [1307, 'bank', 51, 10, 'number'],
    [1308, 'bank branch', 61, 10, 'number'],
    [1309, 'bank account', 71, 15, 'number'],
    [1310, 'check number', 86, 10, 'number'],
    [1311, 'due date', 96, 8, 'date'],
    [1312, 'amount', 104, 15, 'amount'],
    [1313, 'card acquirer', 119, 1, 'number'],
    [1314, 'card name', 120, 20, 'text'],
    [1315, 'kind of card payment', 140, 1, 'number'],
    [1320, 'branch', 141, 7, 'text'],
    [1322, 'document date', 148, 8, 'date'],
    [1323, 'link to header', 156, 7, 'number'],
    [1324, 'reserved', 163, 60, 'text'],
  ]),
  Z900: layout('Z900', 110, [
    [1150, 'record code', 1, 4, 'text'],
    [1151, 'record number', 5, 9, 'number'],
    [1152, 'VAT number', 14, 9, 'number'],
    [1153, 'primary id', 23, 15, 'number'],
    [1154, 'system constant', 38, 8, 'text'],
    [1155, 'records', 46, 15, 'number'],
    [1156, 'reserved', 61, 50, 'text'],
  ]),
};
