import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { ocsfMessage } from './ocsf.ts'
import { NotAccepted, patienceMs, type SentRecord, type Sink } from './sink.ts'

export type SyslogTarget = {
  host: string
  port: number
  ca: string | undefined
  /** Of this server, for receivers that want one. */
  client: { cert: string; key: string } | undefined
  /** The installation, as HOSTNAME of each message. */
  origin: string
}

/** Facility 13 (log audit), severity 6 (informational). */
const priority = 13 * 8 + 6
/** How long a receiver may take to close its side. */
const closingMs = 2_000

/**
 * A message of RFC 5424 in a frame of RFC 5425: its number of octets, a space, the message. What is not ASCII is written as \u escapes
 * of JSON, so the message needs no byte order mark, on which parsers of JSON stumble.
 */
export function syslogFrame(sent: SentRecord, origin: string): string {
  const header = `<${priority}>1 ${sent.createdAt.toISOString()} ${origin} countersign - audit -`
  const message = ocsfMessage(sent, (json) => `${header} ${json.replaceAll(/[^\x20-\x7e]/g, escaped)}`)
  return `${Buffer.byteLength(message)} ${message}`
}

const escaped = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/**
 * Syslog over TLS. The protocol does not acknowledge messages, so each batch has its own connection, which both sides close. A receiver
 * that closes without an error has read everything; one that stays silent counts as having it when all bytes have left this process.
 */
export function syslogTransport(target: SyslogTarget): Pick<Sink, 'send' | 'check' | 'close'> {
  return {
    send: (records) => deliver(target, records.map((sent) => syslogFrame(sent, target.origin)).join('')),
    check: () => deliver(target, ''),
    close: () => Promise.resolve(),
  }
}

function deliver({ host, port, ca, client }: SyslogTarget, frames: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let flushed = false
    const fail = (reason: string) => reject(new NotAccepted(`${host}:${port}: ${reason}`))
    const socket = connect({
      host,
      port,
      // A name only: RFC 6066, section 3, excludes addresses. A receiver of several names chooses its certificate by it.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
      ...(client === undefined ? {} : client),
    })
    socket.once('secureConnect', () =>
      socket.end(frames, () => {
        flushed = true
        socket.setTimeout(closingMs)
      }),
    )
    // Nothing is expected from the receiver but the end.
    socket.resume()
    socket.setTimeout(patienceMs)
    socket.once('timeout', () => {
      if (flushed) resolve()
      else fail('did not answer')
      socket.destroy()
    })
    socket.once('error', (error) => fail(error.message))
    socket.once('close', () => (flushed ? resolve() : fail('closed the connection')))
  })
}
