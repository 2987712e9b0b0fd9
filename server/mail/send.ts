import { Readable } from 'node:stream'
import MailComposer from 'nodemailer/lib/mail-composer'
import { parseConnectionUrl } from 'nodemailer/lib/shared'
import SMTPConnection from 'nodemailer/lib/smtp-connection'

export type Message = { from: string; to: string; subject: string; text: string; messageId: string }

/** `error` says why, for people; it holds nothing of the message. */
export type Outcome =
  | { delivery: 'delivered'; error: null }
  | { delivery: 'failed'; error: string }
  | { delivery: 'unknown'; error: string }

/** Milliseconds: to connect and be greeted, and the longest silence afterwards. */
export type Patience = { connectMs: number; silenceMs: number }

type SmtpError = Error & { responseCode?: number; response?: string }

/**
 * Hands one message to the SMTP server at `url`, once. Failed: the server said no, or the message was not handed over.
 * Unknown: the message was on its way to the final dot, and no answer came (RFC 1047).
 */
export async function send(url: string, message: Message, patience: Patience): Promise<Outcome> {
  const raw = await new MailComposer(message).compile().build()
  // Nobody reads it before the server has said 354: from the first byte on, the server may have taken the message.
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
  try {
    return await new Promise<Outcome>((resolve) => {
      const end = (error: SmtpError | null | undefined) => resolve(outcomeOf(error, handing))
      connection.on('error', end)
      connection.once('end', () => end(new Error('The SMTP server closed the connection.')))
      connection.connect((refused) => {
        if (refused) return end(refused)
        const hand = () => connection.send({ from: message.from, to: [message.to] }, body, end)
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

function outcomeOf(error: SmtpError | null | undefined, handing: boolean): Outcome {
  if (error === null || error === undefined) return { delivery: 'delivered', error: null }
  const code = error.responseCode
  if (typeof code === 'number' && code >= 400)
    return { delivery: 'failed', error: `The SMTP server refused the message (${code}).` }
  return handing
    ? { delivery: 'unknown', error: 'The SMTP server did not answer after the message was handed over.' }
    : { delivery: 'failed', error: 'The SMTP server could not be reached, or ended the connection before the message.' }
}
