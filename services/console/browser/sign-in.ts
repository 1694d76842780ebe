import {
  browserSupportsWebAuthn,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
} from '@simplewebauthn/browser';

/*
 * Passkeys, which need a script, and links that the browser which asked for them uses at once.
 */

/** What was typed is refused; the message is for the person. */
class RefusedError extends Error {}

/** Sends a form, and reads the JSON of the reply. A reply that is a page states that the session or the proof has ended. */
async function send<T>(path: string, fields: Record<string, string>): Promise<T> {
  const response = await fetch(path, { method: 'POST', body: new URLSearchParams(fields) });
  if (response.redirected) {
    location.assign(location.href);
  }
  if (response.status === 422 && path.endsWith('/options')) {
    throw new RefusedError(((await response.json()) as { error: string }).error);
  }
  if (!response.ok || !response.headers.get('content-type')?.startsWith('application/json')) {
    throw new Error(`${path}: ${response.status}`);
  }
  return (await response.json()) as T;
}

/** Proves who the person is. @returns where to go on. */
async function usePasskey(token: string, next: string): Promise<string> {
  const optionsJSON = await send<PublicKeyCredentialRequestOptionsJSON>('/sign-in/passkey/options', {
    _csrf: token,
    next,
  });
  const response = await startAuthentication({ optionsJSON });
  const reply = await send<{ next: string }>('/sign-in/passkey', {
    _csrf: token,
    response: JSON.stringify(response),
  });
  return reply.next;
}

/** Adds a passkey to the person. */
async function addPasskey(token: string, name: string): Promise<string> {
  const optionsJSON = await send<PublicKeyCredentialCreationOptionsJSON>('/account/passkeys/options', {
    _csrf: token,
    name,
  });
  const response = await startRegistration({ optionsJSON });
  const reply = await send<{ next: string }>('/account/passkeys', {
    _csrf: token,
    name,
    response: JSON.stringify(response),
  });
  return reply.next;
}

function mount(part: HTMLElement): void {
  const { passkey, token = '', next = '/', failed = '' } = part.dataset;
  const button = part.querySelector('button');
  const error = part.querySelector('.error');
  if (!button || !error || !browserSupportsWebAuthn()) {
    return;
  }
  part.hidden = false;
  button.addEventListener('click', async () => {
    button.disabled = true;
    error.textContent = '';
    try {
      const name = part.querySelector('input')?.value ?? '';
      location.assign(await (passkey === 'add' ? addPasskey(token, name) : usePasskey(token, next)));
    } catch (reason) {
      error.textContent = reason instanceof RefusedError ? reason.message : failed;
      button.disabled = false;
    }
  });
}

for (const part of document.querySelectorAll<HTMLElement>('[data-passkey]')) {
  mount(part);
}
document.querySelector<HTMLFormElement>('form[data-send-at-once]')?.requestSubmit();
