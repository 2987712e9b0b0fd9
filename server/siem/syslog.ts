import { isIP } from 'node:net'
import { connect } from 'node:tls'
import { ocsfMessage } from './ocsf.ts'
import { NotAccepted, type Patience, type SentRecord, type Sink } from './sink.ts'

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
 * Syslog over TLS. The protocol does not acknowledge messages, so each batch has its own connection, which both sides close: a receiver
 * must answer this server's end with its own (RFC 5425, section 4.4), and does so when it has read everything. Until then the connection
 * stays open, because what the receiver has not read is lost with it. A batch whose end is not answered in time has failed.
 */
export function syslogTransport(
  target: SyslogTarget,
  { silenceMs, wholeMs, checkMs }: Patience,
): Pick<Sink, 'send' | 'check' | 'close'> {
  const stop = new AbortController()
  const deliver = (frames: string, ms: number) => exchange(target, frames, { silenceMs, wholeMs: ms }, stop.signal)
  return {
    send: (records) => deliver(records.map((sent) => syslogFrame(sent, target.origin)).join(''), wholeMs),
    check: () => deliver('', checkMs),
    async close() {
      stop.abort()
    },
  }
}

function exchange(
  { host, port, ca, client }: SyslogTarget,
  frames: string,
  { silenceMs, wholeMs }: Pick<Patience, 'silenceMs' | 'wholeMs'>,
  stop: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let flushed = false
    const socket = connect({
      host,
      port,
      // A name only: RFC 6066, section 3, excludes addresses. A receiver of several names chooses its certificate by it.
      ...(isIP(host) === 0 ? { servername: host } : {}),
      minVersion: 'TLSv1.2',
      ...(ca === undefined ? {} : { ca }),
      ...(client === undefined ? {} : client),
    })
    const fail = (reason: string) => {
      reject(new NotAccepted(`${host}:${port}: ${reason}`))
      socket.destroy()
    }
    const late = () => {
      const seconds = `within ${wholeMs / 1000} seconds`
      fail(
        flushed
          ? `did not close the connection ${seconds}, so it is unknown what it has read`
          : `did not take everything ${seconds}`,
      )
    }
    const whole = setTimeout(late, wholeMs)
    const stopped = () => fail('the server is stopping')
    if (stop.aborted) stopped()
    stop.addEventListener('abort', stopped)
    socket.once('secureConnect', () =>
      socket.end(frames, () => {
        flushed = true
        socket.setTimeout(0)
      }),
    )
    // Nothing is expected from the receiver but the end.
    socket.resume()
    socket.setTimeout(silenceMs)
    socket.once('timeout', () => fail('did not answer'))
    socket.once('error', (error) => fail(error.message))
    socket.once('close', () => {
      clearTimeout(whole)
      stop.removeEventListener('abort', stopped)
      if (flushed) resolve()
      else fail('closed the connection')
    })
  })
}
