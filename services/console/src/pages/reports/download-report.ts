import { printReport, timeLimitsMs } from '@pinkas/contracts';
import { dayInIsrael } from '@pinkas/domain';
import { type Clock, InjectClock, RpcClient } from '@pinkas/service-kit';
import { ConsolePage, type PageReply } from '../../http/console-page.js';
import { csvFile, pdfFile } from '../../http/file-replies.js';
import type { MemberVisit } from '../../http/visit.js';
import { periodOf, readReport } from '../../report/report.js';
import { printedPeriod, reportRows } from '../../report/report-files.js';

/** The report of a period as a PDF. */
@ConsolePage({
  method: 'GET',
  path: '/reports/pdf',
  access: 'reader',
  books: true,
  timeoutMs: timeLimitsMs.operatorCall,
})
export class PrintPeriod {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const now = this.clock.now();
    const period = periodOf(visit, now);
    const report = await readReport(this.rpc, visit, period);
    const { pdf } = await this.rpc.call(printReport, {
      title: `Report ${period.name}`,
      html: printedPeriod(visit, period, report, dayInIsrael(now)),
    });
    return pdfFile(`report-${period.name}.pdf`, Buffer.from(pdf, 'base64'));
  }
}

/** The same figures as a table for a spreadsheet. */
@ConsolePage({ method: 'GET', path: '/reports/csv', access: 'reader', books: true })
export class DownloadReport {
  constructor(
    private readonly rpc: RpcClient,
    @InjectClock() private readonly clock: Clock,
  ) {}

  async handle(visit: MemberVisit): Promise<PageReply> {
    const period = periodOf(visit, this.clock.now());
    const report = await readReport(this.rpc, visit, period);
    return csvFile(`report-${period.name}.csv`, reportRows(visit, report));
  }
}
