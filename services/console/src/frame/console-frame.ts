import { Injectable } from '@nestjs/common';
import type { ErrorCode } from '@pinkas/contracts';
import type { Language } from '@pinkas/ui';
import type { PageReply } from '../http/console-page.js';
import { PageFrame, type Rejection } from '../http/page-frame.js';
import type { MemberVisit, Visit } from '../http/visit.js';
import {
  busyPage,
  errorPage,
  refusedPage,
  signInPath,
  slowPage,
  stalePage,
  tooLargePage,
  wrongAddressPage,
} from './message-pages.js';
import { shell } from './shell.js';

/** The frame of the console's pages, as the pipeline gets it. */
@Injectable()
export class ConsoleFrame extends PageFrame {
  readonly signInPath = signInPath;

  frame(reply: Extract<PageReply, { kind: 'html' }>, visit: Visit | MemberVisit): string {
    return shell(reply, visit);
  }

  rejected(rejection: Rejection, language: Language, formPath = ''): PageReply {
    switch (rejection) {
      case 'stale_form':
        return stalePage(language);
      case 'too_large':
      case 'file_too_large':
        return tooLargePage(formPath, rejection === 'file_too_large', language);
      case 'wrong_address':
        return wrongAddressPage(language);
      case 'too_slow':
        return slowPage(language);
      case 'busy':
        return busyPage(language);
      default:
        return errorPage(rejection, language);
    }
  }

  refused(code: ErrorCode, language: Language): PageReply {
    return refusedPage(code, language);
  }
}
