import { ocsfMessage } from './ocsf.ts'
import { membersOf, openPoster, refusedBy } from './post.ts'
import type { Patience, SentRecord, Sink } from './sink.ts'

export type HecTarget = {
  /** Without a path: that of the collector's endpoint is added. */
  url: string
  ca: string | undefined
  /** Reads the token, which may have been replaced. */
  token(): Promise<string>
  /** The installation, as the collector shows the origin of an event. */
  host: string
}

const noData = 5

/**
 * The HTTP event collector of Splunk. Index and source type are those of the token. The records are accepted with status 200 and
 * code 0.
 */
export function hecTransport(
  { url, ca, token, host }: HecTarget,
  patience: Patience,
): Pick<Sink, 'send' | 'check' | 'close'> {
  const poster = openPoster(`${url.replace(/\/+$/, '')}/services/collector/event`, ca, patience)
  const { wholeMs, checkMs } = patience
  const post = async (body: string, ms: number, accepted: (status: number, code: unknown) => boolean) => {
    const secret = await token()
    const answer = await poster.post(body, { authorization: `Splunk ${secret}` }, ms)
    if (!accepted(answer.status, membersOf(answer.text)?.code)) throw refusedBy(answer, [secret])
  }
  const envelope = (sent: SentRecord) => {
    const members = JSON.stringify({ time: sent.createdAt.getTime() / 1000, host, source: 'countersign' })
    return ocsfMessage(sent, (event) => `${members.slice(0, -1)},"event":${event}}`)
  }
  return {
    send: (records) => post(records.map(envelope).join('\n'), wholeMs, (status, code) => status === 200 && code === 0),
    // An empty request is refused after the token was accepted.
    check: () => post('', checkMs, (status, code) => status === 400 && code === noData),
    close: () => poster.close(),
  }
}
