import {
  Business,
  type BusinessChange,
  compile,
  renderPage,
  storeLogo,
  timeLimitsMs,
} from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { ApiError, type Clock, InjectClock, InjectConfig, RpcClient } from '@pinkas/service-kit';
import type { Words } from '@pinkas/ui';
import { AttemptLimiter } from '../access/sign-in/attempt-limiter.js';
import type { ConsoleConfig } from '../config.js';
import { ConsolePage, PageController, type PageReply } from '../http/console-page.js';
import { framedHeaders } from '../http/page-headers.js';
import type { MemberVisit, UploadedFile } from '../http/visit.js';
import { sampleDocument } from '../issue/sample-document.js';
import { settings, settingsSections } from './settings.js';

export const tooManyLogos: Words = {
  he: 'הועלו כבר 20 לוגואים ברבע שעה. אפשר להמשיך בעוד כמה דקות.',
  en: '20 logos were uploaded within 15 minutes. Please go on in some minutes.',
};

/** The logo of a change; undefined: it stays. */
export function logoOf(file: UploadedFile | undefined, isRemoved: boolean): BusinessChange['logo'] {
  if (file) {
    const mediaType = file.mediaType === 'image/svg+xml' ? 'image/svg+xml' : 'image/png';
    return `data:${mediaType};base64,${file.bytes.toString('base64')}`;
  }
  return isRemoved ? null : undefined;
}

/** What the frame next to the form of the settings shows. */
@PageController({ access: 'reader', path: '/business' })
export class BusinessPreviewPages {
  constructor(
    private readonly rpc: RpcClient,
    private readonly limiter: AttemptLimiter,
    @InjectConfig() private readonly config: ConsoleConfig,
    @InjectClock() private readonly clock: Clock,
  ) {}

  /** Stores an uploaded logo; nothing refers to it until the settings are saved. */
  @ConsolePage({
    method: 'POST',
    path: '/logo',
    access: 'owner',
    changes: 'settings',
    files: true,
    timeoutMs: timeLimitsMs.saveBusiness,
  })
  async storeLogo({ business, files, t }: MemberVisit): Promise<PageReply> {
    if ((await this.limiter.consume('logo_business', business.id)) !== null) {
      return { kind: 'json', status: 429, value: { error: t(tooManyLogos) } };
    }
    const logo = logoOf(files.logo, false) ?? '';
    try {
      const stored = await this.rpc.call(storeLogo, { business_id: business.id, logo, preview: true });
      return { kind: 'json', status: 200, value: stored };
    } catch (error) {
      if (error instanceof ApiError && error.code === 'validation_error') {
        const { refused } = settingsSections.look.logo;
        return { kind: 'json', status: 422, value: { error: t(refused) } };
      }
      throw error;
    }
  }

  /** A sample document with settings that may not be saved yet. */
  @ConsolePage({ method: 'GET', path: '/preview' })
  async show({ business, query }: MemberVisit): Promise<PageReply> {
    const shown = previewed(business, query);
    const now = this.clock.now();
    const { document, state } = sampleDocument(shown, dayInIsrael(now), now);
    const { html: body } = await this.rpc.call(renderPage, {
      document,
      state,
      business: shown,
      pdf_url: `${this.config.consoleUrl}/`,
      language: shown.language,
    });
    return { kind: 'file', headers: framedHeaders, body };
  }
}

const checkBusiness = compile(Business);

/** The business with what the query has instead; a value that no document can have is left out, such as half an address. */
function previewed(business: Business, query: URLSearchParams): Business {
  let shown = business;
  for (const [name, { at, preview }] of Object.entries(settings)) {
    const typed = query.get(name)?.trim();
    if (preview && typed !== undefined) {
      const value = preview(typed);
      const { [at]: _, ...others } = shown as Business & Record<string, unknown>;
      const checked = checkBusiness(value === undefined ? others : { ...others, [at]: value });
      shown = checked.ok ? checked.value : shown;
    }
  }
  const logo = query.get('logo') ?? '';
  return { ...shown, ...(/^[0-9a-f]{64}$/.test(logo) && { logo: { sha256: logo } }) };
}
