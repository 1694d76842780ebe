/*
 * What makes pages more pleasant where scripts run. Every page works without it.
 */

import { usualForm } from '../src/http/form-limits.js';
import { composeDocument, showPicture } from './issue-form.js';

/** Waits for this long after the last key before a preview is loaded. */
const previewDelayMs = 400;
/** Waits for this long after the last key before what is typed is kept. */
const keepDelayMs = 1_000;

/** On a narrow screen filters that are not in use begin closed. */
function closeWhenNarrow(): void {
  if (matchMedia('(max-width: 59.99rem)').matches) {
    for (const details of document.querySelectorAll('[data-closed-when-narrow="yes"]')) {
      details.removeAttribute('open');
    }
  }
}

/** Writes the day of a date field below it, day before month, whatever the order in which the browser shows them. */
function readDates(): void {
  const month = document.documentElement.lang === 'he' ? '2-digit' : 'short';
  const written = new Intl.DateTimeFormat('en-GB', {
    ...({ day: '2-digit', month, year: 'numeric', timeZone: 'UTC' } as const),
  });
  document.addEventListener('input', ({ target }) => {
    if (target instanceof HTMLInputElement && target.type === 'date') {
      const shown = target.parentElement?.querySelector('.read-date');
      if (shown) {
        shown.textContent = target.valueAsDate === null ? '' : written.format(target.valueAsDate);
      }
    }
  });
}

function enableCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('[data-copy]')) {
    const source = document.getElementById(button.dataset.copy ?? '') as HTMLTextAreaElement | null;
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(source?.value ?? '').catch(() => {
        source?.select();
        document.execCommand('copy');
      });
      button.textContent = button.dataset.copied ?? label;
      setTimeout(() => {
        button.textContent = label;
      }, 2_000);
    });
  }
}

/** Leads back to a form as it was left. */
function goBack(): void {
  for (const link of document.querySelectorAll('[data-back]')) {
    link.addEventListener('click', (event) => {
      if (history.length > 1) {
        event.preventDefault();
        history.back();
      }
    });
  }
}

/** A form that the server would not receive is not sent: the page that came instead would lose what is typed. */
function keepTooLong(): void {
  const refuse = (event: SubmitEvent) => {
    const form = event.target as HTMLFormElement;
    const fields = [...form.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')];
    const longest = fields.reduce((one, other) => (other.value.length > one.value.length ? other : one));
    // As a browser sends it: a line break is two characters.
    const typed = [...new FormData(form, event.submitter)].map(([name, value]) => [
      name,
      String(value).replaceAll(/\r?\n/g, '\r\n'),
    ]);
    const { bytes = usualForm.bytes } = form.dataset;
    if (form.method === 'get' || new URLSearchParams(typed).toString().length <= Number(bytes)) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    longest.setCustomValidity(document.body.dataset.tooLong ?? '');
    longest.reportValidity();
    form.addEventListener('input', () => longest.setCustomValidity(''), { once: true });
  };
  addEventListener('submit', refuse, { capture: true });
}

/** A form is sent once: its buttons rest while it is under way. */
function sendOnce(): void {
  addEventListener('submit', (event) => {
    const form = event.target as HTMLFormElement;
    // A file that is sent at once leaves the page as it is.
    if (event.submitter?.hasAttribute('data-stays')) {
      return;
    }
    // After the event, since a disabled button would not be sent.
    setTimeout(() => {
      for (const button of form.querySelectorAll('button')) {
        button.disabled = true;
      }
    });
  });
  // Back in the history the page is as it was left.
  addEventListener('pageshow', () => {
    for (const button of document.querySelectorAll<HTMLButtonElement>('form button')) {
      button.disabled = false;
    }
  });
}

/** What is typed into a form, but for its files, as its script sends it. */
function typedInto(form: HTMLFormElement, step: string): URLSearchParams {
  const typed = [...new FormData(form)].flatMap(([name, value]) =>
    typeof value === 'string' && name !== 'step' ? [[name, value] as [string, string]] : [],
  );
  return new URLSearchParams([...typed, ['step', step]]);
}

/** Keeps what is typed on the server, after a pause and when the page is left; a button of the form does the same. */
function keepTyping(form: HTMLFormElement): void {
  const step = form.dataset.keepsTyping ?? '';
  const state = form.querySelector<HTMLElement>('[data-kept]');
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isKept = true;
  const keep = async () => {
    isKept = true;
    const request = { method: 'POST', body: typedInto(form, step) };
    const reply = await fetch(form.action, request).catch(() => null);
    if (state) {
      state.textContent = reply?.ok ? (state.dataset.kept ?? '') : '';
    }
  };
  const changed = () => {
    isKept = false;
    clearTimeout(timer);
    timer = setTimeout(() => void keep(), keepDelayMs);
  };
  form.addEventListener('input', changed);
  form.addEventListener('submit', () => {
    clearTimeout(timer);
    isKept = true;
  });
  addEventListener('pagehide', () => {
    clearTimeout(timer);
    if (!isKept) {
      isKept = navigator.sendBeacon(form.action, typedInto(form, step));
    }
  });
}

/** Shows the settings of the business on a sample document while they are typed. */
function previewSettings(): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('[data-preview-form]')];
  const frame = document.querySelector<HTMLIFrameElement>('[data-preview]');
  if (!frame) {
    return;
  }
  let logo = '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const names = ['name', 'address', 'city', 'email', 'phone', 'language', 'accent_color', 'default_notes'];
  const show = () => {
    const typed = forms.flatMap((form) => [...new FormData(form)]);
    const query = new URLSearchParams(
      names.map((name) => [name, String(typed.find(([field]) => field === name)?.[1] ?? '')]),
    );
    if (logo !== '') {
      query.set('logo', logo);
    }
    frame.src = `${frame.dataset.preview}?${query}`;
  };
  const upload = async (form: HTMLFormElement, file: File) => {
    const body = new FormData();
    body.set('_csrf', String(new FormData(form).get('_csrf')));
    body.set('logo', file);
    const response = await fetch(form.dataset.logo ?? '', { method: 'POST', body });
    const { sha256 = '' } = (await response.json()) as { sha256?: string };
    logo = sha256;
  };
  const preview = (form: HTMLFormElement, event: Event) => {
    clearTimeout(timer);
    const input = event.target as HTMLInputElement;
    const file = input.name === 'logo' ? input.files?.[0] : undefined;
    timer = setTimeout(async () => {
      if (file) {
        await upload(form, file).catch(() => undefined);
      }
      show();
    }, previewDelayMs);
  };
  for (const form of forms) {
    form.addEventListener('input', (event) => preview(form, event));
  }
}

/** A page that waits for work in the background loads itself again. */
function refresh(): void {
  const seconds = Number(document.querySelector<HTMLElement>('[data-refresh]')?.dataset.refresh);
  if (seconds > 0) {
    setTimeout(() => location.reload(), seconds * 1_000);
  }
}

closeWhenNarrow();
readDates();
enableCopying();
goBack();
keepTooLong();
sendOnce();
previewSettings();
refresh();
composeDocument();
showPicture();
for (const form of document.querySelectorAll<HTMLFormElement>('[data-keeps-typing]')) {
  keepTyping(form);
}
