import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Writes the certificate that a mail server shows after STARTTLS to a file, as PEM. */
export async function writeCertificate(smtpUrl: string, file: string): Promise<void> {
  const { hostname, port } = new URL(smtpUrl);
  const plain = connect(Number(port), hostname);
  try {
    const say = async (command: string) => {
      plain.write(`${command}\r\n`);
      await once(plain, 'data');
    };
    await once(plain, 'data');
    await say('EHLO test');
    await say('STARTTLS');
    const secure = connectTls({ socket: plain, rejectUnauthorized: false });
    await once(secure, 'secureConnect');
    const certificate = secure.getPeerX509Certificate();
    if (!certificate) {
      throw new Error('the mail server showed no certificate');
    }
    await writeFile(file, certificate.toString());
  } finally {
    plain.destroy();
  }
}
