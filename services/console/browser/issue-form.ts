/*
 * The form of a document where scripts run: what it comes to while it is typed, rows without a reload, customers and article numbers
 * that are known. Each of these has a button in the form that does the same on the server.
 */

/** Waits for this long after the last key before the server is asked. */
const pauseMs = 450;

/** What is typed, as the buttons of the form send it. */
function typedIn(form: HTMLFormElement, step: string): URLSearchParams {
  const typed = new URLSearchParams();
  for (const [name, value] of new FormData(form)) {
    typed.append(name, String(value));
  }
  typed.set('step', step);
  return typed;
}

/** Takes away amounts that are no longer those of the form, and shows why. @param reason of the page that came instead. */
function showStopped(live: HTMLElement, reason: string): void {
  const notice = document.createElement('p');
  notice.className = 'error';
  notice.setAttribute('role', 'status');
  notice.textContent = `${live.dataset.stopped ?? ''} ${reason.replaceAll(/\s+/g, ' ').trim()}`;
  live.replaceChildren(...live.querySelectorAll(':scope > .card-head'), notice);
}

/** Shows when the server has saved the form, whose address is then that of the draft: going back or loading again finds it. */
function showSaved(form: HTMLFormElement, saved: Element | null): void {
  if (saved?.hasAttribute('hidden') === false) {
    document.querySelector('[data-saved]')?.replaceWith(document.adoptNode(saved));
    history.replaceState(history.state, '', form.dataset.draft);
  }
}

/** Shows what each line comes to, as the page that computes has it; nothing where it computes nothing. */
function showLineTotals(form: HTMLFormElement, computed: Document | null): void {
  const totals = computed?.querySelectorAll('[data-line-total]');
  for (const [place, output] of [...form.querySelectorAll('[data-line-total]')].entries()) {
    output.textContent = totals?.[place]?.textContent ?? '';
  }
}

/** Shows what the document comes to, and saves it: that part of the page which the button that computes leads to. */
function showSummary(form: HTMLFormElement): { changed: () => void; leave: () => void; sent: () => void } {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let asked: AbortController | undefined;
  let isSaved = true;
  const stop = () => {
    clearTimeout(timer);
    asked?.abort();
  };
  const show = async () => {
    asked?.abort();
    asked = new AbortController();
    const { signal } = asked;
    const request = { method: 'POST', body: typedIn(form, 'compute'), signal };
    const reply = await fetch(form.action, request).catch(() => null);
    const page = reply && new DOMParser().parseFromString(await reply.text().catch(() => ''), 'text/html');
    if (signal.aborted) {
      return;
    }
    const [shown, live] = [
      page?.querySelector('[data-live]'),
      document.querySelector<HTMLElement>('[data-live]'),
    ];
    if (shown) {
      isSaved = true;
      live?.replaceWith(document.adoptNode(shown));
      showLineTotals(form, page);
      showSaved(form, page?.querySelector('[data-saved]') ?? null);
    } else if (live) {
      showLineTotals(form, null);
      showStopped(live, page?.querySelector('.message, .notice')?.textContent ?? '');
    }
  };
  return {
    changed: () => {
      isSaved = false;
      clearTimeout(timer);
      timer = setTimeout(() => void show(), pauseMs);
    },
    // A reply that came now would change the address, and so end the navigation.
    leave: () => {
      stop();
      if (!isSaved) {
        isSaved = navigator.sendBeacon(form.action, typedIn(form, 'compute'));
      }
    },
    sent: () => {
      stop();
      isSaved = true;
    },
  };
}

/** Gives an attribute of an element the place of its row, where it has one. */
function changePlace(element: Element, attribute: string, list: string, place: number): void {
  const value = element.getAttribute(attribute);
  const found = value?.match(new RegExp(`^(|field-)${list}\\.\\d+\\.(.+)$`));
  if (found) {
    element.setAttribute(attribute, `${found[1]}${list}.${place}.${found[2]}`);
  }
}

const withOrdinal = (label: string | null, place: number) => (label ?? '').replace(/\d+$/, String(place + 1));

/** Gives the rows of a list their places again: `items.0.sku`, `items.1.sku`. */
function renumber(rows: Element): void {
  const list = rows.getAttribute('data-rows') ?? '';
  for (const [place, row] of [...rows.querySelectorAll('[data-row]')].entries()) {
    row.ariaLabel = withOrdinal(row.ariaLabel, place);
    for (const element of row.querySelectorAll('[id],[name],[for]')) {
      for (const attribute of ['id', 'name', 'for']) {
        changePlace(element, attribute, list, place);
      }
    }
    const remove = row.querySelector<HTMLButtonElement>('button.remove');
    if (remove) {
      remove.value = String(place);
      remove.ariaLabel = withOrdinal(remove.ariaLabel, place);
    }
  }
}

/** A row as it is before anything is typed into it. */
function blankRow(row: Element): Element {
  const added = row.cloneNode(true) as Element;
  for (const error of added.querySelectorAll('.error')) {
    error.remove();
  }
  for (const output of added.querySelectorAll('output')) {
    output.textContent = '';
  }
  for (const input of added.querySelectorAll('input')) {
    input.removeAttribute('aria-invalid');
    input.removeAttribute('aria-describedby');
    if (input.name.endsWith('.quantity')) {
      input.value = '1';
    } else if (!input.name.endsWith('.date')) {
      input.value = '';
    }
  }
  return added;
}

const listOfButton: Readonly<Record<string, string>> = { add_line: 'items', add_payment: 'payments' };

/** The rows that a button adds to; else those that it removes its own from. */
function rowsOf(form: HTMLFormElement, button: HTMLButtonElement): { rows: Element | null; adds: boolean } {
  const list = listOfButton[button.value];
  return list === undefined
    ? { rows: button.classList.contains('remove') ? button.closest('[data-rows]') : null, adds: false }
    : { rows: form.querySelector(`[data-rows="${list}"]`), adds: true };
}

/** Adds and removes rows; the last one that is left is emptied. */
function changeRows(form: HTMLFormElement, changed: () => void): void {
  form.addEventListener('click', (event) => {
    const button = (event.target as Element).closest('button');
    const { rows, adds } = button ? rowsOf(form, button) : { rows: null, adds: false };
    const last = rows?.querySelector('[data-row]:last-of-type');
    if (!button || !rows || !last) {
      return;
    }
    event.preventDefault();
    const isOnlyOne = rows.querySelectorAll('[data-row]').length === 1;
    if (adds || isOnlyOne) {
      rows.append(blankRow(last));
    }
    if (!adds) {
      button.closest('[data-row]')?.remove();
    }
    renumber(rows);
    showPaymentFields(form);
    const focused = rows.querySelector(adds ? '[data-row]:last-of-type' : '[data-row]');
    focused?.querySelector<HTMLElement>('input, select')?.focus();
    changed();
  });
}

/** Hides the fields of a payment that do not belong to its method, and its details where none does. */
function showPaymentFields(form: HTMLFormElement): void {
  for (const row of form.querySelectorAll('[data-rows="payments"] [data-row]')) {
    const method = row.querySelector('select')?.value ?? '';
    const fields = [...row.querySelectorAll<HTMLElement>('[data-methods]')];
    for (const field of fields) {
      field.hidden = !(field.dataset.methods ?? '').split(' ').includes(method);
    }
    const details = row.querySelector('details');
    if (details) {
      details.hidden = fields.every(({ hidden }) => hidden);
    }
  }
}

/** Fills a line with what former ones have for its article number, where nothing is typed. */
function fillLine(form: HTMLFormElement, sku: HTMLInputElement): void {
  const known = [...document.querySelectorAll<HTMLOptionElement>('#articles option')].find(
    ({ value }) => value === sku.value.trim(),
  );
  const row = sku.closest('[data-row]');
  if (!known || !row) {
    return;
  }
  const fill = (name: string, value: string | undefined) => {
    const input = row.querySelector<HTMLInputElement>(`input[name$=".${name}"]`);
    if (input && input.value === '' && value !== undefined) {
      input.value = value;
    }
  };
  fill('description', known.dataset.description);
  if (String(new FormData(form).get('prices')) === known.dataset.prices) {
    fill('unit_price', known.dataset.price);
  }
}

interface SuggestedCustomer {
  readonly id: string;
  readonly name: string;
  readonly detail: string;
}

function customerOption({ id, name, detail }: SuggestedCustomer, place: number): HTMLElement {
  const option = document.createElement('li');
  option.id = `customer-${place}`;
  option.setAttribute('role', 'option');
  option.setAttribute('aria-selected', 'false');
  Object.assign(option.dataset, { id, name });
  const facts = document.createElement('span');
  facts.className = 'soft';
  facts.textContent = detail;
  const shown = document.createElement('bdi');
  shown.textContent = name;
  option.append(shown, ' ', facts);
  return option;
}

/** The list of the combobox below its input (WAI-ARIA Authoring Practices, 'Editable Combobox With List Autocomplete'). */
function customerList(input: HTMLInputElement, label: string) {
  const list = document.createElement('ul');
  Object.assign(list, { id: 'customers', className: 'suggestions', hidden: true });
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', label);
  input.after(list);
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-autocomplete', 'list'],
    ['aria-expanded', 'false'],
    ['aria-controls', list.id],
  ] as const) {
    input.setAttribute(name, value);
  }
  let place = -1;
  const options = () => [...list.children] as HTMLElement[];
  const select = (next: number) => {
    place = next;
    for (const [index, option] of options().entries()) {
      option.setAttribute('aria-selected', String(index === place));
    }
    const option = options()[place];
    input.setAttribute('aria-activedescendant', option?.id ?? '');
    option?.scrollIntoView({ block: 'nearest' });
  };
  const open = (isOpen: boolean) => {
    list.hidden = !isOpen || list.children.length === 0;
    input.setAttribute('aria-expanded', String(!list.hidden));
    select(-1);
  };
  return {
    list,
    open,
    isOpen: () => !list.hidden,
    selected: () => options()[place],
    move: (by: number) => {
      // Above the first option, and below the last one, is the input.
      const places = options().length + 1;
      select(((place + 1 + by + places) % places) - 1);
    },
    show: (customers: readonly SuggestedCustomer[]) => {
      list.replaceChildren(...customers.map(customerOption));
      open(document.activeElement === input);
    },
  };
}

/** Lets a customer be chosen by keyboard, mouse or touch from those that fit what is typed. */
function suggestCustomers(form: HTMLFormElement): void {
  const box = form.querySelector<HTMLElement>('[data-customers]');
  const field = (name: string) => form.querySelector<HTMLInputElement>(`input[name="customer.${name}"]`);
  const input = field('name');
  if (!box || !input) {
    return;
  }
  const status = document.createElement('p');
  status.className = 'visually-hidden';
  status.setAttribute('role', 'status');
  box.append(status);
  const found = customerList(input, box.dataset.found ?? '');
  box.querySelector('button[value="find_customer"]')?.setAttribute('hidden', '');
  const choose = ({ dataset }: HTMLElement) => {
    for (const [name, value] of [
      ['id', dataset.id],
      ['known_name', dataset.name],
      ['name', dataset.name],
    ] as const) {
      const chosen = field(name);
      if (chosen) {
        chosen.value = value ?? '';
      }
    }
    found.open(false);
    input.dispatchEvent(new Event('change', { bubbles: true }));
  };
  const load = async () => {
    const typed = input.value;
    const reply = await fetch(`${box.dataset.customers}?${new URLSearchParams({ q: typed })}`).catch(
      () => null,
    );
    const { customers } = ((await reply?.json().catch(() => null)) ?? {}) as {
      customers?: SuggestedCustomer[];
    };
    if (customers && typed === input.value) {
      found.show(customers);
      status.textContent =
        customers.length > 0 ? `${box.dataset.found}: ${customers.length}` : (box.dataset.none ?? '');
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => void load(), pauseMs / 2);
  });
  input.addEventListener('keydown', (event) => {
    const selected = found.selected();
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      found.isOpen() || found.open(true);
      found.move(event.key === 'ArrowDown' ? 1 : -1);
    } else if (event.key === 'Enter' && found.isOpen() && selected) {
      choose(selected);
    } else if (event.key === 'Escape' && found.isOpen()) {
      found.open(false);
    } else {
      return;
    }
    event.preventDefault();
  });
  input.addEventListener('blur', () => found.open(false));
  // The input keeps the focus, so that the list is open until the click.
  found.list.addEventListener('mousedown', (event) => event.preventDefault());
  found.list.addEventListener('click', (event) => {
    const option = (event.target as Element).closest<HTMLElement>('[role="option"]');
    if (option) {
      choose(option);
    }
  });
}

/** Sends the form of the picture, whose reply is shown in the frame. */
export function showPicture(): void {
  const form = document.querySelector<HTMLFormElement>('[data-picture]');
  if (form) {
    // Only the larger view is left to be asked for.
    form.querySelector<HTMLButtonElement>('button')?.setAttribute('hidden', '');
    form.submit();
  }
}

/** Makes the form of a document more pleasant. */
export function composeDocument(): void {
  const form = document.querySelector<HTMLFormElement>('[data-issue]');
  if (!form) {
    return;
  }
  const { changed, leave, sent } = showSummary(form);
  form.addEventListener('submit', sent);
  // What was typed last is saved also where the person leaves at once; a phone fires the second alone.
  addEventListener('beforeunload', leave);
  addEventListener('pagehide', leave);
  showPaymentFields(form);
  suggestCustomers(form);
  changeRows(form, changed);
  form.addEventListener('input', changed);
  form.addEventListener('change', (event) => {
    const input = event.target as HTMLInputElement;
    if (input.name.endsWith('.sku')) {
      fillLine(form, input);
    }
    showPaymentFields(form);
    changed();
  });
}
