import { AsyncResource } from 'node:async_hooks'
import { setImmediate as afterThisTurn, setTimeout as delay } from 'node:timers/promises'
import { type Followed, headOfLog, readRecords, tooMany } from '#server/audit/follow-log.ts'
import { after, type Position, writtenPosition } from '#server/audit/position.ts'
import type { Principal } from '#server/kernel/auth/principal.ts'
import { findMembers } from '#server/kernel/auth/store.ts'
import { inOneWrite } from '#server/kernel/db/one-write.ts'
import { runtime } from '#server/kernel/runtime.ts'

/** Reads of one tenant are at least this far apart, however often it commits and however many streams follow it. */
const paceMs = 250

type Asked = { principal: Principal; position: Position }
type Member = Awaited<ReturnType<typeof findMembers>>[number]

/** What one read found: for each of those who asked, the membership and the records after the position. */
type Read = { memberOf(principal: Principal): Member | undefined; after(position: Position): Followed }

type Group = { asked: Asked[]; read: Promise<Read> }

// Owned by this module. By tenant: the streams whose read has not begun, and until when the next one has to wait.
const groups = new Map<string, Group>()
const pauses = new Map<string, Promise<void>>()

/** A read belongs to none of those who asked for it. */
const outside = new AsyncResource('read together')

/**
 * Reads the tenant's log after `position`, and the membership of `principal`, in one transaction for all streams of the tenant that have
 * asked when it begins. It begins after the call, so nothing that was committed before is missing in it, and no membership is older.
 */
export async function readTogether(
  tenantId: string,
  { principal, position }: Asked,
): Promise<{ member: Member | undefined; followed: Followed }> {
  const group = groups.get(tenantId) ?? newGroup(tenantId)
  group.asked.push({ principal, position })
  const read = await group.read
  return { member: read.memberOf(principal), followed: read.after(position) }
}

function newGroup(tenantId: string): Group {
  const asked: Asked[] = []
  // One notification wakes the streams one after another: the read waits for all of them.
  const begin = pauses.get(tenantId) ?? afterThisTurn(undefined)
  const read = begin.then(() => {
    groups.delete(tenantId)
    pause(tenantId)
    return outside.runInAsyncScope(() => readAll(tenantId, asked))
  })
  const group = { asked, read }
  groups.set(tenantId, group)
  return group
}

function pause(tenantId: string): void {
  const over = delay(paceMs, undefined, { ref: false }).then(() => {
    pauses.delete(tenantId)
  })
  pauses.set(tenantId, over)
}

async function readAll(tenantId: string, asked: readonly Asked[]): Promise<Read> {
  const { database } = runtime()
  const people = new Map(asked.map(({ principal }) => [nameOf(principal), principal]))
  const positions = new Map(asked.map(({ position }) => [writtenPosition(position), position]))
  const [members, ...records] = await database.readInTenant(tenantId, (tx) =>
    inOneWrite(tx, [
      () => findMembers(tx, tenantId, [...people.values()]),
      ...[...positions.values()].map((position) => () => readRecords(tx, tenantId, position)),
    ]),
  )
  const found = new Map(members.map((member) => [nameOf(member), member]))
  const followed = new Map<string, Followed>()
  for (const [index, [written, position]] of [...positions].entries()) {
    const some = records[index] ?? []
    followed.set(
      written,
      tooMany(some)
        ? {
            from: position,
            position: await database.inTenant(tenantId, (tx) => headOfLog(tx, tenantId)),
            records: undefined,
          }
        : { from: position, position: some.reduce(after, position), records: some },
    )
  }
  return {
    memberOf: (principal) => found.get(nameOf(principal)),
    after(position) {
      const one = followed.get(writtenPosition(position))
      if (one === undefined) throw new Error('unreachable: each position that was asked for has been read')
      return one
    },
  }
}

const nameOf = ({ issuer, subject }: Pick<Principal, 'issuer' | 'subject'>): string => JSON.stringify([issuer, subject])
