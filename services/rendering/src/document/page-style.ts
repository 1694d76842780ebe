/** The frame of the hosted page around the document; colors and sizes are the tokens' (packages/ui). */
export const pageStyle = `body{background:var(--desk);padding:1.5rem 1rem 2.5rem}
.bar,.paper,.genuine{max-width:52rem;margin-inline:auto}
.bar{display:flex;flex-wrap:wrap;align-items:center;gap:.75rem 1.25rem;margin-block-end:1rem}
.bar .who{flex:1 1 10rem;line-height:1.35;overflow-wrap:anywhere}
.bar .who strong{display:block}
.bar .who>span{color:var(--soft)}
.bar ul{display:flex;flex-wrap:wrap;gap:.5rem;list-style:none}
.status{padding:.15rem .9rem;border:.1rem solid;border-radius:99rem;font-weight:700;color:var(--accent-on-desk)}
.status.cancelled{margin:0;color:var(--alarm)}
.bar li a{display:block;padding:.6rem 1rem;border:.1rem solid var(--accent-on-desk);border-radius:.4rem;color:var(--accent-on-desk);text-decoration:none;font-weight:700;line-height:1.25}
.bar li a.first{background:var(--accent);border-color:var(--accent);color:var(--on-accent)}
.bar li a:hover{text-decoration:underline;text-underline-offset:.25em}
a:focus-visible{outline:.2rem solid var(--ink);outline-offset:.15rem}
.paper{position:relative;overflow-x:auto;background:var(--paper);border-radius:.5rem;padding:2.75rem 3rem;box-shadow:0 .06rem .2rem #0003,0 .5rem 1.5rem #0000001f}
.sheet{isolation:isolate}
.stamp{position:absolute;width:100%;height:100%;max-height:56rem;padding:5%;stroke:var(--stamp)}
.stamp text{font-weight:700;fill:var(--stamp);stroke:none}
.genuine{margin-block-start:1.25rem;font-size:.9rem;color:var(--soft)}
.genuine h2{font-size:1rem;color:var(--ink)}
.genuine a{color:var(--accent-on-desk)}
.genuine dl{margin-block:.5rem}
.genuine dt{padding:0;font-weight:700}
.genuine dd{text-align:start;margin-block-end:.4rem}
code{font:.86em/1.5 ui-monospace,monospace;overflow-wrap:anywhere}
@media screen and (prefers-color-scheme:dark){.logo{background:#fff;padding:.4rem;border-radius:.3rem}}
@media screen and (max-width:40rem){:root{--figures:auto;--heading:1.9rem}body{padding:.75rem .5rem 2rem}.bar{padding-inline:.5rem}.bar ul{flex:1 1 100%}.bar li{flex:1 1 auto;text-align:center}.genuine{padding-inline:.5rem}
.paper{padding:1.25rem 1rem}.sheet>header,.parties{flex-direction:column;gap:1rem}.issuer,.customer,.heading{max-width:none;text-align:start}.second{text-align:left}
.facts{max-width:none}.facts div{flex-wrap:wrap;column-gap:1rem}.facts :is(dt,dd){overflow-wrap:break-word}.totals{width:100%}.signature,.pay{flex-direction:column}.pay{gap:.8rem}
.wide{display:none}.narrow{display:block;color:var(--soft)}
.what{min-width:0}}
@media print{:root{font-size:9.5pt}body{background:none;padding:0}.bar,.genuine{display:none}.paper{box-shadow:none;padding:0;max-width:none}.stamp{position:fixed}}
@page{size:A4;margin:14mm 15mm 18mm}`;

/** A draft is seen in a frame: it fills that, with letters of the size that a sheet of its width has. */
export const draftStyle = `
@media screen{body{padding:0;background:var(--paper)}.paper{box-shadow:none;border-radius:0}}
@media screen and (min-width:40.01rem){:root{font-size:clamp(12px,1.84vw,16px)}.paper{padding:2.5rem 3rem}}`;
