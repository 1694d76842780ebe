/**
 * The tables of the uniform structure 1.31 (§3, §4) as the validator reads them: `from-to`, the picture of the authority, and M
 * where the field must have a value; what is mandatory under a condition is in `document-rules.ts`. X text, 9 digits, S9V2 and S9V4 a sign and digits of which the last are decimals, D a day, T a time,
 * R reserved. No table and no layout of the writer is used.
 */
const tables = `
A000 466
1000 1-4 X M | 1001 5-9 R | 1002 10-24 9 M | 1003 25-33 9 M | 1004 34-48 9 M | 1005 49-56 X M | 1006 57-64 9 M
1007 65-84 X M | 1008 85-104 X M | 1009 105-113 9 M | 1010 114-133 X M | 1011 134-134 9 M | 1012 135-184 X M
1013 185-185 9 M | 1014 186-186 9 | 1015 187-195 9 | 1016 196-204 9 | 1017 205-214 R | 1018 215-264 X M
1019 265-314 X | 1020 315-324 X | 1021 325-354 X | 1022 355-362 X | 1023 363-366 9 | 1024 367-374 D | 1025 375-382 D
1026 383-390 D M | 1027 391-394 T M | 1028 395-395 9 M | 1029 396-396 9 M | 1030 397-416 X M | 1032 417-419 X M
1034 420-420 9 M | 1035 421-466 R
SUMM 19
1050 1-4 X M | 1051 5-19 9 M
A100 95
1100 1-4 X M | 1101 5-13 9 M | 1102 14-22 9 M | 1103 23-37 9 M | 1104 38-45 X M | 1105 46-95 R
C100 444
1200 1-4 X M | 1201 5-13 9 M | 1202 14-22 9 M | 1203 23-25 9 M | 1204 26-45 X M | 1205 46-53 D M | 1206 54-57 T
1207 58-107 X | 1208 108-157 X | 1209 158-167 X | 1210 168-197 X | 1211 198-205 X | 1212 206-235 X | 1213 236-237 X
1214 238-252 X | 1215 253-261 9 | 1216 262-269 D | 1217 270-284 S9V2 | 1218 285-287 X | 1219 288-302 S9V2
1220 303-317 S9V2 | 1221 318-332 S9V2 | 1222 333-347 S9V2 | 1223 348-362 S9V2 | 1224 363-374 S9V2 | 1225 375-389 X
1226 390-399 X | 1228 400-400 X | 1230 401-408 D M | 1231 409-415 X | 1233 416-424 X | 1234 425-431 9 | 1235 432-444 R
D110 339
1250 1-4 X M | 1251 5-13 9 M | 1252 14-22 9 M | 1253 23-25 9 M | 1254 26-45 X M | 1255 46-49 9 M | 1256 50-52 9
1257 53-72 X | 1258 73-73 9 | 1259 74-93 X | 1260 94-123 X M | 1261 124-173 X | 1262 174-203 X | 1263 204-223 X
1264 224-240 S9V4 M | 1265 241-255 S9V2 | 1266 256-270 S9V2 | 1267 271-285 S9V2 | 1268 286-289 9 M | 1270 290-296 X
1272 297-304 D M | 1273 305-311 9 | 1274 312-318 X | 1275 319-339 R
D120 222
1300 1-4 X M | 1301 5-13 9 M | 1302 14-22 9 M | 1303 23-25 9 M | 1304 26-45 X M | 1305 46-49 9 M | 1306 50-50 9 M
1307 51-60 9 | 1308 61-70 9 | 1309 71-85 9 | 1310 86-95 9 | 1311 96-103 D | 1312 104-118 S9V2 M | 1313 119-119 9
1314 120-139 X | 1315 140-140 9 | 1320 141-147 X | 1322 148-155 D M | 1323 156-162 9 | 1324 163-222 R
M100 298
1450 1-4 X M | 1451 5-13 9 M | 1452 14-22 9 M | 1453 23-42 X | 1454 43-62 X | 1455 63-82 X M | 1456 83-132 X M
1457 133-142 X | 1458 143-172 X | 1459 173-192 X M | 1460 193-204 S9V2 M | 1461 205-216 S9V2 M | 1462 217-228 S9V2 M
1463 229-238 9 | 1464 239-248 9 | 1465 249-298 R
Z900 110
1150 1-4 X M | 1151 5-13 9 M | 1152 14-22 9 M | 1153 23-37 9 M | 1154 38-45 X M | 1155 46-60 9 M | 1156 61-110 R
`;

export type Picture = 'X' | '9' | 'S9V2' | 'S9V4' | 'D' | 'T' | 'R';

/** One field as the tables describe it. */
export interface TableField {
  readonly number: number;
  readonly from: number;
  readonly to: number;
  readonly picture: Picture;
  readonly mandatory: boolean;
}

/** One record as the tables describe it. */
interface RecordTable {
  readonly length: number;
  readonly fields: readonly TableField[];
}

/** The tables by the code of the record; `SUMM` is a summary of INI.TXT. */
export const recordTables: ReadonlyMap<string, RecordTable> = parseTables();

function parseTables(): Map<string, RecordTable> {
  const parsed = new Map<string, { length: number; fields: TableField[] }>();
  let current: TableField[] = [];
  for (const line of tables.trim().split('\n')) {
    const head = /^([A-Z]\w{3}) (\d+)$/.exec(line);
    if (head) {
      current = [];
      parsed.set(head[1] ?? '', { length: Number(head[2]), fields: current });
      continue;
    }
    for (const field of line.split('|')) {
      const [number, range = '', picture, need] = field.trim().split(' ');
      const [from, to] = range.split('-').map(Number);
      current.push({
        number: Number(number),
        from: from ?? 0,
        to: to ?? 0,
        picture: picture as Picture,
        mandatory: need === 'M',
      });
    }
  }
  return parsed;
}
