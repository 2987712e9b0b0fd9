import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'
import type { Config } from '#server/kernel/config.ts'
import { type Finding, failed, ok, reasonOf, warning } from './findings.ts'

/** Of silence, and in all. */
const usualMs = 10_000

/** Connects to the SMTP server and signs in, without sending anything. */
export async function checkMail(
  { smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>,
  patienceMs = usualMs,
): Promise<Finding[]> {
  if (smtpUrl === undefined)
    return [
      warning(
        'Mail',
        'SMTP_URL is not set: no one is notified by mail.',
        'Set it, or tell approvers to watch the inbox.',
      ),
    ]
  const { auth, ...options } = parseConnectionUrl(smtpUrl)
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: patienceMs,
    greetingTimeout: patienceMs,
    socketTimeout: patienceMs,
  })
  const { host } = new URL(smtpUrl)
  let whole: NodeJS.Timeout | undefined
  try {
    await new Promise<void>((resolve, reject) => {
      connection.once('error', reject)
      // The limits of the connection count silence; a server may also greet without an end.
      whole = setTimeout(() => reject(new Error(`not ready within ${patienceMs / 1000} seconds`)), patienceMs)
      connection.connect((refused) => {
        if (refused) return reject(refused)
        if (auth === undefined || auth === null || typeof auth !== 'object') return resolve()
        connection.login(auth, (error) => (error ? reject(error) : resolve()))
      })
    })
    return [ok('Mail', `${host} accepts this server; the sender is ${mailFrom}`)]
  } catch (error) {
    return [failed('Mail', `${host}: ${reasonOf(error)}`, 'Check SMTP_URL, the account, and that the port is open.')]
  } finally {
    clearTimeout(whole)
    connection.close()
  }
}
