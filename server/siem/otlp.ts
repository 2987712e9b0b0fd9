import { otlpLogs } from './otlp-log.ts'
import { type Answer, membersOf, openPoster, refusedBy } from './post.ts'
import { PartlyAccepted, type Patience, type Sink } from './sink.ts'

export type OtlpTarget = {
  /** The whole address, usually with the path /v1/logs. */
  url: string
  ca: string | undefined
  /** Reads headers with secrets, which may have been replaced. */
  headers(): Promise<Record<string, string>>
}

/** A collector of OTLP logs over HTTP. The records are accepted with a 2xx that rejects none of them. */
export function otlpTransport(
  { url, ca, headers }: OtlpTarget,
  patience: Patience,
): Pick<Sink, 'send' | 'check' | 'close'> {
  const poster = openPoster(url, ca, patience)
  const post = async (body: string, ms: number) => {
    const given = await headers()
    const answer = await poster.post(body, given, ms)
    const refusal = refusedBy(answer, Object.values(given))
    if (answer.status < 200 || answer.status > 299) throw refusal
    if (rejectedOf(answer) > 0) throw new PartlyAccepted(refusal.message)
  }
  return {
    send: (records) => post(otlpLogs(records), patience.wholeMs),
    check: () => post(otlpLogs([]), patience.checkMs),
    close: () => poster.close(),
  }
}

function rejectedOf({ text }: Answer): number {
  const partial = membersOf(text)?.partialSuccess
  if (typeof partial !== 'object' || partial === null || !('rejectedLogRecords' in partial)) return 0
  return Number(partial.rejectedLogRecords)
}
