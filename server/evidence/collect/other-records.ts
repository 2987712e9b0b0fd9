import { isJsonObject, type JsonObject } from '#lib/json.ts'
import { noClosedDays, type SealsHead } from '#server/audit/sealing/day-seal.ts'
import { LogBroken, type SignedDay, storedDay } from '#server/audit/sealing/read-day.ts'
import { inHex, leafOf, loggedTexts } from '#server/audit/sealing/record-leaf.ts'
import { findRecordsAt, type LogOwner } from '#server/audit/store.ts'
import { provenLeaf } from '#server/audit/tree/tree.ts'
import type { Coverage } from '#server/evidence/archive/coverage.ts'
import type { RecordPlace } from '#server/kernel/bound/stream-store.ts'
import type { Transaction } from '#server/kernel/db/database.ts'

// Records that the archive's log lacks and that its rows need: those that commit to a row, and those that name the key of a
// passkey. They are from before and after the period, and in the archive of one object also about others. Each is proved by its
// path to the signed root of its day.

/** Records that are read in one statement. */
const together = 200

export type NamedRecords = {
  /** The archive's log has this record. Only called for the archive of one object, whose log is not that of whole days. */
  contained(place: { date: string; seq: number }): void
  /** A row needs this record. */
  needed(place: RecordPlace): void
  /** The needed ones that the archive's log lacks, by day. */
  missing(): [date: string, places: number[]][]
}

export function namedRecords(days: Coverage['days']): NamedRecords {
  const parts = new Map(days.map(({ date, ...part }) => [date, part]))
  const contained = new Set<string>()
  const missing = new Map<string, Set<number>>()
  return {
    contained: ({ date, seq }) => void contained.add(`${date} ${seq}`),
    needed({ date, seq }) {
      const part = parts.get(date)
      if (part !== undefined && seq >= part.from && seq < part.to) return
      if (contained.has(`${date} ${seq}`)) return
      missing.set(date, (missing.get(date) ?? new Set()).add(seq))
    },
    missing: () =>
      [...missing]
        .map(([date, places]): [string, number[]] => [date, [...places].sort((a, b) => a - b)])
        .sort(([a], [b]) => (a < b ? -1 : 1)),
  }
}

/** Yields rows of votes, and adds the passkeys with which they were confirmed to `passkeys`. */
export async function* notingPasskeys(rows: AsyncIterable<JsonObject>, passkeys: Set<string>) {
  for await (const row of rows) {
    const vote = isJsonObject(row.state) ? row.state : row
    if (isJsonObject(vote.confirmation) && typeof vote.confirmation.passkeyId === 'string')
      passkeys.add(vote.confirmation.passkeyId)
    yield row
  }
}

/** Yields {leaf, nonce, record, path} of each; `days` receives their signed days, under the archive's head. Throws LogBroken. */
export async function* otherRecords(
  tx: Transaction,
  tenant: LogOwner,
  { named, seals = noClosedDays }: { named: NamedRecords; seals: SealsHead | undefined },
  days: SignedDay[],
): AsyncGenerator<object> {
  for (const [date, places] of named.missing()) {
    const day = await storedDay(tx, tenant, date, seals)
    days.push(day)
    for (let at = 0; at < places.length; at += together) {
      const lot = places.slice(at, at + together)
      const rows = await findRecordsAt(tx, tenant.id, date, lot)
      if (rows.length < lot.length) throw new LogBroken(`A record of ${date} that commits to a row is missing.`)
      for (const row of rows) {
        const texts = loggedTexts(inHex(row), tenant.externalId)
        if ('altered' in texts) throw new LogBroken(`Record ${row.seq} of ${date} was changed: ${texts.altered}.`)
        const proven =
          row.seq < day.size ? await provenLeaf(tx, { tenantId: tenant.id, name: date }, row.seq, day.size) : undefined
        if (!proven?.leafHash.equals(row.leafHash))
          throw new LogBroken(`Record ${row.seq} of ${date} is not in the signed log of that day.`)
        const path = proven.proof.map((hash) => hash.toString('base64'))
        const { nonce, record } = row
        yield { leaf: leafOf(row, tenant.externalId), nonce: nonce.toString('hex'), record, path }
      }
    }
  }
}
