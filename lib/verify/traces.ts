import type { Archive } from './archive.ts'
import { Broken, type Bytes, type Json, member, parseLine, textMember } from './bytes.ts'
import { all, counted } from './counted.ts'
import { noDigest, numbersIn, objectTable, type Room, twoNumbers } from './objects.ts'
import { type About, NotChecked } from './report.ts'
import { microsOf } from './spans.ts'

// The list of traces against the spans in the archive, each of which is compared with the log. A line is
// `{traceId, spans, startedAt, endedAt}` of the trace's spans that began in the period; `endedAt` is null while one of them
// has not ended.

const traceList = 'data/traces.ndjson'
const traceType = 'trace'

/** What the archive's spans say of a trace. Times in microseconds. */
type TraceFacts = { spans: number; started: number; ended: number | null }

/** Collects the spans of each trace, and then compares the list with them. */
export function traceLines(period: About['period'], room: Room) {
  // As digest: the two times. As revision: the number of spans, plus one if one has not ended, times two.
  const traces = objectTable(room)
  const [start, end] = [period.start, period.end].map((time) => Date.parse(time) * 1000) as [number, number]
  let count = 0
  return {
    any: (archive: Archive) => count > 0 || (archive.has(traceList) && archive.size(traceList) > 0),
    /** A span as a file of spans or the state of a row has it. */
    add(span: Json): void {
      const traceId = textMember(span, 'traceId', 'A span')
      const name = `A span of trace ${traceId}`
      const started = microsOf(textMember(span, 'startedAt', name), name)
      if (!(started >= start && started < end)) return
      const endedAt = member(span, 'endedAt') ?? null
      const ended = endedAt === null ? null : microsOf(String(endedAt), name)
      const known = traces.get(traceType, traceId)
      if (known === undefined) count += 1
      const { revision, digest } = packed(joined(known && unpacked(known), { spans: 1, started, ended }))
      traces.set(traceType, traceId, { revision, form: 1, digest, owed: false, seen: false })
    },
    /** Call it when all spans were added. */
    async check(archive: Archive): Promise<string> {
      let [listed, older] = [0, 0]
      for await (const line of archive.linesIn(traceList)) {
        const row = parseLine(line, `A line of ${traceList}`)
        // Earlier versions listed what the rows of traces said, which nothing proves.
        if (member(row, 'spans') === undefined) {
          older += 1
          continue
        }
        const traceId = textMember(row, 'traceId', `A line of ${traceList}`)
        const known = traces.get(traceType, traceId)
        if (known === undefined || known.seen)
          throw new Broken(`${traceList} has trace ${traceId} twice, or none of its spans is in the archive.`)
        traces.set(traceType, traceId, { ...known, seen: true })
        const { spans, started, ended } = unpacked(known)
        const endedAt = member(row, 'endedAt') ?? null
        const name = `Trace ${traceId}`
        const same =
          member(row, 'spans') === spans &&
          microsOf(textMember(row, 'startedAt', name), name) === started &&
          (endedAt === null ? null : microsOf(String(endedAt), name)) === ended &&
          Object.keys(row ?? {}).length === 4
        if (!same) throw new Broken(`${traceList} says something else of trace ${traceId} than its spans.`)
        listed += 1
      }
      if (older > 0)
        throw new NotChecked(
          `Only the seal covers the list of ${counted(older, 'trace, which repeats when it', 'traces, which repeats when they')} began and ended, and for which execution and agent.`,
        )
      if (listed < count)
        throw new Broken(
          `${traceList} lacks ${counted(count - listed, 'trace', 'traces')} whose spans are in the archive.`,
        )
      return `${all(listed, 'trace is as its', 'traces are as their')} spans in the archive say.`
    },
  }
}

const joined = (known: TraceFacts | undefined, { spans, started, ended }: TraceFacts): TraceFacts =>
  known === undefined
    ? { spans, started, ended }
    : {
        spans: known.spans + spans,
        started: Math.min(known.started, started),
        ended: known.ended === null || ended === null ? null : Math.max(known.ended, ended),
      }

const packed = ({ spans, started, ended }: TraceFacts): { revision: number; digest: Bytes } => ({
  revision: 2 * spans + (ended === null ? 1 : 0),
  digest: twoNumbers(started, ended ?? 0),
})

function unpacked({ revision, digest }: { revision: number; digest: Bytes | undefined }): TraceFacts {
  const [started, ended] = numbersIn(digest ?? noDigest)
  return { spans: Math.floor(revision / 2), started, ended: (revision & 1) === 1 ? null : ended }
}
