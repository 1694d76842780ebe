import { fontFamilies } from '../typeface/typeface.js';

/**
 * The style of a document on paper and on its page; colors and sizes are the tokens' (packages/ui). Logical
 * properties, so that one style serves both directions; figures alone are flush right in both, so that their decimals
 * are aligned, in the lines and in the totals below them.
 */
export const sheetStyle = `*{margin:0;padding:0;box-sizing:border-box}
body{font:400 1rem/1.45 ${fontFamilies};color:var(--ink);font-variant-numeric:tabular-nums lining-nums}
h1,h2,th,strong,.business,.name,.number,.total,.title,.marks,.method,.allocation dd{font-weight:700}
h2,dt,thead th,.issuer p,.customer p,small{color:var(--soft)}
h2,small,thead th{font-size:var(--small);line-height:1.4}
h2{break-after:avoid;margin-block-end:.15rem}
.payments h2,.notes h2{font-size:1.1rem;color:var(--ink);margin-block-end:.3rem}
.sheet{overflow-wrap:anywhere}
.sheet>header{display:flex;justify-content:space-between;gap:2.5rem;padding-block-end:1.35rem;border-block-end:.16rem solid var(--accent)}
.issuer{flex:1 1 0;max-width:56%}
.issuer .business{font-size:var(--title);line-height:1.25;color:var(--ink);margin-block-end:.3rem}
.logo{display:block;width:auto;height:auto;max-width:16rem;max-height:4.6rem;margin-block-end:.7rem;object-fit:contain;object-position:0 0}
[dir=rtl] .logo{object-position:100% 0}
.heading{flex:0 1 auto;text-align:end;max-width:56%}
h1{font-size:var(--heading);line-height:1.15;color:var(--accent)}
.second{font-size:var(--large);line-height:1.3;color:var(--accent);text-align:right}
.number{font-size:1.4rem;line-height:1.5}
.marks{font-size:.95rem}
.marks>span{color:var(--soft);font-weight:400}
.cancelled{margin:0 .1rem 1.2rem;padding:.6rem 1rem;border:.16rem solid;border-radius:.3rem;color:var(--alarm)}
.cancelled strong{font-size:var(--title);margin-inline-end:.6rem}
.stamp{position:fixed;inset:0;z-index:-1;display:grid;place-items:center;overflow:hidden;pointer-events:none}
.notice{margin:0 .1rem 1.2rem;padding:.5rem 1rem;border:.16rem dashed;border-radius:.3rem;color:var(--alarm);font-weight:700;text-align:center}
.stamp span{padding:.4rem 3rem;border:.75rem solid;border-radius:1.7rem;font-size:10rem;line-height:1.2;font-weight:700;color:var(--stamp);transform:rotate(-28deg)}
.stamp.test{grid-template-rows:1fr 1fr}
.stamp.test span{padding:0;border:0;font-size:5.6rem;white-space:nowrap}
.parties{display:flex;justify-content:space-between;gap:2.5rem;margin-block:1.35rem 1.75rem}
.customer{flex:1 1 40%}
.customer .name{font-size:var(--large);line-height:1.35;color:var(--ink)}
.facts{flex:none;max-width:58%}
.facts div{display:flex;justify-content:space-between;gap:0 1.6rem;padding-block:.1rem}
dd{text-align:end}
.facts .allocation{margin-block-start:.5rem;padding:.45rem .75rem;background:var(--tint);color:var(--accent-on-tint)}
.due dd{font-weight:700}
.allocation dt{font-weight:700;color:inherit}
.allocation dd{font-size:var(--large);line-height:1.2;letter-spacing:.02em}
.pending dd{font-size:inherit;line-height:inherit;letter-spacing:0}
.title{font-size:1.28rem;line-height:1.35;margin-block-end:.9rem}
.remark{margin-block-end:.9rem}
.remark strong{font-size:var(--title)}
table{width:100%;border-collapse:collapse}
th,td{text-align:start;vertical-align:top;padding:.42rem .7rem}
tr>:first-child{padding-inline-start:0}
tr>:last-child{padding-inline-end:0}
tr{break-inside:avoid}
thead th{vertical-align:bottom;border-block-end:.08rem solid var(--accent)}
thead small{display:block;font-size:.76rem;font-weight:400}
tbody td{border-block-end:.05rem solid var(--rule)}
td small{display:inline-block}
.whole{white-space:nowrap}
.what>span,.method{margin-inline-end:.35rem}
.what{min-width:8rem}
.line{width:1%;white-space:nowrap;color:var(--soft)}
.narrow{display:none}
th.figure,td.figure,.totals td{width:1%;text-align:right;white-space:nowrap}
tr>.figure:last-child,.totals td{min-width:var(--figures)}
.items tbody tr:nth-last-child(-n+2){break-after:avoid}
.totals{width:54%;margin-block-start:.7rem;margin-inline-start:auto;break-inside:avoid;break-before:avoid}
.totals th{font-weight:400;color:var(--soft)}
.totals :is(th,td){padding-block:.3rem}
.totals td{border:0}
.totals .total>*{padding-block:.6rem;font-size:1.4rem;line-height:1.4;font-weight:700;color:var(--accent);border-block-start:.16rem solid var(--accent)}
.totals .total:only-child>*{border:0}
.payments,.payments+.items,.signature{margin-block-start:1.9rem}
.detail{display:inline-block}
.pay{display:flex;justify-content:space-between;gap:1.8rem;margin-block-start:1.9rem;padding:.7rem 1rem;background:var(--tint);break-inside:avoid}
.pay h2{font-size:1.1rem;color:var(--ink);margin-block-end:.3rem}
.pay dl div{display:flex;gap:0 1.2rem;padding-block:.1rem}
.pay :is(dt,.scan){color:inherit}
.pay dt{flex:none;min-width:8rem}
.pay dd{text-align:start}
.pay a{color:var(--accent-on-tint)}
.notes{break-inside:avoid}
.notes p{min-height:1.45em}
.signature{display:flex;gap:1.8rem;break-inside:avoid}
.signature p{flex:1;padding-block-end:2.4rem;border-block-end:.08rem solid var(--ink);font-size:var(--small);color:var(--soft)}
.closing{display:flex;justify-content:space-between;gap:1.8rem;margin-block-start:1.9rem}
.production{font-size:var(--small);color:var(--soft)}
.notes+.production{margin-block-start:1.2rem}
.scan{flex:none;text-align:center;font-size:var(--small);line-height:1.3;color:var(--soft)}
.code{display:block;width:6.2rem;height:6.2rem;margin:0 auto;image-rendering:pixelated}`;
