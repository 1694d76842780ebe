/**
 * The look of a document, on paper and on its page. Logical properties, so that one style serves both directions; figures
 * alone stand flush right in both, so that their decimals stand under each other.
 */
export const sheetStyle = `*{margin:0;padding:0;box-sizing:border-box}
body{font:400 9.5pt/1.45 Heebo,sans-serif;color:#1b2430;font-variant-numeric:tabular-nums}
h1,h2,h3,th,strong,.name,.number,.total,.title,dd.allocation{font-weight:700}
h3,dt,thead th,.marks,.issuer p{color:#5b6675}
h3{font-size:8pt;break-after:avoid}
.sheet{overflow-wrap:anywhere}
.sheet>header{display:flex;justify-content:space-between;gap:24pt;padding-block-end:14pt;border-block-end:1.5pt solid #1d3f66}
.issuer{max-width:55%}
.issuer h2{font-size:14pt;line-height:1.25;margin-block-end:3pt}
.heading{text-align:end}
h1{font-size:21pt;line-height:1.15;color:#1d3f66}
.second{text-align:right;font-size:11pt;color:#1d3f66}
.number{font-size:13pt;line-height:1.5}
.marks{font-size:8.5pt}
.marks span{color:#b9c2cd}
.cancelled{margin-block-end:12pt;padding:6pt 10pt;border:1.5pt solid #b3261e;color:#b3261e}
.cancelled strong{font-size:14pt;margin-inline-end:6pt}
.stamp{position:fixed;inset:0;z-index:1;display:grid;place-items:center;overflow:hidden;pointer-events:none}
.stamp span{padding:4pt 30pt;border:7pt solid;border-radius:16pt;font-size:96pt;line-height:1.2;font-weight:700;color:#b3261e2e;transform:rotate(-28deg)}
.parties{display:flex;justify-content:space-between;gap:24pt;margin-block:14pt 18pt}
.customer{max-width:55%}
.name{font-size:11.5pt}
.facts{display:grid;grid-template-columns:auto auto;row-gap:2pt;align-content:start}
dt{padding-inline-end:16pt}
dd{text-align:end}
.facts .allocation{margin-block-start:5pt;padding-block:4pt;line-height:15pt;background:#edf2f8}
dt.allocation{padding-inline-start:7pt}
dd.allocation{padding-inline-end:7pt;font-size:11.5pt;color:#1d3f66}
.title{font-size:12pt;margin-block-end:8pt}
.remark{margin-block-end:8pt}
.remark strong{font-size:14pt}
table{width:100%;border-collapse:collapse}
th,td{text-align:start;vertical-align:top;padding:5pt 7pt}
tr>:first-child{padding-inline-start:0}
tr>:last-child{padding-inline-end:0}
tr{break-inside:avoid}
thead th{font-size:8pt;vertical-align:bottom;border-block-end:.75pt solid #1d3f66}
tbody td{border-block-end:.5pt solid #e3e7ec}
small{display:block;font-size:7pt;font-weight:400}
td small{font-size:8pt;color:#5b6675}
th.figure,td.figure,.totals td{width:1%;text-align:right;white-space:nowrap}
.totals{width:50%;margin-block-start:8pt;margin-inline-start:auto;break-inside:avoid}
.totals th{font-weight:400;color:#5b6675}
.totals td{border:0}
.totals .total>*{font-size:13pt;font-weight:700;color:#1d3f66;border-block-start:1.5pt solid #1d3f66;padding-block:7pt}
.payments,.notes,.signature{margin-block-start:18pt}
.payments th:first-child{width:20%}
.notes{break-inside:avoid}
.notes p{white-space:pre-line}
.signature{display:flex;gap:18pt;break-inside:avoid}
.signature p{flex:1;padding-block-end:22pt;border-block-end:.75pt solid #1b2430;font-size:8.5pt;color:#5b6675}
.signed{margin-block-start:18pt;font-size:8pt;color:#5b6675}`;
