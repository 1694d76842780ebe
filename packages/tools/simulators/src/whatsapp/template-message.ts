/** An error of the Cloud API: its code, its title, and the details for this message. */
export interface CloudApiError {
  /** HTTP. */
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly details: string;
}

type Json = Record<string, unknown>;

/** The number of parameters in the body of each template: business, type, number, and the total or the allocation number. */
const bodyParameters = 4;
const callbackDataMax = 512;

const invalid = (details: string): CloudApiError => ({
  status: 400,
  code: 100,
  message: 'Invalid parameter',
  details,
});

/**
 * Checks a message against the rules of the Cloud API for template messages.
 * @param templates the names of the only templates that are approved; undefined: any is.
 * @returns the first error, or undefined.
 */
export function checkMessage(
  body: Json,
  templates: readonly string[] | undefined,
): CloudApiError | undefined {
  const unknown = membersBeyond(body, [
    'messaging_product',
    'recipient_type',
    'to',
    'type',
    'template',
    'biz_opaque_callback_data',
  ]);
  if (unknown) {
    return invalid(`Unexpected key "${unknown}" on param root`);
  }
  if (body.messaging_product !== 'whatsapp') {
    return invalid('messaging_product must be whatsapp');
  }
  if (body.recipient_type !== undefined && body.recipient_type !== 'individual') {
    return invalid('recipient_type must be individual');
  }
  if (typeof body.to !== 'string' || !/^\+?[1-9]\d{6,14}$/.test(body.to)) {
    return invalid('to must be a phone number with its country code');
  }
  if (body.type !== 'template') {
    return invalid('type must be template: nobody has written to us first');
  }
  const callbackData = body.biz_opaque_callback_data;
  if (
    callbackData !== undefined &&
    (typeof callbackData !== 'string' || callbackData === '' || callbackData.length > callbackDataMax)
  ) {
    return invalid(`biz_opaque_callback_data must be a text of at most ${callbackDataMax} characters`);
  }
  return isObject(body.template) ? checkTemplate(body.template, templates) : invalid('template is required');
}

function checkTemplate(given: Json, approved: readonly string[] | undefined): CloudApiError | undefined {
  const unknown = membersBeyond(given, ['name', 'language', 'components']);
  if (unknown) {
    return invalid(`Unexpected key "${unknown}" on param template`);
  }
  const { name, language, components } = given;
  if (typeof name !== 'string' || !/^[a-z0-9_]{1,512}$/.test(name)) {
    return invalid('template.name is required');
  }
  if (!isObject(language) || !/^[a-z]{2,3}(_[A-Z]{2})?$/.test(String(language.code))) {
    return invalid('template.language.code is required');
  }
  if (approved !== undefined && !approved.includes(name)) {
    return {
      status: 404,
      code: 132001,
      message: 'Template name does not exist in the translation',
      details: `template name (${name}) does not exist in ${String(language.code)}`,
    };
  }
  return checkComponents(components);
}

function checkComponents(components: unknown): CloudApiError | undefined {
  if (!Array.isArray(components) || components.length !== 2 || !components.every(isObject)) {
    return invalid('template.components must be the body and the button');
  }
  const [text, button] = components as [Json, Json];
  return checkBody(text) ?? checkButton(button);
}

function checkBody(text: Json): CloudApiError | undefined {
  if (text.type !== 'body' || membersBeyond(text, ['type', 'parameters'])) {
    return invalid('template.components[0] must be the body');
  }
  const texts = parametersOf(text);
  if (typeof texts === 'string') {
    return invalid(`template.components[0]: ${texts}`);
  }
  return texts.length === bodyParameters ? undefined : wrongCount(texts.length, bodyParameters);
}

function checkButton(button: Json): CloudApiError | undefined {
  if (
    button.type !== 'button' ||
    button.sub_type !== 'url' ||
    String(button.index) !== '0' ||
    membersBeyond(button, ['type', 'sub_type', 'index', 'parameters'])
  ) {
    return invalid('template.components[1] must be the button of type url at index 0');
  }
  const suffix = parametersOf(button);
  if (typeof suffix === 'string') {
    return invalid(`template.components[1]: ${suffix}`);
  }
  return suffix.length === 1 ? undefined : wrongCount(suffix.length, 1);
}

/** The texts of a component's parameters, or the error in them. */
function parametersOf({ parameters }: Json): string[] | string {
  if (!Array.isArray(parameters)) {
    return 'parameters is required';
  }
  const texts: string[] = [];
  for (const parameter of parameters as unknown[]) {
    if (!isObject(parameter) || parameter.type !== 'text' || membersBeyond(parameter, ['type', 'text'])) {
      return 'a parameter must be { type: text, text }';
    }
    if (typeof parameter.text !== 'string' || parameter.text === '') {
      return 'a text must not be empty';
    }
    if (/[\n\t]| {5}/.test(parameter.text)) {
      return 'Param text cannot have new-line/tab characters or more than 4 consecutive spaces';
    }
    texts.push(parameter.text);
  }
  return texts;
}

const wrongCount = (given: number, wanted: number): CloudApiError => ({
  status: 400,
  code: 132000,
  message: 'Number of parameters does not match the expected number of params',
  details: `number of localizable_params (${given}) does not match the expected number of params (${wanted})`,
});

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const membersBeyond = (value: Json, known: readonly string[]): string | undefined =>
  Object.keys(value).find((member) => !known.includes(member));
