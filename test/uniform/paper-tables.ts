/**
 * The records of the uniform structure as the authority's instructions 1.31 print them (§3, §4), typed from them and from nothing of
 * the product: field, columns, format and need. `M` mandatory, `C` under a condition, `V` where there is a value. Cancelled fields
 * have no column. `9v99` and `9v9999` are texts of a sign and digits, of which two or four are decimals.
 */
const printed = `
A000 466
1000 1-4 X M; 1001 5-9 F; 1002 10-24 9 M; 1003 25-33 9 M; 1004 34-48 9 M; 1005 49-56 X M; 1006 57-64 9 M; 1007 65-84 X M
1008 85-104 X M; 1009 105-113 9 M; 1010 114-133 X M; 1011 134-134 9 M; 1012 135-184 X M; 1013 185-185 9 M; 1014 186-186 9 V
1015 187-195 9 V; 1016 196-204 9 V; 1017 205-214 F; 1018 215-264 X M; 1019 265-314 X V; 1020 315-324 X V; 1021 325-354 X V
1022 355-362 X V; 1023 363-366 9 C; 1024 367-374 DATE C; 1025 375-382 DATE C; 1026 383-390 DATE M; 1027 391-394 TIME M
1028 395-395 9 M; 1029 396-396 9 M; 1030 397-416 X M; 1032 417-419 X M; 1034 420-420 9 M; 1035 421-466 F
SUM 19
1050 1-4 X M; 1051 5-19 9 M
A100 95
1100 1-4 X M; 1101 5-13 9 M; 1102 14-22 9 M; 1103 23-37 9 M; 1104 38-45 X M; 1105 46-95 F
Z900 110
1150 1-4 X M; 1151 5-13 9 M; 1152 14-22 9 M; 1153 23-37 9 M; 1154 38-45 X M; 1155 46-60 9 M; 1156 61-110 F
C100 444
1200 1-4 X M; 1201 5-13 9 M; 1202 14-22 9 M; 1203 23-25 9 M; 1204 26-45 X M; 1205 46-53 DATE M; 1206 54-57 TIME V
1207 58-107 X C; 1208 108-157 X V; 1209 158-167 X V; 1210 168-197 X V; 1211 198-205 X V; 1212 206-235 X V; 1213 236-237 X V
1214 238-252 X V; 1215 253-261 9 V; 1216 262-269 DATE V; 1217 270-284 9v99 V; 1218 285-287 X V; 1219 288-302 9v99 V
1220 303-317 9v99 V; 1221 318-332 9v99 V; 1222 333-347 9v99 V; 1223 348-362 9v99 V; 1224 363-374 9v99 V; 1225 375-389 X C
1226 390-399 X V; 1228 400-400 X V; 1230 401-408 DATE M; 1231 409-415 X C; 1233 416-424 X V; 1234 425-431 9 V; 1235 432-444 F
D110 339
1250 1-4 X M; 1251 5-13 9 M; 1252 14-22 9 M; 1253 23-25 9 M; 1254 26-45 X M; 1255 46-49 9 M; 1256 50-52 9 V; 1257 53-72 X V
1258 73-73 9 V; 1259 74-93 X V; 1260 94-123 X M; 1261 124-173 X V; 1262 174-203 X V; 1263 204-223 X V; 1264 224-240 9v9999 M
1265 241-255 9v99 V; 1266 256-270 9v99 V; 1267 271-285 9v99 V; 1268 286-289 9 M; 1270 290-296 X C; 1272 297-304 DATE M
1273 305-311 9 V; 1274 312-318 X C; 1275 319-339 F
D120 222
1300 1-4 X M; 1301 5-13 9 M; 1302 14-22 9 M; 1303 23-25 9 M; 1304 26-45 X M; 1305 46-49 9 M; 1306 50-50 9 M; 1307 51-60 9 C
1308 61-70 9 C; 1309 71-85 9 C; 1310 86-95 9 C; 1311 96-103 DATE V; 1312 104-118 9v99 M; 1313 119-119 9 V; 1314 120-139 X V
1315 140-140 9 V; 1320 141-147 X C; 1322 148-155 DATE M; 1323 156-162 9 V; 1324 163-222 F
M100 298
1450 1-4 X M; 1451 5-13 9 M; 1452 14-22 9 M; 1453 23-42 X V; 1454 43-62 X V; 1455 63-82 X M; 1456 83-132 X M; 1457 133-142 X V
1458 143-172 X V; 1459 173-192 X M; 1460 193-204 9v99 M; 1461 205-216 9v99 M; 1462 217-228 9v99 M; 1463 229-238 9 V
1464 239-248 9 V; 1465 249-298 F
`;

/** One field. `F` is reserved for the future. */
export interface PaperField {
  readonly number: number;
  readonly first: number;
  readonly last: number;
  readonly format: 'X' | '9' | '9v99' | '9v9999' | 'DATE' | 'TIME' | 'F';
  readonly isMandatory: boolean;
}

/** One kind of record. */
export interface PaperRecord {
  readonly length: number;
  readonly fields: readonly PaperField[];
}

export const paperRecords: ReadonlyMap<string, PaperRecord> = new Map(
  printed
    .trim()
    .split(/\n(?=[A-Z])/)
    .map((text): [string, PaperRecord] => {
      const [head = '', ...lines] = text.split('\n');
      const [code = '', length] = head.split(' ');
      const fields = lines
        .join(';')
        .split(';')
        .map((field): PaperField => {
          const [number, columns = '', format, need] = field.trim().split(' ');
          const [first, last] = columns.split('-').map(Number);
          return {
            number: Number(number),
            first: first ?? 0,
            last: last ?? 0,
            format: format as PaperField['format'],
            isMandatory: need === 'M',
          };
        });
      return [code, { length: Number(length), fields }];
    }),
);

/** Appendix 1 (§5.1). */
export const paperTypes: readonly string[] =
  '100 200 205 210 300 305 310 320 330 340 345 400 405 410 420 500 600 610 700 710 800 810 820 830 840 900 910'.split(
    ' ',
  );
