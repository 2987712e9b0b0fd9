import { Broken, type Json, member } from './bytes.ts'
import { counted } from './counted.ts'
import type { SeenRecord } from './log.ts'

// What the log proves less of: rows that existed before the service bound rows to the log, and records from before it put a mac on
// each. The first are in records state.adopted, which commit to what the rows were then; the manifest states where the macs begin.

/** Kinds of rows that are named, and places. */
const mostKinds = 30
const mostPlaces = 5

/** Collects those records, and then names them. */
export function olderRecords(manifest: Json) {
  const keyedFrom = keyedFromIn(manifest)
  const kinds = new Map<string, number>()
  const places: string[] = []
  let [adopting, unkeyed] = [0, 0]
  return {
    any: (): boolean => adopting + unkeyed > 0,
    add({ date, seq, record }: SeenRecord): void {
      if (keyedFrom !== undefined && (date < keyedFrom.date || (date === keyedFrom.date && seq < keyedFrom.seq)))
        unkeyed += 1
      if (member(record, 'action') !== 'state.adopted') return
      const states = member(record, 'states')
      for (const state of Array.isArray(states) ? states : []) {
        const type = String(member(state, 'type'))
        if (kinds.has(type) || kinds.size < mostKinds) kinds.set(type, (kinds.get(type) ?? 0) + 1)
      }
      adopting += 1
      if (places.length < mostPlaces) places.push(`${seq} of ${date}`)
    },
    /** Which rows and records, and what that means. */
    describe(): string {
      const rows = [...kinds].map(([type, count]) => `${type.replaceAll('_', ' ')} (${count})`).join(', ')
      const more = adopting > places.length ? ` and ${adopting - places.length} more` : ''
      const adopted =
        adopting === 0
          ? []
          : [
              `These rows are older than their binding to the log: ${rows}. The records state.adopted (${places.join(', ')}${more}) name each; what the rows contained before is not known.`,
            ]
      const plain =
        unkeyed === 0 || keyedFrom === undefined
          ? []
          : [
              `${counted(unkeyed, 'record', 'records')} before number ${keyedFrom.seq} of ${keyedFrom.date} ${unkeyed === 1 ? 'is' : 'are'} from a version that did not check who wrote a record before it was signed.`,
            ]
      return [...adopted, ...plain].join(' ')
    },
  }
}

/** The first record with a mac; undefined if the manifest does not name one. */
function keyedFromIn(manifest: Json): { date: string; seq: number } | undefined {
  const stated = member(member(manifest, 'rows') ?? null, 'keyedFrom') ?? null
  if (stated === null) return undefined
  const [date, seq] = [member(stated, 'date'), member(stated, 'seq')]
  if (typeof date !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(date) || typeof seq !== 'number')
    throw new Broken('The manifest names the first record with a mac in an unknown form.')
  return { date, seq }
}
