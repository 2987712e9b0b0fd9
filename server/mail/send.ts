import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export type Message = {
  /** What mail programs show of the sender, next to the address. */
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  messageId: string
}

/**
 * `error` is the reason, for people; `detail` is what the server or the system said, for the log. Both contain nothing of the message.
 * `isTemporary`: the server does not have the message, and a later attempt may succeed.
 */
export type Outcome =
  | { delivery: 'delivered'; error: null }
  | { delivery: 'failed' | 'unknown'; error: string; detail?: string | undefined; isTemporary?: boolean }

/** Milliseconds: to connect and be greeted, the longest silence afterwards, and all of it, for a server that answers byte by byte. */
export type Patience = { connectMs: number; silenceMs: number; wholeMs: number }

export const patience: Patience = { connectMs: 30_000, silenceMs: 120_000, wholeMs: 300_000 }

type SmtpError = Error & { code?: string; responseCode?: number; response?: string }

/**
 * Sends one message to the SMTP server at `url`, once. Failed: the server refused it, or the message was not
 * transmitted. Unknown: the message was transmitted up to the final dot, and no response came (RFC 1047). `cut` ends it, as does
 * the limit of the whole.
 */
export async function send(url: string, message: Message, patience: Patience, cut: AbortSignal): Promise<Outcome> {
  // RFC 3834: no one is to answer automatically.
  const headers = { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' }
  const raw = await new MailComposer({ ...message, headers }).compile().build()
  // The stream is first read after the server's 354: from the first byte on, the server may have accepted the message.
  let handing = false
  const body = Readable.from(
    (function* () {
      handing = true
      yield raw
    })(),
  )
  const { auth, ...options } = parseConnectionUrl(url)
  const connection = new SMTPConnection({
    ...options,
    connectionTimeout: patience.connectMs,
    greetingTimeout: patience.connectMs,
    socketTimeout: patience.silenceMs,
  })
  const over = AbortSignal.any([cut, AbortSignal.timeout(patience.wholeMs)])
  try {
    return await new Promise<Outcome>((resolve) => {
      const end = (error: SmtpError | null | undefined) => resolve(outcomeOf(error, handing))
      const endOver = () => resolve(cut.aborted ? cutOff(handing) : tookTooLong(patience, handing))
      if (over.aborted) return endOver()
      over.addEventListener('abort', endOver, { once: true })
      connection.on('error', end)
      connection.once('end', () => end(new Error('The SMTP server closed the connection.')))
      connection.connect((refused) => {
        if (refused) return end(refused)
        const hand = () => connection.send({ from: message.from.address, to: [message.to] }, body, end)
        if (auth === undefined || auth === null || typeof auth !== 'object') return hand()
        connection.login(auth, (error) => (error ? end(error) : hand()))
      })
    })
  } finally {
    connection.quit()
    connection.close()
    body.destroy()
  }
}

const notConfirmed = 'The SMTP server did not respond after the message was transmitted.'

/** The process is stopping. */
const cutOff = (handing: boolean): Outcome =>
  handing
    ? { delivery: 'unknown', error: 'The sending process ended before the mail server confirmed delivery.' }
    : { delivery: 'failed', error: 'The sending process ended before the message.', isTemporary: true }

function tookTooLong({ wholeMs }: Patience, handing: boolean): Outcome {
  const detail = `not done within ${wholeMs / 1000} seconds`
  return handing
    ? { delivery: 'unknown', error: notConfirmed, detail }
    : { delivery: 'failed', error: 'The SMTP server took too long before the message.', detail, isTemporary: true }
}

function outcomeOf(error: SmtpError | null | undefined, handing: boolean): Outcome {
  if (error === null || error === undefined) return { delivery: 'delivered', error: null }
  const code = error.responseCode
  const detail = [error.code, error.response ?? error.message].filter((part) => part !== undefined).join(': ')
  if (typeof code === 'number' && code >= 400)
    return {
      delivery: 'failed',
      error: `The SMTP server refused the message (${code}).`,
      detail,
      // RFC 5321, 4.2.1: 4yz is transient, 5yz permanent.
      isTemporary: code < 500,
    }
  return handing
    ? { delivery: 'unknown', error: notConfirmed, detail }
    : {
        delivery: 'failed',
        error: 'The SMTP server could not be reached, or closed the connection before the message.',
        detail,
        // Not what this process itself found wrong with an address or the sign-in.
        isTemporary: !['EENVELOPE', 'EMESSAGE', 'EAUTH', 'ENOAUTH'].includes(error.code ?? ''),
      }
}
