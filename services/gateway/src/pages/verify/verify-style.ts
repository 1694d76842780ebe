/** The style of the page that checks files; its colors are the tokens'. */
export const verifyStyle = `
  * { box-sizing: border-box; }
  body { font: 1rem/1.5 system-ui, sans-serif; margin: 0; padding: 2rem 1rem; background: var(--desk); color: var(--ink); overflow-wrap: anywhere; }
  main { max-width: 44rem; margin: 0 auto; padding: 1.75rem; background: var(--paper); border-radius: .5rem;
    box-shadow: 0 .06rem .2rem #0003, 0 .5rem 1.5rem #0000001f; }
  header { display: flex; justify-content: space-between; align-items: baseline; gap: 1rem; }
  h1 { font-size: 1.5rem; line-height: 1.3; margin: 0; }
  h2 { font-size: 1.2rem; line-height: 1.3; margin: 0; }
  p { margin: .35rem 0; }
  a { color: var(--accent); }
  .lead, small, dt { color: var(--soft); }
  form { display: grid; gap: .35rem; border-top: 1px solid var(--rule); margin-top: 1.25rem; padding-top: 1.25rem; }
  label { font-weight: 700; }
  input { font: inherit; color: inherit; background: var(--paper); width: 100%; padding: .55rem .7rem; border: 1px solid var(--soft); border-radius: .4rem; }
  button { font: inherit; font-weight: 700; justify-self: start; padding: .6rem 1.25rem; margin-top: .35rem; border: .1rem solid var(--accent);
    border-radius: .4rem; background: var(--accent); color: var(--on-accent); cursor: pointer; }
  button.second { background: none; color: var(--accent); }
  :is(a, button, input, summary):focus-visible { outline: .2rem solid var(--ink); outline-offset: .15rem; }
  .answer { margin-top: 1.25rem; }
  .verdict { padding: .9rem 1.1rem; border-radius: .4rem; background: var(--tint); border-inline-start: .35rem solid var(--accent); }
  .verdict.look { border-color: var(--soft); }
  .verdict.bad { border-color: var(--alarm); }
  .verdict.bad h2 { color: var(--alarm); }
  dl { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: .4rem 1.25rem; margin: 1.1rem 0 .75rem; }
  dd { margin: 0; }
  code { font: .86em/1.5 ui-monospace, monospace; }
  summary { cursor: pointer; padding: .5rem 0; }
  @media (max-width: 34rem) {
    body { padding: .75rem .5rem; }
    main { padding: 1.1rem; }
    dl { grid-template-columns: 1fr; gap: 0; }
    dd { margin-bottom: .6rem; }
    button { justify-self: stretch; }
  }
`;
